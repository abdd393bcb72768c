import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AudioPacket } from '../../src/media/telephony/media/audio-packet.ts';
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { JitterBuffer } from '../../src/media/telephony/media/jitter-buffer.ts';
import { amplitudeAt, rms } from '../speech/sounds.ts';
import { concat, tone } from './rig.ts';

interface Arrival extends AudioPacket {
  atMs: number;
}

function arrivals(pcm: Int16Array, options: { fromMs?: number; first?: Partial<AudioPacket> } = {}): Arrival[] {
  const { fromMs = 0, first = {} } = options;
  const bytes = encodeG711(pcm, 'PCMU');
  const { ssrc = 1, sequence = 65_530, timestamp = 0xffff_f000 } = first;
  return Array.from({ length: bytes.length / 160 }, (_, index) => ({
    ssrc,
    marker: index === 0,
    codec: 'PCMU',
    sequence: (sequence + index) & 0xffff,
    timestamp: (timestamp + index * 160) >>> 0,
    bytes,
    payloadStart: index * 160,
    payloadEnd: index * 160 + 160,
    atMs: fromMs + 20 + index * 20,
  }));
}

/** Output of the buffer: 20 ms are read every 20 ms, just before packets that arrive at that moment. */
function listen(packets: Arrival[], ms: number, buffer = new JitterBuffer()) {
  const waiting = packets.toSorted((a, b) => a.atMs - b.atMs);
  const frames: Int16Array[] = [];
  for (let nowMs = 0; nowMs < ms; nowMs += 20) {
    while (waiting[0] && waiting[0].atMs < nowMs) {
      const packet = waiting.shift()!;
      buffer.packet(packet, packet.atMs);
    }
    const frame = new Int16Array(160);
    buffer.read(frame, 160);
    frames.push(frame);
  }
  return { buffer, samples: concat(frames) };
}

const second = tone(440, 1000);
const clean = concat(arrivals(second).map((packet) => decode(packet)));

function decode(packet: AudioPacket): Int16Array {
  const buffer = new JitterBuffer();
  buffer.packet(packet, 0);
  const all = new Int16Array(2000);
  buffer.read(all, 2000);
  const start = buffer.delayMs * 8;
  return all.slice(start, start + 160);
}

/** Index in `samples` of the complete clean second; -1 if it is not complete. */
function findWhole(samples: Int16Array): number {
  for (let at = 0; at + clean.length <= samples.length; at += 1) {
    if (samples[at + 5] !== clean[5] || samples[at + 1605] !== clean[1605]) continue;
    if (clean.every((sample, index) => samples[at + index] === sample)) return at;
  }
  return -1;
}

