/** Activities next to the steps: started by steps or by REST, and ended with the call at the latest. */
import { describe, expect, it } from 'vitest';
import { fault } from '../../src/base/core/fault.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import type { StepContext, StepEvent } from '../../src/language/steps/step.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { MASK } from '../../src/service/runtime/journal.ts';
import { answered, askedOf, ended, forever, kinds, OWN, type Program, scripted } from './scripted-steps.ts';

type Background = StepContext['background'];

const sound = { url: 'wss://x.example/', tracks: ['inbound'], bidirectional: false } as const;
const stream = { type: 'stream', action: 'start', ...sound } as const;
const transcript = {
  type: 'transcript',
  action: 'start',
  language: 'en-US',
  tracks: ['inbound', 'outbound'],
  minConfidence: 0.2,
} as const;

const doing = (act: (background: Background) => unknown, given: unknown[] = [], seen: StepEvent[] = []): Program =>
  async function* ({ leg, background }) {
    leg.send({ type: 'answer' });
    for (let event = yield {}; event.type !== 'answered'; ) event = yield {};
    given.push(act(background));
    return yield* forever(seen);
  };

const recordEnded = (more: Partial<Extract<LegEvent, { type: 'record_ended' }>> = {}): LegEvent => ({
  type: 'record_ended',
  recordId: 'recording-1',
  reason: 'stopped',
  file: 'recording-1.wav',
  durationMs: 4_000,
  speechMs: 3_000,
  ...more,
});

