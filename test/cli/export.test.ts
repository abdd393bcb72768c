/** `callweave export`: a flow in other formats. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { xstateConfigOf } from '../../src/language/flow/xstate-config.ts';
import { flowInSvg } from '../../src/pages/studio/web/graph/export-svg.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { callweave, folderOf, ROOT } from './command.ts';

const DOOR = `flow: door
events: { dtmf.*: bye, event.closed: bye }
start: ask
steps:
  ask: { subflow: ask-name, exits: { done: ring, nobody: bye, error: bye } }
  ring: { bridge: { to: "user:alice" }, exits: { completed: bye, failed: bye, failed.busy: ask, error: $end } }
  bye: { hangup: normal }
flows:
  ask-name:
    start: ask
    steps:
      ask: { play: "Who is there, <please>?", exits: { done: nobody, error: $end } }
      nobody: { return: nobody }
`;

const exported = async (...args: string[]): Promise<string> => {
  using folder = folderOf({ 'door.flow.yaml': DOOR });
  const { code, out, err } = await callweave(['export', 'door.flow.yaml', ...args], { cwd: folder.path });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};

describe('xstate', () => {
  test('takes the configuration, and goes where the outcomes lead', async () => {
    const config = JSON.parse(await exported('--format', 'xstate'));
    expect(config).toMatchObject({ id: 'door', states: { ring: { meta: { verb: 'bridge' } } } });
    const stateAfter = (...outcomes: string[]): unknown => {
      const actor = createActor(createMachine(config)).start();
      for (const type of outcomes) actor.send({ type });
      return actor.getSnapshot().value;
    };
    expect(stateAfter()).toBe('ask');
    expect(stateAfter('done', 'failed.busy')).toBe('ask');
    expect(stateAfter('done', 'failed.no_answer')).toBe('bye');
    expect(stateAfter('done', 'anything')).toBe('ring');
    expect(stateAfter('dtmf.star')).toBe('bye');
    expect(stateAfter('done', 'event.closed')).toBe('bye');
    expect(stateAfter('done', 'hangup')).toBe('$end');
  });

  const library = new FlowLibrary(verbs).load(join(ROOT, 'flows')).loadBuiltIn();
  test.each(library.names())('goes through %s as calls do', (name) => {
    const flow = library.get(name)!;
    const machine = createMachine(xstateConfigOf(flow) as Parameters<typeof createMachine>[0]);
    const ways = [...flow.machine.paths()];
    expect(ways.length).toBeGreaterThan(0);
    for (const [to, [, ...path]] of ways) {
      const actor = createActor(machine).start();
      for (const { outcome } of path) {
        const type = outcome.replace(/^\$event\./, '').replaceAll('*', 'star');
        actor.send({ type });
      }
      expect([name, to, actor.getSnapshot().value]).toEqual([name, to, to]);
    }
  });
});

test('exports the picture of the studio, with the flows of the file and the text', async () => {
  const svg = await exported('--format', 'svg');
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(svg).not.toMatch(/<script|href/);
  expect(svg).toContain('>door/ask-name</text>');
  expect(flowInSvg(svg)).toBe(DOOR);
});

test('exports the same pictures as the studio', async () => {
  const { out } = await callweave(['export', join(ROOT, 'flows/order-status.flow.yaml'), '-f', 'svg']);
  const drawn = readFileSync(join(ROOT, 'test/studio/graph/drawings/order-status.svg'), 'utf8');
  expect(out.replace(/<metadata>[\s\S]*<\/metadata>\n/, '')).toBe(drawn);
});

test('prints a flowchart by default, of the flow of the file or of a local one', async () => {
  expect(await exported()).toMatch(/^flowchart TD\n {2}start\(\("door"\)\) --> ask\n/);
  for (const name of ['ask-name', 'door/ask-name'])
    expect(await exported('--flow', name)).toContain('start(("door/ask-name")) --> ask');
});

test('rejects a flow with errors, and an unknown flow', async () => {
  using folder = folderOf({ 'door.flow.yaml': DOOR, 'wrong.flow.yaml': DOOR.replace('done: ring', 'done: rign') });
  const wrong = await callweave(['export', 'wrong.flow.yaml'], { cwd: folder.path });
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toContain('there is no step `rign`');
  const missing = await callweave(['export', 'door.flow.yaml', '--flow', 'ask'], { cwd: folder.path });
  expect(missing).toMatchObject({ code: 2, out: '' });
  expect(missing.err).toMatch(/has no flow ask(.|\n)*the flows are door, door\/ask-name/);
});
