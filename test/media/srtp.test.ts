import { describe, expect, it } from 'vitest';
import { headerEnd } from '../../src/telephony/media/rtp-packet.ts';
import { SrtpDirection } from '../../src/telephony/media/srtp.ts';

/** The key of libsrtp's own self-test; the key derivation of RFC 3711 Appendix B.3 uses it too. */
const KEYING = Buffer.from('e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6', 'hex');
const PLAIN = Buffer.from(`800f1234decafbadcafebabe${'ab'.repeat(16)}`, 'hex');
const SEALED = '800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb';
const PLAIN_RTCP = `81c8000bcafebabe${'ab'.repeat(16)}`;
const SEALED_RTCP = '81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798';

const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex');

function packet(sequence: number, ssrc = 0xcafebabe, payload = 'abcd'): Buffer {
  const made = Buffer.alloc(12 + payload.length);
  made[0] = 0x80;
  made.writeUInt16BE(sequence & 0xffff, 2);
  made.writeUInt32BE(ssrc, 8);
  made.write(payload, 12);
  return made;
}

const pair = () => ({ near: new SrtpDirection(KEYING), far: new SrtpDirection(KEYING) });

describe('SRTP', () => {
  it("is compatible with the RFC's test vectors", () => {
    expect(hex(new SrtpDirection(KEYING).protectRtp(PLAIN, 12))).toBe(SEALED);
    expect(hex(new SrtpDirection(KEYING).unprotectRtp(Buffer.from(SEALED, 'hex'), 12))).toBe(hex(PLAIN));
    expect(hex(new SrtpDirection(KEYING).unprotectRtcp(Buffer.from(SEALED_RTCP, 'hex')))).toBe(PLAIN_RTCP);
  });

  it('continues across the wrap of the sequence numbers', () => {
    const { near, far } = pair();
    for (let index = 65_500; index < 65_600; index++) {
      const sealed = near.protectRtp(packet(index, 1, `n${index}`), 12);
      expect(hex(far.unprotectRtp(sealed, 12))).toBe(hex(packet(index, 1, `n${index}`)));
    }
  });

  it('accepts reordered packets, also across the wrap', () => {
    const { near, far } = pair();
    const sealed = [65_533, 65_534, 65_535, 65_536, 65_537].map((index) => near.protectRtp(packet(index), 12));
    for (const index of [0, 3, 1, 4, 2]) expect(far.unprotectRtp(sealed[index]!, 12)).toBeDefined();
  });

  it('rejects replays and packets older than the window', () => {
    const { near, far } = pair();
    const sealed = Array.from({ length: 200 }, (_, index) => near.protectRtp(packet(index + 1), 12));
    for (const one of sealed.slice(1)) expect(far.unprotectRtp(one, 12)).toBeDefined();
    expect(far.unprotectRtp(sealed[199]!, 12)).toBeUndefined();
    expect(far.unprotectRtp(sealed[150]!, 12)).toBeUndefined();
    expect(far.unprotectRtp(sealed[0]!, 12)).toBeUndefined();
  });

  it('rejects changed packets without changing its state', () => {
    const { near, far } = pair();
    const sealed = near.protectRtp(packet(7), 12);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(far.unprotectRtp(changed, 12)).toBeUndefined();
    }
    expect(far.unprotectRtp(sealed, 12)).toBeDefined();
  });

  it('rejects packets with another key', () => {
    const other = new SrtpDirection(Buffer.alloc(30, 7));
    expect(new SrtpDirection(KEYING).unprotectRtp(other.protectRtp(packet(1), 12), 12)).toBeUndefined();
  });

  it.each([0, 5, 12, 21])('rejects packets of %i bytes', (length) => {
    const rubbish = Buffer.alloc(length, 0x80);
    expect(new SrtpDirection(KEYING).unprotectRtp(rubbish, 12)).toBeUndefined();
    expect(new SrtpDirection(KEYING).unprotectRtcp(rubbish)).toBeUndefined();
  });

  it('accepts a far end that restarts with another source, a few times', () => {
    const far = new SrtpDirection(KEYING);
    const begunAgain = (ssrc: number) => new SrtpDirection(KEYING).protectRtp(packet(1, ssrc), 12);
    const taken = Array.from({ length: 20 }, (_, ssrc) => far.unprotectRtp(begunAgain(ssrc), 12));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(8);
  });

  it('encrypts reports, and rejects their replays', () => {
    const { near, far } = pair();
    const report = Buffer.from(PLAIN_RTCP, 'hex');
    const sealed = [near.protectRtcp(report), near.protectRtcp(report)];
    expect(hex(sealed[0])).not.toBe(hex(sealed[1]));
    expect(hex(far.unprotectRtcp(sealed[1]!))).toBe(PLAIN_RTCP);
    expect(hex(far.unprotectRtcp(sealed[0]!))).toBe(PLAIN_RTCP);
    expect(far.unprotectRtcp(sealed[0]!)).toBeUndefined();
  });

  it('finds the payload behind contributing sources and an extension', () => {
    const extended = Buffer.alloc(40);
    extended[0] = 0x92;
    extended.writeUInt16BE(2, 12 + 8 + 2);
    expect(headerEnd(extended)).toBe(12 + 8 + 4 + 8);
    expect(headerEnd(Buffer.alloc(40))).toBeUndefined();
    extended.writeUInt16BE(500, 12 + 8 + 2);
    expect(headerEnd(extended)).toBeUndefined();
  });
});
