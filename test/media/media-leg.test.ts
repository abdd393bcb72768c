import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';
import { AudioCache } from '../../src/media/telephony/media/audio-cache.ts';
import { MediaLeg } from '../../src/media/telephony/media/media-leg.ts';
import type { MediaEvent } from '../../src/media/telephony/media/media-port.ts';
import type { ThreadLegCommand } from '../../src/media/telephony/media/worker-messages.ts';
import { REMOTE, tone } from './rig.ts';

const beep: AudioItem = { type: 'tone', frequencyHz: 440, durationMs: 20 };
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A leg whose thread half is a list of commands, and whose prompts arrive when the test says so. */
function half() {
  const commands: ThreadLegCommand[] = [];
  const events: MediaEvent[] = [];
  const loads: { resolve: (pcm: Int16Array) => void; reject: (error: Error) => void; signal: AbortSignal }[] = [];
  const load = (_: AudioItem, signal: AbortSignal) =>
    new Promise<Int16Array>((resolve, reject) => {
      loads.push({ resolve, reject, signal });
    });
  const audio = new AudioCache({ load, durationMs: () => 0 }, 1000);
  const leg = new MediaLeg({
    mediaId: 'm',
    audio,
    onEvent: (event) => events.push(event),
    send: (command) => commands.push(command),
    clock: systemClock,
    warn: () => {},
  });
  return { leg, loads, events, types: () => commands.map(({ type }) => type), commands };
}

const play = (playId: string) => ({ type: 'play' as const, playId, audio: [beep] });
const record = { type: 'record', recordId: 'r', maxLengthMs: 1000, endSilenceMs: 0, terminators: '' } as const;

describe('prompts for the thread', () => {
  it('are requested for the current project of the leg', async () => {
    const asked: (string | undefined)[] = [];
    const load = async (_: AudioItem, _signal: AbortSignal, projectId?: string) => {
      asked.push(projectId);
      return tone(440, 20);
    };
    let projectId: string | undefined;
    const leg = new MediaLeg({
      ...{ mediaId: 'm', clock: systemClock, onEvent: () => {}, send: () => {}, warn: () => {} },
      audio: new AudioCache({ load, durationMs: () => 0 }, 1000),
      projectId: () => projectId,
    });
    leg.send(play('p'));
    projectId = 'shop';
    leg.send(play('q'));
    leg.send({ type: 'hold', music: [beep] });
    await settled();
    expect(asked).toEqual([undefined, 'shop', 'shop']);
  });

  it('are encoded for the negotiated codec and sent when all of them are loaded', async () => {
    const { leg, loads, commands } = half();
    leg.send({ type: 'connect', remote: { ...REMOTE, codec: 'PCMA', payloadType: 8 } });
    leg.send({ type: 'play', playId: 'p', audio: [beep, { ...beep, frequencyHz: 880 }], repeat: true });
    loads[1]!.resolve(tone(880, 20));
    await settled();
    expect(commands).toHaveLength(1);
    loads[0]!.resolve(tone(440, 20));
    await settled();
    expect(commands[1]).toMatchObject({ type: 'play', playId: 'p', repeat: true });
    expect(commands[1]).toMatchObject({ items: [{ codec: 'PCMA' }, { codec: 'PCMA' }] });
  });

  it('fails when they last more than an hour in total, and loads no further', async () => {
    const { leg, loads, events, types } = half();
    leg.send({ type: 'play', playId: 'p', audio: Array.from({ length: 3 }, () => beep), repeat: false });
    const overHalfAnHour = new Int16Array(8000 * 1801);
    for (const load of loads.slice(0, 2)) load.resolve(overHalfAnHour);
    await settled();
    expect(events).toEqual([
      expect.objectContaining({
        playId: 'p',
        reason: 'failed',
        fault: expect.objectContaining({ code: 'audio_too_long' }),
      }),
    ]);
    expect(loads[2]!.signal.aborted).toBe(true);
    expect(types()).toEqual([]);
  });

  it('fails with the fault of the source', async () => {
    const { leg, loads, events } = half();
    const missing = { code: 'audio_not_found', message: 'There is no audio file.', retryable: false };
    leg.send(play('p'));
    loads[0]!.reject(new AudioError(missing));
    leg.send(play('q'));
    loads[1]!.reject(new Error('disk on fire'));
    await settled();
    expect(events).toEqual([
      { type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 0 },
      {
        type: 'play_ended',
        playId: 'q',
        reason: 'failed',
        playedMs: 0,
        fault: expect.objectContaining({ code: 'audio_failed' }),
      },
    ]);
    leg.send(play('r'));
    loads[2]!.reject(new AudioError(missing));
    await settled();
    expect(events.at(-1)).toMatchObject({ playId: 'r', reason: 'failed', fault: missing });
  });

  it.each<[string, (leg: MediaLeg) => void]>([
    ['a stop', (leg) => leg.send({ type: 'stop_play', playId: 'p' })],
    ['the next play', (leg) => leg.send(play('q'))],
    ['the end', (leg) => leg.send({ type: 'close' })],
  ])('are aborted at %s, answered after the call returned, and never played', async (_, act) => {
    const { leg, loads, events, types } = half();
    leg.send(play('p'));
    act(leg);
    expect(events).toEqual([]);
    expect(loads[0]!.signal.aborted).toBe(true);
    loads[0]!.resolve(tone(440, 20));
    await settled();
    expect(events).toEqual([{ type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 0 }]);
    expect(types()).not.toContain('play');
  });

  it('silences a running play at once, not when the next one is loaded', async () => {
    const { leg, loads, types } = half();
    leg.send(play('p'));
    loads[0]!.resolve(tone(440, 20));
    await settled();
    leg.send(play('q'));
    expect(types()).toEqual(['play', 'stop_play']);
  });

  it('are sent at once when there is nothing to load, so that the next play finds them finished', () => {
    const { leg, types } = half();
    leg.send({ type: 'play', playId: 'p', audio: [], repeat: false });
    leg.send(play('q'));
    expect(types()).toEqual(['play', 'stop_play']);
  });
});

