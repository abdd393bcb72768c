/** Live events of the calls of a project: their content, who may read them, and resuming without loss. */
import { expect, it } from 'vitest';
import { createBroadcast } from './broadcast-rig.ts';
import { EventStream } from './event-stream-client.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const MENU = `
flow: menu
start: ask
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  ask: { menu: { prompt: Press one or two, choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: inner, two: bye } }
  inner: { subflow: pin, next: bye }
  bye: { hangup: normal }
`;
const PIN = `
flow: pin
start: ask
defaults: { exits: { error: $end, exhausted: $end } }
steps:
  ask: { collect: { prompt: Your PIN please, digits: { length: 4 } }, sensitive: true, exits: { collected: $end } }
`;
const CONFIG = `numbers:
  - { number: "1000", flow: menu }
  - { number: "2000", flow: pin }
  - { number: "3000", flow: menu, project: other }
`;

const open = (): Promise<ApiRig> => openRig({ config: CONFIG, flows: { menu: MENU, pin: PIN } });

/** A caller that presses 2 and hangs up. */
async function callThrough(rig: ApiRig, to = '1000', from?: string): Promise<void> {
  const caller = rig.call(to, from);
  await rig.pass(1000);
  caller.press('2');
  await rig.pass(1000);
}

const told = ({ name, data }: EventStream['events'][number]): string =>
  [name, data['state'] ?? data['step'], data['outcome']].filter((word) => word !== undefined).join(' ');

it('begins with reset, then reports calls, their steps and their ends', async () => {
  const rig = await open();
  const stream = await EventStream.open(rig);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  await callThrough(rig);
  await stream.until(({ names }) => names.includes('ended'));
  expect(stream.events.map(told)).toEqual([
    'reset',
    'call incomingcall',
    'call incomingcall',
    'step ask',
    'call connected',
    'step ask two',
    'step bye',
    'step bye done',
    'ended disconnected',
  ]);
});

it('sends each project its own calls only, and requires credentials', async () => {
  const rig = await open();
  const [mine, theirs] = [await EventStream.open(rig), await EventStream.open(rig, { as: OTHER })];
  await callThrough(rig, '1000', '5550001');
  await callThrough(rig, '3000', '5550002');
  for (const stream of [mine, theirs]) await stream.until(({ names }) => names.includes('ended'));
  const callers = ({ events }: EventStream) => new Set(events.flatMap(({ data }) => data['from'] ?? []));
  expect([callers(mine), callers(theirs)]).toEqual([new Set(['5550001']), new Set(['5550002'])]);
  expect((await rig.request('GET', '/voice/v1/events', undefined, { as: false })).status).toBe(401);
});

it('resumes after a disconnect without loss or repetition', async () => {
  const rig = await open();
  const whole = await EventStream.open(rig);
  const parts: EventStream[] = [await EventStream.open(rig)];
  for (let round = 0; round < 6; round++) {
    rig.call('1000', `555${round}`);
    // In the middle of a batch, too.
    await rig.pass(round * 70);
    parts.at(-1)!.break();
    await rig.pass(round * 1000 + 30);
    parts.push(await EventStream.open(rig, { lastId: parts.at(-1)!.lastId }));
  }
  await rig.pass(60_000);
  const last = whole.events.at(-1)!.id;
  await parts.at(-1)!.until(({ lastId }) => lastId === last);
  expect(whole.events.length).toBeGreaterThan(30);
  expect(parts.flatMap(({ events }) => events)).toEqual(whole.events);
});

it.each([
  ['of more than a minute', async (rig: ApiRig) => rig.pass(60_001), undefined],
  ['with the number of another life', async () => undefined, 'abc-1'],
  ['with a number that was never given', async () => undefined, '99'],
])('starts again with reset after a break %s', async (_, passes, id) => {
  const rig = await open();
  const first = await EventStream.open(rig);
  await callThrough(rig);
  await first.until(({ names }) => names.includes('ended'));
  first.break();
  await callThrough(rig);
  await passes(rig);
  const again = await EventStream.open(rig, {
    lastId: id === '99' ? first.lastId.replace(/\d+$/, id) : (id ?? first.lastId),
  });
  await again.until(({ events }) => events.length > 0);
  expect(again.names).toEqual(['reset']);
});

it('sends a heartbeat every 15 s, whose id covers events that were left out', async () => {
  const rig = await open();
  const filtered = await EventStream.open(rig, { query: '?flow=pin' });
  const whole = await EventStream.open(rig);
  await callThrough(rig);
  await rig.pass(13_000);
  await whole.until(({ heartbeats }) => heartbeats === 1);
  await filtered.until(({ heartbeats }) => heartbeats === 1);
  expect([filtered.lastId, filtered.names]).toEqual([whole.lastId, ['reset']]);
});

it('filters by flow: calls that began with it or entered it, and their steps', async () => {
  const rig = await open();
  const stream = await EventStream.open(rig, { query: '?flow=pin' });
  await callThrough(rig);
  const caller = rig.call('1000');
  await rig.pass(1000);
  caller.press('1');
  await rig.pass(1000);
  caller.hangUp();
  await rig.pass(1000);
  await stream.until(({ names }) => names.includes('ended'));
  expect(stream.events.map(told)).toEqual(['reset', 'step ask', 'step ask hangup', 'ended disconnected']);
  expect(new Set(stream.events.slice(1).map(({ data }) => data['voice_id'])).size).toBe(1);
});

it('never contains digits of sensitive steps', async () => {
  const rig = await open();
  const stream = await EventStream.open(rig);
  const caller = rig.call('2000');
  await rig.pass(1000);
  caller.press('7193');
  await rig.pass(5000);
  await stream.until(({ names }) => names.includes('ended'));
  expect(stream.events.map(told)).toContain('step ask collected');
  expect(JSON.stringify(stream.events)).not.toContain('7193');
});

it('serves 32 readers of a project, refuses one more, and accepts it once another has left', async () => {
  const rig = await open();
  const streams = await Promise.all(Array.from({ length: 32 }, () => EventStream.open(rig)));
  expect((await EventStream.open(rig)).status).toBe(429);
  expect((await EventStream.open(rig, { as: OTHER })).status).toBe(200);
  streams[0]!.break();
  await rig.settle();
  expect((await EventStream.open(rig)).status).toBe(200);
});

it('ends after 15 minutes, so that the client reconnects with current credentials', async () => {
  const rig = await open();
  const stream = await EventStream.open(rig);
  await rig.pass(15 * 60_000);
  await stream.until(({ isOver }) => isOver);
  const again = await EventStream.open(rig, { lastId: stream.lastId });
  await callThrough(rig);
  await again.until(({ names }) => names.includes('ended'));
  expect(again.names).not.toContain('reset');
});

it('disconnects a reader that does not read, without delaying calls', async () => {
  const rig = await open();
  const stream = await EventStream.open(rig);
  await stream.until(({ names }) => names.includes('reset'));
  stream.stall();
  for (let round = 0; round < 40; round++) {
    const callers = Array.from({ length: 100 }, () => rig.call('1000', 'x'.repeat(250)));
    await rig.pass(500);
    for (const caller of callers) caller.hangUp();
    await rig.pass(500);
  }
  await rig.pass(30_000);
  stream.takeAgain();
  await stream.until(({ isOver }) => isOver);
  expect(rig.app.liveCalls).toBe(0);
});

it('reports the progress of a broadcast at most once a second, until it has ended', async () => {
  const rig = await open();
  const stream = await EventStream.open(rig);
  const theirs = await EventStream.open(rig, { as: OTHER });
  const { app_instance: id } = await createBroadcast(rig, {
    broadcast_numbers_array: ['20001', '20002', '20003'],
    call_param: { number_of_retries: 0 },
  });
  await rig.pass(120_000);
  await stream.until(({ events }) => events.some(({ data }) => data['ended'] !== undefined));
  const told = stream.events.filter(({ name }) => name === 'broadcast').map(({ data }) => data);
  expect(told[0]).toMatchObject({ app_instance: id, state: 'running', numbers: 3 });
  expect(told.at(-1)).toMatchObject({ app_instance: id, state: 'completed', success: 1, failed: 2, disconnected: 3 });
  expect(told.length).toBeLessThan(20);
  expect(new Set(told.map((data) => JSON.stringify(data))).size).toBe(told.length);
  expect(stream.events.filter(({ name }) => name === 'call').every(({ data }) => data['app_instance'] === id)).toBe(
    true,
  );
  await theirs.until(({ heartbeats }) => heartbeats > 0);
  expect(theirs.names).toEqual(['reset']);
});
