/**
 * Store of a node in a cluster: shared data is in Redis, the rest in the node's local store, which also archives the
 * calls that end on it. Writes to Redis wait while it is unavailable: see `command-groups.ts`.
 */
import { Cluster } from 'ioredis';
import type { Clock } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';
import type { ContactStore } from '../../../media/telephony/sip/contact-store.ts';
import type { NonceCounts } from '../../../media/telephony/sip/nonce-counts.ts';
import type { DialGate } from '../../calls/broadcast/dial-gate.ts';
import type { CallbackStore } from '../../calls/conferences/callback.ts';
import type { StudioTable } from '../../calls/studio/studio-table.ts';
import type { Store } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import { CommandGroups } from './connection/command-groups.ts';
import { CommitTimes } from './connection/commit-times.ts';
import { Reader } from './connection/reader.ts';
import type { RedisConnection } from './connection/redis-client.ts';
import { TAGS } from './connection/shards.ts';
import { redisBroadcasts } from './stores/broadcasts.ts';
import { CallArchive } from './stores/call-archive.ts';
import { type RedisCallStore, redisCallStore } from './stores/call-store.ts';
import { redisCallbacks } from './stores/callbacks.ts';
import { Deliveries } from './stores/deliveries.ts';
import { createEncryptedValues } from './stores/encrypted-values.ts';
import { redisDialGate } from './stores/gate.ts';
import { redisOutbox } from './stores/outbox.ts';
import { redisPeople } from './stores/people.ts';
import { redisContacts, redisNonceCounts } from './stores/phones.ts';
import { redisProjects } from './stores/projects.ts';
import { type RedisReceipts, redisReceipts } from './stores/receipts.ts';
import { redisSettings } from './stores/settings.ts';
import { SharedTable } from './stores/shared-table.ts';
import { redisUsedTokens } from './stores/used-tokens.ts';
import { redisWakeHints } from './stores/wake-hints.ts';

export interface RedisStoreOptions {
  connection: RedisConnection;
  /** Holds data that nodes do not share, and the calls that end on this node. */
  local: Store;
  /** Epoch id of this node. */
  node: string;
  /** Name of `local`: unchanged in each epoch of the node. */
  archive: string;
  /** Time for which Redis records the archive of an ended call. */
  keepCallsMs: number;
  /** Cluster key, which encrypts values masked in journals. Absent: these values are not stored. */
  key?: string | undefined;
  clock: Clock;
  log: Log;
}

export interface RedisStore extends Store {
  readonly calls: RedisCallStore;
  readonly receipts: RedisReceipts;
  /** Used if queues have owner nodes; otherwise each node keeps its own callbacks. */
  readonly sharedCallbacks: CallbackStore;
  /** Dialling limits shared by the nodes. */
  readonly dialGate: DialGate;
  /** Used by other stores on the same Redis. */
  readonly groups: CommandGroups;
  readonly reader: Reader;
  readonly times: CommitTimes;
  /** State of phones. */
  readonly nonceCounts: NonceCounts;
  readonly contacts: ContactStore;
  /** People in the studio. */
  readonly studioTable: StudioTable;
  /** Resolves when the tables held in memory are loaded. */
  load(): Promise<void>;
}

const PROBE_TAG = TAGS[0]!;

/** `close` closes neither the connection nor the local store. */
export function openRedisStore({ connection, ...options }: RedisStoreOptions): RedisStore {
  const { local, node, archive, keepCallsMs, key, clock, log } = options;
  const probe = async (): Promise<void> => {
    // A failure is recorded in `command-groups.ts`.
    await groups.call('cw_awaited', PROBE_TAG, ['probe']).catch(() => undefined);
  };
  const writes: WriteHealth = new WriteHealth(clock, probe);
  const times = new CommitTimes();
  const groups = new CommandGroups({ connection, clock, health: writes, times });
  const reader = new Reader(connection.client);
  const deliveries = new Deliveries({ groups, reader });
  const callArchive = new CallArchive({
    groups,
    reader,
    local: local.calls,
    archive,
    keepMs: keepCallsMs,
    clock,
    log,
  });
  const calls = redisCallStore({
    groups,
    reader,
    deliveries,
    archive: callArchive,
    local: local.calls,
    sealed: key === undefined ? undefined : createEncryptedValues(key),
    addReceipt: (receipt, callId) => receipts.addOfCall(receipt, callId),
    clock,
  });
  const receipts = redisReceipts({
    ...{ groups, reader, local: local.receipts, node, clock },
    isCall: async (callId) =>
      (await calls.ownership(callId)) !== undefined || (await calls.archiveOf(callId)) !== undefined,
  });
  const broadcasts = redisBroadcasts({
    ...{ groups, reader, node, receipts },
    addDeliveries: (all) => deliveries.add(all),
  });
  const isCluster = connection.client instanceof Cluster;
  const outbox = redisOutbox({ groups, reader, deliveries, wakeHints: redisWakeHints(connection), isCluster });
  const table = (name: string): SharedTable => new SharedTable(name, { connection, groups, reader, clock });
  const tables = {
    settings: table('settings'),
    projects: table('projects'),
    phones: table('phones'),
    studio: table('studio'),
  };
  const reconnected = (): void => void calls.replayRecentWrites();
  connection.writer.on('ready', reconnected);
  return {
    ...local,
    calls,
    outbox,
    receipts,
    settings: redisSettings(tables.settings, local.settings),
    projects: redisProjects(tables.projects),
    nonceCounts: redisNonceCounts({ groups, clock }),
    people: redisPeople({
      ...{ groups, reader, deliveries, calls, phones: tables.phones, settings: tables.settings, local: local.people },
      archived: () => callArchive.idle(),
    }),
    studioTable: tables.studio,
    contacts: redisContacts(tables.phones, { node, clock }),
    usedTokens: redisUsedTokens({ groups, reader, local: local.usedTokens, clock }),
    async load() {
      await Promise.all(Object.values(tables).map((each) => each.load()));
    },
    broadcasts,
    sharedCallbacks: redisCallbacks({ groups, reader, addDeliveries: (all) => deliveries.add(all) }),
    dialGate: redisDialGate({ groups, node }),
    writes,
    groups,
    reader,
    times,
    async prune(limits) {
      await callArchive.idle();
      const here = await local.prune(limits);
      const pruned = await broadcasts.prune(limits.callsEndedBeforeMs);
      return { ...here, broadcasts: here.broadcasts + pruned, ...(await outbox.prune(limits.deadBeforeMs)) };
    },
    async close() {
      connection.writer.off('ready', reconnected);
      for (const each of Object.values(tables)) each.close();
      // The archive moves calls that have just ended through the groups too.
      await groups.idle();
      await callArchive.close();
      await groups.close();
    },
  };
}
