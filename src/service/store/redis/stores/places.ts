/**
 * Owner nodes of conferences and queues in Redis: a hash for each venue, in the shard of its key. As durable as a
 * commit of a call: if a failover lost the owner, there could be two. Port: `service/cluster/places/place-store.ts`.
 */
import type { NodeEpoch } from '../../../../base/core/ownership.ts';
import type { PlaceHome, PlaceStore } from '../../../cluster/places/place-store.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { RedisClient } from '../connection/redis-client.ts';
import { passing } from '../connection/server-errors.ts';
import { tagOf } from '../connection/shards.ts';

export interface RedisPlaceParts {
  groups: CommandGroups;
  client: RedisClient;
  /** Epoch id of this node. */
  node: NodeEpoch;
}

/** A record that its owner does not refresh for this long expires. */
const TTL = String(3_600_000);

export function redisPlaces({ groups, client, node }: RedisPlaceParts): PlaceStore {
  const write = (name: string, place: string, ...args: readonly (string | number)[]): Promise<unknown> =>
    groups.call(name, tagOf(place), [place, ...args.map(String), TTL]);
  const homeOf = (reply: unknown): PlaceHome => {
    const [owner, fence] = reply as [string, number];
    return { node: owner, fence: Number(fence) };
  };
  return {
    claim: async (place, lost) => homeOf(await write('cw_place', place, node, lost?.fence ?? 0)),
    keep: async (place, { fence }) => homeOf(await write('cw_keep_place', place, node, fence)),
    async release(place, { fence }) {
      await write('cw_leave_place', place, node, fence);
    },
    async point(id, place) {
      await write('cw_point', id, place);
    },
    placeOf: async (id) => (await passing(() => client.get(`${tagOf(id)}:at:${id}`))) ?? undefined,
  };
}
