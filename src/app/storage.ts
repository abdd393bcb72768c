/**
 * Stage 1 of the composition: the store, whose writes may fail for a while, the journal with its observers, and the
 * storage that nodes share.
 */
import { createHmac } from 'node:crypto';
import type { SipEnginePorts } from '../media/telephony/sip/engine-options.ts';
import type { SharedParts } from '../service/cluster/shared-parts.ts';
import { JournalObservers, type ObservedCallStore } from '../service/observers/journal-observer.ts';
import { redisLeases } from '../service/store/redis/connection/membership.ts';
import type { RedisConnection } from '../service/store/redis/connection/redis-client.ts';
import { openRedis } from '../service/store/redis/connection/redis-connection.ts';
import { redisHint } from '../service/store/redis/connection/start-errors.ts';
import { storeStateOf } from '../service/store/redis/connection/store-state.ts';
import { openRedisStore, type RedisStore } from '../service/store/redis/store.ts';
import { redisReceiverClaims } from '../service/store/redis/stores/receiver-claims.ts';
import { redisVenues } from '../service/store/redis/stores/venues.ts';
import { openDataDirectory } from '../service/store/sqlite/open-data-directory.ts';
import type { Store } from '../service/store/store.ts';
import { createWriteBuffer } from '../service/store/write-buffer.ts';
import { archiveName } from './archive-name.ts';
import type { Base } from './base.ts';
import { ConfigurationError } from './errors.ts';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

export async function openStorage(base: Base, given: Store | undefined) {
  const { config, clock, log, state } = base;
  const redis = given ? undefined : await openShared(base);
  const own = given ?? openDataDirectory(config, clock);
  const shared = redis && sharedStore(base, own, redis);
  const store = shared ?? own;
  if (shared) {
    await shared.load();
    if (!base.isQuarantined) await moveToShared(own, shared);
    if (!base.isQuarantined && !base.config.asterisk) await moveCallbacks(own, shared);
  }
  const observers = new JournalObservers();
  const writeBuffer = createWriteBuffer({
    ...{ callStore: store.calls, writes: store.writes, log },
    written: (write) => observers.written(write),
  });
  state.closers.push(
    ...(shared ? [() => own.close()] : []),
    () => store.close(),
    () => writeBuffer.close(),
  );
  // No write buffer in a cluster, because the state of a call must not run ahead of the state that another node would
  // adopt: a call ends if its entries cannot be written.
  const callStore: ObservedCallStore = {
    ...(shared ? observers.observed(shared.calls) : writeBuffer.callStore),
    observe: (observer) => observers.add(observer),
  };
  return { store, redis, shared, writeBuffer, callStore };
}

/** Undefined if the service is a single process. */
export const sharedOf = (
  { redis, shared }: Storage,
  { clock, epoch }: Pick<Base, 'clock' | 'epoch'>,
): SharedParts | undefined =>
  redis &&
  shared && {
    leases: redisLeases(redis),
    claims: redisReceiverClaims(shared.groups),
    store: {
      state: () => storeStateOf({ connection: redis, times: shared.times, clock }),
      commitSeconds: shared.times.seconds,
    },
    venueStore: redisVenues({ groups: shared.groups, client: redis.client, node: epoch }),
    studioTable: shared.studioTable,
    ownershipOf: (callId) => shared.calls.ownership(callId),
    archiveOf: (callId) => shared.calls.archiveOf(callId),
  };

/** Shared state of phones and their authentication challenges. Undefined with a single node. */
export const sharedPhonesOf = ({ config }: Base, { shared }: Storage): SipEnginePorts['shared'] =>
  shared &&
  config.cluster && {
    nonces: {
      key: createHmac('sha256', config.cluster.key).update('callweave sip nonces').digest(),
      counts: shared.nonceCounts,
    },
    contacts: shared.contacts,
  };

/** Shared data are in Redis, the rest in the data directory of this node. */
const sharedStore = (
  { config, clock, epoch, log, directory }: Base,
  local: Store,
  connection: RedisConnection,
): RedisStore =>
  openRedisStore({
    ...{ connection, local, node: epoch, clock, log, key: config.cluster?.key },
    archive: archiveName(config.cluster?.node, directory),
    keepCallsMs: config.limits.keepCallsDays * DAY_MS,
  });

/**
 * Moves the data that this node had before it joined a cluster. If the cluster has the same object, the shared one is
 * kept.
 */
async function moveToShared(own: Store, shared: RedisStore): Promise<void> {
  for (const project of own.projects.list()) {
    if (!shared.projects.find(project.projectId)) await shared.projects.create(project);
    await own.projects.remove(project.projectId);
  }
  for (const kind of SHARED_SETTINGS) {
    const known = new Set(shared.settings.list(kind).map(({ key }) => key));
    for (const setting of own.settings.list(kind)) {
      if (!known.has(setting.key)) await shared.settings.put(setting);
      await own.settings.remove(kind, setting.key);
    }
  }
}

/** With Asterisk, queues have no owner nodes: each node calls back the callers that waited on it. */
async function moveCallbacks(own: Store, { sharedCallbacks }: RedisStore): Promise<void> {
  for (const callback of await own.callbacks.list()) {
    await sharedCallbacks.put(callback);
    await own.callbacks.remove(callback.callbackId, []);
  }
}

/** Without prompts, whose files are in the data directory of each node. */
const SHARED_SETTINGS = ['number', 'user', 'route', 'schedule', 'draft', 'draft_text', 'comment'] as const;

const DAY_MS = 86_400_000;

async function openShared({ config, clock, log, state }: Base): Promise<RedisConnection | undefined> {
  if (!config.cluster) return undefined;
  const { redis, durability } = config.cluster;
  try {
    const connection = await openRedis({ settings: { ...redis, durability }, clock, log });
    state.closers.push(() => connection.close());
    return connection;
  } catch (error) {
    const message = `the nodes share nothing: ${(error as Error).message}`;
    const hint = redisHint(error);
    const at = config.locationOf('/cluster/redis');
    throw new ConfigurationError([{ severity: 'error', code: 'unreachable', message, hint, ...at }]);
  }
}
