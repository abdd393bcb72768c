/** Flows under `flows` in the service: on calls, in graphs and versions, in trials, as a canary, and in requests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { administered, TOKEN } from './admin-client.ts';
import { callers, callsOf, having, openCanary } from './canary-rig.ts';
import type { ApiRig } from './rig.ts';

const door = (words: string, name = 'hello'): string => `flow: ${name}
prompts: { hello: "${words}" }
start: ask
steps: { ask: { subflow: greet, exits: { done: bye, error: bye } }, bye: { hangup: normal } }
flows:
  greet:
    start: say
    steps:
      say: { play: hello, exits: { done: $end, error: $end } }
`;

async function enteredOn(rig: ApiRig): Promise<JsonObject[]> {
  const [listed] = (await rig.request('GET', '/voice/v1/call')).body['calls'] as JsonObject[];
  const { body } = await rig.request('GET', `/voice/v1/call/${listed!['voice_id']}/journal`);
  return (body['entries'] as JsonObject[]).filter(({ kind }) => kind === 'entered');
}

it('runs them on calls, and draws the current and the earlier version', async () => {
  const { rig, admin } = await administered({
    flows: { hello: door('Hello.') },
    config: 'numbers: [{ number: "1001", flow: hello }]\n',
  });
  rig.call('1001');
  await rig.pass(10_000);
  const entered = await enteredOn(rig);
  expect(entered.map(({ flow, step }) => `${flow}: ${step}`)).toEqual(['hello: ask', 'hello/greet: say', 'hello: bye']);
  const graphOf = (version = '') => rig.request('GET', `/voice/v1/flow/hello%2Fgreet/graph${version}`);
  const { body } = await graphOf();
  expect(body).toMatchObject({
    ...{ name: 'hello/greet', hash: entered[1]!['flowHash'] },
    steps: [{ name: 'say', about: 'Hello.', line: 9 }],
  });
  const outer = await rig.request('GET', '/voice/v1/flow/hello/graph');
  expect(outer.body['steps']).toMatchObject([{ name: 'ask', opens: ['hello/greet'] }, { name: 'bye' }]);

  const etag = String((await admin('GET', '/flows/hello')).headers.get('etag'));
  const saved = await rig.request(
    'PUT',
    '/admin/v1/flows/hello',
    { text: door('Good day.') },
    { as: false, headers: { authorization: `Bearer ${TOKEN}`, 'if-match': etag } },
  );
  expect([saved.status, (await graphOf()).body['steps']]).toMatchObject([200, [{ about: 'Good day.' }]]);
  expect((await graphOf(`?version=${body['hash']}`)).body['steps']).toMatchObject([{ about: 'Hello.' }]);
});

it('tries them with the text that is sent', async () => {
  const { rig, admin } = await administered({ flows: { hello: door('Hello.') } });
  const play = (text: string) => admin('POST', '/flows/simulate', { name: 'hello', script: [], until: 'end', text });
  expect((await play(door('Good day.'))).body).toMatchObject({ heard: [{ text: 'Good day.' }] });
  writeFileSync(
    join(rig.directory, 'hello.test.yaml'),
    'test: it greets\nflow: hello/greet\nscript: [hear: hello]\nexpect: { path: [say] }\n',
  );
  const { body } = await admin('POST', '/flows/hello/tests/run', {});
  expect(body['reports']).toMatchObject([{ name: 'it greets', ok: true, path: [{ step: 'say' }] }]);
});

it('uses those of the version that a caller got', async () => {
  const { rig, admin, keep, start } = await openCanary({ flows: { hello: door('Hello.') } });
  const inForce = String((await admin('GET', '/flows/hello')).body['hash']);
  const version = await keep(door('Good day.'));
  expect((await start({ version, percent: 50 })).status).toBe(200);
  const versions = await callsOf(rig, callers(20), { ms: 10_000 });
  expect(having(versions, version).length).toBeGreaterThan(0);
  for (const { body } of await heard(rig)) {
    const [first, ...others] = body.filter(({ kind }) => kind === 'entered');
    const [local] = others;
    expect(first).toMatchObject({ flow: 'hello', step: 'ask' });
    const started = body.find(({ kind }) => kind === 'started')!;
    const said = JSON.stringify(body).includes('Good day.') ? version : inForce;
    expect([local!['flow'], said]).toEqual(['hello/greet', started['flowHash']]);
  }
});

async function heard(rig: ApiRig): Promise<{ body: JsonObject[] }[]> {
  const calls = (await rig.request('GET', '/voice/v1/call?limit=100')).body['calls'] as JsonObject[];
  return Promise.all(
    calls.map(async ({ voice_id: id }) => {
      const { body } = await rig.request('GET', `/voice/v1/call/${id}/journal`);
      return { body: body['entries'] as JsonObject[] };
    }),
  );
}
