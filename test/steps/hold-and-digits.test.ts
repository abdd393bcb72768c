import { describe, expect, it } from 'vitest';
import { startSteps } from './scripted-call.ts';

const outbound = {
  spec: { direction: 'outbound' as const, dial: { legId: 'leg-1', from: '1', to: '2', ringTimeoutMs: 60_000 } },
};

describe('answer', () => {
  it('waits for the acknowledgement of the answer', async () => {
    const call = await startSteps('  first: { answer: {}, next: bye }', { answer: false });
    expect(call.commands).toEqual([{ type: 'answer' }]);
    expect(call.outcomes()).toEqual([]);
    await call.tell({ type: 'answered' });
    expect(call.outcomes()).toEqual(['first:connected', 'bye:done']);
  });

  it('does nothing on a call that is connected', async () => {
    const call = await startSteps('  first: { answer: {}, next: second }\n  second: { answer: {}, next: bye }');
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'hangup']);
  });

  it('does nothing on a call that we made', async () => {
    const call = await startSteps('  first: { answer: {}, next: bye }', outbound);
    await call.tell({ type: 'answered' });
    expect(call.commands.map(({ type }) => type)).toEqual(['hangup']);
  });

  it('ends when the caller hangs up first', async () => {
    const call = await startSteps('  first: { answer: {}, next: bye }', { answer: false });
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup']);
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'hangup' });
  });
});

describe('hangup', () => {
  it.each([
    ['normal', 16],
    ['busy', 17],
    ['no_answer', 19],
    ['declined', 21],
    ['not_found', 1],
    ['unavailable', 20],
    ['congestion', 42],
    ['failure', 41],
    ['{ cause: busy }', 17],
    ['{ cause: 34 }', 34],
    ['{}', 16],
    ['', 16],
  ])('hangs up with the cause of `%s`', async (written, cause) => {
    const call = await startSteps(`  first: { answer: {}, next: last }\n  last: { hangup: ${written} }`);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause });
  });

  it('takes a cause from an expression', async () => {
    const call = await startSteps('  first: { hangup: { cause: "${ 16 + 1 }" } }');
    expect(call.commands).toEqual([{ type: 'hangup', cause: 17 }]);
  });

  it('rejects a call that is still ringing', async () => {
    const call = await startSteps('  first: { hangup: busy }');
    expect(call.commands).toEqual([{ type: 'hangup', cause: 17 }]);
  });

  it('sends no command to a leg that has ended', async () => {
    const call = await startSteps('  first: { answer: {}, exits: { connected: bye, hangup: bye } }', { answer: false });
    await call.hangUp();
    await call.run.done;
    expect(call.commands).toEqual([{ type: 'answer' }]);
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'completed' });
  });
});

describe('reject', () => {
  it.each([
    ['busy', 486],
    ['no_answer', 480],
    ['declined', 603],
    ['not_found', 404],
    ['unavailable', 480],
    ['congestion', 503],
    ['failure', 503],
    ['{ reason: busy }', 486],
    ['{ status: 302 }', 302],
    ['{ status: 404 }', 404],
    ['', 603],
  ])('rejects with the status of `%s`', async (written, sipStatus) => {
    const call = await startSteps(`  first: { reject: ${written} }`);
    expect(call.commands).toEqual([{ type: 'reject', sipStatus }]);
    await call.tell({ type: 'ended', cause: { code: 21, reason: 'Call Rejected' }, by: 'near', sipStatus });
    await call.run.done;
    expect(call.run.record).toMatchObject({ state: 'disconnected', cause: { code: 21 } });
  });

  it('hangs up a call that was answered', async () => {
    const call = await startSteps('  first: { answer: {}, next: last }\n  last: { reject: busy }');
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
  });

  it('hangs up a call that we made', async () => {
    const call = await startSteps('  first: { reject: busy }', outbound);
    await call.tell({ type: 'answered' });
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
  });
});
