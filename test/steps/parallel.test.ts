import { describe, expect, it } from 'vitest';
import { lastLeft, startSteps } from './scripted-call.ts';

const flow = (name: string, steps: string, more = '') => `flow: ${name}
start: first
${more}
defaults: { exits: { error: $end } }
steps:
${steps}
`;

const FLOWS = {
  fast: flow('fast', '  first: { pause: 1s, next: out }\n  out: { return: found }'),
  slow: flow(
    'slow',
    '  first: { pause: 5s, next: $end }',
    'output: { n: "${ input.n }" }\ninput: { n: { type: integer } }',
  ),
  broken: flow('broken', '  first: { play: { audio: "${ \'nothing.wav\' }" }, next: $end }'),
};

const running = (args: string, exits: string) =>
  startSteps(`  first: { parallel: ${args}, exits: { ${exits} } }\n  next: { pause: 1h, next: bye }`, {
    flows: FLOWS,
  });

/** The `left` entry of the step itself. */
const left = (call: Awaited<ReturnType<typeof running>>) =>
  call.journal().findLast((entry) => entry.kind === 'left' && entry.verb === 'parallel');

describe('parallel', () => {
  it('is done when all flows are', async () => {
    const call = await running('{ branches: { a: fast, b: { flow: slow, input: { n: 7 } } } }', 'done: next');
    await call.clock.advance(4_999);
    expect(left(call)).toBeUndefined();
    await call.clock.advance(1);
    expect(lastLeft(call)).toMatchObject({
      step: 'first',
      outcome: 'done',
      result: { branches: { a: { outcome: 'found' }, b: { outcome: 'done', output: { n: 7 } } } },
    });
  });

  it('takes the outcome of the first flow, and stops the others', async () => {
    const call = await running(
      '{ branches: { a: fast, b: slow }, until: first, outcomes: [found] }',
      'found: next, done: bye',
    );
    await call.clock.advance(1_000);
    expect(lastLeft(call)).toMatchObject({ step: 'first', outcome: 'found', result: { first: 'a' } });
    await call.clock.advance(10_000);
    expect(call.path().filter((step) => step === 'next')).toHaveLength(1);
  });

  it('is done when the outcome of the first flow is not declared', async () => {
    const call = await running('{ branches: { a: fast, b: slow }, until: first }', 'done: next');
    await call.clock.advance(1_000);
    expect(lastLeft(call)).toMatchObject({ step: 'first', outcome: 'done' });
  });

  it('has the outcome timeout after its limit', async () => {
    const call = await running('{ branches: { a: fast, b: slow }, timeout: 2s }', 'done: bye, timeout: next');
    await call.clock.advance(2_000);
    expect(lastLeft(call)).toMatchObject({
      step: 'first',
      outcome: 'timeout',
      result: { branches: { a: { outcome: 'found' } } },
    });
  });

  it('names a missing flow', async () => {
    const call = await running('{ branches: { a: nowhere } }', 'done: next');
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({
      outcome: 'error',
      fault: { code: 'unknown_flow' },
    });
  });

  it('ends with an error after all flows when one of them failed', async () => {
    const call = await running('{ branches: { a: broken, b: fast } }', 'done: next');
    await call.clock.advance(1_000);
    expect(left(call)).toMatchObject({
      outcome: 'error',
      fault: { code: 'branch_failed' },
    });
  });

  it('is not decided by a flow that failed first', async () => {
    const call = await running(
      '{ branches: { a: broken, b: fast }, until: first, outcomes: [found] }',
      'found: next, done: bye',
    );
    await call.clock.advance(1_000);
    expect(lastLeft(call)).toMatchObject({ step: 'first', outcome: 'found', result: { first: 'b' } });
  });

  it('ends when the caller hangs up', async () => {
    const call = await running('{ branches: { a: slow } }', 'done: next');
    await call.hangUp();
    await call.clock.advance(10_000);
    expect(call.journal().at(-1)?.kind).toBe('ended');
  });
});
