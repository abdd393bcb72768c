/**
 * Owner nodes of conferences and queues in Redis: a hash for each venue, in the shard of its key. As durable as a
 * commit of a call: if a failover lost the owner, there could be two. Port: `service/cluster/venues/venue-store.ts`.
 */
import type { NodeEpoch } from '../../../../base/core/ownership.ts';
import type { VenueOwner, VenueStore } from '../../../cluster/venues/venue-store.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { RedisClient } from '../connection/redis-client.ts';
import { passing } from '../connection/server-errors.ts';
import { tagOf } from '../connection/shards.ts';

export interface RedisVenueParts {
  groups: CommandGroups;
  client: RedisClient;
  /** Epoch id of this node. */
  node: NodeEpoch;
}

/** A record that its owner does not refresh for this long expires. */
const TTL = String(3_600_000);

export function redisVenues({ groups, client, node }: RedisVenueParts): VenueStore {
  const write = (name: string, venue: string, ...args: readonly (string | number)[]): Promise<unknown> =>
    groups.call(name, tagOf(venue), [venue, ...args.map(String), TTL]);
  const ownerOf = (reply: unknown): VenueOwner => {
    const [owner, fence] = reply as [string, number];
    return { node: owner, fence: Number(fence) };
  };
  return {
    claim: async (venue, lost) => ownerOf(await write('cw_place', venue, node, lost?.fence ?? 0)),
    keep: async (venue, { fence }) => ownerOf(await write('cw_keep_place', venue, node, fence)),
    async release(venue, { fence }) {
      await write('cw_leave_place', venue, node, fence);
    },
    async point(id, venue) {
      await write('cw_point', id, venue);
    },
    venueOf: async (id) => (await passing(() => client.get(`${tagOf(id)}:at:${id}`))) ?? undefined,
  };
}
