import { describe, expect, it } from 'vitest';
import { type ScriptedLegOptions, startLegs } from './scripted-legs.ts';

const doing = (step: string, exits: string, options: ScriptedLegOptions = {}) =>
  startLegs(
    `
  first: { ${step}, exits: { ${exits}, failed: next } }
  next: { pause: 1h, next: last }
  last: { ${step.split(':')[0]}: stop, exits: { done: end, failed: end } }
  end: { pause: 1h, next: bye }`,
    { outbound: true, ...options },
  );

describe('recording', () => {
  it('runs beside the steps until it is stopped', async () => {
    const { call, caller, result } = await doing('recording: { action: start, max_length: 10m }', 'started: next');
    expect(result()).toEqual({ recording_id: 'recording-1' });
    expect(caller.last('record')).toMatchObject({ dual: true, background: true, maxLengthMs: 600_000 });
    expect(call.outcomes()).toEqual(['first:started']);
    await call.clock.advance(3_600_000);
    expect(caller.last('stop_record')).toMatchObject({ recordId: 'recording-1' });
    expect(call.outcomes()).toEqual(['first:started', 'next:done', 'last:done']);
  });

  it('is paused and resumed', async () => {
    const { caller } = await startLegs(
      `
  first: { recording: start, exits: { started: pause, failed: bye } }
  pause: { recording: pause, exits: { done: resume, failed: bye } }
  resume: { recording: resume, exits: { done: wait, failed: bye } }
  wait: { pause: 1h, next: bye }`,
      { outbound: true },
    );
    expect(caller.commands.filter(({ type }) => type === 'pause_record')).toMatchObject([
      { paused: true },
      { paused: false },
    ]);
  });

  it.each(['stop', 'pause', 'resume'])('%s fails when nothing is being recorded', async (action) => {
    const { call, result } = await doing(`recording: ${action}`, 'done: next');
    expect(call.outcomes()).toEqual(['first:failed']);
    expect(result()).toMatchObject({ code: 'not_recording' });
  });

  it('fails when the file cannot be opened', async () => {
    const { call, result } = await doing('recording: { action: start, name: mine }', 'started: next', {
      fault: { code: 'name_taken', message: 'there is one of this name', retryable: false },
    });
    expect(call.outcomes()).toEqual(['first:failed']);
    expect(result()).toEqual({ code: 'name_taken', message: 'there is one of this name' });
  });
});

describe('stream', () => {
  const START = 'stream: { action: start, url: "wss://a.example/x", tracks: inbound, bidirectional: true }';

  it('waits until the receiver has accepted it', async () => {
    const { call, caller, result } = await doing(START, 'started: next');
    const { streamId } = caller.last('stream');
    expect(caller.last('stream')).toMatchObject({
      url: 'wss://a.example/x',
      tracks: ['inbound'],
      bidirectional: true,
      start: { voice_id: 'call-1' },
    });
    expect(call.outcomes()).toEqual([]);
    await caller.emit({ type: 'stream_started', streamId });
    expect(call.outcomes()).toEqual(['first:started']);
    expect(result()).toEqual({ stream_id: streamId });
  });

  it('fails when the receiver does not accept it', async () => {
    const { call, caller } = await doing(START, 'started: next');
    const { streamId } = caller.last('stream');
    await caller.emit({ type: 'stream_ended', streamId, reason: 'failed' });
    expect(call.outcomes()).toEqual(['first:failed']);
  });

  it('continues after ten seconds if the receiver does not answer', async () => {
    const { call } = await doing(START, 'started: next');
    await call.clock.advance(10_000);
    expect(call.outcomes()).toEqual(['first:started']);
  });

  const AWAITED = START.replace(' }', ', wait: true }');

  it('waits with `wait` until the receiver closes the stream', async () => {
    const { call, caller, result } = await doing(AWAITED, 'done: next');
    const { streamId } = caller.last('stream');
    await caller.emit({ type: 'stream_started', streamId });
    await call.clock.advance(3_600_000);
    expect(call.outcomes()).toEqual([]);
    await caller.emit({ type: 'stream_ended', streamId, reason: 'far' });
    expect(call.outcomes()).toEqual(['first:done']);
    expect(result()).toEqual({ stream_id: streamId });
  });

  it.each([true, false])('fails with `wait` when the receiver is lost (connected: %s)', async (isConnected) => {
    const { call, caller, result } = await doing(AWAITED, 'done: next');
    const { streamId } = caller.last('stream');
    if (isConnected) await caller.emit({ type: 'stream_started', streamId });
    await caller.emit({ type: 'stream_ended', streamId, reason: 'failed' });
    expect(call.outcomes()).toEqual(['first:failed']);
    expect(result()).toMatchObject({ code: 'stream_failed' });
  });

  it('is only sent to permitted addresses', async () => {
    const { call, caller } = await doing('stream: { action: start, url: "ws://inside" }', 'started: next');
    expect(call.outcomes()).toEqual(['first:failed']);
    expect(caller.asked).toEqual([]);
  });

  it.each([
    ['', ['inbound', 'outbound']],
    [', tracks: both', ['inbound', 'outbound']],
    [', tracks: [outbound]', ['outbound']],
  ])('uses the tracks%s, and sends %j', async (tracks, sent) => {
    const { caller } = await doing(`stream: { action: start, url: "wss://a"${tracks} }`, 'started: next');
    expect(caller.last('stream').tracks).toEqual(sent);
  });
});

