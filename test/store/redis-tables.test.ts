/** In-memory tables of Redis data: each node sees the writes of the others. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { Project } from '../../src/service/calls/projects/project-store.ts';
import { createComments } from '../../src/service/calls/studio/comments.ts';
import { createDrafts } from '../../src/service/calls/studio/drafts.ts';
import {
  createStudioPeople,
  type StudioEvent,
  type StudioPeople,
} from '../../src/service/calls/studio/studio-people.ts';
import { openRedisStore, type RedisStore } from '../../src/service/store/redis/store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, type RedisServer, redisProgram, startRedis, until } from '../redis-server.ts';

describe.skipIf(redisProgram.missing)(`tables that nodes share${redisProgram.why}`, () => {
  let servers: RedisServer[];
  beforeEach(async () => {
    servers = [await startRedis()];
  });
  afterEach(() => Promise.all(servers.map((server) => server.stop())));

  const node = async (name: string): Promise<RedisStore> => {
    const connection = await connectTo(servers);
    const store = openRedisStore({
      ...{ connection, local: createMemoryStore(), archive: name, node: name, keepCallsMs: 60_000 },
      ...{ clock: systemClock, log: silentLog },
    });
    await store.load();
    onTestFinished(async () => {
      await store.close();
      connection.close();
    });
    return store;
  };
  const numbersOf = ({ settings }: RedisStore): string[] =>
    settings.list('number').map(({ key, value }) => `${key}=${JSON.stringify(value)}`);
  const put = ({ settings }: RedisStore, key: string, value: string): Promise<void> =>
    settings.put({ kind: 'number', key, value });

  it('shows to each node what another has written, changed and removed', async () => {
    const [one, other] = [await node('one'), await node('other')];
    const changes: string[] = [];
    other.settings.onChange!((kind) => changes.push(kind));
    await put(one, '1', 'a');
    await until(async () => numbersOf(other).join() === '1="a"', 1000);
    expect(changes).toEqual(['number']);
    await put(other, '2', 'b');
    await put(other, '1', 'c');
    await until(async () => numbersOf(one).join() === '1="c",2="b"', 1000);
    await one.settings.remove('number', '1');
    await until(async () => numbersOf(other).join() === '2="b"', 1000);
  });

  it('makes up for a lost message within a second or two', async () => {
    const [one, other] = [await node('one'), await node('other')];
    await servers[0]!.command('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
    await put(one, '1', 'a');
    await until(async () => numbersOf(other).length === 1, 2500);
  });

  it('ends with one value everywhere where two nodes write at once', async () => {
    const nodes = [await node('one'), await node('other')];
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => put(nodes[at % 2]!, `${at % 4}`, JSON.stringify({ by: at, all: at }))),
    );
    await until(async () => numbersOf(nodes[0]!).sort().join() === numbersOf(nodes[1]!).sort().join(), 1500);
    const third = await node('third');
    expect(numbersOf(third)).toHaveLength(4);
    expect(numbersOf(third).sort()).toEqual(numbersOf(nodes[0]!).sort());
  });

  it('lets one of two nodes that start at once make the first project', async () => {
    const nodes = await Promise.all([node('one'), node('other')]);
    const made = await Promise.all(
      nodes.map(({ projects }, at) => projects.createFirst({ ...PROJECT, projectId: `project-${at}` })),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(nodes.map(({ projects }) => projects.list().length)).toEqual([1, 1]);
  });

  it('shows to each node the people in the studio, who leave with their tab or their node', async () => {
    const clocks = [new VirtualClock(), new VirtualClock()];
    const stores = [await node('one'), await node('other')];
    const [one, other] = stores.map(({ studioTable }, at) =>
      createStudioPeople({ table: studioTable, clock: clocks[at]! }),
    ) as [StudioPeople, StudioPeople];
    const saved: StudioEvent[] = [];
    other.watch((event) => saved.push(event));
    const place = { flow: 'menu', step: 'say' };
    one.report('ann', 'tab-1', place);
    await until(async () => other.list().length === 1, 1000);
    expect(other.list()).toEqual([{ who: 'ann', ...place }]);
    one.recordSave({ flow: 'menu', who: 'ann', etag: 'e' });
    await until(async () => saved.some(({ name }) => name === 'saved'), 1000);
    one.report('ann', 'tab-1', undefined);
    await until(async () => other.list().length === 0, 1000);
    one.report('ann', 'tab-2', place);
    await until(async () => other.list().length === 1, 1000);
    // The node of the tab sends nothing any more: the other one ends the presence.
    await clocks[1]!.advance(25_000);
    expect(other.list()).toEqual([]);
    await until(async () => one.list().length === 0, 1000);
  });

  it('shares drafts and comments between nodes, and reports changed comments', async () => {
    const [one, other] = [await node('one'), await node('other')];
    const nowMs = (): number => 1000;
    let changes = 0;
    const commentsAt = ({ settings }: RedisStore) =>
      createComments({ store: settings, nowMs, nextId: () => 'c-1', changed: () => changes++ });
    const theirs = commentsAt(other);
    await commentsAt(one).add({ flow: 'menu', who: 'ann', text: 'look' });
    await until(async () => theirs.of('menu').length === 1 && changes > 1, 1000);
    await createDrafts({ store: one.settings, nowMs }).put({ flow: 'menu', who: 'ann', base: 'e', text: 'flow: menu' });
    const drafts = createDrafts({ store: other.settings, nowMs });
    await until(async () => drafts.of('ann').length === 1, 1000);
    expect(drafts.find('ann', 'menu').text).toBe('flow: menu');
    expect(drafts.of('bea')).toEqual([]);
  });

  it('follows a replica that takes over, also where it lacks the last changes', async () => {
    servers.push(await startRedis({ replicaOf: servers[0]! }));
    const [one, other] = [await node('one'), await node('other')];
    await put(one, '1', 'kept');
    const [primary, replica] = servers as [RedisServer, RedisServer];
    await until(async () => Number(await replica.command('HLEN', 'cw:{shared}:settings')) === 1);
    await replica.command('REPLICAOF', 'NO', 'ONE');
    await put(one, '1', 'lost');
    await put(one, '2', 'lost');
    await until(async () => numbersOf(other).length === 2, 1000);
    primary.signal('SIGKILL');
    await until(async () => [one, other].every((each) => numbersOf(each).join() === '1="kept"'), 5000);
    await put(other, '3', 'new');
    await until(async () => numbersOf(one).join() === '1="kept",3="new"', 1500);
  });
});

const PROJECT: Project = {
  ...{ projectId: '', name: 'default', keyHash: 'hash', webhookSecret: 'whsec_AAAA' },
  ...{ webhookFormat: 'plain', strictBridgeState: true, cliPolicy: 'own', createdMs: 1 },
};
