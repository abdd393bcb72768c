/** Verifies that the body of a forwarded request has the digest in the signature of the forwarding node. */
import type { IncomingMessage } from 'node:http';
import { digestOf, NO_BODY } from '../cluster/forward-signature.ts';
import { ApiError } from './api-error.ts';

const expected = new WeakMap<IncomingMessage, string>();

export function expectBody(request: IncomingMessage, digest: string): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || (Number(length) === 0) !== (digest === NO_BODY)) refuse();
  expected.set(request, digest);
}

/** Called with the bytes of a body after it was read. */
export function checkForwarded(request: IncomingMessage, bytes: Buffer): void {
  const digest = expected.get(request);
  if (digest !== undefined && digestOf(bytes) !== digest) refuse();
}

function refuse(): never {
  throw new ApiError('unauthorized', 'the body does not match the signature of the other node');
}
