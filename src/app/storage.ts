/** Room 1: the store, which may fail for a while, and the journal, which others observe; and what nodes share. */
import type { SharedParts } from '../cluster/shared-parts.ts';
import { observeJournal } from '../observers/journal-observer.ts';
import { redisLeases } from '../store/redis/membership.ts';
import type { RedisConnection } from '../store/redis/redis-client.ts';
import { openRedis } from '../store/redis/redis-connection.ts';
import { openDataDirectory } from '../store/sqlite/open-data-directory.ts';
import type { Store } from '../store/store.ts';
import { createWriteBuffer } from '../store/write-buffer.ts';
import type { Base } from './base.ts';
import { ConfigurationError } from './errors.ts';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

export async function openStorage(base: Base, given: Store | undefined) {
  const { config, clock, log, state } = base;
  const redis = given ? undefined : await openShared(base);
  const store = given ?? openDataDirectory(config, clock);
  const writeBuffer = createWriteBuffer({ callStore: store.calls, writes: store.writes, log });
  state.closers.push(
    () => store.close(),
    () => writeBuffer.close(),
  );
  return { store, redis, writeBuffer, callStore: observeJournal(writeBuffer.callStore) };
}

/** Absent: the service is one process. */
export const sharedOf = ({ store, redis }: Storage): SharedParts | undefined =>
  redis && {
    leases: redisLeases(redis),
    ownershipOf: (callId) => store.calls.ownership(callId),
    archiveOf: async () => undefined,
  };

async function openShared({ config, clock, log, state }: Base): Promise<RedisConnection | undefined> {
  if (!config.cluster) return undefined;
  const { redis, durability } = config.cluster;
  try {
    const connection = await openRedis({ settings: { ...redis, durability }, clock, log });
    state.closers.push(() => connection.close());
    return connection;
  } catch (error) {
    const message = `the nodes share nothing: ${(error as Error).message}`;
    const hint = 'is it running, and reached from here?';
    const at = config.locationOf('/cluster/redis');
    throw new ConfigurationError([{ severity: 'error', code: 'unreachable', message, hint, ...at }]);
  }
}
