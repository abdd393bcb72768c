/** Registrations of a cluster in Redis: what a node knows of phones that registered at another. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { ContactChange, ContactOutcome, ContactStore } from '../../src/media/telephony/sip/contact-store.ts';
import { openRedisStore, type RedisStore } from '../../src/service/store/redis/store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, type RedisServer, redisProgram, startRedis, until } from '../redis-server.ts';

describe.skipIf(redisProgram.missing)(`phones that nodes share${redisProgram.why}`, () => {
  let server: RedisServer;
  const closers: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    server = await startRedis();
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    await server.stop();
  });

  const node = async (name: string): Promise<RedisStore> => {
    const connection = await connectTo(server);
    const store = openRedisStore({
      ...{ connection, local: createMemoryStore(), node: name, archive: name, keepCallsMs: 60_000 },
      ...{ clock: systemClock, log: silentLog },
    });
    await store.load();
    closers.push(async () => {
      await store.close();
      connection.close();
    });
    return store;
  };
  const contact = (key: string, expiresMs = 60_000): ContactChange['contacts'][number] => ({
    ...{ key, uri: `sip:anna@${key}`, expiresMs },
  });
  const register = (
    { contacts }: { contacts: ContactStore },
    change: Partial<ContactChange> = {},
  ): Promise<ContactOutcome> =>
    new Promise((resolve) => {
      const peer = { transport: 'udp', host: '192.0.2.50', port: 5060 } as const;
      const usual = { callId: 'a', cseq: 1, isForAll: false, contacts: [contact('one')], peer, path: [], most: 10 };
      contacts.change('anna', { ...usual, ...change }, resolve);
    });
  const urisAt = ({ contacts }: { contacts: ContactStore }): string[] => contacts.of('anna').map(({ uri }) => uri);

  it('are known to each node, with where they are and who has their connection', async () => {
    const [one, other] = [await node('one'), await node('other')];
    const path = ['<sip:192.0.2.9;lr;received=sip:192.0.2.50:5060>'];
    expect(await register(one, { path })).toBe('done');
    expect(one.contacts.of('anna')).toMatchObject([{ uri: 'sip:anna@one', isHere: true, path }]);
    await until(async () => other.contacts.users().length === 1, 1500);
    const peer = { transport: 'udp', host: '192.0.2.50', port: 5060 };
    expect(other.contacts.of('anna')).toMatchObject([{ uri: 'sip:anna@one', isHere: false, path, peer }]);
    const { sinceMs } = one.contacts.of('anna')[0]!;
    expect(await register(other, { cseq: 2, path })).toBe('done');
    await until(async () => one.contacts.of('anna')[0]!.isHere === false, 1500);
    expect(one.contacts.of('anna')[0]!.sinceMs).toBe(sinceMs);
    const third = await node('third');
    expect(urisAt(third)).toEqual(['sip:anna@one']);
  });

  it('are stored with the contacts of two concurrent registrations, ten at most', async () => {
    const nodes = [await node('one'), await node('other')];
    await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        register(nodes[at % 2]!, { callId: `call-${at}`, contacts: [contact(`c${at}`)] }),
      ),
    );
    await until(async () => nodes.every((each) => urisAt(each).length === 10), 1500);
    expect(urisAt(nodes[0]!).sort()).toEqual(urisAt(nodes[1]!).sort());
  });

  it('are forgotten when they leave, and not changed by what was overtaken on its way', async () => {
    const [one, other] = [await node('one'), await node('other')];
    await register(one, { cseq: 7 });
    expect(await register(other, { cseq: 6, contacts: [contact('one', 0)] })).toBe('old');
    expect(await register(other, { cseq: 8, contacts: [contact('two')] })).toBe('done');
    await until(async () => urisAt(one).join() === 'sip:anna@two,sip:anna@one', 1500);
    expect(await register(other, { cseq: 9, isForAll: true, contacts: [] })).toBe('done');
    await until(async () => urisAt(one).length === 0, 1500);
  });

  it('are gone when their time is over, also from Redis', async () => {
    const [one, other] = [await node('one'), await node('other')];
    await register(one, { contacts: [contact('one', 200)] });
    await until(async () => urisAt(other).length === 1, 1500);
    await until(async () => urisAt(one).length + urisAt(other).length === 0, 1500);
    await new Promise<void>((resolve) => one.contacts.change('bert', { ...EMPTY }, () => resolve()));
    expect(await server.command('HLEN', 'cw:{shared}:phones')).toBe(0);
  });

  it('are challenged once, whichever node is asked, and not while Redis is unavailable', async () => {
    const nodes = [await node('one'), await node('other')];
    const take = (at: number, count: number): Promise<boolean | undefined> =>
      new Promise((resolve) => nodes[at]!.nonceCounts.take('nonce', count, 300_000, resolve));
    expect([await take(0, 1), await take(1, 1), await take(1, 2), await take(0, 1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    const answers = await Promise.all([take(0, 3), take(1, 3)]);
    expect(answers.sort()).toEqual([false, true]);
    server.signal('SIGSTOP');
    expect(await take(0, 4)).toBeUndefined();
    expect(await register(nodes[1]!)).toBeUndefined();
    server.signal('SIGCONT');
  });
});

const EMPTY: ContactChange = {
  ...{ callId: 'b', cseq: 1, isForAll: true, contacts: [], path: [], most: 10 },
  peer: { transport: 'udp', host: '192.0.2.51', port: 5060 },
};
