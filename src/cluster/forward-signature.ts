/**
 * Requests from node to node: signed with the key of the cluster, so that the other one takes who signed in for granted.
 * Neighbour: `api/forwarding.ts` sends and takes them.
 *
 * Invariants
 *  S1 a signature is of one request to one life of one node: its method, path, body, and who signed in; it is taken once,
 *     and for half a minute;
 *  S2 what is remembered of requests is bounded, and only the nodes can fill it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { drawBytes } from '../core/ids.ts';
import { isObject, type JsonObject } from '../core/json.ts';

/** A request that was forwarded once. It is not forwarded again. */
export const FORWARD_HEADER = 'x-callweave-forwarded';

/** Meaning of a 401 of a node, for the sender. */
export const NOT_TAKEN = 'it does not take the signature of this node: do their clocks differ, or cluster.key?';

export interface SignedRequest {
  method: string;
  /** With its query. */
  path: string;
  /** SHA-256 of the body, hexadecimal. */
  digest: string;
  /** Who signed in at the node that forwards. */
  identity: JsonObject;
}

export const digestOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');
export const NO_BODY = digestOf(Buffer.alloc(0));

/** Clocks of nodes may differ by this much. */
const MOST_SKEW_MS = 30_000;
const MAX_REMEMBERED = 200_000;
const MAX_HEADER_LENGTH = 4096;
const PURPOSE = 'callweave node to node 1';
const HEADER =
  /^(?<atMs>\d{1,15})\.(?<nonce>[a-f0-9]{32})\.(?<digest>[a-f0-9]{64})\.(?<who>[\w-]+)\.(?<mac>[a-f0-9]{64})$/;

export function createForwardSigner({ key, me, clock }: { key: string; me: string; clock: Clock }) {
  const secret = createHmac('sha256', key).update(PURPOSE).digest();
  /** Nonces that were taken, by when they may be forgotten, oldest first. */
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
    /** The value of the header, for one life of a node. */
    sign(to: string, request: SignedRequest): string {
      const who = Buffer.from(JSON.stringify(request.identity)).toString('base64url');
      const parts = [String(clock.now()), drawBytes(16).toString('hex'), request.digest, who];
      return [...parts, macOf(to, request, parts)].join('.');
    },

    /** What a header says that one of the nodes made for this one; else why it is not taken. */
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
      if (Math.abs(nowMs - Number(atMs)) > MOST_SKEW_MS) return { refused: 'it is too old, or the clocks differ' };
      forget(nowMs);
      if (taken.has(nonce)) return { refused: 'it was taken before' };
      // S2
      if (taken.size >= MAX_REMEMBERED) return { refused: 'there are too many' };
      // A clock that is ahead by the most makes signatures that hold for twice the time.
      taken.set(nonce, nowMs + 2 * MOST_SKEW_MS);
      const identity: unknown = JSON.parse(Buffer.from(who, 'base64url').toString());
      return isObject(identity as JsonObject)
        ? { digest, identity: identity as JsonObject }
        : { refused: 'it names nobody' };
    },
  };
}

export type ForwardSigner = ReturnType<typeof createForwardSigner>;
