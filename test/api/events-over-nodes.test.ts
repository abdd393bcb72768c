/** Event stream of a project whose calls are on several nodes, read at one of them. */
import { expect, it } from 'vitest';
import { openNodes } from './cluster-rigs.ts';
import { EventStream } from './event-stream-client.ts';

/** Advances time and the event loop until the condition holds: streams between nodes are real connections. */
async function until(isSo: () => boolean, pass: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < 200 && !isSo(); turn++) {
    await pass();
    await new Promise(setImmediate);
  }
  expect(isSo()).toBe(true);
}

it('reports events of each node once, also if both are read', async () => {
  const { clock, nodes } = await openNodes(['one', 'two']);
  const [one, two] = [nodes[0]!.rig, nodes[1]!.rig];
  const [atOne, atTwo] = [await EventStream.open(one), await EventStream.open(two)];
  const pass = () => clock.advance(100);
  // Each client receives `reset` (re-read the lists) once its stream is connected to the other node.
  await until(() => [atOne, atTwo].every(({ names }) => names.length >= 2), pass);
  expect(atOne.names).toEqual(['reset', 'reset']);
  const [first, second] = [await one.dial(), await two.dial()];
  await clock.advance(1000);
  await one.request('DELETE', `/voice/v1/call/${first}`);
  await two.request('DELETE', `/voice/v1/call/${second}`);
  const endsIn = (stream: EventStream) =>
    stream.events.filter(({ name }) => name === 'ended').map(({ data }) => data['voice_id']);
  await until(() => [atOne, atTwo].every((stream) => endsIn(stream).length >= 2), pass);
  for (let more = 0; more < 10; more++) await pass();
  for (const stream of [atOne, atTwo]) {
    expect(endsIn(stream).toSorted()).toEqual([first, second].toSorted());
    for (const call of [first, second]) {
      const own = stream.events.filter(({ data }) => data['voice_id'] === call).map(({ data }) => data['seq']);
      expect(own).toEqual([...new Set(own)]);
    }
  }
});

it('asks the client to reload its lists when a node returns', async () => {
  const { clock, nodes } = await openNodes(['one', 'two']);
  const stream = await EventStream.open(nodes[0]!.rig);
  const pass = () => clock.advance(100);
  await until(() => stream.names.length >= 2, pass);
  nodes[1]!.link.isCut = true;
  await clock.advance(4000);
  const call = await nodes[0]!.rig.dial();
  await until(() => stream.names.includes('call'), pass);
  nodes[1]!.link.isCut = false;
  await until(() => stream.names.at(-1) === 'reset', pass);
  expect(stream.events.some(({ data }) => data['voice_id'] === call)).toBe(true);
  for (const { rig } of nodes) rig.logLines.length = 0;
});