describe('a recording', () => {
  it('records both sides under its own name, reports its states, and closes its file', async () => {
    const closed: unknown[] = [];
    const seen: StepEvent[] = [];
    const ports = {
      recordings: {
        open: ({ recordingId, name }: { recordingId: string; name?: string }) => ({
          file: `${name}/${recordingId}.wav`,
        }),
        close: (...given: unknown[]) => closed.push(given),
      },
    };
    const given: unknown[] = [];
    const act = (background: Background) => [
      background({ type: 'recording', action: 'start', name: 'mine', maxLengthMs: 60_000 }),
      background({ type: 'recording', action: 'pause' }),
      background({ type: 'recording', action: 'pause' }),
      background({ type: 'recording', action: 'resume' }),
      background({ type: 'recording', action: 'start', maxLengthMs: 1 }),
      background({ type: 'recording', action: 'stop' }),
    ];
    const call = await scripted({ first: doing(act, given, seen) }, { ports });
    await call.tell(answered);
    expect(given).toEqual([
      [
        { id: 'recording-1' },
        { id: 'recording-1' },
        { id: 'recording-1' },
        { id: 'recording-1' },
        { fault: expect.objectContaining({ code: 'already_recording' }) },
        { id: 'recording-1' },
      ],
    ]);
    expect(call.commands.slice(1)).toEqual([
      {
        type: 'record',
        recordId: 'recording-1',
        file: 'mine/recording-1.wav',
        maxLengthMs: 60_000,
        endSilenceMs: 0,
        terminators: '',
        dual: true,
        background: true,
      },
      { type: 'pause_record', recordId: 'recording-1', paused: true },
      { type: 'pause_record', recordId: 'recording-1', paused: false },
      { type: 'stop_record', recordId: 'recording-1' },
    ]);
    await call.tell(recordEnded());
    expect(kinds(call, 'recording').map(({ state }) => state)).toEqual(['started', 'paused', 'resumed', 'completed']);
    expect(kinds(call, 'recording').at(-1)).toMatchObject({
      recordingId: 'recording-1',
      name: 'mine',
      durationMs: 4_000,
    });
    expect(seen.at(-1)).toEqual({
      type: 'background',
      kind: 'recording',
      id: 'recording-1',
      state: 'completed',
      data: { duration_ms: 4_000 },
    });
    expect(closed).toEqual([['recording-1', { durationMs: 4_000, failed: false }]]);
    expect(call.run.record.recordings).toEqual([{ recordingId: 'recording-1', name: 'mine', durationMs: 4_000 }]);
  });

  it('outlives its step, and is complete before the run ends', async () => {
    const call = await scripted({
      async *first({ background }) {
        background({ type: 'recording', action: 'start', maxLengthMs: 60_000 });
        yield { withinMs: 5 };
        return { outcome: 'failed.busy' };
      },
    });
    await call.clock.advance(5);
    expect(call.path()).toEqual(['first', 'missed', 'bye']);
    await call.tell(recordEnded({ reason: 'hangup' }), ended);
    await call.run.done;
    const kindsInOrder = call
      .journal()
      .map((entry) => ('state' in entry ? `${entry.kind} ${entry.state}` : entry.kind));
    expect(kindsInOrder.slice(-4)).toEqual(['recording completed', 'in', 'state disconnected', 'ended']);
  });

  it('fails when its leg ends without reporting the end of the recording', async () => {
    const closed: unknown[] = [];
    const ports = {
      recordings: { open: () => ({ file: 'x' }), close: (...given: unknown[]) => closed.push(given) },
    };
    const call = await scripted(
      { first: doing((background) => background({ type: 'recording', action: 'start', maxLengthMs: 60_000 })) },
      { ports },
    );
    await call.tell(answered, ended);
    await call.run.done;
    expect(kinds(call, 'recording').at(-1)).toMatchObject({ state: 'failed' });
    expect(closed).toEqual([['recording-1', { durationMs: 0, failed: true }]]);
  });

  it('is reported as failed, and not begun, when its file is refused', async () => {
    const why = fault('name_taken', 'there is one of this name');
    const given: unknown[] = [];
    const ports = { recordings: { open: () => ({ fault: why }), close: () => undefined } };
    const call = await scripted(
      {
        first: doing(
          (background) => background({ type: 'recording', action: 'start', name: 'x', maxLengthMs: 1 }),
          given,
        ),
      },
      { ports },
    );
    await call.tell(answered);
    expect(given).toEqual([{ fault: why }]);
    expect(kinds(call, 'recording')).toMatchObject([{ state: 'failed', name: 'x', description: why.message }]);
    expect(askedOf(call, OWN)).toEqual(['answer']);
    expect(call.run.record.recordings).toBeUndefined();
  });

  it.each(['failed', 'hangup'] as const)('closes the file of a step, too: %s', async (reason) => {
    const closed: unknown[] = [];
    const ports = {
      recordings: { open: () => ({ file: 'shelf.wav' }), close: (...given: unknown[]) => closed.push(given) },
    };
    const call = await scripted(
      {
        async *first({ leg }) {
          leg.request({ type: 'record', maxLengthMs: 1, endSilenceMs: 1, terminators: '' });
          return yield* forever();
        },
        second: doing(() => undefined),
      },
      { ports },
    );
    expect(call.commands[0]).toMatchObject({ file: 'shelf.wav' });
    // The answer arrives after the step has ended.
    await call.command({ type: 'event', name: 'go', data: null });
    await call.tell(recordEnded({ reason }));
    expect(closed).toEqual([['recording-1', { durationMs: 4_000, failed: reason === 'failed' }]]);
    expect(kinds(call, 'recording')).toEqual([]);
    expect(call.run.record.recordings).toEqual([{ recordingId: 'recording-1', durationMs: 4_000 }]);
  });
});

