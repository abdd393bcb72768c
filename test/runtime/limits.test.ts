import { describe, expect, it } from 'vitest';
import { flowText, startSteps } from '../steps/scripted-call.ts';
import { startCall } from './test-call.ts';

const ended = (call: Awaited<ReturnType<typeof startSteps>>) => call.journal().at(-1);

describe('max_duration', () => {
  const head = 'limits: { max_duration: 10m }';

  it('ends the call, to the millisecond', async () => {
    const call = await startSteps('  first: { pause: 1h, next: bye }', { head });
    await call.clock.advance(599_999);
    expect(call.commands).toEqual([]);
    await call.clock.advance(1);
    expect(call.commands).toEqual([{ type: 'hangup', cause: 16 }]);
    expect(call.outcomes()).toEqual(['first:limit']);
    await call.hangUp();
    expect(ended(call)).toMatchObject({ kind: 'ended', reason: 'limit' });
    expect(call.clock.pendingTimers).toBe(0);
  });

  it('is four hours by default', async () => {
    const call = await startSteps('  first: { pause: 9h, next: bye }');
    await call.clock.advance(4 * 3_600_000 - 1);
    expect(call.commands).toEqual([]);
    await call.clock.advance(1);
    expect(call.commands).toEqual([{ type: 'hangup', cause: 16 }]);
  });

  it('leads to where the flow says', async () => {
    const call = await startSteps('  first: { pause: 1h, next: bye }\n  last: { log: last words, next: bye }', {
      head: `${head}\nevents: { max_duration: last }`,
    });
    await call.clock.advance(600_000);
    expect(call.outcomes()).toEqual(['first:$max_duration', 'last:done', 'bye:done']);
  });

  it('leads to the end where the flow says so', async () => {
    const call = await startSteps('  first: { pause: 1h, next: bye }', {
      head: `${head}\nevents: { max_duration: $end }`,
    });
    await call.clock.advance(600_000);
    expect(call.commands).toEqual([{ type: 'hangup', cause: 16 }]);
  });

  it('counts while a call rings out', async () => {
    const call = await startSteps('  first: { pause: 1h, next: bye }', {
      head: `${head}\nevents: { max_duration: bye }`,
      spec: { direction: 'outbound', dial: { legId: 'leg-1', from: '1', to: '2', ringTimeoutMs: 1e9 } },
    });
    await call.clock.advance(600_000);
    expect(call.commands).toEqual([{ type: 'hangup', cause: 16 }]);
  });

  it('ends steps that continue after the caller has hung up', async () => {
    const call = await startSteps(
      '  first: { request: { get: "https://x.example/" }, exits: { ok: bye, not_found: bye, failed: bye } }',
      { head },
    );
    await call.hangUp();
    await call.clock.advance(600_000);
    await call.run.done;
    expect(call.requests[0]!.signal.aborted).toBe(true);
    expect(ended(call)).toMatchObject({ reason: 'limit' });
  });

  it('does not outlive its call', async () => {
    const call = await startSteps('  first: { pause: 1s, next: bye }', { head });
    await call.clock.advance(1_000);
    await call.hangUp();
    expect(call.clock.pendingTimers).toBe(0);
  });
});

describe('max_steps', () => {
  const spin = '  first: { log: round, max_visits: 100, exits: { done: first, limit: bye } }';

  it('ends the call at the step that is one too many', async () => {
    const call = await startSteps(spin, { head: 'limits: { max_steps: 5 }' });
    expect(call.outcomes()).toEqual([...Array(5).fill('first:done'), 'first:limit']);
    expect(call.commands).toEqual([{ type: 'hangup', cause: 41 }]);
    await call.hangUp();
    expect(ended(call)).toMatchObject({ reason: 'limit', fault: { code: 'too_many_steps' } });
  });

  it('counts the steps of the flows that are called', async () => {
    const call = await startSteps('  first: { subflow: inner, next: bye }', {
      head: 'limits: { max_steps: 5 }',
      flows: { inner: flowText(spin) },
    });
    expect(call.journal().filter(({ kind }) => kind === 'entered')).toHaveLength(6);
    await call.hangUp();
    expect(ended(call)).toMatchObject({ reason: 'limit' });
  });

  it('counts only the own steps of a called flow', async () => {
    const call = await startSteps(
      `
  first: { log: round, max_visits: 9, exits: { done: first, limit: call } }
  call: { subflow: inner, next: bye }`,
      { flows: { inner: flowText('  first: { log: inside, next: $end }', 'limits: { max_steps: 3 }') } },
    );
    expect(call.outcomes().slice(-3)).toEqual(['first:done', 'call:done', 'bye:done']);
  });

  it('applies inside the called flow', async () => {
    const call = await startSteps('  first: { subflow: inner, next: bye }', {
      flows: { inner: flowText(spin, 'limits: { max_steps: 3 }') },
    });
    await call.hangUp();
    expect(ended(call)).toMatchObject({ reason: 'limit' });
    expect(call.journal().filter(({ kind }) => kind === 'entered')).toHaveLength(5);
  });
});

describe('a flow that is called to its end by max_duration', () => {
  it('has a minute to say goodbye, and no more', async () => {
    const call = await startCall(`
flow: talker
start: talk
limits: { max_duration: 10m }
events: { max_duration: goodbye }
steps:
  talk: { pause: 1h, next: bye }
  goodbye: { pause: 1h, next: bye }
  bye: { hangup: normal }
`);
    await call.tell({ type: 'answered' });
    await call.clock.advance(600_000);
    expect(call.path()).toEqual(['talk', 'goodbye']);
    await call.clock.advance(59_999);
    expect(call.commands.some(({ type }) => type === 'hangup')).toBe(false);
    await call.clock.advance(1);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
  });
});
