import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Reception } from '../../../src/media/toolbox/rtp/reception.ts';
import { isNewer } from '../../../src/media/toolbox/rtp/sequence.ts';
import { CallStatistics, RoomStatistics } from './reference-statistics.ts';

const TICKS_PER_MS = 8;

interface Arrival {
  ssrc: number;
  sequence: number;
  timestamp: number;
  atMs: number;
}

function receive(reception: Reception, sequences: readonly number[], ssrc = 7): void {
  for (const [nth, sequence] of sequences.entries()) {
    reception.packet({ ssrc, sequence: sequence & 0xffff, timestamp: (sequence * 160) >>> 0 }, nth * 20);
  }
}

const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, nth) => first + nth);

describe('reception of a stream', () => {
  it.each([
    ['everything', from(10, 100), 0],
    ['all but three', from(10, 100).filter((sequence) => ![20, 21, 50].includes(sequence)), 3],
    ['everything over the end of the sequence', from(65_500, 100), 0],
    ['packets out of order', [1, 3, 2, 5, 4, 6], 0],
    ['packets twice', [1, 2, 2, 3, 3, 3], 0],
    ['a sequence that restarts elsewhere', [...from(1, 10), ...from(30_000, 10)], 0],
    ['loss, then a new sequence', [1, 2, 5, ...from(30_000, 10)], 2],
  ])('counts received and lost packets of %s', (_what, sequences, lost) => {
    const reception = new Reception(TICKS_PER_MS);
    receive(reception, sequences);
    expect(reception).toMatchObject({ received: sequences.length, lost });
  });

  it('keeps the loss of a source when another replaces it', () => {
    const reception = new Reception(TICKS_PER_MS);
    receive(reception, [1, 2, 5]);
    receive(reception, [9, 10], 8);
    expect(reception).toMatchObject({ received: 5, lost: 2, expected: 7 });
    expect(reception.block(0)?.ssrc).toBe(8);
  });

  it('measures jitter as in RFC 3550: zero for an even stream, the mean deviation for an uneven one', () => {
    const even = new Reception(TICKS_PER_MS);
    receive(even, from(1, 100));
    expect(even.jitterMs).toBe(0);
    const uneven = new Reception(TICKS_PER_MS);
    for (let nth = 0; nth < 400; nth++) {
      uneven.packet({ ssrc: 1, sequence: nth, timestamp: nth * 160 }, nth * 20 + (nth % 2) * 10);
    }
    expect(uneven.jitterMs).toBeCloseTo(10, 0);
  });

  it('does not take a new clock of the sender for jitter', () => {
    const reception = new Reception(TICKS_PER_MS);
    receive(reception, from(1, 10));
    reception.packet({ ssrc: 7, sequence: 11, timestamp: 3_000_000_000 }, 200);
    reception.packet({ ssrc: 7, sequence: 12, timestamp: 3_000_000_160 }, 220);
    expect(reception.jitterMs).toBe(0);
  });

  it('counts the fraction lost since the last report', () => {
    const reception = new Reception(TICKS_PER_MS);
    receive(reception, [1, 2, 3, 5]);
    expect(reception.block(0)?.fractionLost).toBe(Math.floor(256 / 5));
    receive(reception, [6, 7]);
    expect(reception.block(0)?.fractionLost).toBe(0);
  });

  it('counts a skipped packet as lost', () => {
    const reception = new Reception(TICKS_PER_MS);
    reception.skip({ ssrc: 7, sequence: 1 });
    receive(reception, [5]);
    for (const sequence of [6, 7]) reception.skip({ ssrc: 7, sequence });
    expect(reception).toMatchObject({ received: 1, expected: 3, lost: 2 });
  });

  it('has a block after the first packet, with the last report of the sender', () => {
    const reception = new Reception(TICKS_PER_MS);
    expect(reception.block(0)).toBeUndefined();
    receive(reception, [65_535, 65_536]);
    expect(reception.block(0)).toMatchObject({ highest: 65_536, lastReport: 0, sinceLastReport: 0 });
    reception.senderReported({ ntpSeconds: 0x1_2345, ntpFraction: 0x6789_abcd, timestamp: 0 }, 1000);
    expect(reception.block(1500)).toMatchObject({ lastReport: 0x2345_6789, sinceLastReport: 32_768 });
  });
});

describe('reception beside its references', () => {
  /** A stream of 20 ms packets, of which some are lost, late or doubled, and some restart it. */
  const arrivals = (isTwice: boolean, restarts: boolean, mostTicks = 0xffff_ffff): fc.Arbitrary<Arrival[]> => {
    const step = fc.record({
      jitterMs: fc.nat({ max: 40 }),
      lost: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 80 }) }),
      late: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 5 }) }),
      twice: fc.boolean(),
      restart: fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(0xffff) }),
      isOther: fc.boolean(),
    });
    return fc
      .tuple(fc.nat(0xffff), fc.nat(mostTicks), fc.array(step, { maxLength: 150 }))
      .map(([first, ticks, steps]) => {
        let sequence = first;
        let ssrc = 1;
        const sent: (Arrival & { order: number })[] = [];
        for (const [nth, each] of steps.entries()) {
          sequence += 1 + each.lost;
          if (restarts && each.restart !== undefined) {
            sequence = each.restart;
            if (each.isOther) ssrc++;
          }
          const timestamp = (ticks + nth * 160) >>> 0;
          const packet = { ssrc, sequence: sequence & 0xffff, timestamp, atMs: nth * 20 + each.jitterMs };
          sent.push({ ...packet, order: nth + each.late });
          if (isTwice && each.twice) sent.push({ ...packet, order: nth + each.late + 1 });
        }
        return sent.sort((one, other) => one.order - other.order).map(({ order: _, ...packet }) => packet);
      });
  };

  it('counts like that of calls under loss, reordering, duplicates, restarts and other sources', () => {
    fc.assert(
      fc.property(arrivals(true, true), (packets) => {
        const reception = new Reception(TICKS_PER_MS);
        const reference = new CallStatistics();
        for (const [nth, packet] of packets.entries()) {
          reception.packet(packet, packet.atMs);
          reference.packet(packet, packet.atMs);
          const { received, lost } = reference;
          expect(reception).toMatchObject({ received, lost });
          if (nth % 7 !== 0) continue;
          expect(reception.block(0)).toMatchObject({
            ssrc: reference.ssrc,
            highest: reference.highestSequence,
            jitter: reference.jitterTicks,
            fractionLost: reference.takeFractionLost(),
          });
        }
      }),
    );
  });

  it('counts like that of rooms under loss and reordering, but for jitter of late packets and at the wrap of timestamps', () => {
    fc.assert(
      fc.property(arrivals(false, false, 0x7fff_ffff), fc.constantFrom(48, 90), (packets, ticksPerMs) => {
        const reception = new Reception(ticksPerMs);
        const reference = new RoomStatistics(ticksPerMs);
        const isInOrder = packets.every(
          ({ sequence }, nth) => nth === 0 || isNewer(sequence, packets[nth - 1]!.sequence),
        );
        for (const [nth, packet] of packets.entries()) {
          reception.packet(packet, packet.atMs);
          reference.packet(packet, packet.atMs);
          if (nth % 7 !== 0) continue;
          const { lost, lostShare, highest, jitter } = reference.block();
          const block = reception.block(0)!;
          expect(block).toMatchObject({ lost: Math.max(0, lost), highest });
          expect(block.fractionLost).toBe(Math.min(255, Math.floor(lostShare * 256)));
          if (isInOrder) expect(Math.abs(block.jitter - jitter)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
