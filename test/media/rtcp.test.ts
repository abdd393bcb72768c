import { describe, expect, it } from 'vitest';
import { Rtcp } from '../../src/media/telephony/media/rtcp.ts';
import { Reception } from '../../src/media/toolbox/rtp/reception.ts';
import {
  RECEIVER_REPORT,
  readReportBlocks,
  readSenderReport,
  rtcpParts,
  SENDER_REPORT,
} from '../../src/media/toolbox/rtp/rtcp.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 30);
const SILENT = { packets: 0, bytes: 0, timestamp: 0 };

function stream(reception: Reception, sequences: readonly number[], options: { ssrc?: number } = {}): void {
  for (const [index, sequence] of sequences.entries()) {
    const header = { ssrc: options.ssrc ?? 7, sequence: sequence & 0xffff, timestamp: (sequence * 160) >>> 0 };
    reception.packet(header, index * 20);
  }
}

describe('RTCP of a leg', () => {
  it('informs both ends of loss, jitter and round trip', () => {
    const heardByA = new Reception(8);
    const heardByB = new Reception(8);
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

  it('sends sender reports with its name, or receiver reports if no audio was sent', () => {
    const reception = new Reception(8);
    stream(reception, [1, 2], { ssrc: 9 });
    const rtcp = new Rtcp(5, 'leg', reception);
    const [sender, name] = rtcpParts(rtcp.report({ packets: 3, bytes: 480, timestamp: 1234 }, NOW));
    expect(sender?.type).toBe(SENDER_REPORT);
    expect(readSenderReport(sender!)).toMatchObject({ ssrc: 5, timestamp: 1234 });
    expect(readReportBlocks(sender!)).toMatchObject([{ ssrc: 9 }]);
    expect(Buffer.from(name!.bytes).toString('hex')).toBe(
      `81ca0003000000050103${Buffer.from('leg').toString('hex')}000000`,
    );
    expect(rtcpParts(rtcp.report(SILENT, NOW))[0]?.type).toBe(RECEIVER_REPORT);
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['noise', Uint8Array.from({ length: 64 }, (_, index) => index * 37)],
    ['a report cut short', new Rtcp(1, 'x', new Reception(8)).report(SILENT, NOW).subarray(0, 6)],
    ['a lie about its length', Uint8Array.of(0x80, 201, 0xff, 0xff, 0, 0, 0, 1)],
    ['too much', new Uint8Array(5000).fill(0x80)],
  ])('ignores a packet with %s', (_what, packet) => {
    const rtcp = new Rtcp(1, 'x', new Reception(8));
    rtcp.receive(packet, NOW);
    expect(rtcp.far).toBeUndefined();
  });

  it('ignores the round trip after a clock jump', () => {
    const a = new Rtcp(1, 'a', new Reception(8));
    const heardByB = new Reception(8);
    stream(heardByB, [1], { ssrc: 1 });
    const b = new Rtcp(2, 'b', heardByB);
    b.receive(a.report({ packets: 1, bytes: 160, timestamp: 1 }, NOW), NOW);
    a.receive(b.report(SILENT, NOW + 10), NOW - 3_600_000);
    expect(a.far?.roundTripMs).toBeUndefined();
  });
});
