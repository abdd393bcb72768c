/**
 * `Idempotency-Key`: a client that does not know whether its request arrived repeats it, and nobody is called twice.
 * The response is stored together with what the request created (`calls/idempotency.ts`).
 */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { IdempotencyKeys } from '../calls/idempotency.ts';
import type { JsonObject } from '../core/json.ts';
import type { Receipt } from '../core/receipt.ts';
import { badRequest } from './body-reader.ts';
import { signedInProjectOf } from './request-context.ts';
import { sendJson } from './send-json.ts';

export const KEY_HEADER = 'idempotency-key';
const MAX_KEY_LENGTH = 255;
/** Any printable text. */
const KEY = /^[\x20-\x7e]+$/;

/** Digests of bodies, of requests that have a key. */
const bodies = new WeakMap<IncomingMessage, Hash>();

/** Called with the bytes of a body when it is read. */
export function digestBody(request: IncomingMessage, bytes: Buffer): void {
  if (request.headers[KEY_HEADER] !== undefined) bodies.set(request, createHash('sha256').update(bytes));
}

/** The response as a receipt, to be stored with what the request creates; undefined without a key. */
export type KeepResponse = (body: JsonObject) => Receipt | undefined;

/** Answers with what `make` returns, or with what it returned to the first request of the key. */
export async function answerOnce(
  keys: IdempotencyKeys,
  req: Request,
  res: Response,
  status: number,
  make: (keep: KeepResponse) => Promise<JsonObject | undefined>,
): Promise<void> {
  const key = keyOf(req);
  if (key === undefined) return sendJson(res, status, await make(() => undefined));
  const { projectId } = signedInProjectOf(res);
  const { answered, turn } = await keys.claim({ projectId, key, request: digestOf(req) });
  if (answered) {
    return void res.set('idempotency-replayed', 'true').status(answered.status).type('json').send(answered.body);
  }
  try {
    let kept: Receipt | undefined;
    const keep: KeepResponse = (body) => {
      kept ??= turn.receipt(status, JSON.stringify(body));
      return kept;
    };
    const body = await make(keep);
    // If nothing was stored that the receipt could go with, it is stored before the response is sent.
    if (!kept) await keys.add(keep(body!)!);
    res.status(status).type('json').send(keep(body!)!.body);
  } finally {
    turn.release();
  }
}

function keyOf(req: Request): string | undefined {
  const key = req.get(KEY_HEADER);
  if (key === undefined) return undefined;
  if (key.length > MAX_KEY_LENGTH || !KEY.test(key)) {
    throw badRequest(`Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters`);
  }
  return key;
}

/** Both spellings of a route are one. */
function digestOf(req: Request): string {
  const path = req.path.toLowerCase().replace(/\/+$/, '');
  const body = (bodies.get(req) ?? createHash('sha256')).digest('base64url');
  return createHash('sha256').update(`${req.method} ${path}\n${body}`).digest('base64url');
}
