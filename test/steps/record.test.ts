import { describe, expect, it } from 'vitest';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { heard, lastLeft, startSteps } from './scripted-call.ts';

type RecordEnded = Extract<LegEvent, { type: 'record_ended' }>;

const recording = (args = '{ beep: false }', more = '') =>
  startSteps(`
  first:
    record: ${args}
    exits: { recorded: thanks, silence: sorry${more} }
  thanks: { play: "Thank you", next: bye }
  sorry: { play: "No words", next: bye }
  tell: { notify: { event: gone }, next: bye }`);

const command = (call: Awaited<ReturnType<typeof recording>>) =>
  call.commands.find((each): each is Extract<LegCommand, { type: 'record' }> => each.type === 'record');

const ended = (more: Partial<RecordEnded> = {}): RecordEnded => ({
  type: 'record_ended',
  recordId: 'recording-1',
  reason: 'end_silence',
  file: 'recording-1.wav',
  durationMs: 9_000,
  speechMs: 4_000,
  ...more,
});

describe('record', () => {
  it('asks, beeps, then records', async () => {
    const call = await recording('{ prompt: "Leave a message" }');
    expect(heard(call)).toEqual(['Leave a message']);
    await call.finishPlay();
    expect(heard(call)).toEqual(['Leave a message', 'beep']);
    expect(command(call)).toBeUndefined();
    await call.finishPlay();
    expect(command(call)).toEqual({
      type: 'record',
      recordId: 'recording-1',
      file: 'recording-1.wav',
      maxLengthMs: 120_000,
      endSilenceMs: 4_000,
      terminators: '#',
    });
  });

  it.each([
    ['', { maxLengthMs: 120_000, endSilenceMs: 4_000, terminators: '#' }],
    ['{ max_length: 30s, end_silence: 2s }', { maxLengthMs: 30_000, endSilenceMs: 2_000 }],
    ['{ end_silence: 0s, terminator: "" }', { endSilenceMs: 0, terminators: '' }],
    ['{ terminator: "*" }', { terminators: '*' }],
    ['{ terminator: "1234567890*#" }', { terminators: '1234567890*#' }],
  ])('is asked for as %s', async (args, expected) => {
    const call = await recording(args);
    await call.finishPlay();
    expect(command(call)).toMatchObject(expected);
  });

  it.each(['end_silence', 'max_length', 'terminator', 'stopped', 'hangup'] as const)(
    'is recorded if it ended by %s with speech',
    async (reason) => {
      const call = await recording();
      await call.tell(ended({ reason }));
      expect(lastLeft(call)).toMatchObject({
        step: 'first',
        outcome: 'recorded',
        result: { recording_id: 'recording-1', duration_ms: 9_000, speech_ms: 4_000, ended_by: reason },
      });
    },
  );

  it.each([
    ['{ beep: false }', 0, 'silence'],
    ['{ beep: false }', 1, 'recorded'],
    ['{ beep: false, min_length: 2s }', 1_999, 'silence'],
    ['{ beep: false, min_length: 2s }', 2_000, 'recorded'],
  ])('reports %s with %i ms of speech as %s', async (args, speechMs, outcome) => {
    const call = await recording(args);
    await call.tell(ended({ speechMs }));
    expect(call.outcomes()).toEqual([`first:${outcome}`]);
  });

  it('counts as recorded when the caller hangs up, and the next step sees the hang-up', async () => {
    const call = await recording('{ beep: false }', ', hangup: tell');
    await call.tell(ended({ reason: 'hangup' }), {
      type: 'ended',
      cause: { code: 16, reason: 'Normal Clearing' },
      by: 'far',
    });
    expect(call.outcomes()).toEqual(['first:recorded', 'thanks:hangup']);
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'hangup' });
  });

  it('ends with hangup when the caller hangs up before speaking', async () => {
    const call = await recording('{ prompt: "Leave a message" }', ', hangup: tell');
    await call.tell({ type: 'play_ended', playId: call.lastPlay().playId, reason: 'stopped', playedMs: 10 });
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup', 'tell:done', 'bye:done']);
    expect(command(call)).toBeUndefined();
  });

  it('records nothing when the caller hangs up during the beep', async () => {
    const call = await recording('');
    await call.tell({ type: 'play_ended', playId: call.lastPlay().playId, reason: 'stopped', playedMs: 10 });
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup']);
    expect(command(call)).toBeUndefined();
  });

  it.each([
    ['with a reason', { code: 'disk_full', message: 'no space left', retryable: true }],
    ['without one', undefined],
  ])('ends with an error when the engine cannot record, %s', async (_name, fault) => {
    const call = await recording();
    await call.tell(ended({ reason: 'failed', ...(fault ? { fault } : {}) }));
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
  });

  it('starts when a digit interrupts the prompt', async () => {
    const call = await recording('{ prompt: "Leave a message", beep: false }');
    await call.press('5');
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'play', 'stop_play', 'record']);
  });

  it('plays the whole prompt with barge_in false', async () => {
    const call = await recording('{ prompt: "Leave a message", barge_in: false }');
    await call.press('5');
    expect(command(call)).toBeUndefined();
  });

  it('does not keep digits pressed into it for the next step', async () => {
    const call = await startSteps(`
  first: { record: { beep: false }, exits: { recorded: ask, silence: ask } }
  ask: { menu: { prompt: { text: Q }, choices: { one: { dtmf: "1" } } }, exits: { one: bye, exhausted: bye } }`);
    await call.press('1');
    await call.press('#');
    await call.tell(ended({ reason: 'terminator' }));
    expect(call.outcomes()).toEqual(['first:recorded']);
    expect(heard(call)).toEqual(['Q']);
  });

  it('is stopped by an interrupt, and its end is ignored', async () => {
    const call = await startSteps(
      '  first: { record: { beep: false }, exits: { recorded: bye, silence: bye } }\n  away: { pause: 1h, next: bye }',
      {
        head: 'events: { "dtmf.0": away }',
      },
    );
    await call.press('0');
    expect(call.commands.at(-1)).toEqual({ type: 'stop_record', recordId: 'recording-1' });
    await call.tell(ended({ reason: 'stopped' }));
    expect(call.outcomes()).toEqual(['first:$dtmf.0']);
  });
});
