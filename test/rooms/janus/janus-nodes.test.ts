/** Sessions on several Janus nodes: assignment, loss of a node, and waiting for one. */
import { expect, it, onTestFinished } from 'vitest';
import { JanusRoomEngine } from '../../../src/media/rooms/janus/engine.ts';
import type { JanusAddress } from '../../../src/media/rooms/janus/janus-link.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { type FakeJanus, startFakeJanus } from './fake-janus.ts';

const SPEC = { quality: 'HD' } as const;
const SECRET = 'secret of the nodes';

async function fake(options?: { secret?: string; port?: number }): Promise<FakeJanus> {
  const janus = await startFakeJanus({ secret: SECRET, ...options });
  onTestFinished(() => janus.die());
  return janus;
}

async function engineOn(...addresses: (JanusAddress & { name?: string })[]) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const engine = new JanusRoomEngine({
    clock,
    places: addresses.map((address, index) => ({
      name: address.name ?? `node ${index + 1}`,
      open: async () => address,
      end: async () => undefined,
    })),
    log: (level, message, fields) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`),
  });
  const restarts: (readonly string[] | undefined)[] = [];
  const failures: string[] = [];
  await engine.start({
    event: (confNum, event) => void (event.type === 'failed' && failures.push(confNum)),
    restarted(lost) {
      restarts.push(lost);
      for (const confNum of lost ?? []) engine.openSession({ ...SPEC, confNum });
    },
  });
  onTestFinished(() => engine.stop());
  return { engine, clock, lines, restarts, failures };
}

it('are spread over the nodes; only those of a lost node move to another one', async () => {
  const [one, two] = [await fake(), await fake()];
  const { engine, restarts } = await engineOn(...[one, two].map(({ url }): JanusAddress => ({ url, secret: SECRET })));
  for (const confNum of ['1', '2', '3', '4']) engine.openSession({ ...SPEC, confNum });
  await expect.poll(() => [one.rooms.size, two.rooms.size]).toEqual([2, 2]);
  const kept = [...two.rooms];
  await one.die();
  await expect.poll(() => restarts).toEqual([['1', '3']]);
  await expect.poll(() => two.rooms.size).toBe(4);
  expect([...two.rooms]).toEqual(expect.arrayContaining(kept));
  expect(engine.listSessions().sort()).toEqual(['1', '2', '3', '4']);
  engine.send('3', { type: 'end' });
  await expect.poll(() => two.rooms.size).toBe(3);
});

it('are delayed without a node, and open as soon as there is one', async () => {
  const gone = await fake();
  await gone.die();
  const { engine, clock, restarts } = await engineOn({ url: gone.url, secret: SECRET, name: 'ws://node' });
  expect(engine.state).toEqual({ media: 'none', why: expect.stringMatching(/^ws:\/\/node: .*ECONNREFUSED/) });
  engine.openSession({ ...SPEC, confNum: '1' });
  engine.openSession({ ...SPEC, confNum: '2' });
  engine.send('2', { type: 'end' });
  expect(engine.listSessions()).toEqual([]);
  const back = await fake({ port: Number(new URL(gone.url).port) });
  await clock.advance(30_000);
  await expect.poll(() => restarts).toEqual([['1']]);
  await expect.poll(() => back.rooms.size).toBe(1);
  expect(engine.state).toEqual({ media: 'running' });
});

it('are not opened by a node that rejects the secret, which is in every request and never logged', async () => {
  const janus = await fake();
  const { engine, lines } = await engineOn({ url: janus.url, secret: 'another' });
  expect(engine.state).toMatchObject({ media: 'none', why: expect.stringContaining('Unauthorized request') });
  const { engine: good, lines: more } = await engineOn({ url: janus.url, secret: SECRET });
  good.openSession({ ...SPEC, confNum: '1' });
  await expect.poll(() => janus.rooms.size).toBe(1);
  expect([...new Set(janus.asked.map(({ apisecret }) => apisecret))]).toEqual(['another', SECRET]);
  expect([...lines, ...more].join('\n')).not.toMatch(/another|secret of the nodes/);
});

it('are moved when a node hangs for several heartbeats', async () => {
  const [one, two] = [await fake(), await fake()];
  const { engine, clock, restarts, lines } = await engineOn(
    ...[one, two].map(({ url }): JanusAddress => ({ url, secret: SECRET })),
  );
  engine.openSession({ ...SPEC, confNum: '1' });
  await expect.poll(() => one.rooms.size).toBe(1);
  one.hang();
  const beats = () => two.asked.filter(({ janus }) => janus === 'keepalive').length;
  for (let beat = 1; beat <= 3 && restarts.length === 0; beat++) {
    await clock.advance(5000);
    // The other one answers, in the time of the wall.
    await expect.poll(beats).toBe(beat);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => restarts).toEqual([['1']]);
  expect(lines.join('\n')).toContain('it does not answer');
  await expect.poll(() => two.rooms.size).toBe(1);
});
