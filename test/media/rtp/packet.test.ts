import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerEnd, isRtcp, readRtp, writeRtpHeader } from '../../../src/media/toolbox/rtp/packet.ts';
import { packetOf } from '../rig.ts';

const header = { payloadType: 101, marker: true, sequence: 0xfedc, timestamp: 0x89abcdef, ssrc: 0xf0e1d2c3 };

describe('RTP header (RFC 3550 §5.1)', () => {
  it('is written bit by bit as in the figure', () => {
    const packet = new Uint8Array(12);
    writeRtpHeader(packet, header);
    expect(Buffer.from(packet).toString('hex')).toBe('80e5fedc89abcdeff0e1d2c3');
  });

  it('is read back as it was written', () => {
    const bytes = packetOf(header, [1, 2, 3]);
    expect(readRtp(bytes)).toEqual({ ...header, bytes, payloadStart: 12, payloadEnd: 15 });
  });

  it('skips contributing sources, extension and padding', () => {
    const plain = Buffer.from('b2000001000000000000000a', 'hex');
    const sources = Buffer.alloc(8);
    const extension = Buffer.from('beef000100000000', 'hex');
    const packet = Buffer.concat([plain, sources, extension, Buffer.from([7, 8, 0, 2])]);
    expect(readRtp(packet)).toMatchObject({ payloadStart: 28, payloadEnd: 30 });
  });

  it.each([
    ['too short', '8000000100000000000000'],
    ['another version', '400000010000000000000000'],
    ['more sources than bytes', '8f0000010000000000000000'],
    ['an extension that ends nowhere', '900000010000000000000000beefffff'],
    ['half an extension header', '900000010000000000000000be'],
    ['more padding than packet', 'a00000010000000000000000ff'],
    ['padding of nothing', 'a0000001000000000000000000'],
    ['the type of RTCP', '80c800060000000000000000'],
  ])('rejects a packet with %s', (_, hex) => {
    expect(readRtp(Buffer.from(hex, 'hex'))).toBeUndefined();
  });

  it('never reads outside the packet', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const rtp = readRtp(bytes);
        if (!rtp) return;
        expect(rtp.payloadStart).toBeGreaterThanOrEqual(12);
        expect(rtp.payloadEnd).toBeGreaterThanOrEqual(rtp.payloadStart);
        expect(rtp.payloadEnd).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('truncated and inconsistent RTP', () => {
  const NAMES = { 1: 'level', 2: 'mid', 3: 'rid' } as const;
  /** Two sources, one-byte extensions, payload and padding. */
  const WHOLE = Buffer.from(
    `b26f00010000000200000003${'aa'.repeat(8)}bede0003${'1085'}${'2030'}${'32626967'}00000000${'cafe'}000003`,
    'hex',
  );

  it('reads the whole packet with its extensions', () => {
    expect(readRtp(WHOLE, NAMES)).toMatchObject({ level: -5, mid: '0', rid: 'big', payloadStart: 36, payloadEnd: 38 });
  });

  it('never reads outside a packet that ends early', () => {
    for (let length = 0; length < WHOLE.length; length++) {
      const packet = readRtp(WHOLE.subarray(0, length), NAMES);
      if (length < 36) expect(packet).toBeUndefined();
      else if (packet) expect(packet.payloadEnd).toBeLessThanOrEqual(length);
    }
  });

  it('ends the list of extensions at a length beyond its block', () => {
    for (let length = 0; length < 16; length++) {
      const lying = Buffer.from(WHOLE);
      lying[28] = 0x30 | length;
      const packet = readRtp(lying, NAMES);
      expect(packet).toMatchObject({ level: -5, mid: '0', payloadStart: 36 });
      expect((packet?.rid ?? '').length).toBeLessThanOrEqual(8);
    }
  });

  it.each([0, 1, 2, 3, 4, 255, 0xffff])('takes an extension block of %i words only if the packet has it', (words) => {
    const lying = Buffer.from(WHOLE);
    lying.writeUInt16BE(words, 22);
    const end = 24 + 4 * words;
    expect(headerEnd(lying)).toBe(end <= lying.length ? end : undefined);
    const packet = readRtp(lying, NAMES);
    if (packet) expect(packet.payloadStart).toBe(end);
  });

  it.each([0, 1, 3, 5, 6, 255])('takes padding of %i bytes only within the payload', (padding) => {
    const lying = Buffer.from(WHOLE);
    lying[lying.length - 1] = padding;
    const isPossible = padding > 0 && padding <= lying.length - 36;
    expect(readRtp(lying)?.payloadEnd).toBe(isPossible ? lying.length - padding : undefined);
  });

  it('accepts arbitrary extensions without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (rest) => {
        const bytes = Uint8Array.from([0x90, 111, ...rest]);
        const packet = readRtp(bytes, NAMES);
        if (packet) expect(packet.payloadEnd).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('RTCP on the port of RTP (RFC 5761 §4)', () => {
  it.each([
    ['a report', '80c8000100000001', true],
    ['feedback', '81cd000100000001', true],
    ['RTP', '806f000100000001', false],
    ['RTP with a marker', '80e0000100000001', false],
    ['another version', '40c8000100000001', false],
    ['a report that is cut', '80c80001000000', false],
    ['nothing', '', false],
  ])('tells whether %s is RTCP: %s, %s', (_what, bytes, expected) => {
    expect(isRtcp(Buffer.from(bytes, 'hex'))).toBe(expected);
  });
});
