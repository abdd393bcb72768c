/** Ended calls in transfer from a real Redis to the archive of a node. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { Fenced } from '../../src/base/core/ownership.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import { openRedisStore } from '../../src/service/store/redis/store.ts';
import { deliveryOf, recordOf, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, redisProgram, startRedis, until } from '../redis-server.ts';

it.skipIf(redisProgram.missing)(
  `does not end a call again that another node has ended and archived${redisProgram.why}`,
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const open = async (name: string) => {
      const connection = await connectTo(server);
      const store = openRedisStore({
        ...{ connection, local: createMemoryStore(), node: name, archive: name, keepCallsMs: 60_000 },
        ...{ clock: systemClock, log: silentLog },
      });
      onTestFinished(async () => {
        await store.close();
        connection.close();
      });
      return store;
    };
    const [one, two] = [await open('one'), await open('two')];
    const callId = 'call-1';
    const end = (seq: number, owner: string, fence: number) => ({
      ...writeOf(callId, [seq], { deliveries: [deliveryOf(`end-by-${owner}`, callId)], owner, fence }),
      record: { ...recordOf(callId), endedMs: 2000 },
    });
    await one.calls.commit(writeOf(callId, [1], { owner: 'one', fence: 1 }));
    const fence = await two.calls.adopt(callId, { owner: 'two', seenFence: 1 });
    await two.calls.commit(end(2, 'two', fence!));
    await until(async () => (await two.calls.archiveOf(callId)) === 'two');

    await expect(one.calls.commit(end(2, 'one', 1))).rejects.toBeInstanceOf(Fenced);
    expect(await one.calls.journal(callId)).toEqual([]);
    expect((await two.outbox.headOfLine(callId, 9)).map(({ id }) => id)).toEqual(['end-by-two']);
  },
);

it.skipIf(redisProgram.missing)(
  `keeps all entries of a journal that grows while its call is archived${redisProgram.why}`,
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const connection = await connectTo(server);
    const local = createMemoryStore();
    const callId = 'call-1';
    const ended = (seqs: number[]) => ({
      ...writeOf(callId, seqs, { owner: 'one', fence: 1 }),
      record: { ...recordOf(callId), endedMs: 2000 },
    });
    let added: Promise<void> | undefined;
    const archive = {
      ...local.calls,
      async commit(write: CallWrite) {
        await local.calls.commit(write);
        // After the journal was read, and before Redis forgets it.
        added ??= store.calls.commit(ended([3, 4]));
        await added;
      },
    };
    const store = openRedisStore({
      ...{ connection, local: { ...local, calls: archive }, node: 'one', archive: 'one', keepCallsMs: 60_000 },
      ...{ clock: systemClock, log: silentLog },
    });
    onTestFinished(async () => {
      await store.close();
      connection.close();
    });
    await store.calls.commit(writeOf(callId, [1], { owner: 'one', fence: 1 }));
    await store.calls.commit(ended([2]));
    await until(async () => (await store.calls.archiveOf(callId)) === 'one');
    expect((await local.calls.journal(callId)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  },
);
