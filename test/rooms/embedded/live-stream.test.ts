/** Input of the encoder for an audience, and recovery when the encoder ends: in virtual time. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EncoderEvents, Encoding } from '../../../src/media/rooms/embedded/live-stream/encoder.ts';
import { SessionLiveStream } from '../../../src/media/rooms/embedded/live-stream/session-live-stream.ts';
import type { EngineEvent, TrackSource } from '../../../src/media/rooms/sfu.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { longestGap, readWebmBytes } from './read-webm.ts';
import { PlayedSource } from './recording-rig.ts';

class PlayedEncoder {
  readonly encoding: Encoding;
  readonly #events: EncoderEvents;
  readonly #written: Buffer[] = [];
  /** Names on its tiles. */
  readonly names: string[] = [];
  waitingBytes = 0;
  end: 'finished' | 'stopped' | undefined;

  constructor(encoding: Encoding, events: EncoderEvents) {
    this.encoding = encoding;
    this.#events = events;
  }

  write(bytes: Buffer): void {
    this.#written.push(bytes);
  }

  label(tile: number, name: string): void {
    this.names[tile] = name;
  }

  finish(): void {
    this.end = 'finished';
  }

  async stop(): Promise<void> {
    this.end = 'stopped';
  }

  segment(number: number): void {
    this.#events.segment(`${this.encoding.name}${number}.ts`, 2000);
  }

  dies(): void {
    this.#events.ended('it ended with SIGKILL');
  }

  /** Packets received by lane: the tracks of its tiles, then audio. */
  get lanes() {
    return [...readWebmBytes(Buffer.concat(this.#written)).byNumber.values()];
  }
}

const AUDIBLE = ['ada', 'ben', 'cleo', 'phones'];

function liveStreamRig() {
  const clock = new VirtualClock();
  const encoders: PlayedEncoder[] = [];
  const events: EngineEvent[] = [];
  const liveStream = new SessionLiveStream({
    ...{ clock, quality: 'HD' },
    isAudible: (owner) => AUDIBLE.includes(owner),
    nameOf: (owner) => (owner === 'ada' ? 'Ada Lovelace' : owner),
    report: (event) => void events.push(event),
    openEncoder(encoding, encoderEvents) {
      const encoder = new PlayedEncoder(encoding, encoderEvents);
      encoders.push(encoder);
      return encoder;
    },
  });
  const directory = join(mkdtempSync(join(tmpdir(), 'callweave-broadcast-')), '1');
  return {
    ...{ clock, liveStream, encoders, events, directory },
    publish: (owner: string, name: TrackSource) => new PlayedSource(clock, liveStream, owner, name),
    watch: () => liveStream.set(directory),
    get encoder() {
      return encoders.at(-1)!;
    },
  };
}

/** Minimum size of a picture that is not black. */
const PICTURE_BYTES = 11;

const PLAIN_BYTES = 57;

const shown = (lane: { sizes: number[] }) => lane.sizes.filter((size) => size === PICTURE_BYTES).length;
const heard = (lane: { sizes: number[] }) => lane.sizes.filter((size) => size === 40).length;

describe('the stream for the encoder', () => {
  it('exists only while it has viewers', async () => {
    const rig = liveStreamRig();
    rig.publish('ada', 'video');
    await rig.clock.advance(5000);
    expect(rig.encoders).toEqual([]);
    rig.watch();
    await rig.clock.advance(1000);
    rig.liveStream.set(undefined);
    expect(rig.encoder.end).toBe('stopped');
    await rig.clock.advance(60_000);
    expect(rig.encoders.length).toBe(1);
  });

  it('contains video and audio of all audible participants, in time', async () => {
    const rig = liveStreamRig();
    for (const owner of ['ada', 'ben', 'dan']) {
      rig.publish(owner, 'audio');
      rig.publish(owner, 'video');
    }
    rig.publish('phones', 'audio');
    rig.watch();
    await rig.clock.advance(4000);
    const [ada, ben, ...sounds] = rig.encoder.lanes;
    expect(rig.encoder.encoding.tiles.length).toBe(2);
    for (const lane of [ada!, ben!]) {
      expect(shown(lane)).toBeGreaterThan(80);
      // After the first key frame no frame is black.
      const first = lane.sizes.indexOf(PICTURE_BYTES);
      expect([lane.isKey[first], new Set(lane.sizes.slice(first))]).toEqual([true, new Set([PICTURE_BYTES])]);
    }
    expect(sounds.map((lane) => heard(lane) > 150)).toEqual([true, true, true, false, false, false, false, false]);
    for (const lane of rig.encoder.lanes) {
      expect(longestGap(lane)).toBeLessThan(700);
      expect(lane.timesMs.at(-1)).toBeGreaterThan(3300);
    }
  });

  it('shows a plain tile with the name of a participant without a camera, until the camera is on', async () => {
    const rig = liveStreamRig();
    rig.publish('ada', 'video');
    rig.publish('ada', 'audio');
    rig.publish('ben', 'audio').source.setMuted(true);
    rig.publish('phones', 'audio');
    rig.publish('dan', 'audio');
    rig.watch();
    await rig.clock.advance(3000);
    expect([rig.encoder.encoding.tiles.length, rig.encoder.names]).toEqual([2, ['Ada Lovelace', 'ben']]);
    expect(new Set(rig.encoder.lanes[1]!.sizes)).toEqual(new Set([PLAIN_BYTES]));
    rig.publish('ben', 'video');
    await rig.clock.advance(3000);
    expect([rig.encoders.length, rig.encoder.names]).toEqual([1, ['Ada Lovelace', 'ben']]);
    expect(rig.encoder.lanes[1]!.sizes.at(-1)).toBe(PICTURE_BYTES);
  });

  it('shows black for a muted or frozen camera, and resumes with a key frame', async () => {
    const rig = liveStreamRig();
    const [ada, ben] = [rig.publish('ada', 'video'), rig.publish('ben', 'video')];
    rig.watch();
    await rig.clock.advance(2000);
    for (let number = 50; number < 150; number++) ben.lost.add(number);
    ada.source.setMuted(true);
    await rig.clock.advance(800);
    ada.source.setMuted(false);
    await rig.clock.advance(8000);
    expect(rig.encoders.length).toBe(1);
    for (const { sizes, isKey, timesMs } of rig.encoder.lanes.slice(0, 2)) {
      const black = sizes.findIndex((size, index) => size !== PICTURE_BYTES && index > 20);
      const again = sizes.indexOf(PICTURE_BYTES, black);
      expect([black > 0, isKey[again], shown({ sizes: sizes.slice(again) }) > 50]).toEqual([true, true, true]);
      expect(timesMs.at(-1)).toBeGreaterThan(10_000);
    }
  });

  it('has the names of cameras on their tiles, and none on a screen', async () => {
    const rig = liveStreamRig();
    const camera = rig.publish('ada', 'video');
    rig.watch();
    await rig.clock.advance(1000);
    expect(rig.encoder.names).toEqual(['Ada Lovelace']);
    camera.source.setMuted(true);
    await rig.clock.advance(400);
    expect(rig.encoder.names).toEqual(['']);
    rig.publish('ben', 'video');
    rig.publish('cleo', 'screen');
    await rig.clock.advance(4000);
    expect(rig.encoder.names).toEqual([undefined, 'ben']);
  });

  it('gets another layout without a gap when the cameras do not fit any more', async () => {
    const rig = liveStreamRig();
    rig.publish('ada', 'video');
    rig.watch();
    await rig.clock.advance(2200);
    rig.encoder.segment(0);
    rig.publish('ben', 'video');
    rig.publish('cleo', 'screen');
    await rig.clock.advance(2800);
    expect(rig.encoders.length).toBe(1);
    await rig.clock.advance(1000);
    const [first, second] = rig.encoders as [PlayedEncoder, PlayedEncoder];
    expect([first.end, second.end]).toEqual(['finished', undefined]);
    expect(second.encoding.tiles[0]).toEqual({ x: 0, y: 0, width: 960, height: 720 });
    first.segment(1);
    await rig.clock.advance(2500);
    expect(second.lanes.slice(0, 4).map((lane) => shown(lane) > 0)).toEqual([true, true, true, false]);
    second.segment(0);
    // This segment arrives too late.
    first.segment(2);
    second.segment(1);
    const reported = rig.events.map((event) => event.type === 'segment' && [event.file, event.isFirst]);
    const [a, b] = [first.encoding.name, second.encoding.name];
    expect(reported).toEqual([
      [`${a}0.ts`, true],
      [`${a}1.ts`, false],
      [`${b}0.ts`, true],
      [`${b}1.ts`, false],
    ]);
    await rig.liveStream.close();
    expect(rig.encoders.map(({ end }) => end)).toEqual(['stopped', 'stopped']);
  });
});

describe('an encoder', () => {
  it('is restarted after it ends, with increasing delays that reset after a while', async () => {
    const rig = liveStreamRig();
    rig.publish('ada', 'video');
    rig.watch();
    for (const waitMs of [1000, 2000, 4000]) {
      const before = rig.encoders.length;
      rig.encoder.dies();
      expect(rig.events.at(-1)).toEqual({ type: 'live_stream_failed', why: 'it ended with SIGKILL' });
      await rig.clock.advance(waitMs - 200);
      expect(rig.encoders.length).toBe(before);
      await rig.clock.advance(400);
      expect(rig.encoders.length).toBe(before + 1);
    }
    for (let number = 0; number < 12; number++) {
      rig.encoder.segment(number);
      await rig.clock.advance(2000);
    }
    rig.encoder.dies();
    await rig.clock.advance(1200);
    expect(rig.encoders.length).toBe(5);
    expect(shown(rig.encoder.lanes[0]!)).toBe(0);
    await rig.clock.advance(1000);
    expect(shown(rig.encoder.lanes[0]!)).toBeGreaterThan(5);
  });

  it('is restarted if it has no output', async () => {
    const rig = liveStreamRig();
    rig.publish('ada', 'video');
    rig.watch();
    await rig.clock.advance(15_000);
    rig.encoder.segment(0);
    await rig.clock.advance(19_000);
    expect(rig.encoders.length).toBe(1);
    await rig.clock.advance(3000);
    expect(rig.encoders.map(({ end }) => end)).toEqual(['stopped', undefined]);
    expect(rig.events.at(-1)).toEqual({ type: 'live_stream_failed', why: 'the encoder writes no output' });
  });

  it('gets a smaller picture if it is too slow', async () => {
    const rig = liveStreamRig();
    rig.publish('ada', 'video');
    rig.watch();
    const sizes: number[] = [];
    for (let count = 0; count < 3; count++) {
      sizes.push(rig.encoder.encoding.canvas.height);
      rig.encoder.waitingBytes = 5_000_000;
      await rig.clock.advance(10_000);
    }
    expect(sizes).toEqual([720, 480, 360]);
    expect(rig.encoders.slice(0, 3).map(({ end }) => end)).toEqual(['stopped', 'stopped', 'stopped']);
  });
});
