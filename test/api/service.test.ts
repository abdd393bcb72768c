/** Metrics and health for the operator, and who may read them. */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { NUMBERS, openRig } from './rigs.ts';

const TOKEN = 'a-token-of-the-administrator';
const ADMIN = `admin: { token: ${TOKEN} }\n`;
const bearer = (token: string) => ({ as: false as const, headers: { authorization: `Bearer ${token}` } });
/** Request forwarded by a proxy on this machine for an external client. */
const elsewhere = { as: false as const, headers: { 'x-forwarded-for': '203.0.113.7' } };

describe('/metrics', () => {
  it('counts calls, steps, requests by their route, and attempts to deliver events', async () => {
    const rig = await openRig();
    const call = await rig.dial({ action_on_connect: { play: { text: 'Good morning' } } });
    await rig.pass(5000);
    await rig.request('GET', `/voice/v1/calls/${call}/`);
    await rig.request('GET', '/voice/v1/call/nobody');
    await rig.request('GET', '/somewhere/else');
    const { status, text, headers } = await rig.request('GET', '/metrics', undefined, { as: false });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('callweave_calls_started_total{direction="outbound"} 1');
    expect(text).toContain('callweave_calls_live 1');
    expect(text).toMatch(/callweave_steps_total\{verb="play",outcome="done"\} 1/);
    const counted = 'callweave_http_requests_total';
    expect(text).toContain(`${counted}{route="/voice/v1/call",method="POST",status="200"} 1`);
    expect(text).toContain(`${counted}{route="/voice/v1/call/{voice_id}",method="GET",status="200"} 1`);
    expect(text).toContain(`${counted}{route="/voice/v1/call/{voice_id}",method="GET",status="404"} 1`);
    expect(text).toContain(`${counted}{route="other",method="GET",status="404"} 1`);
    expect(text).toMatch(/callweave_webhook_attempts_total\{outcome="delivered"\} [1-9]/);
    expect(text).toContain('callweave_webhooks_waiting 0');
    for (const secret of [call, '5551234', '2000', 'somewhere']) expect(text).not.toContain(secret);
  });

  it('counts refused calls by their reason', async () => {
    const config = 'limits: { calls: 1 }\nnumbers: [{ number: "1000", webhook: HOOK }, { number: "3000" }]\n';
    const rig = await openRig({ config });
    for (const to of ['999', '3000', '1000', '1000']) rig.call(to);
    await rig.pass(100);
    const { text } = await rig.request('GET', '/metrics', undefined, { as: false });
    const refused = [...text.matchAll(/^callweave_calls_refused_total\{reason="(\w+)"\} ([1-9]\d*)$/gm)];
    expect(refused.map(([, reason, count]) => [reason, count])).toEqual([
      ['unknown_number', '1'],
      ['outbound_only', '1'],
      ['no_capacity', '1'],
    ]);
    expect(text).toContain('callweave_calls_limit 1');
  });

  it('is logged at `debug`, as is /health, because of frequent polls; refusals are not', async () => {
    const rig = await openRig({ config: NUMBERS + ADMIN });
    const wrong = bearer('not-the-token-at-all');
    await rig.request('GET', '/metrics', undefined, bearer(TOKEN));
    await rig.request('GET', '/metrics', undefined, wrong);
    await rig.request('GET', '/health', undefined, { as: false });
    await rig.request('GET', '/health/live', undefined, { as: false });
    await rig.request('GET', '/voice/v1/call');
    const answered = rig.logLines.filter(({ message }) => message === 'api.answered');
    expect(answered.map(({ level, fields }) => [level, fields['path'], fields['status']])).toEqual([
      ['debug', '/metrics', 200],
      ['info', '/metrics', 401],
      ['debug', '/health', 200],
      ['debug', '/health/live', 200],
      ['info', '/voice/v1/call', 200],
    ]);
  });

  it('serves only this machine if no administrator is configured', async () => {
    const rig = await openRig();
    expect((await rig.request('GET', '/metrics', undefined, { as: false })).status).toBe(200);
    expect((await rig.request('GET', '/metrics', undefined, elsewhere)).status).toBe(401);
    expect((await rig.request('GET', '/metrics', undefined, bearer('whatever-it-is'))).status).toBe(200);
  });

  it('serves only the administrator if there is one, from any address', async () => {
    const rig = await openRig({ config: NUMBERS + ADMIN });
    expect((await rig.request('GET', '/metrics', undefined, { as: false })).status).toBe(401);
    expect((await rig.request('GET', '/metrics')).status).toBe(401);
    const right = { as: false as const, headers: { ...elsewhere.headers, authorization: `Bearer ${TOKEN}` } };
    expect((await rig.request('GET', '/metrics', undefined, right)).status).toBe(200);
  });
});

describe('/health', () => {
  it('returns full details to this machine and to the administrator, and one word to others', async () => {
    const rig = await openRig({ config: NUMBERS + ADMIN });
    await rig.dial();
    const all = {
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      live_calls: 1,
      checks: {
        engine: { ok: true },
        store: { ok: true },
        webhooks: { ok: true, waiting: expect.any(Number), dead: 0 },
      },
    };
    expect((await rig.request('GET', '/health', undefined, { as: false })).body).toMatchObject(all);
    expect((await rig.request('GET', '/health', undefined, elsewhere)).body).toEqual({ status: 'ok' });
    const right = { as: false as const, headers: { ...elsewhere.headers, authorization: `Bearer ${TOKEN}` } };
    expect((await rig.request('GET', '/health', undefined, right)).body).toMatchObject(all);
    const wrong = { as: false as const, headers: { ...elsewhere.headers, authorization: 'Bearer wrong' } };
    expect((await rig.request('GET', '/health', undefined, wrong)).body).toEqual({ status: 'ok' });
  });

  it('fails when the store is not writable', async () => {
    const rig = await openRig();
    const { call } = rig.store.calls;
    rig.store.calls.call = () => {
      throw new Error('the disk is gone');
    };
    const { status, body } = await rig.request('GET', '/health', undefined, { as: false });
    rig.store.calls.call = call;
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'failing', why: 'unreadable', checks: { store: { ok: false } } });
    expect(rig.logLines.splice(0)).toContainEqual({
      level: 'error',
      message: 'store.failing',
      fields: expect.objectContaining({ why: 'unreadable' }),
    });
    expect(await rig.request('GET', '/ready', undefined, { as: false })).toMatchObject({ status: 200 });
    expect(rig.logLines).toContainEqual(expect.objectContaining({ message: 'store.recovered' }));
  });
});

describe('wrong tokens', () => {
  it('are refused in any shape', async () => {
    const rig = await openRig({ config: NUMBERS + ADMIN });
    for (const authorization of ['Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `Bearer ${TOKEN} ${TOKEN}`, TOKEN]) {
      const { status, body } = await rig.request('GET', '/metrics', undefined, {
        as: false,
        headers: { authorization },
      });
      expect([status, body['result']], authorization).toEqual([401, 401]);
    }
    const lowerCase = await new Promise<number | undefined>((resolve) => {
      request(`${rig.base}/metrics`, { headers: { authorization: `bearer  ${TOKEN} ` } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(lowerCase).toBe(200);
  });
});
