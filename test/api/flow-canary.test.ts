/** Candidates of flows, canaries for a share of the callers, and publishing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { takesCanary } from '../../src/service/calls/canaries/canary.ts';
import { createMemoryStore } from '../memory-store.ts';
import { type Administrator, TOKEN } from './admin-client.ts';
import { createBroadcast } from './broadcast-rig.ts';
import { auditOf, callers, callsOf, flowOf, having, NEW, OLD, openCanary } from './canary-rig.ts';
import type { ApiResponse, ApiRig } from './rig.ts';

const publish = (rig: ApiRig, version: string, headers: Readonly<Record<string, string>>): Promise<ApiResponse> =>
  rig.request(
    'POST',
    '/admin/v1/flows/hello/publish',
    { version },
    { as: false, headers: { authorization: `Bearer ${TOKEN}`, ...headers } },
  );

/** Sound as long as `helper` returns thanks and nothing else. */
const CALLING = flowOf('hello', 'go: { subflow: helper, exits: { done: $end, thanks: $end } }');
const returning = (word: string): string => flowOf('helper', `go: { return: ${word} }`);

async function saveHelper(rig: ApiRig, admin: Administrator, text: string): Promise<void> {
  const etag = (await admin('GET', '/flows/helper')).headers.get('etag')!;
  const headers = { authorization: `Bearer ${TOKEN}`, 'if-match': etag };
  await rig.request('PUT', '/admin/v1/flows/helper', { text }, { as: false, headers });
}

const fileOf = (rig: ApiRig): string => readFileSync(join(rig.directory, 'hello.flow.yaml'), 'utf8');

describe('a candidate', () => {
  it('is stored beside the live version, drawn, and unchanged when it is stored again', async () => {
    const { rig, admin, keep } = await openCanary();
    const inForce = (await admin('GET', '/flows/hello')).body['hash'];
    const kept = await admin('POST', '/flows/hello/versions', { text: NEW });
    expect([kept.status, kept.body]).toEqual([
      201,
      {
        ...{
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          in_force: false,
          calls: 0,
          etag: expect.any(String),
          version_number: 2,
        },
        ...{ first_seen: expect.any(String), author: expect.stringMatching(/^admin from /) },
      },
    ]);
    const hash = String(kept.body['hash']);
    expect(await keep(`${NEW}# the same in other words\n`)).toBe(hash);
    const { body } = await admin('GET', '/flows/hello/versions');
    expect(body['versions']).toMatchObject([
      { hash: inForce, version_number: 1, in_force: true },
      { hash, version_number: 2, in_force: false },
    ]);
    expect((await admin('GET', `/flows/hello/versions/${hash}`)).body).toMatchObject({
      text: expect.stringContaining('the same in other words'),
      version_number: 2,
    });
    const graph = await rig.request('GET', `/voice/v1/flow/hello/graph?version=${hash}`);
    expect(graph.body).toMatchObject({ hash, steps: [{ name: 'go', about: 'new' }] });
    expect(await callsOf(rig, callers(1))).toEqual(new Map([[callers(1)[0], inForce]]));
    expect(fileOf(rig)).toBe(OLD);
    expect(await auditOf(admin)).toMatchObject([{ after: hash }, { what: 'POST /flows/hello/versions', after: hash }]);
  });

  it('stays the live version if its text is equal', async () => {
    const { admin } = await openCanary();
    const { status, body } = await admin('POST', '/flows/hello/versions', { text: `${OLD}# a comment\n` });
    expect([status, body['in_force']]).toEqual([201, true]);
    expect((await admin('GET', `/flows/hello/versions/${body['hash']}`)).body['text']).toBe(OLD);
  });

  it('is refused with errors, for another flow, for an unknown flow, and for a built-in flow', async () => {
    const { admin } = await openCanary();
    const post = (name: string, text: string) => admin('POST', `/flows/${name}/versions`, { text });
    const broken = await post('hello', NEW.replace('next: $end', 'next: nowhere'));
    expect([broken.status, broken.body['diagnostics']]).toMatchObject([
      422,
      [{ code: 'unknown-target', file: 'hello.flow.yaml', line: 5 }],
    ]);
    const other = await post('hello', flowOf('other', 'go: { log: x, next: $end }'));
    expect([other.status, other.body['msg']]).toEqual([422, 'the text is that of the flow other, not of hello']);
    expect((await post('nobody', NEW)).status).toBe(404);
    expect((await post('rest-control', 'flow: rest-control')).status).toBe(409);
    expect((await post('hello', 'x'.repeat(1_000_001))).status).toBe(400);
  });
});

