import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  middleOf,
  middleToMs,
  msToMiddle,
  ntpOf,
  type ReportBlock,
  readReportBlocks,
  readSenderReport,
  rtcpParts,
  writeDescription,
  writeReceiverReport,
  writeSenderReport,
} from '../../../src/media/toolbox/rtp/rtcp.ts';
import {
  readBandwidth,
  readKeyFrameRequest,
  readNack,
  writeBandwidth,
  writeNack,
  writePictureLoss,
} from '../../../src/media/toolbox/rtp/rtcp-feedback.ts';

const SSRC = 77;
const CLOCK = { ntpSeconds: 5, ntpFraction: 6, timestamp: 7 };
const BLOCK: ReportBlock = {
  ...{ ssrc: SSRC, fractionLost: 64, lost: 3, highest: 0x1_0009, jitter: 1, lastReport: 2, sinceLastReport: 3 },
};

const first = (bytes: Uint8Array) => rtcpParts(bytes)[0]!;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Everything that reads a part. */
function readAll(bytes: Uint8Array): void {
  for (const part of rtcpParts(bytes)) {
    readSenderReport(part);
    for (const { lost } of readReportBlocks(part)) expect(Math.abs(lost)).toBeLessThanOrEqual(0x80_0000);
    expect(readNack(part)?.sequences.length ?? 0).toBeLessThanOrEqual(517);
    readBandwidth(part);
    readKeyFrameRequest(part);
  }
}

describe('RTCP report (RFC 3550 §6.4)', () => {
  it('is written as in the figures', () => {
    const block = '0000004d400000030001000900000001' + '0000000200000003';
    expect(hex(writeReceiverReport(1, [BLOCK]))).toBe(`81c9000700000001${block}`);
    expect(hex(writeSenderReport(SSRC, { ...CLOCK, packets: 8, octets: 9 }, [BLOCK]))).toBe(
      `81c8000c0000004d0000000500000006000000070000000800000009${block}`,
    );
  });

  it('is read as it was written', () => {
    const sent = writeSenderReport(SSRC, { ...CLOCK, packets: 8, octets: 9 }, [BLOCK, { ...BLOCK, ssrc: 5 }]);
    expect(readSenderReport(first(sent))).toEqual({ ssrc: SSRC, ...CLOCK });
    expect(readReportBlocks(first(sent))).toEqual([BLOCK, { ...BLOCK, ssrc: 5 }]);
    const received = writeReceiverReport(1, [BLOCK]);
    expect(readSenderReport(first(received))).toBeUndefined();
    expect(readReportBlocks(first(received))).toEqual([BLOCK]);
  });

  it.each([
    [-1, 0],
    [0x7f_ffff, 0x7f_ffff],
    [0x80_0000, 0x7f_ffff],
  ])('writes a loss of %i as %i', (lost, written) => {
    expect(readReportBlocks(first(writeReceiverReport(1, [{ ...BLOCK, lost }])))).toMatchObject([
      { lost: written, fractionLost: 64 },
    ]);
  });

  it('reads a negative loss of packets', () => {
    const bytes = writeReceiverReport(1, [BLOCK]);
    bytes.set([0xff, 0xff, 0xfe], 13);
    expect(readReportBlocks(first(bytes))).toMatchObject([{ lost: -2 }]);
  });

  it('has at most 31 blocks', () => {
    expect(readReportBlocks(first(writeReceiverReport(1, Array(40).fill(BLOCK))))).toHaveLength(31);
  });

  it.each([
    ['a', '81ca0002000000050101' + '61' + '00'],
    ['ab', '81ca0003000000050102' + '6162' + '00000000'],
    ['leg', '81ca0003000000050103' + '6c6567' + '000000'],
  ])('ends the name %j with zero bytes', (name, expected) => {
    expect(hex(writeDescription(5, name))).toBe(expected);
  });

  it.each(['', 'a', 'name@host', 'é'.repeat(100)])('describes the name %j in whole words', (name) => {
    const [part, ...rest] = rtcpParts(writeDescription(5, name));
    expect(rest).toEqual([]);
    expect(part).toMatchObject({ type: 202, count: 1 });
    expect(part!.bytes[9]).toBe(Buffer.byteLength(name));
    expect(part!.bytes.at(-1)).toBe(0);
  });
});

