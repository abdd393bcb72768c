import { describe, expect, it } from 'vitest';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import { startCall } from '../runtime/test-call.ts';
import { lastLeft, startSteps } from './scripted-call.ts';

describe('send_digits', () => {
  it.each([
    ['"12#"', { digits: '12#', toneMs: 100, gapMs: 100 }],
    ['{ digits: "1w2", tone: 200ms, gap: 50ms }', { digits: '1w2', toneMs: 200, gapMs: 50 }],
    ['"${ $string(40 + 2) }"', { digits: '42' }],
  ])('sends the digits: %s', async (args, expected) => {
    const call = await startSteps(`  first: { send_digits: ${args}, next: bye }`);
    expect(call.commands.at(-1)).toMatchObject({ type: 'send_digits', sendId: 'send-1', ...expected });
    await call.tell({ type: 'digits_sent', sendId: 'send-7' });
    expect(call.outcomes()).toEqual([]);
    await call.tell({ type: 'digits_sent', sendId: 'send-1' });
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
  });

  it('ends with an error when an expression gives invalid digits', async () => {
    const call = await startSteps('  first: { send_digits: "${ \'12x\' }", next: bye }');
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
  });

  it('keeps digits that the caller presses meanwhile', async () => {
    const call = await startSteps(`
  first: { send_digits: "12", next: ask }
  ask: { collect: { digits: { length: 1 } }, exits: { collected: bye, exhausted: bye } }`);
    await call.press('7');
    await call.tell({ type: 'digits_sent', sendId: 'send-1' });
    expect(call.outcomes()).toEqual(['first:done', 'ask:collected', 'bye:done']);
  });

  it('ignores the end of digits that an interrupt left', async () => {
    const call = await startSteps('  first: { send_digits: "12", next: bye }\n  away: { pause: 1s, next: bye }', {
      head: 'events: { "dtmf.0": away }',
    });
    await call.press('0');
    const entries = call.journal().length;
    await call.tell({ type: 'digits_sent', sendId: 'send-1' });
    expect(call.journal()).toHaveLength(entries);
  });
});

describe('pause', () => {
  const paused = (args = '2s', head = '') => startSteps(`  first: { pause: ${args}, next: bye }`, { head });

  it.each([
    ['2s', 2_000],
    ['{ duration: 1m30s }', 90_000],
    ['"${ $string(1 + 1) & \'s\' }"', 2_000],
  ])('%s ends to the millisecond', async (args, ms) => {
    const call = await paused(args);
    await call.clock.advance(ms - 1);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
  });

  it('ends at once for zero length', async () => {
    const call = await paused('0s');
    await call.clock.advance(0);
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
  });

  it('is neither shortened nor prolonged by other events', async () => {
    const call = await paused();
    await call.tell({ type: 'answered' });
    await call.clock.advance(500);
    await call.press('12');
    await call.clock.advance(500);
    await call.command({ type: 'event', name: 'x', data: null });
    await call.tell({ type: 'play_ended', playId: 'play-9', reason: 'finished', playedMs: 1 });
    await call.clock.advance(999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
  });

  it('is ended by an interrupt', async () => {
    const call = await paused('2s', 'events: { "dtmf.0": bye }');
    await call.press('0');
    expect(call.outcomes()).toEqual(['first:$dtmf.0', 'bye:done']);
    await call.hangUp();
    expect(call.clock.pendingTimers).toBe(0);
  });

  it('does not answer the call', async () => {
    const call = await paused();
    expect(call.commands).toEqual([]);
  });
});

describe('notify', () => {
  it.each([
    ['call.summary', { event: 'call.summary', body: null }],
    ['{ event: done }', { event: 'done', body: null }],
    ['{ event: done, body: { from: "${ call.from }", n: "${ 1 + 1 }" } }', { body: { from: '+33612345678', n: 2 } }],
  ])('emits the event given by %s', async (args, expected) => {
    const call = await startSteps(`  first: { notify: ${args}, next: bye }`);
    expect(call.journal().find(({ kind }) => kind === 'notified')).toMatchObject(expected);
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
  });
});

describe('log', () => {
  it.each([
    ['found', { level: 'info', message: 'found', fields: {} }],
    ['"to ${ call.to }"', { message: 'to 1000' }],
    ['{ message: careful, level: warn }', { level: 'warn', message: 'careful' }],
    ['{ message: bad, level: error, fields: { n: "${ 3 }" } }', { level: 'error', fields: { n: 3 } }],
  ])('writes the log entry %s', async (args, expected) => {
    const call = await startSteps(`  first: { log: ${args}, next: bye }`);
    expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject(expected);
  });
});

describe('do_not_call', () => {
  const list = () => {
    const listed: string[] = [];
    const doNotCall = (projectId: string, number: string) =>
      /^[+0-9]+$/.test(number)
        ? { add: () => void listed.push(`${projectId} ${number}`) }
        : { wrong: 'must be a number' };
    return { listed, ports: { doNotCall } };
  };

  it.each([
    ['inbound', {}, '{}', '+33612345678'],
    ['outbound', { direction: 'outbound' }, '{}', '1000'],
    ['whoever is said', {}, '{ number: "${ $string(40 + 2) }"}', '42'],
  ] as const)('lists the other side of the call: %s', async (_, spec, args, number) => {
    const { listed, ports } = list();
    const call = await startSteps(`  first: { do_not_call: ${args}, next: bye }`, { ports, spec });
    expect(lastLeft(call)).toMatchObject({ step: 'bye' });
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ result: { number } });
    expect(listed).toEqual([`project-1 ${number}`]);
  });

  it('is an error without a number, and without a list', async () => {
    const { listed, ports } = list();
    for (const given of [{ ports, spec: { from: 'anonymous' } }, {}]) {
      const call = await startSteps('  first: { do_not_call: {}, next: bye }', given);
      expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
    }
    expect(listed).toEqual([]);
  });

  it('is an error when the list cannot be written', async () => {
    const { listed, ports } = list();
    const commit = (write: CallWrite) =>
      write.entries.some(({ kind }) => kind === 'left') ? Promise.reject(new Error('disk full')) : Promise.resolve();
    const flow = 'flow: f\nstart: first\nsteps: { first: { do_not_call: {}, exits: { done: $end, error: $end } } }\n';
    const call = await startCall(flow, { ports: { ...ports, callStore: { commit } } });
    expect(call.crashes).toHaveLength(1);
    expect(listed).toEqual([]);
  });
});

describe('repeat', () => {
  it('repeats the given times, then continues', async () => {
    const call = await startSteps(`
  first: { log: round, next: again }
  again: { repeat: { do: first, times: 3 }, exits: { limit: bye } }`);
    expect(call.path()).toEqual(['first', 'again', 'first', 'again', 'first', 'again', 'first', 'again', 'bye']);
    expect(call.outcomes().filter((outcome) => outcome.startsWith('again'))).toEqual([
      'again:done',
      'again:done',
      'again:done',
      'again:limit',
    ]);
  });

  it('has the round as result', async () => {
    const call = await startSteps(
      `
  first: { log: round, next: again }
  again: { repeat: { do: first, times: 2 }, set: { round: "\${ result.round }" }, exits: { limit: bye } }`,
      { head: 'vars: { round: { type: integer, default: 0 } }' },
    );
    const sets = call.journal().flatMap((entry) => (entry.kind === 'vars' ? [entry.set] : []));
    expect(sets).toEqual([{ round: 1 }, { round: 2 }]);
  });
});