describe('a canary', () => {
  it('gets its share of 500 callers, always the same ones, and more when the share is raised', async () => {
    const { rig, admin, keep, start, canary } = await openCanary();
    const version = await keep(NEW);
    const started = await start({ version, percent: 20 });
    expect([started.status, started.body]).toMatchObject([
      200,
      {
        ...{ version, percent: 20, state: 'on' },
        back_when: { errors_worse_by: 5, abandoned_worse_by: 10, after_calls: 20 },
        compared: { canary: { version, calls: 0 }, in_force: { calls: 0 } },
      },
    ]);
    const all = callers(500);
    const first = having(await callsOf(rig, all), version);
    // 100 of 500; four standard deviations to either side.
    expect(Math.abs(first.length - 100)).toBeLessThanOrEqual(36);
    expect((await canary()).compared).toMatchObject({
      canary: { calls: first.length, errors: 0, abandoned: 0, exits: { 'go done': first.length } },
      in_force: { calls: 500 - first.length, exits: { 'go done': 500 - first.length } },
    });
    const some = all.slice(0, 200);
    const ofSome = first.filter((caller) => some.includes(caller));
    expect(having(await callsOf(rig, some), version).sort()).toEqual([...ofSome].sort());

    await start({ version, percent: 50 });
    const more = having(await callsOf(rig, some, { to: '1001' }), version);
    expect(ofSome.filter((caller) => !more.includes(caller))).toEqual([]);
    expect(Math.abs(more.length - 100)).toBeLessThanOrEqual(29);
    await start({ version, percent: 100 });
    expect(having(await callsOf(rig, some), version)).toHaveLength(200);
    // Raising the share does not restart the comparison.
    expect(await canary()).toMatchObject({ since: started.body['since'], percent: 100 });
    expect((await canary()).compared.canary.calls).toBe(first.length + ofSome.length + more.length + 200);
    const { body } = await admin('GET', '/flows');
    expect((body['flows'] as JsonObject[]).find(({ name }) => name === 'hello')).toMatchObject({
      canary: { version, percent: 100, state: 'on' },
    });
  });

  it('identifies a caller by the normalised number, or by the call without a number', async () => {
    const { rig, keep, start } = await openCanary();
    const version = await keep(NEW);
    await start({ version, percent: 50 });
    const all = callers(40);
    const plain = having(await callsOf(rig, all), version);
    const written = all.map((number) => number.replace('+', 'tel:').replace(/(\d{4})(?=\d)/g, '$1-'));
    const marked = having(await callsOf(rig, written), version);
    expect(marked.sort()).toEqual(written.filter((_, index) => plain.includes(all[index]!)).sort());
    for (let n = 0; n < 40; n++) rig.call('1000', 'anonymous');
    await rig.pass(1000);
    const latest = { projectId: 'shop', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: 40 };
    const versions = (await rig.store.calls.list(latest)).map(({ record }) => record.flowHash);
    expect(new Set(versions).size).toBe(2);
  });

  it('serves given numbers only: other callers get the live version and are not compared', async () => {
    const { rig, admin, keep, start, canary } = await openCanary();
    const version = await keep(NEW);
    await start({ version, percent: 100, numbers: ['1-001'] });
    expect(having(await callsOf(rig, callers(10)), version)).toEqual([]);
    expect(having(await callsOf(rig, callers(10), { to: '1001' }), version)).toHaveLength(10);
    expect(await canary()).toMatchObject({
      numbers: ['1001'],
      compared: { canary: { calls: 10 }, in_force: { calls: 0 } },
    });
    // With other callers, the comparison restarts.
    await start({ version, percent: 100 });
    expect((await canary()).compared.canary.calls).toBe(0);
    expect((await admin('GET', '/flows/hello/canary')).body).not.toHaveProperty('numbers');
  });

  it('selects outgoing calls by the called number, also in a broadcast', async () => {
    const { rig, keep, start } = await openCanary();
    const version = await keep(NEW);
    await start({ version, percent: 50 });
    const numbers = callers(30);
    for (const to of numbers.slice(0, 10)) await rig.dial({ to, flow: 'hello' });
    await createBroadcast(rig, {
      action_on_connect: { flow: 'hello' },
      broadcast_numbers_array: numbers.slice(10),
      call_param: { max_calls: 20, calls_per_second: 20 },
    });
    await rig.pass(60_000);
    const latest = { projectId: 'shop', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: 100 };
    const made = (await rig.store.calls.list(latest)).map(({ record }) => record);
    expect(made.map(({ to }) => to).sort()).toEqual([...numbers].sort());
    for (const record of made) {
      expect([record.to, record.flowHash === version]).toEqual([
        record.to,
        takesCanary({ version, percent: 50 }, record),
      ]);
    }
    expect(new Set(made.map(({ flowHash }) => flowHash)).size).toBe(2);
  });

  it('is skipped by calls whose input it does not accept, and by flows sent with a request', async () => {
    const { rig, keep, start } = await openCanary();
    const version = await keep(`input: { name: { type: string, default: you } }\n${NEW}`);
    await start({ version, percent: 100 });
    await rig.dial({ flow: 'hello', input: {} });
    await rig.dial({ flow: { flow: 'hello', start: 'go', steps: { go: { log: 'sent', next: '$end' } } } });
    const [sent, taken] = (
      await rig.store.calls.list({ projectId: 'shop', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: 2 })
    ).map(({ record }) => record.flowHash);
    expect([taken === version, sent === version]).toEqual([true, false]);

    const other = await openCanary({
      flows: { hello: `input: { name: { type: string, default: you } }\n${OLD}` },
    });
    const without = await other.keep(NEW);
    expect((await other.start({ version: without, percent: 100 })).status).toBe(200);
    const call = await other.rig.dial({ flow: 'hello', input: { name: 'Ann' } });
    expect((await other.rig.store.calls.call(call))?.flowHash).not.toBe(without);
    expect((await other.admin('PUT', '/numbers/1002', { flow: 'hello', input: { name: 'Bob' } })).status).toBe(200);
    const refused = await other.start({ version: without, percent: 50 });
    expect([refused.status, refused.body['msg']]).toMatchObject([422, expect.stringContaining('the number 1002')]);
    expect((await other.start({ version: without, percent: 50, numbers: ['1000'] })).status).toBe(200);
  });

  it('ends at once when it is stopped; live calls keep their version', async () => {
    const { rig, admin, keep, start } = await openCanary();
    const version = await keep(flowOf('hello', 'go: { pause: 10s, next: say }', 'say: { log: new, next: $end }'));
    await start({ version, percent: 100 });
    const [first, second] = callers(2);
    rig.call('1000', first);
    await rig.pass(1000);
    const stopped = await admin('DELETE', '/flows/hello/canary');
    expect([stopped.status, stopped.body]).toMatchObject([
      200,
      { state: 'stopped', ended: { why: 'stopped', by: expect.stringMatching(/^admin from /) } },
    ]);
    rig.call('1000', second);
    await rig.pass(10_000);
    const [later, live] = (
      await rig.store.calls.list({ projectId: 'shop', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: 2 })
    ).map(({ record }) => record);
    expect([live?.flowHash, later?.flowHash === version]).toEqual([version, false]);
    const said = (await rig.store.calls.journal(live!.callId)).find((entry) => entry.kind === 'log');
    expect(said).toMatchObject({ message: 'new' });
    expect((await admin('DELETE', '/flows/hello/canary')).status).toBe(404);
    expect((await admin('GET', '/flows/hello/canary')).body['state']).toBe('stopped');
    expect((await auditOf(admin)).slice(0, 2)).toMatchObject([
      { what: 'DELETE /flows/hello/canary', before: version },
      { what: 'PUT /flows/hello/canary', after: version },
    ]);
  });

  it('is refused for an unknown, invalid or live version', async () => {
    const { rig, admin, keep, start } = await openCanary({ flows: { hello: OLD, helper: returning('thanks') } });
    expect((await admin('GET', '/flows/hello/canary')).status).toBe(404);
    expect((await admin('DELETE', '/flows/hello/canary')).status).toBe(404);
    const version = await keep(CALLING);
    for (const [order, status] of [
      [{ version: 'f00d', percent: 5 }, 404],
      [{ version, percent: 0 }, 400],
      [{ version, percent: 101 }, 400],
      [{ version }, 400],
      [{ version, percent: 5, numbers: ['4711'] }, 404],
      [{ version, percent: 5, back_when: { errors_worse_by: -1 } }, 400],
      [{ version: (await admin('GET', '/flows/hello')).body['hash'], percent: 5 }, 409],
    ] as const) {
      expect([order, (await start(order)).status]).toEqual([order, status]);
    }
    expect((await admin('PUT', '/flows/other/canary', { version, percent: 5 })).status).toBe(404);
    // The flow that it calls has changed: one of its outcomes has no exit now.
    await saveHelper(rig, admin, returning('sorry'));
    const refused = await start({ version, percent: 5 });
    expect([refused.status, refused.body['diagnostics']]).toMatchObject([
      422,
      expect.arrayContaining([expect.objectContaining({ severity: 'error', file: 'hello.flow.yaml', line: 5 })]),
    ]);
  });

  it('uses the stored files: changes to a file that it names do not apply, nor on publishing', async () => {
    const { rig, admin, keep, start } = await openCanary();
    const schema = (type: string) => writeFileSync(join(rig.directory, 'answer.json'), `{ "type": "${type}" }`);
    schema('object');
    const version = await keep(
      flowOf(
        'hello',
        'go: { request: { get: "https://crm.example/x", returns: ./answer.json }, exits: { ok: $end, not_found: $end, failed: $end } }',
      ),
    );
    expect((await start({ version, percent: 5 })).status).toBe(200);
    await admin('DELETE', '/flows/hello/canary');
    schema('array');
    for (const refused of [await start({ version, percent: 5 }), await publish(rig, version, { 'if-match': '*' })])
      expect([refused.status, refused.body['msg']]).toEqual([422, 'a file of this version was modified']);
    expect(fileOf(rig)).toBe(OLD);
  });

  it('survives a restart with the same callers and counts', async () => {
    const store = createMemoryStore();
    const { rig, keep, start } = await openCanary({ store });
    const version = await keep(NEW);
    await start({ version, percent: 30 });
    const all = callers(60);
    const before = having(await callsOf(rig, all), version);
    await rig.close();
    const later = await openCanary({ store, directory: rig.directory, flows: {} });
    expect(await later.canary()).toMatchObject({
      state: 'on',
      compared: { canary: { version, calls: before.length }, in_force: { calls: 60 - before.length } },
    });
    expect(having(await callsOf(later.rig, all), version).sort()).toEqual(before.sort());
    expect((await later.canary()).compared.canary.calls).toBe(2 * before.length);
  });

  it('is stopped if it does not compile at a start, and its callers get the live version', async () => {
    const store = createMemoryStore();
    const { rig, keep, start } = await openCanary({ store, flows: { hello: OLD, helper: returning('thanks') } });
    await start({ version: await keep(CALLING), percent: 100 });
    await rig.close();
    writeFileSync(join(rig.directory, 'helper.flow.yaml'), returning('sorry'));
    const later = await openCanary({ store, directory: rig.directory, flows: {} });
    const inForce = String((await later.admin('GET', '/flows/hello')).body['hash']);
    expect(await later.canary()).toMatchObject({ state: 'stopped', ended: { why: 'broken', by: 'callweave' } });
    expect(having(await callsOf(later.rig, callers(3)), inForce)).toHaveLength(3);
    expect((await auditOf(later.admin))[0]).toMatchObject({
      who: 'callweave',
      what: expect.stringMatching(/^stopped the canary of hello: this version does not compile/),
    });
    expect(later.rig.logLines.filter(({ message }) => message === 'canary.stopped')).toHaveLength(1);
  });

  it('ends when its flow is removed or saved with the text of the canary', async () => {
    const config = 'numbers: [{ number: "1000", webhook: HOOK }]\n';
    const { rig, admin, keep, start, canary } = await openCanary({ config });
    await start({ version: await keep(NEW), percent: 10 });
    const etag = (await admin('GET', '/flows/hello')).headers.get('etag')!;
    const authorization = `Bearer ${TOKEN}`;
    const change = (method: string, text: string | undefined, headers: Readonly<Record<string, string>>) =>
      rig.request(method, '/admin/v1/flows/hello', text === undefined ? undefined : { text }, {
        as: false,
        headers: { authorization, ...headers },
      });
    const saved = await change('PUT', `${NEW}# by hand\n`, { 'if-match': etag });
    expect((await canary()).ended).toMatchObject({ why: 'published', by: expect.stringMatching(/^admin from /) });
    await start({ version: await keep(OLD), percent: 10 });
    expect((await canary()).state).toBe('on');
    await change('DELETE', undefined, { 'if-match': saved.headers.get('etag')! });
    expect((await canary()).ended).toMatchObject({ why: 'stopped', by: 'callweave' });
  });
});

