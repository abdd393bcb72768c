/**
 * `Idempotency-Key`: a client that does not know whether its request arrived sends it again, and nobody is called twice.
 * What was answered is written with what the request made (`calls/idempotency.ts`).
 */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { JsonObject } from '../core/json.ts';
import type { Receipt } from '../core/receipt.ts';
import { badRequest } from './body-reader.ts';
import { signedInProjectOf } from './request-context.ts';
import type { VoiceParts } from './route-parts.ts';

export const KEY_HEADER = 'idempotency-key';
const LONGEST_KEY = 255;
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

export interface IdempotencyOptions {
  status?: number;
  /** Nothing new is written that the receipt could be written with: it is written before the answer. */
  writesReceipt?: boolean;
}

/** Answers with what `make` gives, or with what it gave when the request was made first. */
export async function answerOnce<Params>(
  { receipts }: Pick<VoiceParts, 'receipts'>,
  req: Request<Params>,
  res: Response,
  make: (keep: KeepResponse) => Promise<JsonObject>,
  { status = 200, writesReceipt = false }: IdempotencyOptions = {},
): Promise<void> {
  const key = keyOf(req);
  if (key === undefined) {
    const body = await make(() => undefined);
    res.status(status).json(body);
    return;
  }
  const { projectId } = signedInProjectOf(res);
  const taken = await receipts.claim({ projectId, key, request: digestOf(req) });
  if ('answered' in taken) {
    res.set('idempotency-replayed', 'true').status(taken.answered.status).type('json').send(taken.answered.body);
    return;
  }
  const { turn } = taken;
  try {
    let kept: Receipt | undefined;
    const keep: KeepResponse = (body) => {
      kept ??= turn.receipt(status, JSON.stringify(body));
      return kept;
    };
    const body = await make(keep);
    if (writesReceipt) await receipts.add(keep(body)!);
    res.status(status).type('json').send(keep(body)!.body);
  } finally {
    turn.release();
  }
}

function keyOf<Params>(req: Request<Params>): string | undefined {
  const key = req.get(KEY_HEADER);
  if (key === undefined) return undefined;
  if (key.length > LONGEST_KEY || !KEY.test(key)) {
    throw badRequest(`Idempotency-Key must be 1 to ${LONGEST_KEY} printable ASCII characters`);
  }
  return key;
}

/** Both spellings of a route are one. */
function digestOf<Params>(req: Request<Params>): string {
  const path = req.path.toLowerCase().replace(/\/+$/, '');
  const body = (bodies.get(req) ?? createHash('sha256')).digest('base64url');
  return createHash('sha256').update(`${req.method} ${path}\n${body}`).digest('base64url');
}
