/** The simulated line to the millisecond, and in the orders in which real lines surprise. */
import { beforeEach, describe, expect, it } from 'vitest';
import { countingIds } from '../../src/base/core/ids.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { SimulatedEngine } from '../../src/media/telephony/simulated/engine.ts';
import type { FarEnd, Notice } from '../../src/media/telephony/simulated/far-end.ts';
import { pressDurationMs } from '../../src/media/telephony/simulated/far-end.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

let clock: VirtualClock;
let engine: SimulatedEngine;
let farEnd: FarEnd;
/** `time type detail` of each event at the local side. */
let told: string[];

const detail = (event: LegEvent): string => {
  switch (event.type) {
    case 'digit':
      return event.digit;
    case 'play_ended':
      return `${event.playId} ${event.reason} ${event.playedMs}`;
    case 'record_ended':
      return `${event.reason} ${event.durationMs} ${event.speechMs}`;
    case 'ended':
      return `${event.by} ${event.cause.code}`;
    default:
      return '';
  }
};
const send = (...commands: LegCommand[]): void => {
  for (const command of commands) engine.send(farEnd.legId, command);
};
const tone = (durationMs: number, name?: string) =>
  ({ type: 'tone', frequencyHz: 440, durationMs, ...(name ? { name } : {}) }) as const;
const play = (playId: string, ...durationsMs: number[]): LegCommand => ({
  type: 'play',
  playId,
  audio: durationsMs.map((durationMs) => tone(durationMs)),
});
const record = (wishes: object = {}): LegCommand => ({
  type: 'record',
  recordId: 'r',
  file: 'r.wav',
  maxLengthMs: 10_000,
  endSilenceMs: 1_000,
  terminators: '#',
  ...wishes,
});

beforeEach(async () => {
  clock = new VirtualClock(0);
  engine = new SimulatedEngine({ clock, ids: countingIds(), audio: silentAudio() });
  told = [];
  await engine.start({
    incoming: () => told.push(`${clock.now()} incoming`),
    event: (_legId, event) => told.push(`${clock.now()} ${event.type} ${detail(event)}`.trimEnd()),
  });
  farEnd = engine.call({ from: 'a', to: 'b' });
  await clock.advance(0);
  send({ type: 'answer' });
  await clock.advance(0);
  told.length = 0;
});

describe('keys', () => {
  it('are pressed one after the other, the first at once', async () => {
    farEnd.press('12', { toneMs: 70, gapMs: 30 });
    farEnd.press('3');
    await clock.advance(1_000);
    expect(told).toEqual(['0 digit 1', '100 digit 2', '200 digit 3']);
    expect(pressDurationMs('12', { toneMs: 70, gapMs: 30 })).toBe(170);
    expect(pressDurationMs('')).toBe(0);
  });

  it('reports keys at the very end of a prompt after its end', async () => {
    send(play('p', 500));
    clock.after(500, () => farEnd.press('1'));
    await clock.advance(500);
    expect(told).toEqual(['500 play_ended p finished 500', '500 digit 1']);
  });

  it('reports keys just before the end of a prompt before its end', async () => {
    farEnd.press('12', { toneMs: 250, gapMs: 250 });
    send(play('p', 500));
    await clock.advance(500);
    expect(told).toEqual(['0 digit 1', '500 digit 2', '500 play_ended p finished 500']);
  });

  it.each([0, 1, 499])('stops a prompt after %i ms', async (ms) => {
    send(play('p', 500));
    await clock.advance(ms);
    farEnd.press('1');
    send({ type: 'stop_play', playId: 'p' });
    await clock.advance(1_000);
    expect(told.toSorted()).toEqual([`${ms} digit 1`, `${ms} play_ended p stopped ${ms}`]);
  });

  it('are ignored before the leg carries audio, and after its end', async () => {
    const early = engine.call({ from: 'a', to: 'b' });
    await clock.advance(10);
    early.press('1');
    farEnd.hangUp();
    farEnd.press('2');
    await clock.advance(10);
    expect(told).toEqual(['0 incoming', '10 ended far 16']);
  });
});