describe('a stream', () => {
  it('is started once, reports its states, and is stopped', async () => {
    const given: unknown[] = [];
    const seen: StepEvent[] = [];
    const act = (background: Background) => [background(stream), background(stream)];
    const call = await scripted({ first: doing(act, given, seen) });
    await call.tell(answered);
    expect(given).toEqual([[{ id: 'stream-1' }, { fault: expect.objectContaining({ code: 'already_streaming' }) }]]);
    expect(call.commands.at(-1)).toEqual({
      type: 'stream',
      streamId: 'stream-1',
      ...sound,
      start: { voice_id: 'call-1', from: '+33612345678', to: '1000' },
    });
    await call.tell(
      { type: 'stream_started', streamId: 'stream-9' },
      { type: 'stream_started', streamId: 'stream-1' },
      { type: 'stream_ended', streamId: 'stream-1', reason: 'far' },
      { type: 'stream_ended', streamId: 'stream-1', reason: 'far' },
    );
    expect(kinds(call, 'stream').map(({ state }) => state)).toEqual([
      'stream_initiated',
      'stream_started',
      'stream_stopped',
    ]);
    expect(seen.map((event) => event.type === 'background' && event.state)).toEqual([
      'stream_started',
      'stream_stopped',
    ]);
  });

  it('reports its failure, and is not started to an address that is not allowed', async () => {
    const given: unknown[] = [];
    const act = (background: Background) => background(stream);
    const failing = await scripted({ first: doing(act) });
    await failing.tell(answered, {
      type: 'stream_ended',
      streamId: 'stream-1',
      reason: 'failed',
      fault: fault('refused', 'nobody there'),
    });
    expect(kinds(failing, 'stream').at(-1)).toMatchObject({ state: 'stream_failed', description: 'nobody there' });
    const forbidden = await scripted({ first: doing(act, given) }, { ports: { mayStream: () => false } });
    await forbidden.tell(answered);
    expect(given).toEqual([{ fault: expect.objectContaining({ code: 'target_refused' }) }]);
    expect(kinds(forbidden, 'stream')).toEqual([]);
  });
});

describe('a transcript', () => {
  /** An observer of what was said. */
  const transcriptsTo = (told: string[]) => (entry: JournalEntry) => {
    if (entry.kind === 'transcript') told.push(entry.text);
    return [];
  };
  const said = (listenId: string, text: string): LegEvent => ({
    type: 'utterance',
    listenId,
    text,
    confidence: 0.9,
    fromMs: 1,
    toMs: 2,
  });

  it('listens to both sides, reports what was said, and stores none of it', async () => {
    const told: string[] = [];
    const seen: StepEvent[] = [];
    const act = (background: Background) => [background(transcript), background(transcript)];
    const given: unknown[] = [];
    const call = await scripted({ first: doing(act, given, seen) }, { ports: { deliveriesOf: transcriptsTo(told) } });
    await call.tell(answered);
    expect(given).toEqual([[{ id: 'listen-1' }, { fault: expect.objectContaining({ code: 'already_transcribing' }) }]]);
    expect(call.commands.slice(1)).toMatchObject([
      { type: 'listen', listenId: 'listen-1', track: 'inbound', continuous: true, minConfidence: 0.2 },
      { type: 'listen', listenId: 'listen-2', track: 'outbound', continuous: true },
    ]);
    await call.tell(said('listen-1', 'my card is four two'), said('listen-2', 'thank you'));
    expect(told).toEqual(['my card is four two', 'thank you']);
    expect(kinds(call, 'transcript')).toMatchObject([
      { track: 'inbound', text: MASK, confidence: 0.9 },
      { track: 'outbound', text: MASK },
    ]);
    expect(JSON.stringify(call.journal())).not.toContain('card');
    await call.tell({ type: 'listen_ended', listenId: 'listen-1', reason: 'stopped' });
    expect(seen).toEqual([]);
    await call.tell({ type: 'listen_ended', listenId: 'listen-2', reason: 'stopped' });
    expect(seen).toMatchObject([{ kind: 'transcript', id: 'listen-1', state: 'stopped' }]);
  });

  it('masks what is said to a sensitive step', async () => {
    const told: string[] = [];
    const steps = `
  first: { bridge: first, sensitive: true, exits: { completed: bye } }
  missed: { log: missed, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
    const call = await scripted(
      { first: doing((background) => background(transcript)) },
      {
        steps,
        head: '',
        ports: { deliveriesOf: transcriptsTo(told) },
      },
    );
    await call.tell(answered, said('listen-1', 'four two'));
    expect(told).toEqual([MASK]);
  });
});

it('rejects a stop of media that is not active', async () => {
  const given: unknown[] = [];
  const act = (background: Background) =>
    [
      background({ type: 'recording', action: 'stop' }),
      background({ type: 'recording', action: 'pause' }),
      background({ type: 'stream', action: 'stop' }),
      background({ type: 'transcript', action: 'stop' }),
    ].map((answer) => 'fault' in answer && answer.fault.code);
  const call = await scripted({ first: doing(act, given) });
  await call.tell(answered);
  expect(given).toEqual([['not_recording', 'not_recording', 'not_streaming', 'not_transcribing']]);
});
