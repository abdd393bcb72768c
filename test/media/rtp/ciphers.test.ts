import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HmacSha1, TAG_BYTES } from '../../../src/media/toolbox/rtp/hmac-sha1.ts';
import { KeyStream } from '../../../src/media/toolbox/rtp/key-stream.ts';

const fromHex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('key stream of SRTP', () => {
  /** RFC 3711 Appendix B.2. */
  const KEY = fromHex('2b7e151628aed2a6abf7158809cf4f3c');
  const SALT = fromHex('f0f1f2f3f4f5f6f7f8f9fafbfcfd');

  it.each([
    [0x0000, 'e03ead0935c95e80e166b16dd92b4eb4'],
    [0x0001, 'd23513162b02d0f72a43a2fe4a5f97ab'],
    [0x0002, '41e95b3bb0a2e8dd477901e4fca894c0'],
    [0xfeff, 'ec8cdf7398607cb0f2d21675ea9ea1e4'],
    [0xff00, '362b7c3c6773516318a077d7fc5073ae'],
    [0xff01, '6a2cc3787889374fbeb4c81b17ba6c44'],
  ])('has block %i of the RFC', (block, expected) => {
    const bytes = Buffer.alloc(16 * (block + 1));
    new KeyStream(KEY, SALT).apply(bytes, 0, bytes.length, 0, 0);
    expect(bytes.subarray(16 * block).toString('hex')).toBe(expected);
  });

  it('changes only the bytes between start and end', () => {
    const bytes = Buffer.alloc(40);
    new KeyStream(KEY, SALT).apply(bytes, 3, 33, 0, 0);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.alloc(3));
    expect(bytes.subarray(33)).toEqual(Buffer.alloc(7));
    expect(bytes.subarray(3, 19).toString('hex')).toBe('e03ead0935c95e80e166b16dd92b4eb4');
  });
});

describe('HMAC-SHA1 of SRTP', () => {
  const tagOf = (key: Uint8Array, text: Buffer): string => {
    const end = text.length - 4;
    const signed = Buffer.concat([text, Buffer.alloc(TAG_BYTES)]);
    new HmacSha1(key).sign(signed, end, text.readUInt32BE(end), text.length);
    return signed.toString('hex', text.length);
  };

  it.each([
    [Buffer.alloc(20, 0x0b), Buffer.from('Hi There'), 'b617318655057264e28bc0b6fb378c8ef146be00'],
    [Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'), 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79'],
    [Buffer.alloc(20, 0xaa), Buffer.alloc(50, 0xdd), '125d7342b9ac11cd91a39af48aa17b4f63f175d3'],
  ])('is compatible with the test vectors of RFC 2202: %#', (key, text, digest) => {
    expect(tagOf(key, text)).toBe(digest.slice(0, 2 * TAG_BYTES));
  });

  it('makes the tag of OpenSSL at every length around the ends of blocks', () => {
    const key = Buffer.from('a key of twenty byte');
    const bytes = Buffer.from(Array.from({ length: 1500 }, (_, at) => (at * 131) & 0xff));
    for (const length of [...Array.from({ length: 300 }, (_, at) => at + 4), 1024, 1500]) {
      const text = bytes.subarray(0, length);
      const digest = createHmac('sha1', key).update(text).digest('hex');
      expect(tagOf(key, text), `${length} bytes`).toBe(digest.slice(0, 2 * TAG_BYTES));
    }
  });

  it('verifies its own tag, and no other or shorter one', () => {
    const hmac = new HmacSha1(Buffer.alloc(20, 1));
    const packet = Buffer.alloc(50 + TAG_BYTES, 7);
    hmac.sign(packet, 50, 9, 50);
    expect(hmac.verify(packet, 50, 9, 50)).toBe(true);
    expect(hmac.verify(packet, 50, 8, 50)).toBe(false);
    expect(hmac.verify(packet.subarray(0, -1), 50, 9, 50)).toBe(false);
    for (let bit = 0; bit < 8 * packet.length; bit++) {
      const changed = Buffer.from(packet);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(hmac.verify(changed, 50, 9, 50)).toBe(false);
    }
  });

  it('rejects a key that is longer than a block', () => {
    expect(() => new HmacSha1(Buffer.alloc(65))).toThrow('64 bytes');
  });
});