describe('prompts in chunks', () => {
  /** Chunks that arrive when the test says so. */
  function piecewise() {
    const base = half();
    const gates: { give: (pcm: Int16Array | Error | undefined) => void; signal: AbortSignal }[] = [];
    async function* stream(_: AudioItem, signal: AbortSignal): AsyncGenerator<Int16Array> {
      for (;;) {
        const piece = await new Promise<Int16Array | Error | undefined>((give) => gates.push({ give, signal }));
        if (piece instanceof Error) throw piece;
        if (!piece) return;
        yield piece;
      }
    }
    const audio = new AudioCache({ load: async () => new Int16Array(0), stream, durationMs: () => 0 }, 1000);
    const leg = new MediaLeg({
      mediaId: 'm',
      audio,
      clock: systemClock,
      onEvent: (event) => base.events.push(event),
      send: (command) => base.commands.push(command),
      warn: () => {},
    });
    const give = async (piece: Int16Array | Error | undefined): Promise<void> => {
      gates.shift()!.give(piece);
      await settled();
    };
    return { ...base, leg, give, gates };
  }

  it('begins with the first chunk, and is complete after the last', async () => {
    const { leg, give, commands } = piecewise();
    leg.send({ type: 'connect', remote: { ...REMOTE, codec: 'PCMA', payloadType: 8 } });
    leg.send({ type: 'play', playId: 'p', audio: [beep, beep], repeat: true });
    await give(tone(440, 20));
    expect(commands[1]).toMatchObject({ type: 'play', playId: 'p', repeat: true, complete: false });
    expect(commands[1]).toMatchObject({ items: [{ codec: 'PCMA' }] });
    await give(tone(440, 20));
    await give(undefined);
    await give(tone(880, 20));
    await give(undefined);
    expect(commands.slice(2)).toMatchObject([
      { type: 'play_more', items: [{}], complete: false },
      { type: 'play_more', items: [{}], complete: false },
      { type: 'play_more', items: [], complete: true },
    ]);
  });

  it('are stopped while they play and while they load, with one answer, from the thread', async () => {
    const { leg, give, gates, events, types } = piecewise();
    leg.send(play('p'));
    await give(tone(440, 20));
    leg.send({ type: 'stop_play', playId: 'p' });
    expect(gates[0]!.signal.aborted).toBe(true);
    await give(tone(440, 20));
    expect(types()).toEqual(['play', 'stop_play']);
    leg.receive({ type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 20 });
    expect(events).toEqual([{ type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 20 }]);
  });

  it('fails in the middle with the fault of the source, and reports how much was played', async () => {
    const { leg, give, events, types } = piecewise();
    leg.send(play('p'));
    await give(tone(440, 20));
    await give(new Error('the voice broke'));
    expect(types()).toEqual(['play', 'stop_play']);
    leg.receive({ type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 20 });
    expect(events).toMatchObject([{ playId: 'p', reason: 'failed', playedMs: 20, fault: { code: 'audio_failed' } }]);
  });

  it('are stopped by the next play', async () => {
    const { leg, give, gates, commands } = piecewise();
    leg.send(play('p'));
    await give(tone(440, 20));
    leg.send(play('q'));
    expect(gates[0]!.signal.aborted).toBe(true);
    await give(tone(440, 20));
    await give(tone(440, 20));
    expect(commands.map((each) => ('playId' in each ? `${each.type} ${each.playId}` : each.type))).toEqual([
      'play p',
      'stop_play p',
      'play q',
    ]);
  });
});

