/**
 * Which node is the home of each place, and which places have their home here. Neighbours: `place-store.ts` keeps it for all,
 * `homed-venues.ts` asks.
 *
 * Invariants
 *  H1 every entry asks the store: a home that was lost is served by nobody for longer than it takes to notice, and two
 *     nodes are never homes of one place in the eyes of the store;
 *  H2 a home is taken for lost as any node is: see `lost-nodes.ts`;
 *  - a place in which nobody is any more is released; whoever comes a moment later is sent to ask again.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { LifeId } from '../../core/ownership.ts';
import type { Cluster, NodeInfo } from '../cluster.ts';
import type { PlaceHome, PlaceStore } from './place-store.ts';

export interface HomesParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes'>;
  isLost(node: LifeId): boolean;
  store: PlaceStore;
  clock: Clock;
  log: Log;
  /** Places in which somebody is. */
  used(): ReadonlySet<string>;
  /** This node is the home of a place from now on. */
  serves(place: string): void;
  /** Another node is the home of a place that was served here. */
  moved(place: string): void;
}

/** `node`: absent where the home is here. */
export interface FoundHome {
  home: PlaceHome;
  node?: NodeInfo;
}

const LOOK_AGAIN_MS = 200;
const KEEP_EVERY_MS = 5000;

export class Homes {
  readonly #parts: HomesParts;
  readonly #held = new Map<string, PlaceHome>();
  /** Claims on their way, by place. */
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

  /** Whether this node serves the place under this fence. */
  holds(place: string, fence: number): boolean {
    return this.#held.get(place)?.fence === fence;
  }

  /** Undefined where nobody wants to know any more. */
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

  /** Undefined: not now. */
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
    // The store says so itself where it fails; it is asked again.
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
      // Whoever comes is sent here.
      if (!this.#held.has(place)) this.#held.set(place, home);
    }
  }
}
