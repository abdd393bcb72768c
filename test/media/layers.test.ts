import { describe, expect, it } from 'vitest';
import { amplitudeAt } from '../speech/sounds.ts';
import { Meeting, Party } from './parties.ts';
import { concat, eventPayload, items, packetOf, tone } from './rig.ts';

const MUSIC_HZ = 1000;
const PLAY_HZ = 700;
const BOT_HZ = 1500;
const OTHER_HZ = 440;
const ALL_HZ = [MUSIC_HZ, PLAY_HZ, BOT_HZ, OTHER_HZ];

/** Frequency of the loudest tone heard in the last 200 ms. */
function loudest(party: Party): number | undefined {
  const late = party.heard().subarray(-1600);
  const levels = ALL_HZ.map((frequencyHz) => ({ frequencyHz, level: amplitudeAt(frequencyHz, late) }));
  const clear = levels.filter(({ level }) => level > 3000);
  expect(clear.length).toBeLessThanOrEqual(1);
  return clear[0]?.frequencyHz;
}

const bot = (ms: number): Uint8Array => items([tone(BOT_HZ, ms)])[0]!.bytes;

describe.each([
  ['passed on', (a: Party, b: Party) => [[a, b]]],
  ['mixed', (a: Party, b: Party) => [[a], [b]]],
])('audio of a party when the other is %s', (_, threads) => {
  function call() {
    const [a, b] = [new Party(1), new Party(2)];
    const meeting = new Meeting(threads(a, b));
    b.say(tone(OTHER_HZ, 10_000));
    a.leg.taps.stream({ streamId: 's', tracks: [], bidirectional: true });
    return { a, meeting, play: { playId: 'p', items: items([tone(PLAY_HZ, 8000)]), repeat: false } };
  }

  it('is the play, else the music, else the stream, else the other party', () => {
    const { a, meeting, play } = call();
    meeting.run(600);
    expect(loudest(a)).toBe(OTHER_HZ);
    a.leg.taps.addAudio('s', bot(8000));
    meeting.run(400);
    expect(loudest(a)).toBe(BOT_HZ);
    a.leg.output.hold(items([tone(MUSIC_HZ, 200)]));
    meeting.run(400);
    expect(loudest(a)).toBe(MUSIC_HZ);
    a.leg.output.play(play);
    meeting.run(400);
    expect(loudest(a)).toBe(PLAY_HZ);
    a.leg.output.stopPlay('p');
    meeting.run(400);
    expect(loudest(a)).toBe(MUSIC_HZ);
    a.leg.output.hold(undefined);
    meeting.run(400);
    expect(loudest(a)).toBe(BOT_HZ);
    a.leg.taps.clearAudio('s');
    meeting.run(400);
    expect(loudest(a)).toBe(OTHER_HZ);
  });

  it('is silent while digits are sent', () => {
    const { a, meeting, play } = call();
    a.leg.output.play(play);
    meeting.run(400);
    const before = a.sent.length;
    a.leg.output.sendDigits({ sendId: 'd', digits: '1', toneMs: 100, gapMs: 100 });
    meeting.run(160);
    expect(a.sent.slice(before).every(({ payloadType }) => payloadType === 101)).toBe(true);
    meeting.run(400);
    expect(loudest(a)).toBe(PLAY_HZ);
    expect(a.events).toContainEqual({ type: 'digits_sent', sendId: 'd' });
  });

  it('advances while it is covered', () => {
    const { a, meeting } = call();
    a.leg.taps.addAudio('s', bot(600));
    a.leg.output.play({ playId: 'p', items: items([tone(PLAY_HZ, 800)]), repeat: false });
    meeting.run(1400);
    expect(loudest(a)).toBe(OTHER_HZ);
    expect(a.leg.taps.streamAudio.waitingItems).toBe(0);
  });

  it('is silence on hold without music, whatever else plays', () => {
    const { a, meeting } = call();
    meeting.run(200);
    a.leg.output.hold([]);
    a.leg.taps.addAudio('s', bot(300));
    meeting.run(100);
    const before = a.sent.length;
    meeting.run(600);
    expect(a.sent).toHaveLength(before);
  });
});

describe('a play that arrives in chunks', () => {
  it('begins with the first, is silent until the next, and ends when it is complete', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    const piece = (ms: number) => items([tone(PLAY_HZ, ms)]);
    a.leg.output.play({ playId: 'p', items: piece(100), repeat: false, complete: false });
    meeting.run(20);
    expect(a.sent).toHaveLength(1);
    meeting.run(380);
    expect(a.events).toEqual([]);
    a.leg.output.playMore({ playId: 'other', items: piece(1000), complete: true });
    a.leg.output.playMore({ playId: 'p', items: piece(100), complete: false });
    a.leg.output.playMore({ playId: 'p', items: [], complete: true });
    meeting.run(400);
    expect(a.events).toEqual([{ type: 'play_ended', playId: 'p', reason: 'finished', playedMs: 200 }]);
    const heard = a.heard();
    expect(amplitudeAt(PLAY_HZ, heard.subarray(0, 800))).toBeGreaterThan(9000);
    expect(heard.subarray(960, 3200).every((sample) => sample === 0)).toBe(true);
    expect(amplitudeAt(PLAY_HZ, heard.subarray(3200, 4000))).toBeGreaterThan(9000);
  });

  it('is repeated as a whole, once it is complete', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.leg.output.play({ playId: 'p', items: items([tone(PLAY_HZ, 100)]), repeat: true, complete: false });
    meeting.run(200);
    a.leg.output.playMore({ playId: 'p', items: items([tone(PLAY_HZ, 100)]), complete: true });
    meeting.run(1000);
    a.leg.output.stopPlay('p');
    expect(a.events).toEqual([{ type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 1100 }]);
  });

  it('finishes a play that turns out to be empty', () => {
    const a = new Party(1);
    a.leg.output.play({ playId: 'p', items: [], repeat: true, complete: false });
    a.leg.output.playMore({ playId: 'p', items: [], complete: true });
    expect(a.events).toEqual([{ type: 'play_ended', playId: 'p', reason: 'finished', playedMs: 0 }]);
  });
});

