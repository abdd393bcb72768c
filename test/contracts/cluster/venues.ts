/** Contract of every venue store. */
import { describe, expect, it } from 'vitest';
import type { VenueStore } from '../../../src/service/cluster/venues/venue-store.ts';

/** Stores of several nodes, by their names. */
export type VenueStores = (name: string) => VenueStore;

export function venueStoreContract(
  name: string,
  withNodes: (test: (nodes: VenueStores) => Promise<void>) => Promise<void>,
) {
  describe(`venue store in ${name}`, () => {
    it('makes the first node that asks the owner, for all later requests', () =>
      withNodes(async (node) => {
        const claims = await Promise.all(['a', 'b', 'c'].map((each) => node(each).claim('p')));
        const owner = claims[0]!;
        expect(owner.fence).toBe(1);
        expect(claims).toEqual([owner, owner, owner]);
        expect(await node(owner.node).claim('p')).toEqual(owner);
        expect(await node('b').claim('other')).toEqual({ node: 'b', fence: 1 });
      }));

    it('has one new owner when the old one is lost, whichever node detects it', () =>
      withNodes(async (node) => {
        const lost = await node('a').claim('p');
        const claims = await Promise.all(['b', 'c'].map((each) => node(each).claim('p', lost)));
        expect(claims[0]!.fence).toBe(2);
        expect(claims[1]).toEqual(claims[0]);
        // A node that lost the answer asks again; a late claim displaces no owner.
        expect(await node(claims[0]!.node).claim('p', lost)).toEqual(claims[0]);
        expect(await node('d').claim('p', lost)).toEqual(claims[0]);
        expect(await node('a').keep('p', lost)).toEqual(claims[0]);
      }));

    it('has no owner after it leaves, and a higher fence with the next', () =>
      withNodes(async (node) => {
        const first = await node('a').claim('p');
        await node('b').release('p', { ...first, node: 'b' });
        expect(await node('b').claim('p')).toEqual(first);
        await node('a').release('p', first);
        await node('a').release('p', first);
        expect(await node('b').claim('p')).toEqual({ node: 'b', fence: 2 });
        await node('a').release('p', first);
        expect(await node('a').claim('p')).toEqual({ node: 'b', fence: 2 });
      }));

    it('keeps an owner that claims it, also when the store has lost it', () =>
      withNodes(async (node) => {
        const owner = await node('a').claim('p');
        expect(await node('a').keep('p', owner)).toEqual(owner);
        expect(await node('a').keep('forgotten', { node: 'a', fence: 7 })).toEqual({ node: 'a', fence: 7 });
        expect(await node('b').claim('forgotten')).toEqual({ node: 'a', fence: 7 });
      }));

    it('are found by the ids of what is there', () =>
      withNodes(async (node) => {
        await node('a').point('id-1', 'p');
        expect([await node('b').venueOf('id-1'), await node('b').venueOf('id-2')]).toEqual(['p', undefined]);
      }));
  });
}
