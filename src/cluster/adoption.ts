/**
 * Finds calls that nobody carries: those of lost nodes, and those that are this node's own and have no run here (an
 * adoption whose answer was lost, a run that could not write its end). Neighbours: `membership.ts` knows who is there,
 * `calls/adopt-call.ts` goes on with what was found, or ends it.
 *
 * Invariants
 *  - only a node with a valid lease takes calls over;
 *  - the calls of a node are taken over when it has been missing for `MISSING_MS` without a gap in the own lease: after a
 *    failover of the store those who come back late are not lost. Where calls merely go on elsewhere there is no wait: that
 *    harms nobody;
 *  - what fails is found again.
 */
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { LifeId } from '../core/ownership.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { Cluster } from './cluster.ts';
import { MISSING_MS } from './lost-nodes.ts';

export interface AdoptionParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes' | 'onChange'>;
  callStore: Pick<CallStore, 'owners' | 'ownedBy'>;
  clock: Clock;
  log: Log;
  /** There is a run of this call here. */
  isRunning(callId: string): boolean;
  /** How long a node may be missing that others saw go; default a second. */
  missingMs?: number | undefined;
  /** Adopts the call if this is still its owner, and ends it or goes on with it. */
  takeOver(callId: string, owner: LifeId): Promise<unknown>;
}

const LOOK_EVERY_MS = 200;
/** Owners that were never seen as nodes, and own orphans, are rare: looked for in every one of so many looks. */
const SEARCH_EVERY = 10;
/** Calls that are taken over at the same time. */
const AT_ONCE = 16;

export class Adoption {
  readonly #parts: AdoptionParts;
  /** Who may have left calls behind, and from when on these are taken over. */
  readonly #missing = new Map<LifeId, number>();
  /** Calls of this node that had no run at the last search or since. */
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
    // Twice in a row: a call that has just ended may have been read a moment before.
    const found = (await callStore.ownedBy(cluster.me)).filter((callId) => !isRunning(callId));
    const again = found.filter((callId) => this.#orphans.has(callId));
    this.#orphans = new Set(found);
    await this.#takeOverAll(again, cluster.me);
  }

  async #takeOverAll(callIds: readonly string[], owner: LifeId): Promise<void> {
    const { cluster, isRunning, log, takeOver } = this.#parts;
    for (let at = 0; at < callIds.length; at += AT_ONCE) {
      // Who is back before its turn keeps its calls.
      if (!this.#unsubscribe || !cluster.isLeaseValid() || this.#isPresent(owner)) return;
      const some = callIds.slice(at, at + AT_ONCE).filter((callId) => !isRunning(callId));
      await Promise.all(
        some.map((callId) =>
          takeOver(callId, owner).catch((error: unknown) => {
            log.warn('call.not_adopted', { callId, error });
            // It may be this node's by now: the next search has it.
            this.#orphans.add(callId);
          }),
        ),
      );
    }
  }

  #isPresent(id: LifeId): boolean {
    const { cluster } = this.#parts;
    return id !== cluster.me && cluster.nodes().some((node) => node.id === id);
  }
}
