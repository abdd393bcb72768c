import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { Recorder, type RecordingResult } from '../../src/media/telephony/media/recorder.ts';
import { amplitudeAt } from '../speech/sounds.ts';
import { concat, tone } from './rig.ts';

const REQUEST = {
  recordId: 'r',
  file: '',
  maxLengthMs: 60_000,
  endSilenceMs: 0,
  terminators: '',
  dual: false,
  background: false,
};

function recording(request: Partial<typeof REQUEST> = {}) {
  const chunks: Int16Array[] = [];
  const ends: RecordingResult[] = [];
  const recorder = new Recorder(
    { ...REQUEST, ...request },
    ({ type, ...event }) => ('pcm' in event ? chunks.push(event.pcm) : ends.push(event)),
    0,
  );
  return { recorder, ends, samples: () => concat(chunks) };
}

interface Frame {
  sequence: number;
  timestamp: number;
  atMs: number;
  bytes: Uint8Array;
  ssrc?: number;
}

/** 20 ms frames of `pcm` as a phone sends them, received `delayMs` after they were spoken. */
function frames(pcm: Int16Array, options: { fromMs?: number; sequence?: number; timestamp?: number } = {}): Frame[] {
  const { fromMs = 0, sequence = 65_530, timestamp = 0xffff_f000 } = options;
  const bytes = encodeG711(pcm, 'PCMU');
  return Array.from({ length: bytes.length / 160 }, (_, index) => ({
    sequence: (sequence + index) & 0xffff,
    timestamp: (timestamp + index * 160) >>> 0,
    atMs: fromMs + 20 + index * 20,
    bytes: bytes.slice(index * 160, index * 160 + 160),
  }));
}

function feed(recorder: Recorder, packets: Frame[]): void {
  for (const { bytes, atMs, ssrc = 1, sequence, timestamp } of packets.toSorted((a, b) => a.atMs - b.atMs)) {
    const place = { bytes, payloadStart: 0, payloadEnd: bytes.length };
    recorder.inboundPacket({ ssrc, sequence, timestamp, marker: false, codec: 'PCMU', ...place }, atMs);
  }
}

const decoded = (pcm: Int16Array): Int16Array => {
  const { recorder, samples } = recording();
  feed(recorder, frames(pcm));
  recorder.end('stopped', pcm.length / 8);
  return samples();
};

const second = tone(440, 1000);

