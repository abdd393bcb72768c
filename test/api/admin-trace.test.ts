/** Trace of a call for the administrator: for every project, in pages for programs, as text for people. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { type Administrator, administered, TOKEN } from './admin-client.ts';
import { type ApiRig, OTHER } from './rig.ts';

const CALLER = '55\u001b[2J\n1234';
const FLOWS = {
  greet:
    'flow: greet\nstart: say\ndefaults: { exits: { error: $end } }\nsteps: { say: { play: Hello there, next: $end } }\n',
};
const CONFIG = 'numbers: [{ number: "1000", flow: greet }]\n';

async function greeted(): Promise<{ rig: ApiRig; admin: Administrator; call: string }> {
  const { rig, admin } = await administered({ config: CONFIG, flows: FLOWS });
  rig.call('1000', CALLER);
  await rig.pass(10);
  const call = (await rig.request('GET', '/voice/v1/call')).body['calls'] as JsonObject[];
  return { rig, admin, call: String(call[0]!['voice_id']) };
}

const textOf = (rig: ApiRig, call: string) =>
  fetch(`${rig.base}/admin/v1/calls/${call}/trace?format=text`, { headers: { authorization: `Bearer ${TOKEN}` } });

it('returns the journal in pages, also during the call', async () => {
  const { rig, admin, call } = await greeted();
  const live = (await admin('GET', `/calls/${call}/trace`)).body;
  expect(live).toMatchObject({ app_id: 'shop', call: { voice_id: call, state: 'connected', step: 'say' } });
  await rig.pass(10_000);
  const entries: unknown[] = [];
  for (let after: unknown = 0; after !== undefined; ) {
    const { body } = await admin('GET', `/calls/${call}/trace?limit=3&after=${String(after)}`);
    entries.push(...(body['entries'] as unknown[]));
    after = body['next'];
  }
  expect(entries).toEqual(await rig.store.calls.journal(call));
  expect(entries.length).toBeGreaterThan(6);
});

it('is text with one line for each entry, without lines that callers or flows could forge', async () => {
  const { rig, call } = await greeted();
  await rig.pass(10_000);
  const answer = await textOf(rig, call);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const lines = (await answer.text()).trimEnd().split('\n');
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT/);
  const caller = String.raw`55\u001b[2J\u000a1234`;
  expect(lines[1]).toContain(`    0.000  inbound call from ${caller} to 1000: flow greet (`);
  expect(lines.filter((line) => line.includes('Hello'))).toEqual(['    0.000    > plays "Hello there"']);
  expect(lines.at(-1)).toBe('    0.786  flow ends, completed');
});

it('masks the address of events', async () => {
  const { rig, admin } = await administered();
  const call = await rig.dial({ event_url: `${rig.webhookUrl}?key=very-secret` });
  const { text } = await admin('GET', `/calls/${call}/trace`);
  expect(text).toContain('?key=•••');
  expect(text).not.toContain('very-secret');
});

it('serves only the administrator, and answers 404 for unknown calls', async () => {
  const { rig, admin, call } = await greeted();
  const path = `/admin/v1/calls/${call}/trace`;
  expect((await rig.request('GET', path, undefined, { as: OTHER })).status).toBe(401);
  expect((await rig.request('GET', path, undefined, { as: false })).status).toBe(401);
  expect((await admin('GET', '/calls/nobody/trace')).body).toMatchObject({ result: 404 });
  expect((await admin('GET', `/calls/${call}/trace?format=xml`)).body).toMatchObject({ hint: 'json, text' });
});
