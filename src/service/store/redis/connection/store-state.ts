/** State of the shared Redis: from its INFO, and the duration of commits. */
import { Cluster, type Redis } from 'ioredis';
import { atMost, type Clock } from '../../../../base/core/clock.ts';
import { defined } from '../../../../base/core/json.ts';
import type { StoreState } from '../../../cluster/shared-parts.ts';
import type { CommitTimes } from './commit-times.ts';
import type { RedisConnection } from './redis-client.ts';

const ANSWER_TIMEOUT_MS = 500;

export interface StoreStateParts {
  connection: Pick<RedisConnection, 'client' | 'durability'>;
  times: CommitTimes;
  clock: Clock;
}

/** Never rejects: a server that does not answer counts as unreachable. */
export async function storeStateOf({ connection, times, clock }: StoreStateParts): Promise<StoreState> {
  const { client, durability } = connection;
  const primaries = client instanceof Cluster ? client.nodes('master') : [client];
  const asked = Promise.all(primaries.map(serverState)).catch(() => undefined);
  const servers = (await atMost(clock, ANSWER_TIMEOUT_MS, asked)) ?? [];
  const common = { durability, commitP50Ms: times.quantileMs(0.5), commitP99Ms: times.quantileMs(0.99) };
  if (servers.length === 0) return defined<StoreState>({ ...common, isReachable: false });
  const limitBytes = sum(servers.map((server) => server.limitBytes));
  return defined<StoreState>({
    ...common,
    isReachable: true,
    version: servers[0]!.version,
    // Lowest count among the primaries.
    replicas: Math.min(...servers.map((server) => server.replicas)),
    replicaLagBytes: most(servers.map((server) => server.lagBytes)),
    isOnDisk: servers.every((server) => server.isOnDisk),
    memoryBytes: sum(servers.map((server) => server.memoryBytes)),
    memoryLimitBytes: limitBytes > 0 ? limitBytes : undefined,
  });
}

async function serverState(client: Redis) {
  const info = factsOf(await client.info());
  const number = (key: string): number => Number(info.get(key) ?? 0);
  const offset = number('master_repl_offset');
  const offsets = [...info]
    .filter(([key, value]) => /^slave\d+$/.test(key) && value.includes('state=online'))
    .map(([, value]) => Number(/\boffset=(\d+)/.exec(value)?.[1] ?? 0));
  return {
    version: `${info.has('valkey_version') ? 'Valkey' : 'Redis'} ${info.get('valkey_version') ?? info.get('redis_version')}`,
    replicas: offsets.length,
    lagBytes: offsets.length === 0 ? undefined : Math.max(0, offset - Math.max(...offsets)),
    isOnDisk: number('aof_enabled') === 1,
    memoryBytes: number('used_memory'),
    limitBytes: number('maxmemory'),
  };
}

/** Parses `key:value` lines of INFO. */
const factsOf = (text: string): Map<string, string> =>
  new Map(
    text.split('\r\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at <= 0 || line.startsWith('#') ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function most(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
