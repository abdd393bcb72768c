import { packets } from 'rtp.js';
import { describe, expect, it } from 'vitest';
import { ReceiveStatistics } from '../../src/telephony/media/receive-statistics.ts';
import { Rtcp } from '../../src/telephony/media/rtcp.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 30);
const SILENT = { packets: 0, bytes: 0, timestamp: 0 };

function stream(statistics: ReceiveStatistics, sequences: readonly number[], options: { ssrc?: number } = {}): void {
  for (const [index, sequence] of sequences.entries()) {
    const header = { ssrc: options.ssrc ?? 7, sequence: sequence & 0xffff, timestamp: (sequence * 160) >>> 0 };
    statistics.packet(header, index * 20);
  }
}

const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

describe('receive statistics', () => {
  it.each([
    ['everything', from(10, 100), 0],
    ['all but three', from(10, 100).filter((sequence) => ![20, 21, 50].includes(sequence)), 3],
    ['over the end of the sequence', from(65_500, 100), 0],
    ['out of order', [1, 3, 2, 5, 4, 6], 0],
    ['twice', [1, 2, 2, 3, 3, 3], 0],
    ['a sequence that begins again elsewhere', [...from(1, 10), ...from(30_000, 10)], 0],
    ['loss, then a new sequence', [1, 2, 5, ...from(30_000, 10)], 2],
  ])('%s', (_what, sequences, lost) => {
    const statistics = new ReceiveStatistics();
    stream(statistics, sequences);
    expect(statistics).toMatchObject({ received: sequences.length, lost });
  });

  it('keep the loss of a source when another replaces it', () => {
    const statistics = new ReceiveStatistics();
    stream(statistics, [1, 2, 5]);
    stream(statistics, [9, 10], { ssrc: 8 });
    expect(statistics).toMatchObject({ received: 5, lost: 2, ssrc: 8 });
  });

  it('measure jitter as in RFC 3550: zero for an even stream, the mean deviation for an uneven one', () => {
    const even = new ReceiveStatistics();
    stream(even, from(1, 100));
    expect(even.jitterMs).toBe(0);
    const uneven = new ReceiveStatistics();
    for (let index = 0; index < 400; index++) {
      const header = { ssrc: 1, sequence: index, timestamp: index * 160 };
      uneven.packet(header, index * 20 + (index % 2) * 10);
    }
    expect(uneven.jitterMs).toBeCloseTo(10, 0);
  });

  it('count the fraction lost since the last query', () => {
    const statistics = new ReceiveStatistics();
    stream(statistics, [1, 2, 3, 5]);
    expect(statistics.takeFractionLost()).toBe(Math.floor(256 / 5));
    stream(statistics, [6, 7]);
    expect(statistics.takeFractionLost()).toBe(0);
  });
});

describe('RTCP reports', () => {
  it('inform both ends of loss, jitter and round trip', () => {
    const heardByA = new ReceiveStatistics();
    const heardByB = new ReceiveStatistics();
    const a = new Rtcp(1, 'a', heardByA);
    const b = new Rtcp(2, 'b', heardByB);
    stream(heardByB, [1, 2, 3, 6], { ssrc: 1 });
    stream(heardByA, [1, 2], { ssrc: 2 });
    // 30 ms in each direction, and B reports after one second.
    b.receive(a.report({ packets: 6, bytes: 960, timestamp: 960 }, NOW), NOW + 30);
    a.receive(b.report({ packets: 2, bytes: 320, timestamp: 320 }, NOW + 1030), NOW + 1060);
    expect(a.far).toMatchObject({ packetsLost: 2 });
    expect(a.far?.roundTripMs).toBeCloseTo(60, 0);
    expect(b.far).toEqual({ packetsLost: 0, jitterTicks: 0 });
  });

  it('are sender reports with our name, or receiver reports if no audio was sent', () => {
    const statistics = new ReceiveStatistics();
    stream(statistics, [1, 2], { ssrc: 9 });
    const rtcp = new Rtcp(5, 'leg', statistics);
    const read = (packet: Uint8Array) =>
      new packets.CompoundPacket(new DataView(packet.buffer, packet.byteOffset, packet.length)).getPackets();
    const [sender, name] = read(rtcp.report({ packets: 3, bytes: 480, timestamp: 1234 }, NOW));
    expect(sender).toBeInstanceOf(packets.SenderReportPacket);
    expect((sender as packets.SenderReportPacket).getRtpTimestamp()).toBe(1234);
    expect((sender as packets.SenderReportPacket).getReports()[0]?.getSsrc()).toBe(9);
    expect(name).toBeInstanceOf(packets.SdesPacket);
    expect(read(rtcp.report(SILENT, NOW))[0]).toBeInstanceOf(packets.ReceiverReportPacket);
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['noise', Uint8Array.from({ length: 64 }, (_, index) => index * 37)],
    ['a report cut short', new Rtcp(1, 'x', new ReceiveStatistics()).report(SILENT, NOW).subarray(0, 6)],
    ['a lie about its length', Uint8Array.of(0x80, 201, 0xff, 0xff, 0, 0, 0, 1)],
    ['too much', new Uint8Array(5000).fill(0x80)],
  ])('ignore %s', (_what, packet) => {
    const rtcp = new Rtcp(1, 'x', new ReceiveStatistics());
    rtcp.receive(packet, NOW);
    expect(rtcp.far).toBeUndefined();
  });

  it('ignore the round trip after a clock jump', () => {
    const a = new Rtcp(1, 'a', new ReceiveStatistics());
    const heardByB = new ReceiveStatistics();
    stream(heardByB, [1], { ssrc: 1 });
    const b = new Rtcp(2, 'b', heardByB);
    b.receive(a.report({ packets: 1, bytes: 160, timestamp: 1 }, NOW), NOW);
    a.receive(b.report(SILENT, NOW + 10), NOW - 3_600_000);
    expect(a.far?.roundTripMs).toBeUndefined();
  });
});
