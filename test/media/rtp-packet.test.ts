import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRtp, writeRtpHeader } from '../../src/telephony/media/rtp-packet.ts';
import { packetOf } from './rig.ts';

const header = { payloadType: 101, marker: true, sequence: 0xfedc, timestamp: 0x89abcdef, ssrc: 0xf0e1d2c3 };

describe('RTP header (RFC 3550 §5.1)', () => {
  it('is written bit by bit as in the figure', () => {
    const packet = new Uint8Array(12);
    writeRtpHeader(packet, header);
    expect(Buffer.from(packet).toString('hex')).toBe('80e5fedc89abcdeff0e1d2c3');
  });

  it('is read back as it was written', () => {
    expect(readRtp(packetOf(header, [1, 2, 3]))).toEqual({ ...header, payloadStart: 12, payloadEnd: 15 });
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
    ['RTCP on the same port', '80c800060000000000000000'],
  ])('rejects %s', (_, hex) => {
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
