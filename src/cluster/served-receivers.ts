/**
 * The receivers of webhooks that this node serves: each is one of those nodes that are there and do not drain. Neighbour:
 * `store/redis/receiver-claims.ts` keeps who serves a receiver.
 *
 * Invariants
 *  V1 a receiver is served by the node that has claimed it: another begins when that one has finished what it had under way,
 *     or is not seen for a while. Who does not finish in time is not waited for;
 *  V2 a claim counts only as long as its node has held its lease without a gap: others may have taken it in one.
 */
import { atMost, type Clock } from '../core/clock.ts';
import type { ServedReceivers } from '../observers/webhooks/served-receivers.ts';
import type { Cluster } from './cluster.ts';
import { nodeFor } from './rendezvous.ts';

/** Port: who serves a receiver. A claim that is not renewed ends by itself. */
export interface ReceiverClaims {
  /** Resolves to who has it now: `node`, unless somebody else but `from` had it. */
  claim(receiver: string, claimed: { node: string; from?: string | undefined; lastsMs: number }): Promise<string>;
  release(receiver: string, node: string): Promise<void>;
}

export interface ServedReceiversParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'leaseHeldMs' | 'nodes' | 'onChange'>;
  claims: ReceiverClaims;
  clock: Clock;
}

interface Claim {
  /** Before it was sent. */
  sinceMs: number;
  /** Nothing has been under way since the dispatcher said so. */
  isIdle: boolean;
}

/** As many as there may be with something waiting, kept since each event asks. */
const MOST_KNOWN = 50_000;
const LASTS_MS = 60_000;
const RENEWED_AFTER_MS = 20_000;
/** An attempt that began a moment before is over by then. */
const TRUSTED_MS = 45_000;
const ASK_AGAIN_MS = 100;
/** Longer than an attempt takes. */
const MOST_WAIT_MS = 6000;
/** Of a node that is not seen: two looks. One that has just joined, or the other, may not have looked yet. */
const UNSEEN_MS = 500;
const LEAVE_WITHIN_MS = 2000;

export function servedReceivers({ cluster, claims, clock }: ServedReceiversParts): ServedReceivers {
  const { me } = cluster;
  const assigned = new Map<string, boolean>();
  const claimed = new Map<string, Claim>();
  const claiming = new Set<string>();
  const listeners = new Set<(receivers?: readonly string[]) => void>();

  const isAssigned = (receiver: string): boolean => {
    // Another may serve it already.
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
    if (assigned.size >= MOST_KNOWN) assigned.clear();
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

  /** V1. Undefined: it is not this node's any more. */
  const claim = async (receiver: string): Promise<number | undefined> => {
    const beganMs = clock.monotonicMs();
    let seenMs = beganMs;
    let from: string | undefined;
    while (isAssigned(receiver)) {
      const sinceMs = clock.monotonicMs();
      const holder = await claims.claim(receiver, { node: me, from, lastsMs: LASTS_MS });
      if (holder === me) return sinceMs;
      const nowMs = clock.monotonicMs();
      if (cluster.nodes().some(({ id }) => id === holder)) seenMs = nowMs;
      from = nowMs - seenMs >= UNSEEN_MS || nowMs - beganMs >= MOST_WAIT_MS ? holder : undefined;
      if (from === undefined) await pause(ASK_AGAIN_MS);
    }
    return undefined;
  };

  const beginClaim = (receiver: string): void => {
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
      // Whoever finds something to send asks again.
      .catch(() => undefined)
      .finally(() => claiming.delete(receiver));
  };

  const release = async (receiver: string): Promise<void> => {
    claimed.delete(receiver);
    // It ends by itself, too.
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
      if (ageMs >= RENEWED_AFTER_MS) beginClaim(receiver);
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
