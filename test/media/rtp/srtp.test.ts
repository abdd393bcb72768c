import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerEnd } from '../../../src/media/toolbox/rtp/packet.ts';
import { SrtpDirection, TAG_BYTES } from '../../../src/media/toolbox/rtp/srtp.ts';
import { ReferenceSrtp } from './reference-srtp.ts';

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

/** A sealed copy of a packet. */
function seal(direction: SrtpDirection, plain: Uint8Array, payloadStart = 12): Buffer {
  const sealed = Buffer.concat([plain, Buffer.alloc(TAG_BYTES)]);
  direction.protectRtp(sealed, payloadStart);
  return sealed;
}

/** Opens a copy of a packet. */
const open = (direction: SrtpDirection, sealed: Uint8Array, payloadStart = 12): Uint8Array | undefined =>
  direction.unprotectRtp(Buffer.from(sealed), payloadStart);

const pair = () => ({ near: new SrtpDirection(KEYING), far: new SrtpDirection(KEYING) });

describe('SRTP', () => {
  it("is compatible with the RFC's test vectors", () => {
    expect(hex(seal(new SrtpDirection(KEYING), PLAIN))).toBe(SEALED);
    expect(hex(open(new SrtpDirection(KEYING), Buffer.from(SEALED, 'hex')))).toBe(hex(PLAIN));
    expect(hex(new SrtpDirection(KEYING).unprotectRtcp(Buffer.from(SEALED_RTCP, 'hex')))).toBe(PLAIN_RTCP);
  });

  it('continues across the wrap of the sequence numbers', () => {
    const { near, far } = pair();
    for (let index = 65_500; index < 65_600; index++) {
      const sealed = seal(near, packet(index, 1, `n${index}`));
      expect(hex(open(far, sealed))).toBe(hex(packet(index, 1, `n${index}`)));
    }
  });

  it('accepts reordered packets, also across the wrap', () => {
    const { near, far } = pair();
    const sealed = [65_533, 65_534, 65_535, 65_536, 65_537].map((index) => seal(near, packet(index)));
    for (const index of [0, 3, 1, 4, 2]) expect(open(far, sealed[index]!)).toBeDefined();
  });

  it('rejects replays and packets older than the window', () => {
    const { near, far } = pair();
    const sealed = Array.from({ length: 200 }, (_, index) => seal(near, packet(index + 1)));
    for (const one of sealed.slice(1)) expect(open(far, one)).toBeDefined();
    expect(open(far, sealed[199]!)).toBeUndefined();
    expect(open(far, sealed[150]!)).toBeUndefined();
    expect(open(far, sealed[0]!)).toBeUndefined();
  });

  it('rejects changed packets without changing its state', () => {
    const { near, far } = pair();
    const sealed = seal(near, packet(7));
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(open(far, changed)).toBeUndefined();
    }
    expect(open(far, sealed)).toBeDefined();
  });

  it('rejects packets with another key', () => {
    const other = new SrtpDirection(Buffer.alloc(30, 7));
    expect(open(new SrtpDirection(KEYING), seal(other, packet(1)))).toBeUndefined();
  });

  it.each([0, 5, 12, 21])('rejects packets of %i bytes', (length) => {
    const rubbish = Buffer.alloc(length, 0x80);
    expect(new SrtpDirection(KEYING).unprotectRtp(rubbish, 12)).toBeUndefined();
    expect(new SrtpDirection(KEYING).unprotectRtcp(rubbish)).toBeUndefined();
  });

  it('accepts a far end that restarts with another source, a few times', () => {
    const far = new SrtpDirection(KEYING);
    const begunAgain = (ssrc: number) => seal(new SrtpDirection(KEYING), packet(1, ssrc));
    const taken = Array.from({ length: 20 }, (_, ssrc) => open(far, begunAgain(ssrc)));
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

describe('SRTP in place', () => {
  it('leaves a refused packet as it is', () => {
    const { near, far } = pair();
    const sealed = seal(near, packet(7));
    sealed[14]! ^= 1;
    const before = hex(sealed);
    expect(far.unprotectRtp(sealed, 12)).toBeUndefined();
    expect(hex(sealed)).toBe(before);
  });

  it('rejects every truncation of a packet and of a report', () => {
    const { near } = pair();
    const sealed = seal(near, packet(7));
    const report = near.protectRtcp(Buffer.from(PLAIN_RTCP, 'hex'));
    for (let length = 0; length < sealed.length; length++) {
      expect(open(new SrtpDirection(KEYING), sealed.subarray(0, length))).toBeUndefined();
    }
    for (let length = 0; length < report.length; length++) {
      expect(new SrtpDirection(KEYING).unprotectRtcp(report.subarray(0, length))).toBeUndefined();
    }
  });

  it('does not change the datagram of a report', () => {
    const sealed = Buffer.from(SEALED_RTCP, 'hex');
    expect(hex(new SrtpDirection(KEYING).unprotectRtcp(sealed))).toBe(PLAIN_RTCP);
    expect(hex(sealed)).toBe(SEALED_RTCP);
  });
});

describe('SRTP beside its reference', () => {
  const filled = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 7919) & 0xff));

  it('gives equal bytes at every size, with and without sources and extension', () => {
    const near = new SrtpDirection(KEYING);
    const reference = new ReferenceSrtp(KEYING);
    const sizes = [...Array.from({ length: 200 }, (_, size) => size), 1424, 1535, 1536, 1537, 3072, 9000, 65_000];
    for (const [sequence, size] of sizes.entries()) {
      for (const headerBytes of [12, 16, 28]) {
        const plain = Buffer.concat([packet(sequence, headerBytes).subarray(0, 12), filled(headerBytes - 12 + size)]);
        expect(hex(seal(near, plain, headerBytes)), `${size} bytes`).toBe(
          hex(reference.protectRtp(plain, headerBytes)),
        );
      }
      const report = Buffer.concat([Buffer.from('81c8000bcafebabe', 'hex'), filled(size)]);
      expect(hex(near.protectRtcp(report))).toBe(hex(reference.protectRtcp(report)));
    }
  });

  it('gives equal bytes over three rollovers with loss', () => {
    const near = new SrtpDirection(KEYING);
    const reference = new ReferenceSrtp(KEYING);
    for (let index = 60_000; index < 3 * 0x1_0000; index += 1 + (index % 997)) {
      expect(hex(seal(near, packet(index)))).toBe(hex(reference.protectRtp(packet(index), 12)));
    }
  });

  it('accepts and refuses the same packets under loss, reordering, replay, jumps and changes', () => {
    const FIRST = 65_000;
    const sender = new ReferenceSrtp(KEYING);
    const sealed = Array.from({ length: 1500 }, (_, nth) => sender.protectRtp(packet(FIRST + nth), 12));
    const step = fc.record({
      by: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: -3, max: 5 }) },
        { weight: 2, arbitrary: fc.integer({ min: -140, max: 140 }) },
        { weight: 1, arbitrary: fc.integer({ min: -900, max: 900 }) },
      ),
      changedByte: fc.option(fc.nat({ max: 25 }), { freq: 8 }),
    });
    fc.assert(
      fc.property(fc.nat({ max: 1499 }), fc.array(step, { maxLength: 200 }), (first, steps) => {
        const far = new SrtpDirection(KEYING);
        const reference = new ReferenceSrtp(KEYING);
        let at = first;
        for (const { by, changedByte } of steps) {
          at = Math.min(sealed.length - 1, Math.max(0, at + by));
          const received = Buffer.from(sealed[at]!);
          if (changedByte !== null) received[changedByte]! ^= 0x80;
          expect(hex(open(far, received))).toBe(hex(reference.unprotectRtp(received, 12)));
        }
      }),
    );
  });

  it('guesses the same rollover half a cycle apart', () => {
    const sender = new ReferenceSrtp(KEYING);
    const sealed = new Map<number, Buffer>();
    for (let index = 0; index < 3 * 0x1_0000; index += 0x4000) {
      for (const near of [index - 1, index, index + 1].filter((one) => one >= 0)) {
        sealed.set(near, Buffer.from(sender.protectRtp(packet(near), 12)));
      }
    }
    for (const first of sealed.keys()) {
      for (const second of sealed.keys()) {
        const far = new SrtpDirection(KEYING);
        const reference = new ReferenceSrtp(KEYING);
        for (const index of [first, second, first, second + 1]) {
          const received = sealed.get(index);
          if (received) expect(hex(open(far, received))).toBe(hex(reference.unprotectRtp(received, 12)));
        }
      }
    }
  });

  it('accepts and refuses the same reports', () => {
    const sender = new ReferenceSrtp(KEYING);
    const sealed = Array.from({ length: 400 }, () => sender.protectRtcp(Buffer.from(PLAIN_RTCP, 'hex')));
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 399 }), { maxLength: 100 }), (order) => {
        const far = new SrtpDirection(KEYING);
        const reference = new ReferenceSrtp(KEYING);
        for (const nth of order) {
          const received = sealed[nth]!;
          expect(hex(far.unprotectRtcp(received))).toBe(hex(reference.unprotectRtcp(received)));
        }
      }),
    );
  });
});
