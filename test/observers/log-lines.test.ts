import { describe, expect, it } from 'vitest';
import { logLineOf } from '../../src/service/observers/log-lines.ts';
import type { CallRecord, JournalEntry, NewEntry } from '../../src/service/runtime/journal.ts';

const record: CallRecord = {
  callId: 'call-1',
  projectId: 'demo',
  direction: 'inbound',
  from: '+33612345678',
  to: '1000',
  state: 'disconnected',
  flow: 'menu',
  flowHash: 'abc',
  startedMs: 1_000,
  answeredMs: 3_000,
  endedMs: 10_000,
  cause: { code: 16, reason: 'Normal Clearing' },
};
const line = (entry: NewEntry) => logLineOf({ seq: 1, atMs: 10_000, ...entry } as JournalEntry, record);
const fault = { code: 'audio_not_found', message: 'There is no audio file x.wav', retryable: false };

describe('the log of a call', () => {
  it('has one wide line for its end', () => {
    expect(line({ kind: 'ended', reason: 'completed' })).toEqual({
      level: 'info',
      message: 'call.ended',
      fields: {
        callId: 'call-1',
        direction: 'inbound',
        from: '+33612345678',
        to: '1000',
        flow: 'menu',
        state: 'disconnected',
        cause: 16,
        reason: 'Normal Clearing',
        durationMs: 9_000,
        talkMs: 7_000,
        ended: 'completed',
        fault: undefined,
      },
    });
  });

  it('names the broadcast of a call', () => {
    const ended = { seq: 1, atMs: 1, kind: 'ended', reason: 'completed' } as const;
    expect(logLineOf(ended, { ...record, broadcastId: 'b-1' })?.fields).toMatchObject({ broadcastId: 'b-1' });
  });

  it('counts no talk of a call that was never answered', () => {
    const { answeredMs: _, ...unanswered } = record;
    expect(logLineOf({ seq: 1, atMs: 1, kind: 'ended', reason: 'hangup' }, unanswered)?.fields).toMatchObject({
      talkMs: 0,
    });
  });

  it.each<[NewEntry, string, string]>([
    [{ kind: 'ended', reason: 'fault', fault }, 'error', 'call.ended'],
    [{ kind: 'log', level: 'warn', message: 'no such account', fields: { account: 7 } }, 'warn', 'flow.log'],
    [{ kind: 'diagnostic', code: 'output', message: 'it has no value' }, 'warn', 'call.diagnostic'],
    [{ kind: 'left', step: 'greet', verb: 'play', visit: 1, outcome: 'error', fault }, 'warn', 'step.failed'],
  ])('contains a line for %j', (entry, level, message) => {
    expect(line(entry)).toMatchObject({ level, message, fields: { callId: 'call-1' } });
  });

  it.each<NewEntry>([
    { kind: 'left', step: 'ask', verb: 'collect', visit: 1, outcome: 'collected', result: { digits: '4711' } },
    { kind: 'in', input: { type: 'leg', event: { type: 'digit', digit: '4', durationMs: 100 } } },
    { kind: 'state', state: 'connected' },
  ])('writes no line for %j', (entry) => {
    expect(line(entry)).toBeUndefined();
  });
});
