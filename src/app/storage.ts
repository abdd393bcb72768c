/** Room 1: the store, which may fail for a while, and the journal, which others observe; and what nodes share. */
import { createHmac } from 'node:crypto';
import type { SharedParts } from '../cluster/shared-parts.ts';
import { observeJournal } from '../observers/journal-observer.ts';
import { redisLeases } from '../store/redis/membership.ts';
import { redisPlaces } from '../store/redis/places.ts';
import { redisReceiverClaims } from '../store/redis/receiver-claims.ts';
import type { RedisConnection } from '../store/redis/redis-client.ts';
import { openRedis } from '../store/redis/redis-connection.ts';
import { redisHint } from '../store/redis/start-errors.ts';
import { openRedisStore, type RedisStore } from '../store/redis/store.ts';
import { storeStateOf } from '../store/redis/store-state.ts';
import { openDataDirectory } from '../store/sqlite/open-data-directory.ts';
import type { Store } from '../store/store.ts';
import { createWriteBuffer } from '../store/write-buffer.ts';
import type { SipEnginePorts } from '../telephony/sip/engine-options.ts';
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
  const writeBuffer = createWriteBuffer({ callStore: store.calls, writes: store.writes, log });
  state.closers.push(
    ...(shared ? [() => own.close()] : []),
    () => store.close(),
    () => writeBuffer.close(),
  );
  // What other nodes may take over is not decided ahead of what they know: there a call ends when nothing can be written.
  const callStore = observeJournal(shared ? shared.calls : writeBuffer.callStore);
  return { store, redis, shared, writeBuffer, callStore };
}

/** Absent: the service is one process. */
export const sharedOf = (
  { redis, shared }: Storage,
  { clock, life }: Pick<Base, 'clock' | 'life'>,
): SharedParts | undefined =>
  redis &&
  shared && {
    leases: redisLeases(redis),
    claims: redisReceiverClaims(shared.groups),
    store: {
      state: () => storeStateOf({ connection: redis, times: shared.times, clock }),
      commitSeconds: shared.times.seconds,
    },
    places: redisPlaces({ groups: shared.groups, client: redis.client, node: life }),
    ownershipOf: (callId) => shared.calls.ownership(callId),
    archiveOf: (callId) => shared.calls.archiveOf(callId),
  };

/** What phones and their challenges need of all nodes; absent: there is one. */
export const sharedPhonesOf = ({ config }: Base, { shared }: Storage): SipEnginePorts['shared'] =>
  shared &&
  config.cluster && {
    nonces: {
      key: createHmac('sha256', config.cluster.key).update('callweave sip nonces').digest(),
      counts: shared.nonceCounts,
    },
    contacts: shared.contacts,
  };

/** What nodes share is in Redis, and the rest in the data of this one. */
const sharedStore = (
  { config, clock, life, log, directory }: Base,
  local: Store,
  connection: RedisConnection,
): RedisStore =>
  openRedisStore({
    ...{ connection, local, node: life, clock, log, key: config.cluster?.key },
    archive: archiveName(config.cluster?.node, directory),
    keepCallsMs: config.limits.keepCallsDays * DAY_MS,
  });

/** What this node kept for itself before it was one of several. Where the others have another of it, theirs counts. */
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

/** With an Asterisk queues have no homes: each node calls those back who waited there. */
async function moveCallbacks(own: Store, { sharedCallbacks }: RedisStore): Promise<void> {
  for (const callback of await own.callbacks.list()) {
    await sharedCallbacks.put(callback);
    await own.callbacks.remove(callback.callbackId, []);
  }
}

/** The sounds of prompts are in the data of each node. */
const SHARED_SETTINGS = ['number', 'user', 'route', 'schedule'] as const;

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
