/**
 * Ownership of venues (conferences and queues): each venue has one owner node, recorded in the store. `place-store.ts`
 * persists it; `owned-venues.ts` uses it.
 *
 * Invariants
 *  H1 The owner is read from the store on every join. The store never records two owners for a venue, and a lost owner
 *     is replaced as soon as its loss is detected.
 *  H2 An owner counts as lost under the same rule as any node (`lost-nodes.ts`).
 *  - An empty venue is released; a join that arrives during the release looks the owner up again.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { Cluster, NodeInfo } from '../cluster.ts';
import type { PlaceHome, PlaceStore } from './place-store.ts';

export interface HomesParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes'>;
  isLost(node: NodeEpoch): boolean;
  store: PlaceStore;
  clock: Clock;
  log: Log;
  /** Venues with members. */
  used(): ReadonlySet<string>;
  /** Called when this node becomes the owner of a venue. */
  serves(place: string): void;
  /** Called when another node has become the owner of a venue that this node owned. */
  moved(place: string): void;
}

/** `node`: absent if this node is the owner. */
export interface FoundHome {
  home: PlaceHome;
  node?: NodeInfo;
}

const LOOK_AGAIN_MS = 200;
const KEEP_EVERY_MS = 5000;

export class VenueOwnership {
  readonly #parts: HomesParts;
  readonly #held = new Map<string, PlaceHome>();
  /** Pending claims, by venue. */
  readonly #claims = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(parts: HomesParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#next();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** True if this node owns the venue under this fence. */
  holds(place: string, fence: number): boolean {
    return this.#held.get(place)?.fence === fence;
  }

  /** Undefined once the waiting request was cancelled. */
  async find(place: string, isWanted: () => boolean): Promise<FoundHome | undefined> {
    let lost: PlaceHome | undefined;
    while (isWanted()) {
      const home = await this.#claim(place, lost);
      if (home?.node === this.#parts.cluster.me) return isWanted() ? { home } : undefined;
      const node = home && this.#parts.cluster.nodes().find(({ id }) => id === home.node);
      if (node) return isWanted() ? { home, node } : undefined;
      lost = home && this.#parts.isLost(home.node) ? home : undefined;
      if (!lost) await new Promise<void>((resolve) => void this.#parts.clock.after(LOOK_AGAIN_MS, resolve));
    }
    return undefined;
  }

  /** Undefined if the claim is not possible now. */
  async #claim(place: string, lost: PlaceHome | undefined): Promise<PlaceHome | undefined> {
    const { cluster, store, log } = this.#parts;
    if (!cluster.isLeaseValid()) return undefined;
    this.#claims.set(place, (this.#claims.get(place) ?? 0) + 1);
    try {
      const home = await store.claim(place, lost);
      if (home.node === cluster.me) {
        const isNew = !this.#held.has(place);
        this.#held.set(place, home);
        if (isNew) this.#parts.serves(place);
      } else if (this.#held.delete(place)) this.#parts.moved(place);
      return home;
    } catch (error) {
      log.warn('cluster.place_not_claimed', { error });
      return undefined;
    } finally {
      const left = (this.#claims.get(place) ?? 1) - 1;
      if (left > 0) this.#claims.set(place, left);
      else this.#claims.delete(place);
    }
  }

  #next(): void {
    this.#timer = this.#parts.clock.after(KEEP_EVERY_MS, () => {
      this.#keepAll();
      this.#next();
    });
  }

  #keepAll(): void {
    const used = this.#parts.used();
    for (const [place, home] of this.#held) {
      if (this.#claims.has(place)) continue;
      if (used.has(place)) void this.#keep(place, home);
      else void this.#release(place, home);
    }
  }

  async #keep(place: string, home: PlaceHome): Promise<void> {
    const { cluster, store, log, moved } = this.#parts;
    // The store logs its own failures; the next pass tries again.
    const now = await store.keep(place, home).catch(() => home);
    if (this.#held.get(place) !== home || (now.node === cluster.me && now.fence === home.fence)) return;
    this.#held.delete(place);
    log.warn('cluster.place_moved', { to: now.node });
    moved(place);
  }

  async #release(place: string, home: PlaceHome): Promise<void> {
    this.#held.delete(place);
    try {
      await this.#parts.store.release(place, home);
    } catch {
      // Release failed: keep ownership, because later requests still come here.
      if (!this.#held.has(place)) this.#held.set(place, home);
    }
  }
}
