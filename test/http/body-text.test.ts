/** Bodies of answers: compressed without request, with byte order marks, in other character sets (fixture 17). */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/base/core/json.ts';
import { bodyText } from '../../src/base/http/body-text.ts';
import { parseAnswer } from '../../src/service/observers/webhooks/answer.ts';

const TEXT = '{"n": 7, "name": "Zoë"}';
const read = (body: Buffer, headers: Record<string, string> = {}, isStrict = false) =>
  bodyText(body, headers, { maxBytes: 1000, isStrict });

describe('the text of a body', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['GZIP', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['identity', Buffer.from(TEXT)],
    ['', Buffer.from(TEXT)],
  ])('is read in the content encoding %s', async (encoding, body) => {
    expect(await read(body, { 'content-encoding': encoding })).toEqual({ text: TEXT });
  });

  it('contains no byte order mark', async () => {
    expect(await read(Buffer.from(`\ufeff${TEXT}`))).toEqual({ text: TEXT });
    expect(await read(gzipSync(`\ufeff${TEXT}`), { 'content-encoding': 'gzip' })).toEqual({ text: TEXT });
  });

  it.each(['iso-8859-1', 'ISO-8859-1', '"windows-1252"'])('is decoded in the charset %s', async (charset) => {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    expect(await read(Buffer.from(TEXT, 'latin1'), headers, true)).toEqual({ text: TEXT });
  });

  it('is read as UTF-8 in an unknown charset', async () => {
    const headers = { 'content-type': 'application/json; charset=klingon' };
    expect(await read(Buffer.from(TEXT), headers, true)).toEqual({ text: TEXT });
  });

  it('is an error if it is not UTF-8, declares nothing and must be exact', async () => {
    const body = Buffer.from(TEXT, 'latin1');
    expect(await read(body, {}, true)).toMatchObject({ wrong: 'charset' });
    expect(await read(body)).toEqual({ text: TEXT.replace('ë', '\ufffd') });
  });

  it('is bounded after its decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    expect(await read(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ wrong: 'too_large' });
  });

  it.each([
    ['zstd', Buffer.from(TEXT), /content encoding zstd, which is not read/],
    ['gzip, gzip', gzipSync(gzipSync(TEXT)), /content encoding gzip, gzip/],
    ['gzip', Buffer.from(TEXT), /content encoding gzip, which it says and is not/],
    ['gzip', gzipSync(TEXT).subarray(0, 20), /content encoding gzip/],
    ['constructor', Buffer.from(TEXT), /constructor/],
  ])('is an error in the content encoding %s, which the message names', async (encoding, body, message) => {
    expect(await read(body, { 'content-encoding': encoding })).toMatchObject({
      wrong: 'encoding',
      message: expect.stringMatching(message),
    });
  });
});

describe('integers in JSON', () => {
  it.each([
    ['{"id": 9007199254740993}', { id: '9007199254740993' }],
    ['[-12345678901234567890]', ['-12345678901234567890']],
    ['{"id": 9007199254740991, "x": 1.2345678901234567}', { id: 9007199254740991, x: 1.2345678901234567 }],
    ['{"id": "9007199254740993"}', { id: '9007199254740993' }],
    ['1e30', 1e30],
    ['{"id": 12}', { id: 12 }],
    ['{"a": 1234567890123456', undefined],
  ])('keeps the digits of %s: %j', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected);
  });
});

describe('an answer to an event', () => {
  it.each([
    [{ text: '[{"hangup": true}]' }, 'not_an_object'],
    [{ text: '{"hangup":', isJson: true }, 'not_json'],
    [{ unread: 'encoding' }, 'encoding'],
    [{ unread: 'charset' }, 'charset'],
    [{ text: 'OK' }, 'plain_text'],
    [{ text: '"ok"', isJson: true }, 'plain_text'],
  ] as const)('is ignored for %j as %s', (body, reason) => {
    expect(parseAnswer(body)).toEqual({ kind: 'ignored', reason });
  });
});
