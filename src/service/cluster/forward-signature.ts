/**
 * Signatures for requests from node to node, made with the cluster key, so that the receiving node trusts the
 * authenticated identity. Neighbour: `service/api/forwarding.ts` sends and receives the requests.
 *
 * Invariants
 *  S1 A signature covers one request to one epoch of one node: its method, path, body digest and identity. It is
 *     accepted once, and within half a minute.
 *  S2 The memory for seen nonces is bounded, and only nodes can fill it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/core/clock.ts';
import { drawBytes } from '../../base/core/ids.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';

/** Marks a forwarded request, which is not forwarded again. */
export const FORWARD_HEADER = 'x-callweave-forwarded';

/** Meaning of a node's 401 response, for the sender. */
export const NOT_TAKEN = 'it does not take the signature of this node: do their clocks differ, or cluster.key?';

export interface SignedRequest {
  method: string;
  /** Path, including the query. */
  path: string;
  /** SHA-256 of the body, hexadecimal. */
  digest: string;
  /** Identity authenticated by the forwarding node. */
  identity: JsonObject;
}

export const digestOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');
export const NO_BODY = digestOf(Buffer.alloc(0));

/** Maximum difference between the clocks of nodes. */
const MAX_SKEW_MS = 30_000;
const MAX_REMEMBERED = 200_000;
const MAX_HEADER_LENGTH = 4096;
const PURPOSE = 'callweave node to node 1';
const HEADER =
  /^(?<atMs>\d{1,15})\.(?<nonce>[a-f0-9]{32})\.(?<digest>[a-f0-9]{64})\.(?<who>[\w-]+)\.(?<mac>[a-f0-9]{64})$/;

export function createForwardSigner({ key, me, clock }: { key: string; me: string; clock: Clock }) {
  const secret = createHmac('sha256', key).update(PURPOSE).digest();
  /** Accepted nonces with the time until which they are kept, oldest first. */
  const taken = new Map<string, number>();

  const macOf = (to: string, { method, path }: Pick<SignedRequest, 'method' | 'path'>, parts: readonly string[]) =>
    createHmac('sha256', secret)
      .update([to, method, path, ...parts].join('\n'))
      .digest('hex');

  const forget = (nowMs: number): void => {
    for (const [nonce, untilMs] of taken) {
      if (untilMs > nowMs) return;
      taken.delete(nonce);
    }
  };

  return {
    /** Header value for one epoch of a node. */
    sign(to: string, request: SignedRequest): string {
      const who = Buffer.from(JSON.stringify(request.identity)).toString('base64url');
      const parts = [String(clock.now()), drawBytes(16).toString('hex'), request.digest, who];
      return [...parts, macOf(to, request, parts)].join('.');
    },

    /** Content of a header that a node signed for this one, or the reason why it is refused. */
    verify(
      header: string,
      { method, path }: Pick<SignedRequest, 'method' | 'path'>,
    ): Pick<SignedRequest, 'digest' | 'identity'> | { refused: string } {
      const found = header.length > MAX_HEADER_LENGTH ? undefined : HEADER.exec(header)?.groups;
      if (!found) return { refused: 'it is malformed' };
      const { atMs = '', nonce = '', digest = '', who = '', mac = '' } = found;
      const expected = macOf(me, { method, path }, [atMs, nonce, digest, who]);
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected)))
        return { refused: 'it is not signed for this node' };
      const nowMs = clock.now();
      if (Math.abs(nowMs - Number(atMs)) > MAX_SKEW_MS) return { refused: 'it is too old, or the clocks differ' };
      forget(nowMs);
      if (taken.has(nonce)) return { refused: 'it was taken before' };
      // S2
      if (taken.size >= MAX_REMEMBERED) return { refused: 'there are too many' };
      // A clock that is ahead by the maximum makes signatures that are valid for twice the time.
      taken.set(nonce, nowMs + 2 * MAX_SKEW_MS);
      const identity: unknown = JSON.parse(Buffer.from(who, 'base64url').toString());
      return isObject(identity as JsonObject)
        ? { digest, identity: identity as JsonObject }
        : { refused: 'it has no identity' };
    },
  };
}

export type ForwardSigner = ReturnType<typeof createForwardSigner>;
