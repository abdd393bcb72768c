/** VenueOwnership of venues of several simulated nodes, in memory: the behaviour of Redis, and failures of its connections. */
import type { Clock } from '../../src/base/core/clock.ts';
import type { PlaceHome, PlaceStore } from '../../src/service/cluster/places/place-store.ts';

export class MemoryPlaces {
  readonly #clock: Clock | undefined;
  readonly #homes = new Map<string, PlaceHome>();
  readonly #at = new Map<string, string>();

  constructor(clock?: Clock) {
    this.#clock = clock;
  }

  homeOf(place: string): PlaceHome | undefined {
    return this.#homes.get(place);
  }

  /** The connection of one node to the store. */
  connect(node: string, link: { isCut?: boolean; delayMs?: number } = {}): PlaceStore {
    const reach = async (): Promise<void> => {
      const { delayMs = 0 } = link;
      if (delayMs > 0) await new Promise<void>((resolve) => void this.#clock?.after(delayMs, resolve));
      if (link.isCut) throw new Error('the store cannot be reached');
    };
    const set = (place: string, home: PlaceHome): PlaceHome => {
      this.#homes.set(place, home);
      return home;
    };
    return {
      claim: async (place, lost) => {
        await reach();
        const home = this.#homes.get(place);
        const isFree = !home || home.node === '' || (home.node !== node && home.fence === lost?.fence);
        return isFree ? set(place, { node, fence: (home?.fence ?? 0) + 1 }) : home;
      },
      keep: async (place, home) => {
        await reach();
        return this.#homes.get(place) ?? set(place, home);
      },
      release: async (place, { fence }) => {
        await reach();
        const home = this.#homes.get(place);
        if (home?.node === node && home.fence === fence) set(place, { node: '', fence });
      },
      point: async (id, place) => {
        await reach();
        this.#at.set(id, place);
      },
      placeOf: async (id) => {
        await reach();
        return this.#at.get(id);
      },
    };
  }
}
