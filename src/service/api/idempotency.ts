/**
 * `Idempotency-Key`: a client that got no response can repeat a request, and it takes effect only once. The response is
 * stored together with the created object (`service/calls/control/idempotency.ts`).
 */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { JsonObject } from '../../base/core/json.ts';
import type { Receipt } from '../../base/core/receipt.ts';
import type { IdempotencyKeys } from '../calls/control/idempotency.ts';
import { badRequest } from './body-reader.ts';
import { signedInProjectOf } from './request-context.ts';
import { sendJson } from './send-json.ts';

export const KEY_HEADER = 'idempotency-key';
const MAX_KEY_LENGTH = 255;
/** Any printable ASCII text. */
const KEY = /^[\x20-\x7e]+$/;

/** Digests of the bodies of requests with a key. */
const bodies = new WeakMap<IncomingMessage, Hash>();

/** Called with the bytes of a body after it was read. */
export function digestBody(request: IncomingMessage, bytes: Buffer): void {
  if (request.headers[KEY_HEADER] !== undefined) bodies.set(request, createHash('sha256').update(bytes));
}

/** Returns the response as a receipt to be stored with the created object. Undefined without a key. */
export type KeepResponse = (body: JsonObject) => Receipt | undefined;

/** Sends the result of `make`, or the stored response of the first request with the key. */
export async function answerOnce(
  keys: IdempotencyKeys,
  { req, res }: { req: Request; res: Response },
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
    // If the handler stored nothing with the receipt, store it before the response is sent.
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

/** Both spellings of a path have the same digest. */
function digestOf(req: Request): string {
  const path = req.path.toLowerCase().replace(/\/+$/, '');
  const body = (bodies.get(req) ?? createHash('sha256')).digest('base64url');
  return createHash('sha256').update(`${req.method} ${path}\n${body}`).digest('base64url');
}
