/** Do-not-call lists in Redis: a hash with the time of each entry, and a sorted set for their order. */
import type { DoNotCallStore } from '../../../calls/broadcast/broadcast-store.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { tagOf } from '../connection/shards.ts';

export function redisDoNotCall({ groups, reader }: { groups: CommandGroups; reader: Reader }): DoNotCallStore {
  const keyOf = (projectId: string): string => `${tagOf(projectId)}:refused:${projectId}`;
  return {
    async add(projectId, keys, atMs) {
      if (keys.length === 0) return 0;
      const args = [projectId, String(Math.round(atMs)), ...keys];
      return Number(await groups.call('cw_refuse', tagOf(projectId), args));
    },
    remove: async (projectId, key) => (await groups.call('cw_unrefuse', tagOf(projectId), [projectId, key])) === 1,
    has: async (projectId, key) => (await reader.run((client) => client.hexists(keyOf(projectId), key))) === 1,
    async list({ projectId, after, limit }) {
      const from = after === undefined ? '-' : `(${after}`;
      const keys = await reader.run((client) =>
        client.zrangebylex(`${keyOf(projectId)}:order`, from, '+', 'LIMIT', 0, limit),
      );
      if (keys.length === 0) return [];
      const times = await reader.run((client) => client.hmget(keyOf(projectId), ...keys));
      return keys.map((key, index) => ({ key, addedMs: Number(times[index]) }));
    },
    count: (projectId) => reader.run((client) => client.hlen(keyOf(projectId))),
  };
}
