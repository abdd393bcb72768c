import { describe, expect, it } from 'vitest';
import { cryptoLine, cryptoOf, hasKeys, newKey } from '../../../src/media/toolbox/sdp/crypto.ts';

const KEY = new Uint8Array(30).fill(7);
const INLINE = `inline:${Buffer.from(KEY).toString('base64')}`;
const SUITE = 'AES_CM_128_HMAC_SHA1_80';

describe('a crypto line (RFC 4568)', () => {
  it.each([
    [`1 ${SUITE} ${INLINE}`, 1],
    [`9 ${SUITE} ${INLINE}|1048576`, 9],
    [`3 ${SUITE} ${INLINE}|2^31`, 3],
    [`1 ${SUITE} ${INLINE} WSH=128`, 1],
    [`1 ${SUITE} ${INLINE}|2^20|1:4`, undefined],
    [`1 ${SUITE} ${INLINE};${INLINE}`, undefined],
    [`1 ${SUITE} ${INLINE} UNENCRYPTED_SRTP`, undefined],
    [`1 ${SUITE} ${INLINE} WSH=128 UNENCRYPTED_SRTP`, undefined],
    [`1 ${SUITE} inline:short`, undefined],
    [`1 AES_CM_128_HMAC_SHA1_32 ${INLINE}`, undefined],
    [`x ${SUITE} ${INLINE}`, undefined],
    [`-1 ${SUITE} ${INLINE}`, undefined],
    [`1234567890 ${SUITE} ${INLINE}`, undefined],
    ['', undefined],
  ])('has in %j the tag %s', (value, tag) => {
    expect(cryptoOf([`a=crypto:${value}`])?.tag).toBe(tag);
  });

  it('is found among others if it is supported', () => {
    const lines = [`a=crypto:1 AES_256_CM_HMAC_SHA1_80 ${INLINE}`, `a=crypto:2 ${SUITE} ${INLINE}`];
    expect(cryptoOf(lines)).toEqual({ tag: 2, key: KEY });
  });

  it('is read only among the first 16', () => {
    const others = Array.from({ length: 16 }, (_, nth) => `a=crypto:${nth} OTHER ${INLINE}`);
    expect(cryptoOf([...others, `a=crypto:99 ${SUITE} ${INLINE}`])).toBeUndefined();
  });

  it('is rejected if it is cut anywhere before the end of the key', () => {
    const line = cryptoLine({ tag: 1, key: KEY });
    for (let length = 0; length < line.length; length++) expect(cryptoOf([line.slice(0, length)])).toBeUndefined();
    expect(cryptoOf([line])?.key).toEqual(KEY);
  });

  it('is read back as it was written', () => {
    const crypto = { tag: 5, key: newKey(() => 0.99) };
    expect(cryptoOf([cryptoLine(crypto)])).toEqual(crypto);
    expect(hasKeys(`v=0\r\n${cryptoLine(crypto)}\r\n`)).toBe(true);
    expect(hasKeys('v=0\r\n')).toBe(false);
  });
});
