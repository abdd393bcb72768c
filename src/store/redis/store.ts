/**
 * The store of a node in a cluster: what nodes share is in Redis, and the rest in the node's own store beside it, where the
 * calls that it ends are kept, too. What writes to Redis waits while it is away: see `command-groups.ts`.
 */
import { Cluster } from 'ioredis';
import type { DialGate } from '../../calls/broadcast/dial-gate.ts';
import type { CallbackStore } from '../../calls/callbacks/callback.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { ContactStore } from '../../telephony/sip/contact-store.ts';
import type { NonceCounts } from '../../telephony/sip/nonce-counts.ts';
import type { Store } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import { redisBroadcasts } from './broadcasts.ts';
import { CallArchive } from './call-archive.ts';
import { type RedisCallStore, redisCallStore } from './call-store.ts';
import { redisCallbacks } from './callbacks.ts';
import { CommandGroups } from './command-groups.ts';
import { CommitTimes } from './commit-times.ts';
import { Deliveries } from './deliveries.ts';
import { redisDialGate } from './gate.ts';
import { redisOutbox } from './outbox.ts';
import { redisPeople } from './people.ts';
import { redisContacts, redisNonceCounts } from './phones.ts';
import { redisProjects } from './projects.ts';
import { Reader } from './reader.ts';
import { type RedisReceipts, redisReceipts } from './receipts.ts';
import type { RedisConnection } from './redis-client.ts';
import { createSealedValues } from './sealed-values.ts';
import { redisSettings } from './settings.ts';
import { TAGS } from './shards.ts';
import { SharedTable } from './shared-table.ts';
import { redisUsedTokens } from './used-tokens.ts';
import { redisWakes } from './wakes.ts';

export interface RedisStoreOptions {
  connection: RedisConnection;
  /** Keeps what nodes do not share, and the calls that this node ends. */
  local: Store;
  /** The life of this node. */
  node: string;
  /** The name of `local`: the same in each life of the node. */
  archive: string;
  /** How long Redis knows which archive has a call that has ended. */
  keepCallsMs: number;
  /** Of the cluster: seals what journals show masked. Absent: that is not kept. */
  key?: string | undefined;
  clock: Clock;
  log: Log;
}

export interface RedisStore extends Store {
  readonly calls: RedisCallStore;
  readonly receipts: RedisReceipts;
  /** Where queues have homes; else each node keeps its own. */
  readonly sharedCallbacks: CallbackStore;
  /** What nodes may dial together. */
  readonly dialGate: DialGate;
  /** For the other stores over the same Redis. */
  readonly groups: CommandGroups;
  readonly reader: Reader;
  readonly times: CommitTimes;
  /** Of phones. */
  readonly nonceCounts: NonceCounts;
  readonly contacts: ContactStore;
  /** Resolves when what nodes hold in memory is there. */
  load(): Promise<void>;
}

const PROBE_TAG = TAGS[0]!;

/** `close` closes neither the connection nor the local store. */
export function openRedisStore({ connection, ...options }: RedisStoreOptions): RedisStore {
  const { local, node, archive, keepCallsMs, key, clock, log } = options;
  const probe = async (): Promise<void> => {
    // Its failure is noted where it happens.
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
    sealed: key === undefined ? undefined : createSealedValues(key),
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
  const outbox = redisOutbox({ groups, reader, deliveries, wakes: redisWakes(connection), isCluster });
  const table = (name: string): SharedTable => new SharedTable(name, { connection, groups, reader, clock });
  const tables = { settings: table('settings'), projects: table('projects'), phones: table('phones') };
  const reconnected = (): void => void calls.giveTails();
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
      ...{ groups, reader, deliveries, calls, phones: tables.phones, local: local.people },
      archived: () => callArchive.idle(),
    }),
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
      // Calls that have just ended are moved by the groups, too.
      await groups.idle();
      await callArchive.close();
      await groups.close();
    },
  };
}
