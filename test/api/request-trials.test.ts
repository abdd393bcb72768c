/** Trials of the request of a step by the API: rendered with example values, and sent by the rules of calls. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { administered } from './admin-client.ts';
import { NUMBERS } from './rigs.ts';

const flow = (url: string, more = ''): string => `flow: shop
vars: { order: { type: string, default: "" } }
start: look_up
defaults: { exits: { error: $end } }
steps:
  look_up:
    request:
      get: "${url}/orders/\${ vars.order }?phone=\${ call.from }"
      headers: { x-key: "\${ secrets.crm }" }
      auth: { bearer: "\${ secrets.crm }" }
      returns: { type: object, required: [state] }
      ${more}
    exits: { ok: $end, not_found: $end, failed: $end }
`;
const CONFIG = `${NUMBERS}secrets: { crm: top-secret-4711 }\n`;
const VALUES = { vars: { order: 'A/1' }, call: { from: '+33612345678' } };

let server: Server;
let seen: IncomingMessage[];
let url: string;
beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push(request);
    response.writeHead(request.url!.includes('none') ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ state: 'sent', key: request.headers['x-key'] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

const begin = async (more = '') => {
  const { rig, admin } = await administered({ flows: { shop: flow(url) }, config: CONFIG + more });
  const ask = (more: JsonObject = {}) => admin('POST', '/flows/shop/request', { step: 'look_up', ...more });
  return { rig, admin, ask };
};

describe('the request of a step', () => {
  it('is shown with example values, and lists the values of calls that it reads', async () => {
    const { ask } = await begin();
    const { status, body } = await ask({ values: VALUES });
    expect(status).toBe(200);
    expect(body).toEqual({
      request: {
        method: 'GET',
        url: `${url}/orders/A%2F1?phone=%2B33612345678`,
        headers: { 'x-key': '•••', authorization: '•••' },
      },
      reads: ['vars.order', 'call.from'],
    });
    expect(seen).toEqual([]);
  });

  it('is sent with its secrets, which are in no answer, and has the outcome of a call', async () => {
    const { ask } = await begin();
    const { body } = await ask({ values: VALUES, send: true });
    expect(seen[0]!.headers).toMatchObject({ 'x-key': 'top-secret-4711', authorization: 'Bearer top-secret-4711' });
    expect(body['answer']).toMatchObject({ status: 200, body: { state: 'sent', key: '•••' }, outcome: 'ok' });
    expect(JSON.stringify(body)).not.toContain('top-secret');
    const missing = await ask({ values: { vars: { order: 'none' } }, send: true });
    expect(missing.body['answer']).toMatchObject({ status: 404, outcome: 'not_found' });
  });

  it('renders an unsaved text, whose errors are reported', async () => {
    const { ask } = await begin();
    const other = await ask({ text: flow('http://shop.example', 'timeout: 2s'), values: VALUES });
    expect(other.body['request']).toMatchObject({ url: expect.stringContaining('http://shop.example/orders/A%2F1') });
    const broken = await ask({ text: flow(url).replace('start: look_up', 'start: nowhere') });
    expect(broken.status).toBe(422);
    expect((await ask({ step: 'nowhere' })).status).toBe(422);
    expect((await ask({ values: { vars: { order: '..' } } })).body).toMatchObject({
      hint: 'give other example values',
    });
  });

  it('is not sent where calls may not send', async () => {
    const { ask } = await begin('webhooks: { allow_private: none }\n');
    const { body } = await ask({ values: VALUES, send: true });
    expect(body['answer']).toMatchObject({
      message: expect.stringContaining('not allowed'),
      outcome: 'failed.network',
    });
    expect(seen).toEqual([]);
  });

  it('is recorded in the audit log if it was sent, and is sent for full tokens only', async () => {
    const { rig, admin, ask } = await begin();
    await ask({ values: VALUES });
    await ask({ values: VALUES, send: true });
    const { body } = await admin('GET', '/trail');
    expect(JSON.stringify(body).match(/flows\/shop\/request/g)).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain('top-secret');
    const other = await rig.request('POST', '/admin/v1/flows/shop/request', { step: 'look_up' }, { as: false });
    expect(other.status).toBe(401);
  });
});