describe('NTP time in reports', () => {
  it('counts from 1900 in seconds and fractions', () => {
    expect(ntpOf(0)).toEqual({ ntpSeconds: 2_208_988_800, ntpFraction: 0 });
    expect(ntpOf(1500)).toEqual({ ntpSeconds: 2_208_988_801, ntpFraction: 2 ** 31 });
  });

  it('has the middle 32 bits that receivers echo', () => {
    expect(middleOf({ ntpSeconds: 0x8765_4321, ntpFraction: 0xfedc_ba98 })).toBe(0x4321_fedc);
    expect(middleOf({ ntpSeconds: 0xffff, ntpFraction: 0xffff_ffff })).toBe(0xffff_ffff);
  });

  it.each([
    [-5, 0],
    [0, 0],
    [500, 32_768],
    [1e9, 0xffff_ffff],
  ])('measures %i ms as %i ticks', (ms, ticks) => {
    expect(msToMiddle(ms)).toBe(ticks);
    if (ms === 500) expect(middleToMs(ticks)).toBe(ms);
  });
});

describe('RTCP feedback', () => {
  it.each([[[1]], [[1, 2, 17]], [[65_535, 0, 5]], [[1, 18, 40]]])('requests the packets %j', (sequences) => {
    expect(readNack(first(writeNack(1, SSRC, sequences)))).toEqual({ ssrc: SSRC, sequences });
  });

  it.each([0, 300_000, 1_700_000, 2 ** 40])('allows a rate of %d bit/s', (bits) => {
    expect(readBandwidth(first(writeBandwidth(1, bits, [SSRC])))).toBeCloseTo(bits, -24);
  });

  it('requests a key frame by picture loss, and by a full intra request for the stream in its entry', () => {
    expect(readKeyFrameRequest(first(writePictureLoss(1, SSRC)))).toBe(SSRC);
    const request = Buffer.from('84ce000400000001000000000000004d01000000', 'hex');
    expect(readKeyFrameRequest(first(request))).toBe(SSRC);
  });

  it('is not taken for other feedback', () => {
    const all = [writeNack(1, SSRC, [1]), writePictureLoss(1, SSRC), writeBandwidth(1, 1000, [SSRC])].map(first);
    expect(all.map((part) => readNack(part) !== undefined)).toEqual([true, false, false]);
    expect(all.map((part) => readKeyFrameRequest(part) !== undefined)).toEqual([false, true, false]);
    expect(all.map((part) => readBandwidth(part) !== undefined)).toEqual([false, false, true]);
  });
});

describe('truncated and inconsistent RTCP', () => {
  const PARTS = [
    writeSenderReport(SSRC, { ...CLOCK, packets: 8, octets: 9 }, [BLOCK]),
    writeDescription(SSRC, 'name'),
    writeNack(1, SSRC, [1, 5, 60]),
    writePictureLoss(1, SSRC),
    writeBandwidth(1, 300_000, [SSRC]),
  ];
  const COMPOUND = Buffer.concat(PARTS);

  it('gives the whole parts before the cut', () => {
    for (let length = 0; length <= COMPOUND.length; length++) {
      const parts = rtcpParts(COMPOUND.subarray(0, length));
      const whole = PARTS.filter((_, nth) => Buffer.concat(PARTS.slice(0, nth + 1)).length <= length);
      expect(parts.map(({ bytes }) => hex(bytes))).toEqual(whole.map(hex));
      readAll(COMPOUND.subarray(0, length));
    }
  });

  it('reads no more blocks than there are, whatever the count says', () => {
    for (let count = 0; count < 32; count++) {
      const lying = Buffer.from(PARTS[0]!);
      lying[0] = 0x80 | count;
      expect(readReportBlocks(first(lying))).toHaveLength(Math.min(count, 1));
    }
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 0xffff])('survives a length of %i words in each part', (words) => {
    for (let nth = 0, at = 0; nth < PARTS.length; at += PARTS[nth]!.length, nth++) {
      const lying = Buffer.from(COMPOUND);
      lying.writeUInt16BE(words, at + 2);
      readAll(lying);
    }
  });

  it('ends at a part of another version', () => {
    const mixed = Buffer.from(COMPOUND);
    mixed[PARTS[0]!.length] = 0x41;
    expect(rtcpParts(mixed)).toHaveLength(1);
  });

  it('accepts arbitrary bytes without an exception', () => {
    const typed = fc.tuple(fc.constantFrom(200, 201, 202, 203, 205, 206), fc.nat(31), fc.uint8Array({ maxLength: 90 }));
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 4 }), fc.uint8Array({ maxLength: 20 }), (parts, rest) => {
        const made = parts.map(([type, count, body]) => {
          const length = 4 + (body.length & ~3);
          const head = Buffer.from([0x80 | count, type, 0, length / 4 - 1]);
          return Buffer.concat([head, body.subarray(0, length - 4)]);
        });
        readAll(Buffer.concat([...made, rest]));
      }),
    );
  });
});
