/**
 * Ownership of venues (conferences and queues): each venue has one owner node, recorded in the store. `venue-store.ts`
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
import type { VenueOwner, VenueStore } from './venue-store.ts';

export interface VenueOwnershipParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes'>;
  isLost(node: NodeEpoch): boolean;
  store: VenueStore;
  clock: Clock;
  log: Log;
  /** Venues with members. */
  used(): ReadonlySet<string>;
  /** Called when this node becomes the owner of a venue. */
  serves(venue: string): void;
  /** Called when another node has become the owner of a venue that this node owned. */
  moved(venue: string): void;
}

/** `node`: absent if this node is the owner. */
export interface FoundOwner {
  owner: VenueOwner;
  node?: NodeInfo;
}

const LOOK_AGAIN_MS = 200;
const KEEP_EVERY_MS = 5000;

export class VenueOwnership {
  readonly #parts: VenueOwnershipParts;
  readonly #held = new Map<string, VenueOwner>();
  /** Pending claims, by venue. */
  readonly #claims = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(parts: VenueOwnershipParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#next();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** True if this node owns the venue under this fence. */
  holds(venue: string, fence: number): boolean {
    return this.#held.get(venue)?.fence === fence;
  }

  /** Undefined once the waiting request was cancelled. */
  async find(venue: string, isWanted: () => boolean): Promise<FoundOwner | undefined> {
    let lost: VenueOwner | undefined;
    while (isWanted()) {
      const owner = await this.#claim(venue, lost);
      if (owner?.node === this.#parts.cluster.me) return isWanted() ? { owner } : undefined;
      const node = owner && this.#parts.cluster.nodes().find(({ id }) => id === owner.node);
      if (node) return isWanted() ? { owner, node } : undefined;
      lost = owner && this.#parts.isLost(owner.node) ? owner : undefined;
      if (!lost) await new Promise<void>((resolve) => void this.#parts.clock.after(LOOK_AGAIN_MS, resolve));
    }
    return undefined;
  }

  /** Undefined if the claim is not possible now. */
  async #claim(venue: string, lost: VenueOwner | undefined): Promise<VenueOwner | undefined> {
    const { cluster, store, log } = this.#parts;
    if (!cluster.isLeaseValid()) return undefined;
    this.#claims.set(venue, (this.#claims.get(venue) ?? 0) + 1);
    try {
      const owner = await store.claim(venue, lost);
      if (owner.node === cluster.me) {
        const isNew = !this.#held.has(venue);
        this.#held.set(venue, owner);
        if (isNew) this.#parts.serves(venue);
      } else if (this.#held.delete(venue)) this.#parts.moved(venue);
      return owner;
    } catch (error) {
      log.warn('cluster.place_not_claimed', { error });
      return undefined;
    } finally {
      const left = (this.#claims.get(venue) ?? 1) - 1;
      if (left > 0) this.#claims.set(venue, left);
      else this.#claims.delete(venue);
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
    for (const [venue, owner] of this.#held) {
      if (this.#claims.has(venue)) continue;
      if (used.has(venue)) void this.#keep(venue, owner);
      else void this.#release(venue, owner);
    }
  }

  async #keep(venue: string, owner: VenueOwner): Promise<void> {
    const { cluster, store, log, moved } = this.#parts;
    // The store logs its own failures; the next pass tries again.
    const now = await store.keep(venue, owner).catch(() => owner);
    if (this.#held.get(venue) !== owner || (now.node === cluster.me && now.fence === owner.fence)) return;
    this.#held.delete(venue);
    log.warn('cluster.place_moved', { to: now.node });
    moved(venue);
  }

  async #release(venue: string, owner: VenueOwner): Promise<void> {
    this.#held.delete(venue);
    try {
      await this.#parts.store.release(venue, owner);
    } catch {
      // Release failed: keep ownership, because later requests still come here.
      if (!this.#held.has(venue)) this.#held.set(venue, owner);
    }
  }
}
