/** Admin API: who may use it, and that its changes apply to the next call and survive a restart. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wavHeader } from '../../src/base/core/wav-header.ts';
import { createMemoryStore } from '../memory-store.ts';
import { ADMIN, type Administrator, administered, administratorOf, sendSound, TOKEN } from './admin-client.ts';
import { type ApiRig, SHOP } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const FLOWS = {
  hello:
    'flow: hello\nstart: say\ndefaults: { exits: { error: $end } }\nsteps: { say: { play: "Hello there", next: $end } }\n',
  named:
    'flow: named\ninput: { name: { type: string } }\nstart: say\ndefaults: { exits: { error: $end } }\nsteps: { say: { play: "Hello ${ input.name }", next: $end } }\n',
};

const flowOf = async (rig: ApiRig, number: string): Promise<string | undefined> => {
  rig.call(number);
  await rig.pass(100);
  const { body } = await rig.request('GET', '/voice/v1/call?limit=1');
  return (body['calls'] as { flow: string; to: string }[]).find(({ to }) => to === number)?.flow;
};

const tone = (seconds = 1, sampleRateHz = 16_000): Buffer => {
  const samples = Buffer.alloc(2 * sampleRateHz * seconds);
  for (let at = 0; at < samples.length / 2; at++) {
    samples.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / sampleRateHz)), 2 * at);
  }
  return Buffer.concat([wavHeader(samples.length, sampleRateHz), samples]);
};

describe('a route that is added while the service runs', () => {
  it('turns off delivery to loopback addresses while it exists, and its removal turns it on again', async () => {
    const { rig, admin } = await administered();
    const dial = async (): Promise<number> => {
      const body = { from: '1000', to: '2000', event_url: 'http://127.0.0.1:9/events' };
      return (await rig.request('POST', '/voice/v1/call', body)).status;
    };
    expect(await dial()).toBe(200);
    await admin('PUT', '/routes/carrier', { gateways: ['sip:192.0.2.77'] });
    expect(await dial()).toBe(400);
    await admin('DELETE', '/routes/carrier');
    expect(await dial()).toBe(200);
  });
});

describe('the admin API', () => {
  it('is not there without a token in the configuration', async () => {
    const rig = await openRig();
    for (const path of ['/projects', '/numbers', '/users/x']) {
      const { status, body } = await administratorOf(rig)('GET', path);
      expect([status, body['msg']]).toEqual([404, `route not found: GET /admin/v1${path}`]);
    }
  });

  it('accepts only its own credential, and checks it before it reads the request', async () => {
    const { rig } = await administered();
    const wrong = { as: false as const, headers: { authorization: 'Bearer not-the-token-of-the-admin' } };
    for (const options of [{}, { as: false as const }, wrong]) {
      const answer = await rig.request('PUT', '/admin/v1/numbers/1', '{"broken', options);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
      expect(answer.body).toMatchObject({ result: 401, msg: 'not authorized', state: 'failed' });
      expect(answer.body).not.toHaveProperty('voice_id');
    }
    const asAdmin = { as: false as const, headers: { authorization: `Bearer ${TOKEN}` } };
    expect((await rig.request('GET', '/voice/v1/call/x', undefined, asAdmin)).status).toBe(401);
  });

  it('reports errors in the format of the admin API', async () => {
    const { admin } = await administered();
    expect((await admin('GET', '/nothing')).status).toBe(404);
    const wrongMethod = await admin('POST', '/numbers');
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await admin('PUT', '/numbers/12', '{"flow')).body).toMatchObject({ result: 400, state: 'failed' });
    expect((await admin('PUT', '/numbers/12', { flwo: 'hello' })).body['msg']).toContain('flwo');
    expect((await admin('GET', '/numbers/12')).body).toMatchObject({ result: 404, msg: 'there is no such number' });
  });
});

describe('numbers', () => {
  const take = async (admin: Administrator, path: string, body: object) => {
    const { status, body: answered, text } = await admin('PUT', path, body);
    expect(status, text).toBe(200);
    return answered;
  };

  it('applies to the next call in any spelling, until it is removed', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    expect(await flowOf(rig, '+33199001122')).toBeUndefined();
    const shown = { number: '+33 1 99 00 11 22', project: 'shop', flow: 'hello', configured: false };
    expect(await take(admin, '/numbers/+33%201%2099%2000%2011%2022', { flow: 'hello' })).toEqual(shown);
    expect(await flowOf(rig, '+33199001122')).toBeUndefined();
    expect(await flowOf(rig, '+33 1 99 00 11 22')).toBe('hello');
    expect((await admin('GET', '/numbers/33199001122')).body).toEqual(shown);
    expect((await admin('GET', '/numbers')).body['numbers']).toContainEqual(shown);
    expect((await rig.request('POST', '/voice/v1/call', { from: '+33199001122', to: '2000' })).status).toBe(200);

    expect((await admin('DELETE', '/numbers/33199001122')).body).toMatchObject({ result: 0, status: 'success' });
    expect((await admin('DELETE', '/numbers/33199001122')).status).toBe(404);
    const { body } = await rig.request('POST', '/voice/v1/call', { from: '+33199001122', to: '2000' });
    expect(body['result']).toBe(6118);
  });

  it('changes the target of new calls without disturbing live calls', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    await take(admin, '/numbers/7000', { webhook: rig.webhookUrl, greeting: 'Good morning', auto_accept: true });
    const caller = rig.call('7000');
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected']);
    expect(caller.heard.length).toBeGreaterThan(0);
    await take(admin, '/numbers/7000', { flow: 'hello' });
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected']);
    expect(await flowOf(rig, '7000')).toBe('hello');
  });

  it('plays greetings to callers and called parties, before and after the connection', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const body = {
      webhook: rig.webhookUrl,
      greeting: 'Good morning',
      greeting_heard: 'after_connect',
      outbound_greeting: 'This is the shop',
      auto_accept: true,
    };
    await take(admin, '/numbers/7000', body);
    expect((await admin('GET', '/numbers/7000')).body).toMatchObject(body);
    rig.call('7000');
    await rig.dial({ from: '7000' });
    await rig.pass(6000);
    const said = (to: string) => rig.farEnd(to).heard.map(({ item }) => 'text' in item && item.text);
    expect([said('7000'), said('2000')]).toEqual([['Good morning'], ['This is the shop']]);
    expect(rig.eventNames().filter((word) => word === 'playfinished')).toHaveLength(2);
  });

  it('requires an existing flow or webhook', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const refusal = async (body: object) => {
      const { status, body: answered } = await admin('PUT', '/numbers/7000', body);
      return [status, answered['msg']];
    };
    expect(await refusal({ flow: 'nowhere' })).toEqual([404, 'there is no flow nowhere']);
    expect(await refusal({ flow: 'named', input: { name: 7 } })).toEqual([422, expect.stringContaining('name')]);
    expect(await refusal({ flow: 'hello', greeting: 'Hello' })).toEqual([400, expect.stringContaining('greeting')]);
    expect(await refusal({ greeting_heard: 'after_connect' })).toEqual([
      400,
      expect.stringContaining('greeting_heard'),
    ]);
    expect(await refusal({ outbound_greeting: { silence: 'long' } })).toEqual([
      422,
      expect.stringContaining('outbound_greeting'),
    ]);
    expect(await refusal({ input: {} })).toEqual([400, expect.stringContaining('input')]);
    expect(await refusal({ project: 'nobody' })).toEqual([404, 'there is no project nobody']);
    expect(await refusal({ webhook: 'http://169.254.169.254/' })).toEqual([400, expect.stringContaining('webhook')]);
    expect(await refusal({ greeting: { silence: 'long' } })).toEqual([422, expect.stringContaining('greeting')]);
    expect((await admin('PUT', '/numbers/%00', { flow: 'hello' })).status).toBe(400);
    expect(rig.app.numbers.map(({ number }) => number)).toEqual(['1000', '3000']);
  });

  it('shows numbers of the file and refuses to change them', async () => {
    const { admin } = await administered({ flows: FLOWS });
    expect((await admin('GET', '/numbers/1000')).body).toMatchObject({ number: '1000', configured: true });
    for (const [method, body] of [
      ['PUT', { flow: 'hello' }],
      ['DELETE', undefined],
    ] as const) {
      const { status, body: answered } = await admin(method, '/numbers/10-00', body);
      expect([status, answered['hint']]).toEqual([409, 'change it there, and restart the service']);
    }
  });
});

describe('projects', () => {
  it('creates a project whose key works at once and is shown once', async () => {
    const { rig, admin } = await administered();
    const made = await admin('POST', '/projects', { name: 'Bakery', app_id: 'bakery', webhook_format: 'encrypted' });
    expect(made.status).toBe(201);
    const bakery = { id: 'bakery', key: String(made.body['app_key']) };
    expect(made.body['webhook_secret']).toMatch(/^whsec_/);
    expect((await rig.request('GET', '/voice/v1/call', undefined, { as: bakery })).status).toBe(200);
    const shown = {
      app_id: 'bakery',
      name: 'Bakery',
      webhook_format: 'encrypted',
      strict_bridge_state: true,
      cli_policy: 'own',
      created: expect.any(String),
      configured: false,
    };
    expect((await admin('GET', '/projects/bakery')).body).toEqual(shown);
    const { body, text } = await admin('GET', '/projects');
    expect((body['projects'] as { app_id: string }[]).map(({ app_id: id }) => id)).toEqual(['shop', 'other', 'bakery']);
    expect(text).not.toContain(bakery.key);
    expect((await admin('POST', '/projects', { name: 'Again', app_id: 'bakery' })).status).toBe(409);
    expect((await admin('POST', '/projects', { name: 'Again', app_id: 'shop' })).status).toBe(409);
    expect((await admin('POST', '/projects', { app_id: 'nameless' })).status).toBe(400);
    const other = await admin('POST', '/projects', { name: 'Without an id' });
    expect([other.status, typeof other.body['app_id']]).toEqual([201, 'string']);
  });

  it('replaces keys and secrets, and invalidates the old ones', async () => {
    const { rig, admin } = await administered();
    const first = (await admin('POST', '/projects', { name: 'Bakery', app_id: 'bakery' })).body;
    const tryKey = async (key: unknown) =>
      (await rig.request('GET', '/voice/v1/call', undefined, { as: { id: 'bakery', key: String(key) } })).status;
    expect(await tryKey(first['app_key'])).toBe(200);
    const second = (await admin('POST', '/projects/bakery/key')).body;
    expect(Object.keys(second).sort()).toEqual(['app_id', 'app_key', 'timestamp']);
    expect([await tryKey(first['app_key']), await tryKey(second['app_key'])]).toEqual([401, 200]);
    const third = (await admin('POST', '/projects/bakery/webhook-secret')).body;
    expect(third).not.toHaveProperty('app_key');
    expect(third['webhook_secret']).toMatch(/^whsec_/);
    expect(third['webhook_secret']).not.toBe(first['webhook_secret']);
    expect(await tryKey(second['app_key'])).toBe(200);
  });

  it('applies changes to the next call: caller ID policy and bridge state', async () => {
    const { rig, admin } = await administered();
    const { body: made } = await admin('POST', '/projects', { name: 'Bakery', app_id: 'bakery' });
    const as = { id: 'bakery', key: String(made['app_key']) };
    const dial = () => rig.request('POST', '/voice/v1/call', { from: '+33612345678', to: '2000' }, { as });
    expect((await dial()).status).toBe(400);
    const changes = { cli_policy: 'any', strict_bridge_state: false, name: 'Bakery and café' };
    expect((await admin('PATCH', '/projects/bakery', changes)).body).toMatchObject(changes);
    const call = String((await dial()).body['voice_id']);
    await rig.pass(2000);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, { start: true }, { as })).status).toBe(200);
    expect((await admin('PATCH', '/projects/bakery', {})).status).toBe(400);
    expect((await admin('PATCH', '/projects/nobody', changes)).status).toBe(404);
  });

  it('refuses to remove a project that still has numbers or live calls', async () => {
    const { rig, admin } = await administered();
    const { body: made } = await admin('POST', '/projects', { name: 'Bakery', app_id: 'bakery', cli_policy: 'any' });
    const as = { id: 'bakery', key: String(made['app_key']) };
    await admin('PUT', '/numbers/7000', { project: 'bakery' });
    const reason = async () => {
      const { status, body } = await admin('DELETE', '/projects/bakery');
      return [status, body['msg']];
    };
    expect(await reason()).toEqual([409, '1 of the numbers belong to it']);
    await admin('DELETE', '/numbers/7000');
    const { body } = await rig.request('POST', '/voice/v1/call', { from: '7000', to: '2000' }, { as });
    await rig.pass(2000);
    expect(await reason()).toEqual([409, 'it has calls that have not ended']);
    await rig.request('DELETE', `/voice/v1/call/${body['voice_id']}`, undefined, { as });
    await rig.pass(2000);
    expect((await reason())[0]).toBe(200);
    expect((await rig.request('GET', '/voice/v1/call', undefined, { as })).status).toBe(401);
    expect((await admin('GET', '/projects/bakery')).status).toBe(404);
  });

  it('shows projects of the file and refuses to change them', async () => {
    const { admin } = await administered();
    expect((await admin('GET', '/projects/shop')).body).toMatchObject({ app_id: SHOP.id, configured: true });
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['POST', '/key', undefined],
      ['POST', '/webhook-secret', undefined],
    ] as const) {
      expect((await admin(method, `/projects/shop${path}`, body)).status, `${method} ${path}`).toBe(409);
    }
  });
});

describe('prompts', () => {
  it('plays texts or audio to the next call that names them', async () => {
    const { rig, admin } = await administered();
    const call = await rig.dial();
    await rig.pass(2000);
    const play = (language?: string) =>
      rig.request('PUT', `/voice/v1/call/${call}/play`, { prompt_name: 'welcome', ...(language ? { language } : {}) });
    expect((await play()).status).toBe(400);
    expect((await admin('PUT', '/prompts/welcome/en-US', { text: 'Good morning', voice: 'male' })).body).toEqual({
      name: 'welcome',
      language: 'en-US',
      text: 'Good morning',
      voice: 'male',
      audio: false,
      configured: false,
    });
    expect((await play()).status).toBe(200);
    await rig.pass(5000);
    const sent = await sendSound(rig, '/prompts/welcome/pt-BR', tone());
    expect(sent.status).toBe(200);
    expect(await sent.json()).toMatchObject({ language: 'pt-BR', audio: true, duration_ms: 1000 });
    expect((await play('pt-BR')).status).toBe(200);
    await rig.pass(5000);
    const heard = JSON.stringify(rig.farEnd('2000').heard);
    expect(heard).toContain('Good morning');
    expect(heard).toMatch(/prompts\/[0-9a-f]{64}\.wav/);
    expect((await admin('GET', '/prompts')).body['prompts']).toHaveLength(2);
  });

  it('stores audio at 8,000 samples a second, and returns it', async () => {
    const { rig, admin } = await administered();
    const mp3 = readFileSync(join(import.meta.dirname, '../speech/tone-44100-stereo.mp3'));
    expect((await sendSound(rig, '/prompts/jingle/default', mp3, 'audio/mpeg')).status).toBe(200);
    const answer = await fetch(`${rig.base}/admin/v1/prompts/jingle/default/audio`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(answer.headers.get('content-type')).toBe('audio/wav');
    const wav = Buffer.from(await answer.arrayBuffer());
    expect([wav.toString('latin1', 0, 4), wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual(['RIFF', 1, 8000]);
    await admin('PUT', '/prompts/words/default', { text: 'Hello' });
    expect((await admin('GET', '/prompts/words/default/audio')).status).toBe(404);
    expect((await admin('DELETE', '/prompts/jingle/default')).status).toBe(200);
    expect((await admin('GET', '/prompts/jingle/default/audio')).status).toBe(404);
  });

  it('rejects prompts without audio, too large, in an unknown language, or of the configuration file', async () => {
    const config = `${NUMBERS}prompts: { ours: "From the file" }\n`;
    const { rig, admin } = await administered({ config });
    const broken = await sendSound(rig, '/prompts/x/default', Buffer.from('RIFF, but nothing that one could hear'));
    expect([broken.status, ((await broken.json()) as { msg: string }).msg]).toEqual([
      422,
      expect.stringContaining('cannot be used'),
    ]);
    expect((await sendSound(rig, '/prompts/x/default', Buffer.alloc(20 * 2 ** 20 + 1))).status).toBe(413);
    expect((await sendSound(rig, '/prompts/x/klingon!', tone())).status).toBe(400);
    expect((await admin('PUT', '/prompts/x/fr-FR', { text: 'Bonjour' })).status).toBe(406);
    expect((await admin('PUT', '/prompts/x/default', { text: '' })).status).toBe(400);
    expect((await admin('PUT', '/prompts/ours/default', { text: 'Mine' })).status).toBe(409);
    expect((await admin('PUT', '/prompts/ours/en-US', { text: 'Mine' })).status).toBe(409);
    expect((await admin('DELETE', '/prompts/ours/default')).status).toBe(409);
    expect((await admin('GET', '/prompts')).body['prompts']).toHaveLength(1);
  });
});

describe('users, routes and schedules', () => {
  it('never returns the password of a user', async () => {
    const { admin } = await administered({
      config: `${NUMBERS}sip: { users: [{ name: ours, password: p-of-file }] }\n`,
    });
    expect((await admin('PUT', '/users/alice', { password: 'wonderland-1' })).body).toEqual({
      name: 'alice',
      configured: false,
    });
    const { body, text } = await admin('GET', '/users');
    expect(body['users']).toEqual([
      { name: 'ours', configured: true },
      { name: 'alice', configured: false },
    ]);
    expect(text).not.toMatch(/wonderland|p-of-file/);
    expect((await admin('PUT', '/users/Ours', { password: 'wonderland-1' })).status).toBe(409);
    expect((await admin('PUT', '/users/al ice', { password: 'wonderland-1' })).status).toBe(400);
    expect((await admin('PUT', '/users/bob', { password: 'short' })).status).toBe(400);
    expect((await admin('PUT', '/users/bob', { password: 'wonderland-1', srtp: 'optional' })).body).toMatchObject({
      srtp: 'optional',
    });
    expect((await admin('PUT', '/users/bob', { password: 'wonderland-1', srtp: 'yes' })).status).toBe(400);
    expect((await admin('DELETE', '/users/ALICE')).status).toBe(200);
    expect((await admin('GET', '/users/alice')).status).toBe(404);
  });

  it('keeps the password of a user that is changed without one, and requires it of a new user', async () => {
    const { rig, admin } = await administered();
    const refused = await admin('PUT', '/users/alice', { srtp: 'off' });
    expect([refused.status, refused.body['msg']]).toEqual([400, 'password: required for a new user']);
    await admin('PUT', '/users/alice', { password: 'wonderland-1' });
    expect((await admin('PUT', '/users/Alice', { srtp: 'optional' })).body).toMatchObject({ srtp: 'optional' });
    expect(rig.store.settings.list('user')[0]!.value).toMatchObject({ password: 'wonderland-1', srtp: 'optional' });
  });

  it('keeps the password of a route that is changed with the same user name, and no other', async () => {
    const { rig, admin } = await administered();
    const passwordOf = (): unknown => (rig.store.settings.list('route')[0]!.value as { password?: string }).password;
    const route = { gateways: ['sip:192.0.2.77'], username: 'ours' };
    expect((await admin('PUT', '/routes/carrier', route)).status).toBe(400);
    await admin('PUT', '/routes/carrier', { ...route, password: 'wonderland-1' });
    expect((await admin('PUT', '/routes/carrier', { ...route, max_calls: 5 })).status).toBe(200);
    expect(passwordOf()).toBe('wonderland-1');
    expect((await admin('PUT', '/routes/carrier', { ...route, username: 'others' })).status).toBe(400);
    await admin('PUT', '/routes/carrier', { gateways: route.gateways });
    expect(passwordOf()).toBeUndefined();
  });

  it('lists the registered phones of a user, with their address and since when', async () => {
    const phone = { transport: 'tcp', host: '192.0.2.50', port: 5062, leftMs: 60_000 };
    const { admin } = await administered({
      phonesOf: (user) => (user === 'alice' ? [{ ...phone, sinceMs: Date.parse('2026-11-30T10:00:00Z') }] : []),
    });
    await admin('PUT', '/users/alice', { password: 'wonderland-1' });
    await admin('PUT', '/users/bob', { password: 'wonderland-1' });
    expect((await admin('GET', '/users')).body['users']).toMatchObject([
      {
        name: 'alice',
        registrations: [{ transport: 'tcp', host: '192.0.2.50', port: 5062, since: '2026-11-30T10:00:00.000Z' }],
      },
      { name: 'bob', registrations: [] },
    ]);
  });

  it('returns routes as they were written, without the password', async () => {
    const { admin } = await administered();
    const written = {
      prefix: '+33',
      gateways: ['sip:carrier.example:5080', 'sip:other.example'],
      username: 'us',
      register: true,
      failover_on: [503, '4xx'],
      try_timeout: '2s',
      calls_per_second: 5,
      max_calls: 30,
      strip: 1,
      add: '00',
      from_domain: 'us.example',
      from_user: 'us',
      country: '33',
      identity: 'ppi',
      headers: { 'X-Tenant': 'acme' },
      keepalive: '30s',
      srtp: 'required',
    };
    const { status, body, text } = await admin('PUT', '/routes/france', { ...written, password: 'never-shown-1' });
    expect(status, text).toBe(200);
    expect(body).toEqual({
      ...written,
      route_id: 'france',
      try_timeout: '2000ms',
      keepalive: '30000ms',
      configured: false,
    });
    expect((await admin('GET', '/routes')).text).not.toContain('never-shown');
    expect((await admin('PUT', '/routes/x', { gateways: ['http://carrier'] })).status).toBe(400);
    expect((await admin('PUT', '/routes/x', { gateways: ['sip:a'], username: 'us' })).status).toBe(400);
    expect((await admin('PUT', '/routes/x', { gateways: ['sip:a'], register: true })).status).toBe(400);
    expect((await admin('PUT', '/routes/x', { gateways: ['sip:a'], keepalive: 'often' })).status).toBe(400);
    expect((await admin('PUT', '/routes/x', { gateways: ['sip:a'], srtp: 'perhaps' })).status).toBe(400);
    const injected = await admin('PUT', '/routes/x', { gateways: ['sip:a'], headers: { 'X-A': '1\r\nX-B: 2' } });
    expect([injected.status, injected.text]).toEqual([400, expect.stringContaining('headers: the value of X-A')]);
    expect((await admin('DELETE', '/routes/france')).status).toBe(200);
    expect((await admin('GET', '/routes')).body['routes']).toEqual([]);
  });

  it('applies a schedule to the flows of the next request and to the next call', async () => {
    const { rig, admin } = await administered();
    const dial = (name: string) => {
      const steps = {
        hours: { schedule: name, exits: { open: 'yes', closed: 'no', holiday: 'no' } },
        yes: { play: 'We are open', next: '$end' },
        no: { play: 'We are closed', next: '$end' },
      };
      return rig.request('POST', '/voice/v1/call', {
        from: '1000',
        to: '2000',
        flow: { flow: 'hours', start: 'hours', defaults: { exits: { error: '$end' } }, steps },
      });
    };
    expect((await dial('office')).status).toBe(422);
    const always = { open: [{ from: '00:00', to: '24:00' }] };
    expect((await admin('PUT', '/schedules/office', always)).body).toEqual({
      name: 'office',
      schedule: always,
      configured: false,
    });
    await admin('PUT', '/schedules/never', { open: [] });
    expect((await dial('never')).status).toBe(200);
    await rig.pass(5000);
    expect(JSON.stringify(rig.farEnd('2000').heard)).toContain('We are closed');
    await admin('PUT', '/schedules/never', always);
    expect((await dial('never')).status).toBe(200);
    await rig.pass(5000);
    expect(JSON.stringify(rig.farEnd('2000').heard)).toContain('We are open');
    expect((await admin('PUT', '/schedules/x', { timezone: 'Europe/Atlantis', open: [] })).status).toBe(400);
    expect((await admin('PUT', '/schedules/x', { open: [{ from: '9', to: '17' }] })).status).toBe(400);
  });
});

describe('undelivered events', () => {
  it('lists events without their content, and resends one or all of a project', async () => {
    const { rig, admin } = await administered();
    rig.answerEvent = () => ({ status: 410 });
    await rig.dial();
    await rig.pass(2000);
    rig.answerEvent = () => ({ status: 204 });
    const { body, text } = await admin('GET', '/projects/shop/dead-letters');
    const dead = body['events'] as { event_id: string; cause: string }[];
    expect(dead.map(({ cause }) => cause)).toEqual(['gone', 'gone']);
    expect(text).not.toContain('ringing');
    expect((await admin('GET', '/projects/shop/disabled-urls')).body['urls']).toEqual([
      { url: rig.webhookUrl, disabled: expect.any(String) },
    ]);
    expect((await admin('GET', '/projects/other/dead-letters')).body['events']).toEqual([]);
    expect((await admin('GET', '/projects/shop/dead-letters?limit=0')).status).toBe(400);
    expect((await admin('GET', '/projects/shop/dead-letters?limit=1')).body['events']).toHaveLength(1);

    rig.received.length = 0;
    const [last, first] = dead;
    expect((await admin('POST', `/projects/other/dead-letters/${first!.event_id}/resend`)).status).toBe(404);
    expect((await admin('POST', `/projects/shop/dead-letters/${first!.event_id}/resend`)).body['resent']).toBe(1);
    await rig.pass(1000);
    expect(rig.received.map(({ headers }) => headers['webhook-id'])).toEqual([first!.event_id]);
    expect((await admin('POST', `/projects/shop/dead-letters/${first!.event_id}/resend`)).status).toBe(404);
    expect((await admin('POST', '/projects/shop/dead-letters/resend')).body['resent']).toBe(1);
    await rig.pass(1000);
    expect(rig.received.map(({ headers }) => headers['webhook-id'])).toEqual([first!.event_id, last!.event_id]);
    expect((await admin('GET', '/projects/shop/dead-letters')).body['events']).toEqual([]);
  });

  it('resends separately the events of URLs with a common prefix', async () => {
    const { rig, admin } = await administered();
    rig.answerEvent = () => ({ status: 410 });
    await rig.dial();
    await rig.pass(2000);
    rig.answerEvent = () => ({ status: 204 });
    rig.received.length = 0;
    const resend = (body: unknown) => admin('POST', '/projects/shop/dead-letters/resend', body);
    expect((await resend({ url_prefix: 'https://elsewhere.example/' })).body['resent']).toBe(0);
    expect((await resend({ url_prefix: 7 })).status).toBe(200);
    expect((await resend({ url: rig.webhookUrl })).status).toBe(400);
    expect((await resend({ url_prefix: new URL(rig.webhookUrl).origin })).body['resent']).toBe(2);
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
  });

  it('lists the servers that have pending events', async () => {
    const { rig, admin } = await administered();
    expect((await admin('GET', '/receivers')).body['receivers']).toEqual([]);
    rig.answerEvent = () => ({ status: 503 });
    await rig.dial();
    await rig.pass(2000);
    expect((await admin('GET', '/receivers')).body['receivers']).toEqual([
      { app_id: 'shop', origin: new URL(rig.webhookUrl).origin, state: 'up', waiting: 2, in_flight: 0 },
    ]);
    for (let call = 0; call < 20; call++) await rig.dial();
    await rig.pass(2000);
    expect((await admin('GET', '/receivers')).body['receivers']).toMatchObject([
      { state: 'down', down_since: expect.any(String), next_probe: expect.any(String) },
    ]);
    expect((await admin('POST', '/receivers')).status).toBe(405);
  });

  it('sends again to a URL that answered 410 once it is enabled', async () => {
    const { rig, admin } = await administered();
    rig.answerEvent = () => ({ status: 410 });
    await rig.dial();
    await rig.pass(2000);
    rig.answerEvent = () => ({ status: 204 });
    rig.received.length = 0;
    const enable = () => admin('POST', '/projects/shop/disabled-urls/enable', { url: rig.webhookUrl });
    expect((await enable()).status).toBe(200);
    expect((await enable()).status).toBe(404);
    await rig.dial();
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
  });
});

describe('after the next start', () => {
  it('keeps changes of the API, unless the file defines the same name', async () => {
    const store = createMemoryStore();
    store.close = async () => undefined;
    const before = await administered({ store, flows: FLOWS });
    const made = await before.admin('POST', '/projects', { name: 'Bakery', app_id: 'bakery' });
    await before.admin('PUT', '/numbers/7000', { flow: 'hello' });
    await before.admin('PUT', '/numbers/7001', { flow: 'hello' });
    await before.admin('PUT', '/prompts/welcome/default', { text: 'Good morning' });
    await before.admin('PUT', '/schedules/office', { open: [] });
    await before.rig.close();

    const flows = {
      ...FLOWS,
      hours:
        'flow: hours\nstart: now\ndefaults: { exits: { open: $end, closed: $end, holiday: $end, error: $end } }\nsteps: { now: { schedule: office } }\n',
    };
    const numbers = 'numbers: [{ number: "1000" }, { number: "7001", flow: hours }]\n';
    const { rig, admin } = await administered({ store, flows, config: numbers });
    expect(await flowOf(rig, '7000')).toBe('hello');
    expect(await flowOf(rig, '7001')).toBe('hours');
    expect((await admin('GET', '/prompts/welcome/default')).body['text']).toBe('Good morning');
    const as = { id: 'bakery', key: String(made.body['app_key']) };
    expect((await rig.request('GET', '/voice/v1/call', undefined, { as })).status).toBe(200);
  });

  it('removes audio files that no prompt names', async () => {
    const { rig, admin } = await administered();
    await sendSound(rig, '/prompts/a/default', tone(1));
    await sendSound(rig, '/prompts/b/default', tone(2));
    const folder = join(rig.directory, 'data', 'prompts');
    await admin('DELETE', '/prompts/a/default');
    expect(readdirSync(folder)).toHaveLength(2);
    const { createPromptFiles } = await import('../../src/service/calls/settings/prompt-files.ts');
    const kept = rig.store.settings.list('prompt').map(({ value }) => String((value as { file: string }).file));
    createPromptFiles(folder, () => Promise.reject(new Error('nothing is sent'))).sweep(kept);
    expect(readdirSync(folder)).toEqual(kept);
  });
});

it('keeps every secret of an administrator out of the log', async () => {
  const { rig, admin } = await administered();
  await admin('PUT', '/users/alice-in-the-log', { password: 'wonderland-1' });
  await admin('PUT', '/numbers/+33199001122', {});
  await rig.pass(10);
  const log = JSON.stringify(rig.logLines);
  expect(log).toContain('/admin/v1/users/{name}');
  for (const secret of ['wonderland', TOKEN]) expect(log).not.toContain(secret);
  expect(ADMIN).toContain(TOKEN);
});