describe('the jitter buffer', () => {
  it('returns an even stream unchanged, within 60 ms', () => {
    const { samples, buffer } = listen(arrivals(second), 1200);
    const at = findWhole(samples);
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThanOrEqual(60 * 8);
    expect(buffer.counts).toEqual({ late: 0, concealedMs: 0 });
  });

  it('restores the order of packets within its delay', () => {
    const packets = arrivals(second).map((packet, index) => ({
      ...packet,
      atMs: packet.atMs + (index % 5 === 3 ? 15 : 0),
    }));
    const swapped = packets.map((packet, index) => (index % 5 === 3 ? { ...packet, atMs: packet.atMs + 6 } : packet));
    const { samples, buffer } = listen(swapped, 1200);
    expect(findWhole(samples)).toBeGreaterThan(0);
    expect(buffer.counts.late).toBe(0);
  });

  it('ignores duplicate packets of a stream', () => {
    const { samples } = listen(
      arrivals(second).flatMap((packet) => [packet, { ...packet, atMs: packet.atMs + 3 }]),
      1200,
    );
    expect(findWhole(samples)).toBeGreaterThan(0);
  });

  it('conceals a lost packet with the last audio, and counts it', () => {
    const { samples, buffer } = listen(
      arrivals(second).filter((_, index) => index !== 20),
      1200,
    );
    expect(buffer.counts).toEqual({ late: 0, concealedMs: 20 });
    const gap = samples.subarray(samples.findIndex((sample) => sample !== 0) + 20 * 160);
    expect(rms(gap.subarray(0, 160))).toBeGreaterThan(4000);
    expect(amplitudeAt(440, gap.subarray(160, 160 + 3200))).toBeGreaterThan(9000);
  });

  it('fades to silence within 60 ms of a longer loss, and continues in time', () => {
    const { samples } = listen(
      arrivals(second).filter((_, index) => index < 20 || index >= 30),
      1200,
    );
    const start = samples.findIndex((sample) => sample !== 0) - 1;
    const levels = Array.from({ length: 10 }, (_, frame) => {
      const from = start + (20 + frame) * 160;
      return Math.round(rms(samples.subarray(from, from + 160)));
    });
    expect(levels[0]!).toBeGreaterThan(levels[1]!);
    expect(levels[1]!).toBeGreaterThan(levels[2]!);
    expect(levels.slice(3)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    const after = samples.subarray(start + 31 * 160, start + 49 * 160);
    expect([...after]).toEqual([...clean.subarray(31 * 160, 49 * 160)]);
  });

  it('loses little of a delayed burst: the delay grows, and shorter pauses shrink it again', () => {
    const held = arrivals(tone(440, 4000)).map((packet) =>
      packet.atMs > 1000 && packet.atMs < 1100 ? { ...packet, atMs: 1100 } : packet,
    );
    const { samples, buffer } = listen(held, 4400);
    expect(buffer.counts.late).toBeGreaterThan(0);
    expect(buffer.counts.late).toBeLessThanOrEqual(2);
    const silent = samples.subarray(3000 * 8, 3800 * 8).filter((sample) => sample === 0).length;
    expect(silent).toBeLessThan(300);
  });

  it('counts and drops late packets', () => {
    const { samples, buffer } = listen(
      arrivals(second).map((packet, index) => (index === 20 ? { ...packet, atMs: packet.atMs + 150 } : packet)),
      1200,
    );
    expect(buffer.counts.late).toBe(1);
    expect(samples).toHaveLength(9600);
  });

  it('increases its delay with the jitter', () => {
    const noise = (index: number): number => (index * 7919) % 50;
    const uneven = arrivals(tone(440, 10_000)).map((packet, index) => ({
      ...packet,
      atMs: packet.atMs + noise(index),
    }));
    const { samples, buffer } = listen(uneven, 10_200);
    expect(buffer.delayMs).toBeGreaterThan(45);
    const late = samples.subarray(5000 * 8, 9500 * 8);
    const silent = late.filter((sample) => sample === 0).length / late.length;
    expect(silent).toBeLessThan(0.03);
    expect(amplitudeAt(440, late.subarray(0, 8000))).toBeGreaterThan(5000);
  });

  it.each([
    ['another source', { ssrc: 2, sequence: 9, timestamp: 1 }],
    ['another time line of the same one', { ssrc: 1, sequence: 44, timestamp: 0x1234_5678 }],
    ['numbers that begin anew', { ssrc: 1, sequence: 30_000, timestamp: 0xffff_f000 + 8000 }],
  ])('continues with a stream of %s', (_, first) => {
    const packets = [...arrivals(second), ...arrivals(second, { fromMs: 1000, first })];
    const { samples } = listen(packets, 2300);
    const sounding = samples.filter((sample) => sample !== 0).length;
    expect(sounding / 16_000).toBeGreaterThan(0.95);
  });

  it('begins a talk spurt with the delay for the current jitter', () => {
    const packets = [
      ...arrivals(second),
      ...arrivals(second, { fromMs: 3000, first: { sequence: 65_580, timestamp: (0xffff_f000 + 24_000) >>> 0 } }),
    ];
    const { samples } = listen(packets, 4300);
    expect(findWhole(samples.subarray(2500 * 8))).toBeGreaterThan(0);
  });

  it.each([
    ['slower', 20.1],
    ['faster', 19.9],
  ])('follows a source whose clock is %s by half a percent', (_, intervalMs) => {
    const packets = arrivals(tone(440, 60_000)).map((packet, index) => ({ ...packet, atMs: 20 + index * intervalMs }));
    const { samples } = listen(packets, 58_000);
    const lastSeconds = samples.subarray(48_000 * 8);
    const silent = lastSeconds.filter((sample) => sample === 0).length / lastSeconds.length;
    expect(silent).toBeLessThan(0.05);
  });

  it('returns the requested number of samples, whatever arrives', () => {
    const packet = fc.record({
      sequence: fc.nat(0xffff),
      timestamp: fc.nat(0xffff_ffff),
      atMs: fc.nat(2000),
      ssrc: fc.nat(2),
      marker: fc.boolean(),
      bytes: fc.uint8Array({ maxLength: 1400 }),
    });
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 80 }), (packets) => {
        const all = packets.map((each) => ({
          ...each,
          codec: 'PCMU' as const,
          payloadStart: 0,
          payloadEnd: each.bytes.length,
        }));
        const { samples } = listen(all, 3000);
        expect(samples).toHaveLength(24_000);
        // All buffered audio has been played half a second after the last packet.
        expect(samples.subarray(2700 * 8).every((sample) => sample === 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