describe('transcribe', () => {
  it('transcribes continuously, in the language of the step', async () => {
    const { call, caller } = await doing(
      'transcribe: { action: start, tracks: both, min_confidence: 0.3 }, locale: fr-FR',
      'started: next',
    );
    expect(call.outcomes()).toEqual(['first:started']);
    const listens = caller.commands.filter((command) => command.type === 'listen');
    expect(listens).toMatchObject([
      { continuous: true, language: 'fr-FR', minConfidence: 0.3, track: 'inbound' },
      { continuous: true, track: 'outbound' },
    ]);
    await call.clock.advance(3_600_000);
    expect(caller.commands.filter(({ type }) => type === 'stop_listen')).toHaveLength(2);
    expect(call.outcomes()).toEqual(['first:started', 'next:done', 'last:done']);
  });

  it('cannot be stopped when nothing is being transcribed', async () => {
    const { call } = await doing('transcribe: stop', 'done: next');
    expect(call.outcomes()).toEqual(['first:failed']);
  });
});

describe('hold', () => {
  it('plays music until resume, also during other steps', async () => {
    const { call, caller } = await startLegs(
      `
  first: { hold: { music: "One moment" }, next: look_up }
  look_up: { pause: 1m, next: back }
  back: { resume: {}, next: wait }
  wait: { pause: 1h, next: bye }`,
      { outbound: true },
    );
    expect(caller.last('hold').music).toMatchObject([{ text: 'One moment' }]);
    expect(caller.asked).toEqual(['hold']);
    await call.clock.advance(60_000);
    expect(caller.asked).toEqual(['hold', 'resume']);
  });

  it('plays a melody when no music is given', async () => {
    const { caller } = await startLegs('  first: { hold: {}, next: wait }\n  wait: { pause: 1h, next: bye }', {
      outbound: true,
    });
    expect(caller.last('hold').music.length).toBeGreaterThan(5);
  });
});

describe('detect_machine', () => {
  const detecting = (args = '{}') =>
    startLegs(
      `  first: { detect_machine: ${args}, exits: { human: bye, machine: bye, beep: bye, fax: bye, unknown: bye } }`,
      { outbound: true },
    );

  it.each([
    ['{}', 5_000, 30_000],
    ['{ timeout: 3s, await_beep: 10s }', 3_000, 10_000],
    ['{ await_beep: false }', 5_000, 0],
    ['{ await_beep: true }', 5_000, 30_000],
  ])('detects with its arguments: %s', async (args, timeoutMs, awaitBeepMs) => {
    expect((await detecting(args)).caller.last('detect_machine')).toMatchObject({ timeoutMs, awaitBeepMs });
  });

  it.each(['human', 'machine', 'beep', 'fax', 'unknown'] as const)('has the outcome %s', async (result) => {
    const legs = await detecting();
    const { detectId } = legs.caller.last('detect_machine');
    await legs.caller.emit({ type: 'machine_detected', detectId, result, afterMs: 1_200 });
    expect(legs.call.outcomes()[0]).toBe(`first:${result}`);
    expect(legs.result()).toEqual({ after_ms: 1_200 });
  });

  it('ends when the caller hangs up', async () => {
    const { call, caller } = await detecting();
    await caller.ends();
    expect(call.outcomes()).toEqual(['first:hangup']);
  });
});
