/** Data for the local machine only is not served to requests that a proxy forwards. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiRig } from '../api/rig.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await ApiRig.open();
});
afterAll(() => rig.close());

const status = (path: string, headers: Record<string, string>): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    const sent = request(rig.base + path, { headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += String(chunk);
      });
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    sent.on('error', reject).end();
  });

it.each<[string, Record<string, string>, boolean]>([
  ['this machine', {}, true],
  ['this machine, by its common name', { host: 'localhost:8080' }, true],
  ['this machine, by IPv6', { host: '[::1]:8080' }, true],
  ['a page whose name leads here', { host: 'rebound.evil.example' }, false],
  ['a name that looks like it', { host: 'localhost.evil.example' }, false],
  ['a number that is no address', { host: '127.0.0.1.evil.example:80' }, false],
  ['a proxy here', { 'x-forwarded-for': '203.0.113.9' }, false],
  ['a proxy here that says so otherwise', { forwarded: 'for=203.0.113.9' }, false],
])('serves figures only to local requests: %s', async (_who, headers, isTold) => {
  expect((await status('/metrics', headers))[0]).toBe(isTold ? 200 : 401);
  const [code, health] = await status('/health', headers);
  expect([code, health.includes('checks')]).toEqual([200, isTold]);
});