describe('prompts', () => {
  it('are played item by item, and report the end of each round', async () => {
    const notices: string[] = [];
    farEnd.observe((notice: Notice) => notices.push(`${clock.now()} ${notice.type}`));
    send({ type: 'play', playId: 'p', repeat: true, audio: [tone(100, 'a'), tone(0, 'nothing'), tone(50, 'b')] });
    await clock.advance(200);
    expect(farEnd.hears).toBe(true);
    send({ type: 'stop_play', playId: 'p' });
    expect(farEnd.hears).toBe(false);
    expect(notices).toEqual(['0 hears', '100 hears', '150 round_over', '150 hears', '200 quiet']);
    expect(farEnd.heard.map(({ item, fromMs, toMs }) => [item.name, fromMs, toMs])).toEqual([
      ['a', 0, 100],
      ['b', 100, 150],
      ['a', 150, 200],
    ]);
  });

  it('fails with the fault of the audio', async () => {
    const broken = new SimulatedEngine({
      clock,
      ids: countingIds(),
      audio: {
        durationMs: () => {
          throw new Error('no sound');
        },
      },
    });
    const events: LegEvent[] = [];
    await broken.start({ incoming: () => undefined, event: (_legId, event) => events.push(event) });
    const party = broken.call({ from: 'a', to: 'b' });
    await clock.advance(0);
    broken.send(party.legId, { type: 'answer' });
    broken.send(party.legId, play('p', 100));
    await clock.advance(0);
    expect(events[1]).toMatchObject({ reason: 'failed', fault: { code: 'audio_failed', message: 'no sound' } });
  });
});

describe('recordings', () => {
  it('ends by silence after speech, wherever the speech began', async () => {
    farEnd.speak(700);
    await clock.advance(500);
    send(record());
    await clock.advance(5_000);
    expect(told).toEqual(['1700 record_ended end_silence 1200 200']);
  });

  it('continues through a pause that is shorter than the silence that ends it', async () => {
    send(record());
    farEnd.speak(500);
    await clock.advance(1_499);
    farEnd.speak(500);
    await clock.advance(5_000);
    expect(told).toEqual(['2999 record_ended end_silence 2999 1000']);
  });

  it('counts overlapping speech once', async () => {
    send(record());
    farEnd.speak(500);
    await clock.advance(250);
    farEnd.speak(500);
    await clock.advance(5_000);
    expect(told).toEqual(['1750 record_ended end_silence 1750 750']);
  });

  it('never ends by silence without speech, or if it is disabled', async () => {
    send(record({ maxLengthMs: 3_000 }));
    await clock.advance(3_000);
    send(record({ maxLengthMs: 3_000, endSilenceMs: 0 }));
    farEnd.speak(100);
    await clock.advance(3_000);
    expect(told).toEqual(['3000 record_ended max_length 3000 0', '6000 record_ended max_length 3000 100']);
  });

  it('ends by a terminator, after its `digit`, and by a hang-up in mid-speech', async () => {
    send(record());
    farEnd.press('1#');
    await clock.advance(500);
    expect(told).toEqual(['0 digit 1', '200 digit #', '200 record_ended terminator 200 0']);
    told.length = 0;
    send(record());
    farEnd.speak(5_000);
    await clock.advance(1_000);
    farEnd.hangUp();
    await clock.advance(0);
    expect(told).toEqual(['1500 record_ended hangup 1000 1000', '1500 ended far 16']);
  });
});

describe('the end', () => {
  it('comes once, and last, also in the same tick as everything else', async () => {
    send(play('p', 500), record({ maxLengthMs: 500 }));
    clock.after(500, () => {
      farEnd.press('1');
      farEnd.hangUp();
      farEnd.hangUp();
      farEnd.lose();
      send({ type: 'hangup', cause: 17 });
    });
    await clock.advance(1_000);
    expect(told.at(-1)).toBe('500 ended far 16');
    expect(told.filter((line) => line.includes('ended far'))).toHaveLength(1);
    expect(told).toContain('500 play_ended p finished 500');
    expect(told).toHaveLength(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is reported as such if the network ends the call', async () => {
    farEnd.lose();
    await clock.advance(0);
    expect(told).toEqual(['0 ended network 41']);
  });

  it('leaves nothing behind if the engine ends the call', async () => {
    send(play('p', 60_000), record());
    farEnd.press('123');
    await engine.stop();
    expect(told).toEqual(['0 play_ended p stopped 0', '0 record_ended hangup 0 0', '0 ended near 41']);
    expect(clock.pendingTimers).toBe(0);
    const late = engine.call({ from: 'a', to: 'b' });
    expect(late.state).toBe('ended');
    await clock.advance(100);
    expect(told).toHaveLength(3);
  });
});
