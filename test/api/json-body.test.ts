/** Removal of unsafe keys from JSON bodies. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import express, { type ErrorRequestHandler } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toApiError } from '../../src/service/api/api-error.ts';
import { jsonBody, removeProtoKeys } from '../../src/service/api/json-body.ts';

describe('withoutPrototypes', () => {
  it.each<[string, string, unknown]>([
    ['at the top', '{"__proto__": {"x": 1}, "a": 1}', { a: 1 }],
    ['inside', '{"a": {"b": {"__proto__": {"x": 1}, "c": 2}}}', { a: { b: { c: 2 } } }],
    ['in lists', '[{"__proto__": 1}, [{"__proto__": null, "a": [1]}]]', [{}, [{ a: [1] }]]],
    ['in other letters', '{"\\u005f\\u005fproto__": {"x": 1}}', {}],
    ['inside one of them', '{"__proto__": {"__proto__": {}}, "a": 1}', { a: 1 }],
  ])('takes them out %s', (_where, text, left) => {
    const value: unknown = removeProtoKeys(JSON.parse(text));
    expect(value).toEqual(left);
    expect(JSON.stringify(value)).not.toContain('__proto__');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it.each([1, 'a', null, true, undefined])('returns %s as it is, without a copy', (value) => {
    expect(removeProtoKeys(value)).toBe(value);
  });

  it('handles any depth of nesting', () => {
    const deep = `${'[{"a":'.repeat(50_000)}{"__proto__": 1}${'}]'.repeat(50_000)}`;
    let value = removeProtoKeys(JSON.parse(deep)) as unknown;
    while (Array.isArray(value)) value = (value[0] as { a: unknown }).a;
    expect(Object.keys(value as object)).toEqual([]);
  });
});

describe('jsonBody', () => {
  const MAX_BYTES = 100;
  const TEXT = '{"name":"Zoë","__proto__":{"x":1}}';
  const BYTES = Buffer.from(TEXT);
  const JSON_TYPE = 'application/json';

  const serve = async (answered: (answer: unknown) => void = () => undefined): Promise<Server> => {
    const app = express().use(jsonBody(MAX_BYTES), (req, res) => void res.json({ body: req.body }));
    const failed: ErrorRequestHandler = (error, _req, res, _next) => {
      const { code, hint } = toApiError(error);
      answered(code);
      res.json({ code, hint });
    };
    const server = createServer(app.use(failed)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return server;
  };

  const portOf = (server: Server): number => (server.address() as AddressInfo).port;

  it.each<[string, Buffer, Record<string, string>, unknown]>([
    ['as most are', BYTES, {}, { body: { name: 'Zoë' } }],
    [
      'with its character set',
      BYTES,
      { 'content-type': 'application/json; charset="UTF-8"' },
      { body: { name: 'Zoë' } },
    ],
    ['with a byte order mark', Buffer.from(`\ufeff${TEXT}`), {}, { body: { name: 'Zoë' } }],
    ['of unknown length', BYTES, { 'transfer-encoding': 'chunked' }, { body: { name: 'Zoë' } }],
    ['compressed', gzipSync(BYTES), { 'content-encoding': 'gzip' }, { body: { name: 'Zoë' } }],
    [
      'in another character set',
      Buffer.from(TEXT, 'utf16le'),
      { 'content-type': 'application/json; charset=utf-16le' },
      { body: { name: 'Zoë' } },
    ],
    ['that is a value', Buffer.from('"a"'), {}, { body: 'a' }],
    ['that is too large', Buffer.alloc(MAX_BYTES + 1, ' '), {}, { code: 'too_large' }],
    [
      'that is not JSON',
      Buffer.from('{name: 1}'),
      {},
      { code: 'bad_json', hint: expect.stringMatching(/; write strings and keys/) },
    ],
    [
      'that is not JSON, of unknown length',
      Buffer.from('{name: 1}'),
      { 'transfer-encoding': 'chunked' },
      { code: 'bad_json', hint: expect.stringMatching(/; write strings and keys/) },
    ],
  ])('reads or refuses a body %s', async (_what, bytes, headers, answer) => {
    const port = portOf(await serve());
    const length = headers['transfer-encoding'] === undefined ? { 'content-length': `${bytes.length}` } : {};
    const sent = request({ port, method: 'POST', headers: { 'content-type': JSON_TYPE, ...length, ...headers } });
    sent.end(bytes);
    const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual(answer);
  });

  it('rejects a body that ends early', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const server = await serve(resolve);
    const socket = connect(portOf(server));
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: 20\r\n\r\n{"a":`);
    await once(server, 'request');
    socket.destroy();
    expect(await promise).toBe('bad_request');
  });
});
