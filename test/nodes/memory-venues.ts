/** VenueOwnership of venues of several simulated nodes, in memory: the behaviour of Redis, and failures of its connections. */
import type { Clock } from '../../src/base/core/clock.ts';
import type { VenueOwner, VenueStore } from '../../src/service/cluster/venues/venue-store.ts';

export class MemoryVenues {
  readonly #clock: Clock | undefined;
  readonly #owners = new Map<string, VenueOwner>();
  readonly #at = new Map<string, string>();

  constructor(clock?: Clock) {
    this.#clock = clock;
  }

  ownerOf(venue: string): VenueOwner | undefined {
    return this.#owners.get(venue);
  }

  /** The connection of one node to the store. */
  connect(node: string, link: { isCut?: boolean; delayMs?: number } = {}): VenueStore {
    const reach = async (): Promise<void> => {
      const { delayMs = 0 } = link;
      if (delayMs > 0) await new Promise<void>((resolve) => void this.#clock?.after(delayMs, resolve));
      if (link.isCut) throw new Error('the store cannot be reached');
    };
    const set = (venue: string, owner: VenueOwner): VenueOwner => {
      this.#owners.set(venue, owner);
      return owner;
    };
    return {
      claim: async (venue, lost) => {
        await reach();
        const owner = this.#owners.get(venue);
        const isFree = !owner || owner.node === '' || (owner.node !== node && owner.fence === lost?.fence);
        return isFree ? set(venue, { node, fence: (owner?.fence ?? 0) + 1 }) : owner;
      },
      keep: async (venue, owner) => {
        await reach();
        return this.#owners.get(venue) ?? set(venue, owner);
      },
      release: async (venue, { fence }) => {
        await reach();
        const owner = this.#owners.get(venue);
        if (owner?.node === node && owner.fence === fence) set(venue, { node: '', fence });
      },
      point: async (id, venue) => {
        await reach();
        this.#at.set(id, venue);
      },
      venueOf: async (id) => {
        await reach();
        return this.#at.get(id);
      },
    };
  }
}
