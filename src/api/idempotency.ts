/**
 * `Idempotency-Key`: a client that does not know whether its request arrived sends it again, and nobody is called twice.
 * What was answered is written with what the request made (`calls/idempotency.ts`).
 */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { IdempotencyKeys } from '../calls/idempotency.ts';
import type { JsonObject } from '../core/json.ts';
import type { Receipt } from '../core/receipt.ts';
import { badRequest } from './body-reader.ts';
import { signedInProjectOf } from './request-context.ts';

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

/** The answer, given to whoever writes down what the request makes; undefined without a key. */
export type KeepResponse = (body: JsonObject) => Receipt | undefined;

/** Answers with what `make` gives, or with what it gave when the request was made first. */
export async function answerOnce(
  keys: IdempotencyKeys,
  req: Request,
  res: Response,
  status: number,
  make: (keep: KeepResponse) => Promise<JsonObject | undefined>,
): Promise<void> {
  const key = keyOf(req);
  if (key === undefined) return void res.status(status).json(await make(() => undefined));
  const { projectId } = signedInProjectOf(res);
  const claimed = await keys.claim({ projectId, key, request: digestOf(req) });
  if ('answered' in claimed) {
    const { answered } = claimed;
    return void res.set('idempotency-replayed', 'true').status(answered.status).type('json').send(answered.body);
  }
  const { turn } = claimed;
  try {
    let kept: Receipt | undefined;
    const keep: KeepResponse = (body) => {
      kept ??= turn.receipt(status, JSON.stringify(body));
      return kept;
    };
    const body = await make(keep);
    // Where nothing was made that the answer was written with, it is written before it leaves.
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