describe('recordings of a party', () => {
  const record = (recordId: string, background: boolean, dual = false) => ({
    recordId,
    file: '',
    maxLengthMs: 60_000,
    endSilenceMs: 0,
    terminators: '#',
    dual,
    background,
  });

  /** Left and right of a dual recording. */
  function channels(party: Party, recordId: string): [Int16Array, Int16Array] {
    const chunks = party.events.flatMap((event) =>
      event.type === 'record_chunk' && event.recordId === recordId ? [event.pcm] : [],
    );
    const both = concat(chunks);
    return [both.filter((_, at) => at % 2 === 0), both.filter((_, at) => at % 2 === 1)];
  }

  it.each([
    ['passed on', (a: Party, b: Party) => [[a, b]]],
    ['mixed', (a: Party, b: Party) => [[a], [b]]],
  ])('keeps each side in its own channel, aligned, through silence and hold, when the other is %s', (_, threads) => {
    const [a, b] = [new Party(1), new Party(2)];
    const meeting = new Meeting(threads(a, b));
    a.leg.record(record('r', true, true), 0);
    meeting.run(1000);
    a.say(tone(OTHER_HZ, 1000));
    b.say(tone(PLAY_HZ, 1000));
    meeting.run(2000);
    a.leg.output.hold(items([tone(MUSIC_HZ, 100)]));
    a.say(tone(OTHER_HZ, 1000));
    meeting.run(1000);
    a.leg.output.hold(undefined);
    meeting.run(1000);
    a.leg.stopRecord('r', meeting.nowMs);
    const [left, right] = channels(a, 'r');
    expect([left.length, right.length]).toEqual([40_000, 40_000]);
    const during = (samples: Int16Array, fromMs: number, toMs: number) => samples.subarray(fromMs * 8, toMs * 8);
    const silent = (samples: Int16Array) => samples.every((sample) => Math.abs(sample) < 10);
    expect(silent(during(left, 0, 950)) && silent(during(right, 0, 950))).toBe(true);
    expect(amplitudeAt(OTHER_HZ, during(left, 1200, 1900))).toBeGreaterThan(9000);
    expect(amplitudeAt(PLAY_HZ, during(left, 1200, 1900))).toBeLessThan(300);
    expect(amplitudeAt(PLAY_HZ, during(right, 1200, 1900))).toBeGreaterThan(9000);
    expect(amplitudeAt(OTHER_HZ, during(right, 1200, 1900))).toBeLessThan(300);
    expect(silent(during(left, 2200, 2900)) && silent(during(right, 2300, 2900))).toBe(true);
    expect(amplitudeAt(OTHER_HZ, during(left, 3100, 3900))).toBeGreaterThan(9000);
    expect(amplitudeAt(MUSIC_HZ, during(right, 3100, 3900))).toBeGreaterThan(9000);
    expect(silent(during(right, 4100, 4900))).toBe(true);
  });

  it('runs in the foreground and in the background at once; a terminator ends only its own recording', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.leg.record(record('front', false), 0);
    a.leg.record({ ...record('back', true), terminators: '' }, 0);
    a.say(tone(OTHER_HZ, 400));
    meeting.run(400);
    a.nowMs = 400;
    a.receive(packetOf({ payloadType: 101, ssrc: 1, sequence: 900 }, eventPayload(11, 800, true)));
    meeting.run(200);
    a.leg.record(record('front again', false), 600);
    a.leg.record(record('back again', true), 600);
    a.leg.close(600);
    const ends = a.events.filter((event) => event.type === 'recorded');
    expect(ends).toMatchObject([
      { recordId: 'front', reason: 'terminator', durationMs: 400 },
      { recordId: 'back', reason: 'stopped', durationMs: 600 },
      { recordId: 'front again', reason: 'hangup' },
      { recordId: 'back again', reason: 'hangup' },
    ]);
  });

  it('contains nothing from a pause, not even its time', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.leg.record(record('r', true, true), 0);
    a.say(tone(OTHER_HZ, 1000));
    meeting.run(1000);
    a.leg.pauseRecord('r', true, 1000);
    a.leg.pauseRecord('r', true, 1001);
    a.say(tone(PLAY_HZ, 1000));
    a.leg.output.play({ playId: 'p', items: items([tone(PLAY_HZ, 1000)]), repeat: false });
    meeting.run(1000);
    a.leg.pauseRecord('r', false, 2000);
    a.say(tone(BOT_HZ, 1000));
    meeting.run(1000);
    a.leg.pauseRecord('r', true, 3000);
    meeting.run(1000);
    a.leg.stopRecord('r', 4000);
    expect(a.events.filter((event) => event.type === 'recorded')).toMatchObject([
      { durationMs: 2000, reason: 'stopped' },
    ]);
    const [left, right] = channels(a, 'r');
    expect(left).toHaveLength(16_000);
    expect(amplitudeAt(OTHER_HZ, left.subarray(800, 7200))).toBeGreaterThan(9000);
    expect(amplitudeAt(BOT_HZ, left.subarray(8800, 15_200))).toBeGreaterThan(9000);
    expect(amplitudeAt(PLAY_HZ, left)).toBeLessThan(100);
    expect(right.subarray(320, 15_600).every((sample) => sample === 0)).toBe(true);
  });
});
