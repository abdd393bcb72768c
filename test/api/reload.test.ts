/** Reload of the configuration: what changes, what live calls keep, and what is refused as a whole. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Administrator, administered, administratorOf, TOKEN } from './admin-client.ts';
import { type ApiRig, OTHER, SHOP } from './rig.ts';

const saying = (name: string, words: string): string =>
  `flow: ${name}\nstart: say\ndefaults: { exits: { error: $end } }\nsteps: { say: { play: "${words}", next: $end } }\n`;
/** Waits two seconds, then runs another flow. */
const CALLER =
  'flow: caller\nstart: wait\ndefaults: { exits: { error: $end } }\nsteps:\n  wait: { pause: 2s, next: more }\n  more: { subflow: hello, next: $end }\n';
const CONFIG = `numbers: [{ number: "1000", flow: hello }, { number: "2000", flow: caller }]
secrets: { crm: one }
env: { color: red }
prompts: { welcome: Good morning }
`;

const open = async (config = CONFIG) => {
  const opened = await administered({ config, flows: { hello: saying('hello', 'Hello there'), caller: CALLER } });
  opened.rig.rewrite();
  return opened;
};

const write = (rig: ApiRig, name: string, text: string): void =>
  writeFileSync(join(rig.directory, `${name}.flow.yaml`), text);

/** Text of the last prompt that the party heard. */
const heard = ({ heard }: { heard: readonly { item: { type: string } }[] }): string | undefined =>
  (heard.findLast(({ item }) => item.type === 'speech')?.item as { text?: string } | undefined)?.text;

const heardAt = async (rig: ApiRig, number: string): Promise<string | undefined> => {
  const caller = rig.call(number);
  await rig.pass(3000);
  return heard(caller);
};

const reload = async (admin: Administrator) => {
  const { status, body } = await admin('POST', '/reload');
  return { status, body, changed: body['changed'] as string[] };
};

