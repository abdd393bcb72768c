/**
 * Assignment of webhook receivers to nodes: each is served by one node that is present and not draining. Neighbour:
 * `service/store/redis/stores/receiver-claims.ts` stores the claims.
 *
 * Invariants
 *  V1 A receiver is served by the node that has claimed it. Another node takes over when that one has finished its
 *     deliveries in flight, has not been seen for a while, or has exceeded `MAX_WAIT_MS`.
 *  V2 A claim counts only if its node has held its lease without a gap since: otherwise another node may have taken the
 *     receiver.
 */
import { atMost, type Clock } from '../../base/core/clock.ts';
import type { ReceiverOwnership } from '../observers/webhooks/receiver-ownership.ts';
import type { Cluster } from './cluster.ts';
import { nodeFor } from './rendezvous.ts';

/** Port: claims on receivers, which expire unless renewed. */
export interface ReceiverClaims {
  /** Resolves to the current holder: `node`, unless another node than `from` holds it. */
  claim(receiver: string, claimed: { node: string; from?: string | undefined; lastsMs: number }): Promise<string>;
  release(receiver: string, node: string): Promise<void>;
}

export interface ReceiverOwnershipParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'leaseHeldMs' | 'nodes' | 'onChange'>;
  claims: ReceiverClaims;
  clock: Clock;
}

interface Claim {
  /** Time before the claim was sent. */
  sinceMs: number;
  /** True if no delivery has been in flight since the dispatcher's last report. */
  isIdle: boolean;
}

/** Maximum receivers with a cached assignment, which is needed for each event. */
const MAX_KNOWN = 50_000;
const LASTS_MS = 60_000;
const RENEWED_AFTER_MS = 20_000;
/** Leaves time for an attempt that started just before to finish. */
const TRUSTED_MS = 45_000;
const ASK_AGAIN_MS = 100;
/** Longest wait, in ms: longer than one attempt. */
const MAX_WAIT_MS = 6000;
/** Grace for a holder that is not seen: two passes of membership, because either node may have joined just now. */
const UNSEEN_MS = 500;
const LEAVE_WITHIN_MS = 2000;

export function receiverOwnership({ cluster, claims, clock }: ReceiverOwnershipParts): ReceiverOwnership {
  const { me } = cluster;
  const assigned = new Map<string, boolean>();
  const claimed = new Map<string, Claim>();
  const claiming = new Set<string>();
  const listeners = new Set<(receivers?: readonly string[]) => void>();

  const isAssigned = (receiver: string): boolean => {
    // Without a lease, another node may serve it already.
    if (!cluster.isLeaseValid()) return false;
    const known = assigned.get(receiver);
    if (known !== undefined) return known;
    const all = cluster.nodes();
    const staying = all.filter(({ isDraining }) => !isDraining);
    const isMine =
      nodeFor(
        receiver,
        (staying.length > 0 ? staying : all).map(({ id }) => id),
      ) === me;
    if (assigned.size >= MAX_KNOWN) assigned.clear();
    assigned.set(receiver, isMine);
    return isMine;
  };

  /** V2 */
  const ageOf = (claim: Claim | undefined): number => {
    if (!claim) return Number.POSITIVE_INFINITY;
    const ageMs = clock.monotonicMs() - claim.sinceMs;
    return ageMs <= cluster.leaseHeldMs() ? ageMs : Number.POSITIVE_INFINITY;
  };

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  /** V1. Undefined if the receiver is no longer assigned to this node. */
  const claim = async (receiver: string): Promise<number | undefined> => {
    const startedMs = clock.monotonicMs();
    let seenMs = startedMs;
    let from: string | undefined;
    while (isAssigned(receiver)) {
      const sinceMs = clock.monotonicMs();
      const holder = await claims.claim(receiver, { node: me, from, lastsMs: LASTS_MS });
      if (holder === me) return sinceMs;
      const nowMs = clock.monotonicMs();
      if (cluster.nodes().some(({ id }) => id === holder)) seenMs = nowMs;
      from = nowMs - seenMs >= UNSEEN_MS || nowMs - startedMs >= MAX_WAIT_MS ? holder : undefined;
      if (from === undefined) await pause(ASK_AGAIN_MS);
    }
    return undefined;
  };

  const startClaim = (receiver: string): void => {
    if (claiming.has(receiver)) return;
    claiming.add(receiver);
    claim(receiver)
      .then((sinceMs) => {
        if (sinceMs === undefined) return;
        const before = claimed.get(receiver);
        const wasMine = ageOf(before) < TRUSTED_MS;
        claimed.set(receiver, { sinceMs, isIdle: before?.isIdle ?? true });
        if (!wasMine) for (const listener of listeners) listener([receiver]);
        releaseIdle();
      })
      // The next delivery for the receiver claims it again.
      .catch(() => undefined)
      .finally(() => claiming.delete(receiver));
  };

  const release = async (receiver: string): Promise<void> => {
    claimed.delete(receiver);
    // If this fails, the claim expires.
    await claims.release(receiver, me).catch(() => undefined);
  };

  const releaseIdle = (): void => {
    for (const [receiver, { isIdle }] of claimed) if (isIdle && !isAssigned(receiver)) void release(receiver);
  };

  cluster.onChange(() => {
    assigned.clear();
    releaseIdle();
    for (const listener of listeners) listener();
  });

  return {
    isMine(receiver) {
      if (!isAssigned(receiver)) return false;
      const held = claimed.get(receiver);
      const ageMs = ageOf(held);
      if (ageMs >= RENEWED_AFTER_MS) startClaim(receiver);
      if (!held || ageMs >= TRUSTED_MS) return false;
      held.isIdle = false;
      return true;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    finished(receiver) {
      const held = claimed.get(receiver);
      if (!held) return;
      held.isIdle = true;
      releaseIdle();
    },
    async leave() {
      await atMost(clock, LEAVE_WITHIN_MS, Promise.all([...claimed.keys()].map(release)));
    },
  };
}
