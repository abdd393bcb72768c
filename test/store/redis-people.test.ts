/** Deletion of personal data: no key of Redis, and no row of the node, contains the person afterwards. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { dataSubjectOf } from '../../src/base/core/data-subject.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { openRedisStore, type RedisStore } from '../../src/service/store/redis/store.ts';
import { deliveryOf, recordOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, type RedisServer, redisProgram, startRedis, until } from '../redis-server.ts';

const NUMBER = '+33612345678';
const NEEDLES = ['612345678', 'alice'];
const PERSON = dataSubjectOf([NUMBER, 'user:alice']);
const OTHER = { from: '+33699999999', to: '+33199001122' };

describe.skipIf(redisProgram.missing)(`a person in Redis${redisProgram.why}`, () => {
  let server: RedisServer;
  let store: RedisStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    server = await startRedis();
    const connection = await connectTo(server);
    store = openRedisStore({
      ...{ connection, local: createMemoryStore(), node: 'one', archive: 'one', keepCallsMs: 60_000 },
      ...{ clock: systemClock, log: silentLog },
    });
    await store.load();
    close = async () => {
      await store.close();
      connection.close();
    };
  });
  afterEach(async () => {
    await close();
    await server.stop();
  });

  const READ: Record<string, readonly string[]> = {
    ...{ string: ['GET'], hash: ['HGETALL'], list: ['LRANGE', '0', '-1'], set: ['SMEMBERS'] },
    zset: ['ZRANGE', '0', '-1'],
  };
  /** Keys that name them, in their name or in what they have. */
  const keysWithThem = async (): Promise<string[]> => {
    const keys = (await server.command('KEYS', '*')) as string[];
    const found = await Promise.all(
      keys.map(async (key) => {
        const [command, ...range] = READ[String(await server.command('TYPE', key))]!;
        const text = JSON.stringify([key, await server.command(command!, key, ...range)]);
        return NEEDLES.some((needle) => text.includes(needle)) ? [key] : [];
      }),
    );
    return found.flat();
  };
  const forget = async (): Promise<ReadonlyMap<string, number>> => {
    const traces = await store.people.search(PERSON);
    const records = await Promise.all(traces.calls.map(({ callId }) => store.calls.call(callId)));
    await store.people.deleteCalls(records.filter((record) => record !== undefined));
    return (await store.people.erase(traces, PERSON)).counts;
  };
  const called = { from: OTHER.from, caller: NUMBER };

  it('is found in a live call, whichever node owns it', async () => {
    await store.calls.commit(writeOf('call-1', [1]));
    await store.calls.commit(writeOf('call-2', [1], { record: recordOf('call-2', OTHER) }));
    expect((await store.people.search(PERSON)).calls).toEqual([{ callId: 'call-1', isOver: false }]);
  });

  it('loses comments and drafts that name the person, on all nodes', async () => {
    for (const kind of ['comment', 'draft_text'] as const) {
      await store.settings.put({ kind, key: 'theirs', value: `call ${NUMBER} back` });
      await store.settings.put({ kind, key: 'other', value: `call ${OTHER.from} back` });
    }
    expect((await forget()).get('settings')).toBe(2);
    expect(await keysWithThem()).toEqual([]);
    expect(store.settings.list('comment').map(({ key }) => key)).toEqual(['other']);
  });

  it('leaves nothing but what names others', async () => {
    const receipt = { projectId: 'project-1', key: 'order-1', request: 'r', status: 200, createdMs: T0 };
    await store.calls.commit(
      writeOf('call-1', [1], {
        record: recordOf('call-1', { endedMs: T0 + 5, state: 'disconnected' }),
        deliveries: [deliveryOf('e-1', 'call-1', { payload: called }), deliveryOf('e-2', 'call-1')],
        receipt: { ...receipt, body: '{"voice_id":"call-1"}' },
      }),
    );
    await store.outbox.add([
      deliveryOf('e-3', 'somewhere', { payload: called }),
      deliveryOf('e-4', 'somewhere', { payload: { from: OTHER.from } }),
      deliveryOf('e-5', 'elsewhere', { payload: called }),
    ]);
    await store.outbox.deadLetter('e-5', { deadMs: T0, deathCause: 'exhausted' });
    await store.outbox.disableUrl('project-1', `http://127.0.0.1:9/of/${NUMBER}`, T0);
    await store.receipts.add({ ...receipt, key: 'order-2', body: `{"to":"${NUMBER}"}` });
    await store.receipts.add({ ...receipt, key: 'order-3', body: `{"to":"${OTHER.to}"}` });
    const peer = { transport: 'udp', host: '192.0.2.50', port: 5060 } as const;
    const contacts = [{ key: 'one', uri: 'sip:alice@192.0.2.50', expiresMs: 60_000 }];
    const change = { callId: 'r', cseq: 1, isForAll: false, contacts, peer, path: [], most: 10 };
    await new Promise((resolve) => store.contacts.change('alice', change, resolve));
    await until(async () => (await store.calls.archiveOf('call-1')) !== undefined);
    expect((await keysWithThem()).length).toBeGreaterThan(4);

    const counts = await forget();
    expect(await keysWithThem()).toEqual([]);
    expect(Object.fromEntries(counts)).toMatchObject({ deliveries: 2, dead_deliveries: 1, receipts: 1, phones: 1 });
    expect(await store.calls.call('call-1')).toBeUndefined();
    // Its other event and the answer that names it went with the call.
    expect(await store.outbox.find('e-2')).toBeUndefined();
    expect(await store.receipts.find('project-1', 'order-1')).toBeUndefined();
    const [receiver] = await store.outbox.receivers();
    expect((await store.outbox.due(receiver!, { nowMs: T0 * 2, limit: 9 })).map(({ id }) => id)).toEqual(['e-4']);
    expect(await store.receipts.find('project-1', 'order-3')).toBeDefined();
  });
});