describe('publishing', () => {
  it('writes the candidate to the file, byte for byte, and ends its canary', async () => {
    const { rig, admin, keep, start, canary } = await openCanary();
    const text = `# in words of its own\r\n${NEW.replaceAll('\n', '\r\n')}`;
    const version = await keep(text);
    await start({ version, percent: 30 });
    await callsOf(rig, callers(20));
    const compared = (await canary()).compared;
    const etag = (await admin('GET', '/flows/hello')).headers.get('etag')!;
    const published = await publish(rig, version, { 'if-match': etag });
    expect([published.status, published.body, published.headers.get('etag')]).toMatchObject([
      200,
      { text, hash: version, in_force: true },
      `"${published.body['etag']}"`,
    ]);
    expect(fileOf(rig)).toBe(text);
    expect(having(await callsOf(rig, callers(5)), version)).toHaveLength(5);
    expect(await canary()).toMatchObject({ state: 'stopped', ended: { why: 'published' }, compared });
    expect((await auditOf(admin))[0]).toMatchObject({
      what: 'POST /flows/hello/publish',
      after: published.body['etag'],
    });
  });

  it('restores an earlier version', async () => {
    const { rig, admin, keep } = await openCanary();
    const first = await admin('GET', '/flows/hello');
    const published = await publish(rig, await keep(NEW), { 'if-match': first.headers.get('etag')! });
    const old = String(first.body['hash']);
    expect((await publish(rig, old, { 'if-match': published.headers.get('etag')! })).body['hash']).toBe(old);
    expect(fileOf(rig)).toBe(OLD);
  });

  it('requires the hash of the replaced version, and an existing valid version', async () => {
    const { rig, admin, keep } = await openCanary({ flows: { hello: OLD, helper: returning('thanks') } });
    const version = await keep(NEW);
    const calling = await keep(CALLING);
    await saveHelper(rig, admin, returning('sorry'));
    const broken = await publish(rig, calling, { 'if-match': '*' });
    expect([broken.status, broken.body['diagnostics']]).toMatchObject([
      422,
      [{ code: 'unrouted-outcome', file: 'hello.flow.yaml', line: 5 }, {}],
    ]);
    expect(fileOf(rig)).toBe(OLD);
    expect((await publish(rig, version, {})).status).toBe(428);
    const theirs = flowOf('hello', 'go: { log: theirs, next: $end }');
    writeFileSync(join(rig.directory, 'hello.flow.yaml'), theirs);
    const refused = await publish(rig, version, { 'if-match': '"of-what-was-there"' });
    expect([refused.status, refused.body['current']]).toMatchObject([412, { text: theirs }]);
    expect((await publish(rig, 'f00d', { 'if-match': '*' })).status).toBe(404);
    expect(fileOf(rig)).toBe(theirs);
  });
});
