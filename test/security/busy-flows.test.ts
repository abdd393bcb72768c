/** Flows that compute or write endlessly: they are stopped, and do not delay others. */
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { createEventLoopYield } from '../../src/base/core/event-loop-yield.ts';
import { startCall } from '../runtime/test-call.ts';

const busy = (step: string, more = '') => `
flow: busy
limits: { max_steps: 1000000 }
vars: { n: { type: number, default: 0 }, text: { type: string, default: x } }
start: first
defaults: { exits: { error: bye } }
steps:
  first: ${step}
  again: { branch: [{ when: "vars.n < 0", next: bye }, { else: first }] }
  bye: { hangup: normal }
${more}`;

const turns = async (done: Promise<unknown>): Promise<number> => {
  let count = 0;
  let over = false;
  void done.then(() => (over = true));
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    count += 1;
  }
  return count;
};

describe('a flow in an endless loop', () => {
  it('is ended after ten thousand steps without a wait, whatever its own limit', async () => {
    const call = await startCall(busy('{ set: { n: "${ vars.n + 1 }" }, next: again }'));
    await call.clock.settle();
    expect(call.commands).toEqual([{ type: 'hangup', cause: 41 }]);
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'limit', fault: { code: 'too_many_steps' } });
  });

  it('restarts the count after a wait', async () => {
    const call = await startCall(
      busy(
        '{ set: { n: "${ vars.n + 1 }" }, next: more }',
        '  more: { branch: [{ when: "vars.n % 50 = 0", next: wait }, { else: again }] }\n  wait: { pause: 1s, next: again }',
      ),
    );
    for (let wait = 0; wait < 100; wait++) await call.clock.advance(1000);
    expect(call.journal().filter(({ kind }) => kind === 'entered').length).toBeGreaterThan(12_000);
    expect(call.commands).toEqual([]);
    await call.hangUp();
  });

  it('lets other calls continue', async () => {
    const call = await startCall(busy('{ set: { n: "${ $sum([1..300]) + vars.n }" }, next: again }'), {
      ports: { yieldTurn: createEventLoopYield(5) },
    });
    expect(call.commands).toEqual([]);
    const hungUp = new Promise<void>((resolve) => {
      const look = () => (call.commands.length > 0 ? resolve() : void setImmediate(look));
      look();
    });
    expect(await turns(hungUp)).toBeGreaterThan(10);
    await call.hangUp();
  });

  it('is stopped after computing above the time limit', async () => {
    let nowMs = 0;
    const call = await startCall(busy('{ set: { n: "${ vars.n + 1 }" }, next: again }'), {
      ports: {
        clock: { now: () => nowMs, monotonicMs: () => nowMs, after: () => ({ cancel() {} }) },
        // As if each turn took a tenth of a second.
        yieldTurn: () => {
          nowMs += 100;
          return undefined;
        },
      },
    });
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'limit', fault: { code: 'too_slow' } });
  });
});

describe('a flow that writes without end', () => {
  it('is ended when its journal is full', async () => {
    const call = await startCall(busy(`{ notify: { event: much, body: "\${ $pad('x', 100000) }" }, next: again }`));
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'limit', fault: { code: 'too_much' } });
    expect(JSON.stringify(call.journal()).length).toBeLessThan(40_000_000);
  });

  it('keeps no variable that is too large to be written at every step', async () => {
    const call = await startCall(busy(`{ set: { text: "\${ $pad('x', 300000) }" }, next: bye }`));
    expect(call.outcomes()).toEqual(['first:error', 'bye:done']);
    await call.hangUp();
  });
});

describe('turns of the event loop', () => {
  it('are inserted when one has lasted too long, and cost nothing before', async () => {
    const rest = createEventLoopYield(3);
    expect(rest()).toBeUndefined();
    expect(rest()).toBeUndefined();
    for (const beganMs = performance.now(); performance.now() - beganMs < 4; );
    const next = rest();
    expect(next).toBeInstanceOf(Promise);
    await next;
    expect(rest()).toBeUndefined();
  });
});