describe('recording along the wall clock', () => {
  it('keeps every sample in order', () => {
    const heard = decoded(second);
    expect(heard).toHaveLength(8000);
    for (const [index, sample] of heard.entries()) expect(Math.abs(sample - second[index]!)).toBeLessThan(700);
  });

  it('restores the order of packets within 60 ms', () => {
    const { recorder, samples } = recording();
    feed(
      recorder,
      frames(second).map((frame, index) => ({ ...frame, atMs: frame.atMs + (index % 2 === 1 ? 45 : 0) })),
    );
    recorder.end('stopped', 1000);
    expect(samples().subarray(0, 7500)).toEqual(decoded(second).subarray(0, 7500));
  });

  it('ignores duplicate packets of a stream', () => {
    const { recorder, samples } = recording();
    feed(
      recorder,
      frames(second).flatMap((frame) => [frame, { ...frame, atMs: frame.atMs + 7 }]),
    );
    recorder.end('stopped', 1000);
    expect(samples()).toEqual(decoded(second));
  });

  it('replaces lost packets by silence and moves nothing else', () => {
    const { recorder, samples } = recording();
    feed(
      recorder,
      frames(second).filter((_, index) => index < 10 || index >= 15),
    );
    recorder.end('stopped', 1000);
    const expected = decoded(second);
    expected.fill(0, 10 * 160, 15 * 160);
    expect(samples()).toEqual(expected);
  });

  it('drops late packets without moving anything', () => {
    const lateMs: Record<number, number> = { 20: 130, 21: 111 };
    const { recorder, samples } = recording();
    feed(
      recorder,
      frames(second).map((frame, index) => ({ ...frame, atMs: frame.atMs + (lateMs[index] ?? 0) })),
    );
    recorder.end('stopped', 1000);
    const expected = decoded(second);
    expected.fill(0, 20 * 160, 22 * 160);
    expect(samples()).toEqual(expected);
  });

  it.each([80_000, -80_000, 2 ** 31 - 5])('continues in time when timestamps jump by %d', (jump) => {
    const { recorder, samples } = recording();
    feed(
      recorder,
      frames(second).map((frame, index) =>
        index < 25 ? frame : { ...frame, timestamp: (frame.timestamp + jump) >>> 0 },
      ),
    );
    recorder.end('stopped', 1000);
    expect(samples()).toEqual(decoded(second));
  });

  it('is silent before the first packet and after the last', () => {
    const { recorder, samples } = recording();
    feed(recorder, frames(second, { fromMs: 300 }));
    recorder.end('stopped', 2000);
    const heard = samples();
    expect(heard).toHaveLength(16_000);
    expect(heard.subarray(0, 2400).every((sample) => sample === 0)).toBe(true);
    expect(heard.subarray(10_400).every((sample) => sample === 0)).toBe(true);
    expect(heard.subarray(2400, 10_400)).toEqual(decoded(second));
  });

  it('continues with a source that restarts', () => {
    const { recorder, samples } = recording();
    const after = frames(second, { fromMs: 1000, sequence: 3, timestamp: 77 });
    feed(recorder, [...frames(second), ...after.map((frame) => ({ ...frame, ssrc: 2 }))]);
    recorder.end('stopped', 2000);
    const once = decoded(second);
    expect(samples()).toEqual(concat([once, once]));
  });

  it.each([
    ['slower', 20.1],
    ['faster', 19.9],
  ])('follows a source whose clock is %s by half a percent', (_, intervalMs) => {
    const { recorder, samples, ends } = recording();
    const long = tone(440, 60_000);
    feed(
      recorder,
      frames(long).map((frame, index) => ({ ...frame, atMs: 20 + index * intervalMs })),
    );
    recorder.end('stopped', 60_000);
    expect(ends).toMatchObject([{ durationMs: 60_000 }]);
    const lastSeconds = samples().subarray(8 * 50_000, 8 * 58_000);
    const silent = lastSeconds.reduce((count, sample) => count + (sample === 0 ? 1 : 0), 0);
    expect(silent / lastSeconds.length).toBeLessThan(0.1);
  });

  it('is as long as the time recorded, whatever arrives', () => {
    const packet = fc.record({
      sequence: fc.nat(0xffff),
      timestamp: fc.nat(0xffff_ffff),
      atMs: fc.nat(3000),
      bytes: fc.uint8Array({ maxLength: 1400 }),
      ssrc: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 60 }), (packets) => {
        const { recorder, samples, ends } = recording();
        feed(recorder, packets);
        recorder.end('stopped', 3000);
        expect(samples()).toHaveLength(24_000);
        expect(ends).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });

  it('survives a stall of the thread that is longer than its memory', () => {
    const { recorder, samples } = recording();
    feed(recorder, frames(second.subarray(0, 1600)));
    recorder.tick(10_000);
    feed(recorder, frames(second, { fromMs: 10_000 }));
    recorder.end('stopped', 11_000);
    expect(samples()).toHaveLength(88_000);
    expect(amplitudeAt(440, samples().subarray(80_800, 87_200))).toBeGreaterThan(8000);
  });
});

describe('the end of a recording', () => {
  const speech = (ms: number, fromMs = 0, timestamp = 5000) =>
    frames(tone(300, ms), { fromMs, timestamp, sequence: 10 + fromMs / 20 });

  function runUntilEnd(request: Partial<typeof REQUEST>, packets: Frame[]): RecordingResult & { endedAtMs: number } {
    const { recorder, ends } = recording(request);
    let nowMs = 0;
    for (; ends.length === 0 && nowMs < 20_000; nowMs += 20) {
      feed(
        recorder,
        packets.filter((packet) => packet.atMs === nowMs),
      );
      recorder.tick(nowMs);
    }
    recorder.tick(nowMs + 1000);
    recorder.end('stopped', nowMs + 1000);
    expect(ends).toHaveLength(1);
    return { ...ends[0]!, endedAtMs: nowMs };
  }

  it('comes at the limit, to the sample, even without speech', () => {
    expect(runUntilEnd({ maxLengthMs: 1234 }, [])).toMatchObject({
      reason: 'max_length',
      durationMs: 1234,
      speechMs: 0,
    });
  });

  it('comes after silence that follows speech', () => {
    const ended = runUntilEnd({ endSilenceMs: 800 }, speech(1000, 400));
    expect(ended).toMatchObject({ reason: 'end_silence', durationMs: 2200, speechMs: 1000 });
    expect(ended.endedAtMs).toBeLessThanOrEqual(2300);
  });

  it('does not come for silence after speech with a silence of 0', () => {
    const ended = runUntilEnd({ endSilenceMs: 0, maxLengthMs: 5000 }, speech(1000, 400));
    expect(ended).toMatchObject({ reason: 'max_length', durationMs: 5000 });
  });

  it('does not come for silence before speech', () => {
    expect(runUntilEnd({ endSilenceMs: 500, maxLengthMs: 5000 }, [])).toMatchObject({ reason: 'max_length' });
  });

  it('restarts the silence when speech continues', () => {
    const packets = [...speech(400), ...speech(400, 900, 5000 + 900 * 8)];
    expect(runUntilEnd({ endSilenceMs: 800 }, packets)).toMatchObject({ durationMs: 2100, speechMs: 800 });
  });

  it('does not take a click for speech, neither to begin nor to continue', () => {
    expect(runUntilEnd({ endSilenceMs: 500, maxLengthMs: 3000 }, speech(20))).toMatchObject({ reason: 'max_length' });
    const clicking = [...speech(400), ...speech(20, 800, 5000 + 800 * 8)];
    expect(runUntilEnd({ endSilenceMs: 600 }, clicking)).toMatchObject({ reason: 'end_silence', durationMs: 1000 });
  });

  it('takes line noise for silence', () => {
    const noise = Int16Array.from({ length: 8 * 4000 }, (_, at) => ((at * 7919) % 301) - 150);
    expect(runUntilEnd({ endSilenceMs: 500, maxLengthMs: 3000 }, frames(noise))).toMatchObject({ speechMs: 0 });
  });

  it('keeps the last moments before a stop', () => {
    const { recorder, samples, ends } = recording();
    feed(recorder, frames(second.subarray(0, 800 * 8)));
    recorder.end('terminator', 800);
    recorder.end('stopped', 900);
    expect(ends).toEqual([{ recordId: 'r', reason: 'terminator', durationMs: 800, speechMs: 800 }]);
    expect(samples()).toHaveLength(6400);
    expect(amplitudeAt(440, samples().subarray(6080))).toBeGreaterThan(8000);
  });
});

describe('a source that steps back under one SSRC', () => {
  it.each([
    ['a few seconds', 200, 32_000],
    ['many', 20_000, 4_800_000],
    ['in its numbers alone', 500, 0],
  ])('is recorded without a gap: %s', (_name, packets, samples) => {
    const [sequence, timestamp] = [30_000, 10_000_000];
    const before = frames(tone(500, 1_000), { sequence, timestamp });
    const after = frames(tone(500, 1_000), {
      fromMs: 1_000,
      sequence: sequence + 50 - packets,
      timestamp: timestamp + 8_000 - samples,
    });
    const { recorder, samples: recorded } = recording();
    feed(recorder, [...before, ...after]);
    recorder.end('stopped', 2_000);
    for (let ms = 100; ms < 2_000; ms += 100)
      expect(amplitudeAt(500, recorded().subarray(ms * 8 - 400, ms * 8))).toBeGreaterThan(8_000);
  });
});
