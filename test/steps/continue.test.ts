/** Flows that hand the call over to another flow permanently. */
import { describe, expect, it } from 'vitest';
import { replayRoutes } from '../../src/proof/testkit/replay-routes.ts';
import { compiled } from '../flow/check-flow.ts';
import { flowOf } from '../runtime/test-call.ts';
import { flowText, startSteps } from './scripted-call.ts';

const MENU = `flow: menu
input: { name: { type: string, default: nobody } }
vars: { count: { type: integer, default: 5 } }
output: "\${ input.name }"
start: greet
steps:
  greet: { play: "Hello \${ input.name }", exits: { done: count, error: bye } }
  count: { set: { count: "\${ vars.count + 1 }" }, exits: { done: wait, error: bye } }
  wait: { pause: 1h, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
const IDENTIFY = `flow: identify
start: over
steps:
  over: { continue: { flow: menu, input: { name: Ann } }, exits: { error: back } }
  back: { return: done }
`;
const ROUND = `flow: round
start: say
steps:
  say: { play: "Once again", exits: { done: again, error: again } }
  again: { continue: round, exits: { error: bye } }
  bye: { hangup: normal }
`;

const flows = new Map([MENU, IDENTIFY, ROUND].map((text) => [text.slice(6, text.indexOf('\n')), compiled(text)]));
const flow = (name: unknown) => flows.get(String(name));
const start = (steps: string, head = '') => startSteps(steps, { head, ports: { flow } });

describe('continue', () => {
  it('ends the flow and continues with the other, with its input', async () => {
    const call = await start('  first: { continue: { flow: menu, input: { name: "${ call.from }" } } }');
    expect(call.path()).toEqual(['first', 'greet']);
    expect(call.lastPlay().audio).toMatchObject([{ text: 'Hello +33612345678' }]);
    expect(call.run.view()).toMatchObject({ flow: 'menu', step: 'greet' });
    await call.finishPlay();
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'hangup' });
    expect(call.run.record.output).toBe('+33612345678');
  });

  it('ends the flows around it, too: nothing comes back to them', async () => {
    const call = await start('  first: { subflow: identify, exits: { done: bye } }\n', 'events: { dtmf.0: bye }');
    expect(call.outcomes()).toEqual(['over:continued', 'first:continued']);
    expect(call.run.view()).toMatchObject({ flow: 'menu', step: 'greet' });
    // The interrupt belongs to a flow that has ended.
    await call.press('0');
    expect(call.run.view()).toMatchObject({ flow: 'menu', step: 'greet' });
    await call.finishPlay();
    await call.clock.advance(3_600_000);
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'completed', output: 'Ann' });
    expect(call.journal().filter(({ kind }) => kind === 'entered')).toMatchObject([
      { step: 'first', depth: 0 },
      { step: 'over', depth: 1 },
      { step: 'greet', depth: 0, flow: 'menu', flowHash: flows.get('menu')!.hash },
      { step: 'count', depth: 0 },
      { step: 'wait', depth: 0 },
      { step: 'bye', depth: 0 },
    ]);
  });

  it.each([
    ['a flow that is not there', '"${ \'noflow\' }"', 'unknown_flow'],
    ['input that does not fit', '{ flow: menu, input: { name: 5 } }', 'invalid_input'],
  ])('is an error with %s, and the flow continues', async (_name, args, code) => {
    const call = await start(`  first: { continue: ${args}, exits: { error: bye } }`);
    expect(call.outcomes()).toEqual(['first:error', 'bye:done']);
    expect(call.journal().find(({ kind }) => kind === 'left')).toMatchObject({ fault: { code } });
  });

  it('goes round without growing, for as long as the caller stays', async () => {
    const call = await start('  first: { continue: round }');
    for (let round = 0; round < 50; round++) await call.finishPlay();
    expect(call.path().filter((step) => step === 'say')).toHaveLength(51);
    const depths = call.journal().flatMap((entry) => (entry.kind === 'entered' ? [entry.depth] : []));
    expect(new Set(depths)).toEqual(new Set([0]));
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'hangup' });
  });

  it('replays by its routes: the other flow begins at its start', async () => {
    const first = '  first: { continue: round }';
    const call = await start(first);
    await call.finishPlay();
    await call.hangUp();
    const known = (name: unknown) => (name === 'test' ? flowOf(flowText(first)) : flow(name));
    expect(replayRoutes(call.journal(), known)).toMatchObject({ ok: true });
    const moved = compiled(
      ROUND.replace('start: say', 'start: first').replace('steps:', 'steps:\n  first: { log: x, next: say }'),
    );
    const changed = (name: unknown) => (name === 'round' ? moved : known(name));
    expect(replayRoutes(call.journal(), changed)).toMatchObject({ ok: false });
  });
});