describe('hold music', () => {
  it('starts when it is loaded, but not after the end of the hold', async () => {
    const { leg, loads, commands } = half();
    leg.send({ type: 'hold', music: [beep] });
    expect(commands).toEqual([{ type: 'hold', items: [] }]);
    loads[0]!.resolve(tone(440, 20));
    await settled();
    expect(commands[1]).toMatchObject({ type: 'hold', items: [{ codec: 'PCMU' }] });
    leg.send({ type: 'hold', music: [beep] });
    leg.send({ type: 'resume' });
    loads[1]!.resolve(tone(440, 20));
    await settled();
    expect(commands.slice(2).map((each) => each.type === 'hold' && each.items.length)).toEqual([0, false]);
  });
});

describe("the end of the thread's half", () => {
  it('emits `closed` last, after the recording is on disk', async () => {
    const { leg, events } = half();
    leg.send({ ...record, file: join(tmpdir(), `leg-${process.pid}.wav`) });
    leg.send({ type: 'close' });
    leg.receive({ type: 'recorded', recordId: 'r', reason: 'hangup', durationMs: 20, speechMs: 0 });
    await leg.settled();
    leg.end();
    leg.receive({ type: 'digit', digit: '1', durationMs: 20 });
    expect(events.map(({ type }) => type)).toEqual(['record_ended', 'closed']);
  });

  it('answers all commands in their place when the thread died', async () => {
    const { leg, loads, events } = half();
    leg.send(play('p'));
    loads[0]!.resolve(tone(440, 20));
    await settled();
    leg.send({ ...record, file: join(tmpdir(), `leg-${process.pid}.wav`) });
    leg.receive({ type: 'record_chunk', recordId: 'r', pcm: new Int16Array(800) });
    leg.send({ type: 'send_digits', sendId: 's', digits: '1', toneMs: 100, gapMs: 100 });
    await leg.threadDied();
    leg.end();
    leg.send(play('late'));
    await settled();
    expect(events).toMatchObject([
      { type: 'play_ended', playId: 'p', reason: 'failed', fault: { code: 'media_failed' } },
      { type: 'digits_sent', sendId: 's' },
      { type: 'record_ended', reason: 'failed', fault: { code: 'media_failed' } },
      { type: 'closed' },
    ]);
  });
});