describe('a reload', () => {
  it('applies flows to the next call, while a live call keeps its version', async () => {
    const { rig, admin } = await open();
    const early = rig.call('2000');
    await rig.pass(500);
    write(rig, 'hello', saying('hello', 'Good bye'));
    expect(await heardAt(rig, '1000')).toBe('Hello there');
    expect((await reload(admin)).changed).toEqual(['flow hello']);
    expect(await heardAt(rig, '1000')).toBe('Good bye');
    expect(await heardAt(rig, '2000')).toBe('Good bye');
    await rig.pass(3000);
    // It called the other flow after that had changed.
    expect(heard(early)).toBe('Hello there');
    expect((await reload(admin)).changed).toEqual([]);
  });

  it('records its result in the list of changes and in the log, and keeps the version', async () => {
    const { rig, admin } = await open();
    write(rig, 'hello', saying('hello', 'Good bye'));
    await reload(admin);
    expect(rig.logLines.find(({ message }) => message === 'service.reloaded')?.fields).toEqual({
      changed: ['flow hello'],
      needsRestart: [],
    });
    const { changes } = (await admin('GET', '/audit')).body as { changes: { what: string }[] };
    expect(changes[0]?.what).toBe('POST /reload');
    const { versions } = (await admin('GET', '/flows/hello/versions')).body as { versions: { in_force: boolean }[] };
    expect(versions.map(({ in_force }) => in_force)).toEqual([true, false]);
  });

  it.each<
    [string, (text: string) => string, string[], (rig: ApiRig, admin: Administrator) => Promise<unknown>, unknown]
  >([
    [
      'a number',
      (text) => text.replace('"1000", flow: hello', '"1000", flow: caller').replace('"2000"', '"4000"'),
      ['numbers'],
      async (rig) => [await heardAt(rig, '1000'), await heardAt(rig, '4000'), rig.call('2000').state],
      ['Hello there', 'Hello there', 'ringing'],
    ],
    [
      'a prompt',
      (text) => text.replace('Good morning', 'Good evening'),
      ['prompts'],
      async (_rig, admin) => (await admin('GET', '/prompts/welcome/default')).body['text'],
      'Good evening',
    ],
    [
      'a schedule',
      (text) =>
        `${text}schedules: { office: { timezone: UTC, open: [{ days: [mon-sun], from: "08:00", to: "18:00" }] } }\n`,
      ['schedules'],
      async (_rig, admin) => (await admin('GET', '/schedules/office')).body['configured'],
      true,
    ],
    [
      'a user and a carrier',
      (text) =>
        `${text}sip: { users: [{ name: ann, password: wonderland-1 }], routes: [{ prefix: "+", uri: "sip:192.0.2.7" }] }\n`,
      ['sip.users', 'sip.routes', 'sip.allow_sip_uris'],
      async (_rig, admin) => [(await admin('GET', '/users/ann')).status, (await admin('GET', '/routes/file-1')).status],
      [200, 200],
    ],
    [
      'a key of a project',
      (text) => text.replace(SHOP.key, 'another-key-of-the-shop'),
      ['projects'],
      async (rig) => [
        (await rig.request('GET', '/voice/v1/call')).status,
        (await rig.request('GET', '/voice/v1/call', undefined, { as: { ...SHOP, key: 'another-key-of-the-shop' } }))
          .status,
      ],
      [401, 200],
    ],
    [
      'a project that is new, and one that is gone',
      (text) => text.replace(OTHER.id, 'third'),
      ['projects'],
      async (rig) => [
        (await rig.request('GET', '/voice/v1/call', undefined, { as: OTHER })).status,
        (await rig.request('GET', '/voice/v1/call', undefined, { as: { ...OTHER, id: 'third' } })).status,
      ],
      [401, 200],
    ],
    [
      'a room',
      (text) => `${text}rooms: [{ room_id: daily, name: Daily }]\n`,
      ['rooms'],
      async (rig) => (await rig.request('GET', '/video/v2/rooms/daily')).status,
      200,
    ],
    [
      'the token of the administrator',
      (text) => text.replace(TOKEN, 'another-token-of-the-administrator'),
      ['admin'],
      async (_rig, admin) => (await admin('GET', '/projects')).status,
      401,
    ],
  ])('takes %s of the file', async (_what, change, changed, look, expected) => {
    const { rig, admin } = await open();
    rig.rewrite(change);
    expect((await reload(admin)).changed).toEqual(changed);
    expect(await look(rig, admin)).toEqual(expected);
  });

  it('gives the next call new secrets and a new `env`, while a live call keeps its own', async () => {
    const flow = (name: string, first: string): string =>
      `flow: ${name}\nstart: wait\ndefaults: { exits: { error: $end } }\nsteps:\n  wait: { pause: ${first}, next: say }\n  say: { play: { text: "\${ env.color }" }, next: $end }\n`;
    const { rig, admin } = await open();
    write(rig, 'hello', flow('hello', '1s'));
    await reload(admin);
    const early = rig.call('1000');
    await rig.pass(100);
    rig.rewrite((text) => text.replace('crm: one', 'crm: two').replace('color: red', 'color: blue'));
    expect((await reload(admin)).changed).toEqual(['env', 'secrets']);
    expect(await heardAt(rig, '1000')).toBe('blue');
    expect(heard(early)).toBe('red');
  });

  it('names settings that need a restart, as long as they differ', async () => {
    const { rig, admin } = await open();
    rig.rewrite((text) =>
      text.replace(
        'http: { port: 0 }',
        'http: { port: 8081 }\nlimits: { calls: 3, request_burst: 7 }\ndata_directory: elsewhere\ntracing: { otlp_url: "http://127.0.0.1:9/" }',
      ),
    );
    const { body } = await reload(admin);
    expect([body['changed'], body['needs_restart']]).toEqual([
      ['limits.calls'],
      ['data_directory', 'http.port', 'limits.request_burst', 'broadcasts.max_concurrent', 'tracing'],
    ]);
    expect((await reload(admin)).body['needs_restart']).toEqual([
      'data_directory',
      'http.port',
      'limits.request_burst',
      'broadcasts.max_concurrent',
      'tracing',
    ]);
    for (let calls = 0; calls < 3; calls++) rig.call('2000');
    const fourth = rig.call('2000');
    await rig.pass(100);
    expect(fourth.state).toBe('ended');
  });
});

describe('settings of the file and of the API', () => {
  it('are kept separately: the file wins for the same name, and the API value returns when the file drops it', async () => {
    const { rig, admin } = await open();
    await admin('PUT', '/numbers/5000', { project: 'shop', flow: 'caller' });
    rig.rewrite((text) => text.replace('numbers: [', 'numbers: [{ number: "5000", flow: hello }, '));
    await reload(admin);
    expect((await admin('GET', '/numbers/5000')).body).toMatchObject({ flow: 'hello', configured: true });
    expect((await admin('PUT', '/numbers/5000', { project: 'shop', flow: 'caller' })).status).toBe(409);
    rig.rewrite((text) => text.replace('{ number: "5000", flow: hello }, ', ''));
    await reload(admin);
    expect((await admin('GET', '/numbers/5000')).body).toMatchObject({ flow: 'caller', configured: false });
  });

  it('uses a flow that was saved meanwhile as it is in its file', async () => {
    const { rig, admin } = await open();
    const { headers } = await admin('GET', '/flows/hello');
    const saving = rig.request(
      'PUT',
      '/admin/v1/flows/hello',
      { text: saying('hello', 'Saved just now') },
      {
        as: false,
        headers: { authorization: `Bearer ${TOKEN}`, 'if-match': headers.get('etag')! },
      },
    );
    const [saved, { status }] = await Promise.all([saving, reload(admin), reload(admin)]);
    expect([saved.status, status]).toEqual([200, 200]);
    expect(readFileSync(join(rig.directory, 'hello.flow.yaml'), 'utf8')).toContain('Saved just now');
    expect(await heardAt(rig, '1000')).toBe('Saved just now');
  });
});

