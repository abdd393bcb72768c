/**
 * Finds orphaned calls: calls of lost nodes, and calls of this node without a run here (an adoption whose reply was
 * lost, a run that could not write its end). Neighbours: `membership.ts` tracks the nodes,
 * `service/calls/recovery/adopt-call.ts` resumes or ends each call.
 *
 * Invariants
 *  - Only a node with a valid lease takes calls over.
 *  - The calls of a node are taken over when it has been missing for `MISSING_MS` without a gap in this node's lease:
 *    after a failover of the store, nodes that return late are not treated as lost. If calls can be resumed elsewhere
 *    there is no such wait, because a takeover then does no harm.
 *  - A failed attempt is found again.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import type { Log } from '../../base/core/log.ts';
import type { NodeEpoch } from '../../base/core/ownership.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { Cluster } from './cluster.ts';
import { MISSING_MS } from './lost-nodes.ts';

export interface AdoptionParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes' | 'onChange'>;
  callStore: Pick<CallStore, 'owners' | 'ownedBy'>;
  clock: Clock;
  log: Log;
  /** True if a run of this call exists here. */
  isRunning(callId: string): boolean;
  /** Time after which a node that others saw leave counts as missing; default 1 s. */
  missingMs?: number | undefined;
  /** Adopts the call if `owner` still owns it, and resumes or ends it. */
  takeOver(callId: string, owner: NodeEpoch): Promise<unknown>;
}

const LOOK_EVERY_MS = 200;
/** Unknown owners and own orphans are rare: searched for once in this many passes. */
const SEARCH_EVERY = 10;
/** Calls taken over concurrently. */
const AT_ONCE = 16;

export class Adoption {
  readonly #parts: AdoptionParts;
  /** Nodes that may have left calls behind, with the time at which these are taken over. */
  readonly #missing = new Map<NodeEpoch, number>();
  /** Calls of this node that had no run at the last search, or whose takeover failed since. */
  #orphans = new Set<string>();
  #looks = 0;
  #timer: Timer | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(parts: AdoptionParts) {
    this.#parts = parts;
  }

  start(): void {
    const { cluster, clock, missingMs = MISSING_MS } = this.#parts;
    this.#unsubscribe = cluster.onChange(({ joined, lost }) => {
      for (const { id } of lost) this.#missing.set(id, clock.monotonicMs() + missingMs);
      for (const { id } of joined) this.#missing.delete(id);
    });
    this.#next();
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#timer?.cancel();
  }

  #next(): void {
    if (!this.#unsubscribe) return;
    this.#timer = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.#look()
        .catch((error: unknown) => this.#parts.log.warn('cluster.adoption_failed', { error }))
        .finally(() => this.#next());
    });
  }

  async #look(): Promise<void> {
    const { cluster, callStore, clock } = this.#parts;
    if (!cluster.isLeaseValid()) {
      for (const id of this.#missing.keys()) this.#missing.set(id, clock.monotonicMs() + MISSING_MS);
      return;
    }
    if (this.#looks++ % SEARCH_EVERY === 0) await this.#search();
    for (const [id, dueMs] of [...this.#missing]) {
      if (this.#isPresent(id)) this.#missing.delete(id);
      else if (clock.monotonicMs() >= dueMs) {
        const callIds = await callStore.ownedBy(id);
        await this.#takeOverAll(callIds, id);
        if (callIds.length === 0) this.#missing.delete(id);
      }
    }
  }

  async #search(): Promise<void> {
    const { cluster, callStore, clock, isRunning } = this.#parts;
    const owners = await callStore.owners();
    for (const owner of owners) {
      const isKnown = owner === cluster.me || this.#missing.has(owner) || this.#isPresent(owner);
      if (!isKnown) this.#missing.set(owner, clock.monotonicMs() + MISSING_MS);
    }
    if (!owners.includes(cluster.me)) return;
    // Found twice in a row: a call that has just ended may have been read a moment before.
    const found = (await callStore.ownedBy(cluster.me)).filter((callId) => !isRunning(callId));
    const again = found.filter((callId) => this.#orphans.has(callId));
    this.#orphans = new Set(found);
    await this.#takeOverAll(again, cluster.me);
  }

  async #takeOverAll(callIds: readonly string[], owner: NodeEpoch): Promise<void> {
    const { cluster, isRunning, log, takeOver } = this.#parts;
    for (let at = 0; at < callIds.length; at += AT_ONCE) {
      // Stop if the node came back before its calls were adopted.
      if (!this.#unsubscribe || !cluster.isLeaseValid() || this.#isPresent(owner)) return;
      const some = callIds.slice(at, at + AT_ONCE).filter((callId) => !isRunning(callId));
      await Promise.all(
        some.map((callId) =>
          takeOver(callId, owner).catch((error: unknown) => {
            log.warn('call.not_adopted', { callId, error });
            // This node may own it by now: the next search finds it.
            this.#orphans.add(callId);
          }),
        ),
      );
    }
  }

  #isPresent(id: NodeEpoch): boolean {
    const { cluster } = this.#parts;
    return id !== cluster.me && cluster.nodes().some((node) => node.id === id);
  }
}