describe('a reload that changes nothing', () => {
  it.each<[string, (rig: ApiRig, admin: Administrator) => unknown, object]>([
    [
      'where a flow has an error',
      (rig) => write(rig, 'caller', CALLER.replace('next: more', 'next: nowhere')),
      { code: 'unknown-target', file: expect.stringContaining('caller.flow.yaml'), line: 5 },
    ],
    [
      'where a number leads to a flow that is gone',
      (rig) => rmSync(join(rig.directory, 'caller.flow.yaml')),
      { code: 'unknown-flow', file: expect.stringContaining('callweave.yaml') },
    ],
    [
      'where a number of the API leads to a flow that is gone',
      async (rig, admin) => {
        write(rig, 'other', saying('other', 'Another one'));
        await reload(admin);
        await admin('PUT', '/numbers/5000', { project: 'shop', flow: 'other' });
        rmSync(join(rig.directory, 'other.flow.yaml'));
      },
      { code: 'number-in-use', hint: expect.stringContaining('change the number first') },
    ],
    [
      'where the file is not YAML',
      (rig) => rig.rewrite((text) => `${text}}`),
      { file: expect.stringContaining('callweave.yaml') },
    ],
    [
      'where the file has an unknown key',
      (rig) => rig.rewrite((text) => `${text}nubmers: []\n`),
      { code: 'unknown-key' },
    ],
    ['where the file is gone', (rig) => rmSync(join(rig.directory, 'callweave.yaml')), { code: 'unreadable' }],
    [
      'where a secret is missing',
      (rig) => rig.rewrite((text) => text.replace('crm: one', 'crm: { file: not-there }')),
      { code: 'missing-secret' },
    ],
    [
      'where a project with live calls is left out',
      async (rig) => {
        rig.rewrite((text) => text.replace('{ number: "1000"', '{ number: "1000", project: other'));
        await rig.request('POST', '/admin/v1/reload', undefined, {
          as: false,
          headers: { authorization: `Bearer ${TOKEN}` },
        });
        await rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000' }, { as: OTHER });
        await rig.pass(500);
        rig.rewrite((text) =>
          text.replace(`  - { app_id: ${OTHER.id}, app_key: ${OTHER.key} }\n`, '').replace(', project: other', ''),
        );
      },
      { code: 'project-in-use', message: 'the project `other` has live calls or rooms' },
    ],
  ])('is refused with the position of the fault: %s', async (_what, breakIt, diagnostic) => {
    const { rig, admin } = await open();
    await breakIt(rig, admin);
    write(rig, 'hello', saying('hello', 'Good bye'));
    const { status, body } = await reload(admin);
    expect(status).toBe(422);
    expect(body['diagnostics']).toEqual(expect.arrayContaining([expect.objectContaining(diagnostic)]));
    expect(rig.logLines.find(({ message }) => message === 'service.reload_failed')?.fields['problems']).not.toEqual([]);
    expect(await heardAt(rig, '1000')).toBe('Hello there');
  });

  it('keeps the live flow for a draft, and applies the rest', async () => {
    const { rig, admin } = await open();
    const { headers } = await admin('GET', '/flows/caller');
    const draft = CALLER.replace('next: more', 'next: nowhere');
    await rig.request(
      'PUT',
      '/admin/v1/flows/caller',
      { text: draft, draft: true },
      {
        as: false,
        headers: { authorization: `Bearer ${TOKEN}`, 'if-match': headers.get('etag')! },
      },
    );
    write(rig, 'hello', saying('hello', 'Good bye'));
    const { status, body } = await reload(admin);
    expect([status, body['changed']]).toEqual([200, ['flow hello']]);
    expect(body['diagnostics']).toEqual([expect.objectContaining({ code: 'unknown-target' })]);
    expect(await heardAt(rig, '2000')).toBe('Good bye');
    expect((await admin('GET', '/flows/caller')).body['calls_take']).toBe('earlier');
  });
});

it('requires the credentials of an administrator', async () => {
  const { rig } = await open();
  expect((await rig.request('POST', '/admin/v1/reload')).status).toBe(401);
  expect((await administratorOf(rig)('GET', '/reload')).status).toBe(405);
});
