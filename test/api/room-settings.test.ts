/** Each setting of a room with invalid values: in a new room, and in a change, which then has no effect. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { readSchema } from '../../src/base/schema/schema-files.ts';
import { openRig } from './rigs.ts';

const ROOM = { name: 'Daily', owner_ref: 'acme' };
const TOO_LONG = 'x'.repeat(2001);

/** Result code of each setting, and its invalid values; values of a wrong type come first. */
const WRONG: Readonly<Record<string, readonly [result: number, ...values: Json[]]>> = {
  description: [400, true, ['text'], TOO_LONG],
  mode: [10019, 1, true, {}, 'party'],
  scheduled: [10003, 1, 'yes', {}],
  adhoc: [10016, 0, 'no', []],
  scheduled_time: [10005, true, {}, TOO_LONG],
  duration: [10011, true, 'long', 10.5, 9, 0, -10, 44_641],
  moderators: [10022, true, 'some', 1.5, 0, -1, 1001],
  participants: [10007, true, 'many', '2.5', 2.5, 0, -1, 1601, 1e21],
  audiences: [400, true, 'all', 0.5, -1, 100_001],
  hls_view_url: [400, true, {}, TOO_LONG, 'not a url', 'ftp://example.org/', 'https://[', 'https:// x', 'default'],
  send_audiences_stats: [400, 1, 'always', {}],
  auto_recording: [10008, 1, 'always', {}],
  screen_share: [400, 1, 'on', []],
  canvas: [400, 1, 'on', []],
  knock: [10025, 1, 'twice', {}],
  wait_for_moderator: [10013, 1, 'yes', {}],
  quality: [10014, 1, true, '4K', ['HD']],
  abwd: [400, 1, 'on', {}],
  facex: [400, 1, 'on', {}],
  max_active_talkers: [10012, true, 'all', 1.5, 0, 17],
  active_talker: [400, 'x', {}],
  single_file_recording: [400, 1, 'on', {}],
  role_based_recording: [400, 'audio', true, [], { moderator: 'video' }, { participant: 1 }],
  live_recording: [400, 'on', 1, [], { auto_recording: 'x' }, { url: {} }],
  watermark: [400, 1, 'on', {}],
  media_zone: [400, 1, true, 'EU'],
  billing_code: [400, true, {}, 'x'.repeat(201)],
  feedback: [400, 1, 'always', {}],
  invitations: [400, true, ['owner'], ['viewer', 'viewer'], [1]],
  captions: [400, true, {}, 'e', 'english please'],
  keep_captions: [400, 1, 'always', {}],
};
const MISTAKES = Object.entries(WRONG).flatMap(([key, [result, ...values]]) =>
  values.map((value): [key: string, value: Json, result: number] => [key, value, result]),
);
const TOGETHER: readonly [settings: JsonObject, result: number][] = [
  [{ scheduled: true, adhoc: true }, 10016],
  [{ scheduled: true, duration: 30 }, 10004],
  [{ scheduled: true, duration: 30, scheduled_time: 'tomorrow' }, 10005],
  [{ scheduled: true, duration: 30, scheduled_time: '2026-03-02T12:00:00Z' }, 10005],
  [{ scheduled: true, duration: 30, scheduled_time: '2026-02-30 12:00:00' }, 10005],
  [{ scheduled: true, duration: 30, scheduled_time: '2020-01-01 00:00:00' }, 10006],
  [{ scheduled: true, scheduled_time: '2026-03-02 12:00:00' }, 10011],
  [{ scheduled_time: '2026-03-02 12:00:00' }, 10018],
  [{ adhoc: true, scheduled_time: '2026-03-02 12:00:00' }, 10018],
  [{ participants: 101 }, 10007],
  [{ participants: 4, moderators: 5 }, 10022],
];

const { properties } = readSchema('api/room') as { properties: { settings: { properties: JsonObject } } };

/** A table is sent at once. */
const LIMITS = 'limits: { requests_per_second: 1000, request_burst: 1000 }\n';

describe('settings of a room', () => {
  it('are all in the table of this test', () => {
    expect(Object.keys(WRONG).sort()).toEqual(Object.keys(properties.settings.properties).sort());
  });

  it('are refused with their code if invalid, without creating a room', async () => {
    const rig = await openRig({ config: LIMITS });
    const wanted = [...MISTAKES.map(([key, value, result]) => [{ [key]: value }, result] as const), ...TOGETHER];
    const answers: [JsonObject, unknown][] = [];
    for (const [settings] of wanted) {
      const { status, body } = await rig.request('POST', '/video/v2/rooms', { ...ROOM, settings });
      const place = Object.keys(settings).some((key) => String(body['desc']).includes(key));
      answers.push([settings, place && status === 400 ? body['result'] : body]);
    }
    expect(answers).toEqual(wanted);
    expect((await rig.request('GET', '/video/v2/rooms')).body['rooms']).toEqual([]);
  });

  it('are refused in the same manner for an existing room, which stays unchanged', async () => {
    const rig = await openRig({ config: LIMITS });
    const made = (await rig.request('POST', '/video/v2/rooms', ROOM)).body['room'] as JsonObject;
    const path = `/video/v2/rooms/${made['room_id']}`;
    const answers: [JsonObject, unknown][] = [];
    for (const [key, value] of MISTAKES) {
      const settings = { [key]: value };
      answers.push([settings, (await rig.request('PATCH', path, { settings })).body['result']]);
    }
    expect(answers).toEqual(MISTAKES.map(([key, value, result]) => [{ [key]: value }, result]));
    for (const [settings, result] of [
      [{ scheduled_time: '2026-03-02 12:00:00' }, 10018],
      [{ mode: 'lecture' }, 10106],
      [{ scheduled: true }, 10106],
      [{ adhoc: true }, 10106],
    ] as [JsonObject, number][]) {
      expect([settings, (await rig.request('PATCH', path, { settings })).body['result']]).toEqual([settings, result]);
    }
    for (const [change, result] of [
      [{ name: null }, 10002],
      [{ name: '  ' }, 10002],
      [{ owner_ref: null }, 10010],
      [{ owner_ref: '' }, 10010],
    ] as [JsonObject, number][]) {
      const { status, body } = await rig.request('PATCH', path, change);
      expect([change, status, body['result']]).toEqual([change, 400, result]);
    }
    for (const empty of [undefined, {}, { settings: {} }, { settings: { mode: 'group', scheduled: 'false' } }]) {
      expect((await rig.request('PATCH', path, empty)).body).toEqual({ result: 0 });
    }
    expect((await rig.request('GET', path)).body['room']).toEqual(made);
  });

  it.each<[settings: JsonObject, ignored: string[] | undefined]>([
    [{ duration: 30 }, ['duration']],
    [{ adhoc: true, duration: 30 }, undefined],
    [{ scheduled_time: null, duration: '' }, undefined],
    [{ partcipants: 3, Mode: 'group', constructor: 1 }, ['partcipants', 'Mode', 'constructor']],
    [{ active_talker: true }, ['active_talker']],
    [{ participants: 5, single_file_recording: true }, ['single_file_recording']],
    [{ participants: 2, single_file_recording: true }, undefined],
    [{ single_file_recording: true }, undefined],
    [{ facex: true, watermark: true, canvas: true, media_zone: 'IN' }, ['facex', 'watermark', 'canvas', 'media_zone']],
    [{ live_recording: true }, ['live_recording']],
    [{ live_recording: { auto_recording: true } }, ['live_recording']],
    [{ abwd: false }, ['abwd']],
    [{ abwd: true, facex: false, watermark: false, canvas: false, media_zone: 'XX', live_recording: false }, undefined],
  ])('given %j: are named in `ignored` of POST and PATCH if without effect: %j', async (settings, ignored) => {
    const rig = await openRig();
    const { status, body } = await rig.request('POST', '/video/v2/rooms', { ...ROOM, settings });
    expect([status, body['ignored']]).toEqual([200, ignored]);
    const made = body['room'] as { room_id: string; settings: JsonObject };
    expect(made.settings).toMatchObject({
      single_file_recording: !ignored && settings['single_file_recording'] === true,
    });
    if (settings['adhoc'] !== true) expect(Object.keys(made.settings)).not.toContain('duration');
    const changed = await rig.request('PATCH', `/video/v2/rooms/${made.room_id}`, { settings });
    expect(changed.body).toEqual({ result: 0, ...(ignored && { ignored }) });
    expect((await rig.request('GET', `/video/v2/rooms/${made.room_id}`)).body['room']).toEqual(made);
  });

  it('limits the names in `ignored`', async () => {
    const rig = await openRig();
    const settings = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${'x'.repeat(80)}${index}`, 1]));
    const { body } = await rig.request('POST', '/video/v2/rooms', { ...ROOM, settings });
    expect((body['ignored'] as string[]).map(({ length }) => length)).toEqual(Array(50).fill(64));
  });

  it('drops single-file recording in a change to more participants', async () => {
    const rig = await openRig();
    const settings = { participants: 2, single_file_recording: true };
    const { body } = await rig.request('POST', '/video/v2/rooms', { ...ROOM, settings });
    const path = `/video/v2/rooms/${(body['room'] as JsonObject)['room_id']}`;
    await rig.request('PATCH', path, { settings: { participants: 5 } });
    expect((await rig.request('GET', path)).body['room']).toMatchObject({ settings: { single_file_recording: false } });
  });

  it('stores each setting as written, and reads it as the documented type', async () => {
    const rig = await openRig();
    const written: JsonObject = {
      ...{ description: 'Our daily', moderators: '1', participants: '20', audiences: '5', hls_view_url: 'DEFAULT' },
      ...{ send_audiences_stats: 'true', auto_recording: true, screen_share: 'false', canvas: true, knock: true },
      ...{ wait_for_moderator: 'TRUE', quality: 'ld', abwd: true, facex: true, max_active_talkers: '6' },
      ...{ single_file_recording: false, role_based_recording: { moderator: 'AUDIO' }, watermark: true },
      ...{ live_recording: { auto_recording: true, url: 'rtmp://live.example/1' }, media_zone: 'in' },
      ...{ billing_code: 12, feedback: 'true', invitations: ['viewer'], captions: 'en', keep_captions: true },
    };
    const { room_id: id } = (await rig.request('POST', '/video/v2/rooms', ROOM)).body['room'] as JsonObject;
    for (const [key, value] of Object.entries(written)) {
      await rig.request('PATCH', `/video/v2/rooms/${id}`, { settings: { [key]: value } });
    }
    const { settings } = (await rig.request('GET', `/video/v2/rooms/${id}`)).body['room'] as JsonObject;
    expect(settings).toEqual({
      ...written,
      ...{ mode: 'group', scheduled: false, adhoc: false, moderators: 1, participants: 20, audiences: 5 },
      ...{ send_audiences_stats: true, screen_share: false, wait_for_moderator: true, quality: 'LD' },
      ...{ max_active_talkers: 6, role_based_recording: { moderator: 'audio', participant: 'audiovideo' } },
      ...{ media_zone: 'IN', billing_code: '12', feedback: true },
    });
  });

  it('limits quality to the maximum of the configuration, which is the default', async () => {
    const rig = await openRig({ config: 'video: { max_quality: SD }\n' });
    const create = (settings: JsonObject) => rig.request('POST', '/video/v2/rooms', { ...ROOM, settings });
    expect((await create({})).body['room']).toMatchObject({ settings: { quality: 'SD' } });
    expect((await create({ quality: 'LD' })).status).toBe(200);
    const { status, body } = await create({ quality: 'HD' });
    expect([status, body['result']]).toEqual([400, 10021]);
  });
});

describe('GET /video/v2/dialin/', () => {
  it.each(['/video/v2/dialin/', '/video/v2/dialin', '/video/v1/dialin', '/v1/dialin/'])(
    '%s shows what the configuration says',
    async (path) => {
      const rig = await openRig({
        config: `
video:
  dial_in:
    numbers:
      - { country: France, country_code: FR, phone: "+33123456789" }
      - { phone: "+18005550100", toll: false }
    server_url: sip:rooms.example
    username: rooms
    password: a secret
    sig_servers: [192.0.2.1]
    media_servers: [192.0.2.2, 192.0.2.3]
`,
      });
      expect((await rig.request('GET', path)).body).toEqual({
        ...{ result: 0, _id: 'shop', app_key: '', settings: { sip: true } },
        sip: {
          ...{ server_url: 'sip:rooms.example', username: 'rooms', password: 'a secret' },
          ...{ sig_servers: ['192.0.2.1'], media_servers: ['192.0.2.2', '192.0.2.3'] },
        },
        dialin: [
          { country: 'France', country_code: 'FR', phone: '+33123456789', toll: true },
          { country: '', country_code: '', phone: '+18005550100', toll: false },
        ],
      });
      expect((await rig.request('GET', path, undefined, { as: false })).status).toBe(401);
    },
  );

  it('returns 10001 for a path without its room', async () => {
    const rig = await openRig();
    expect((await rig.request('GET', '/video/v2/dialin/')).body).toMatchObject({
      settings: { sip: false },
      sip: { server_url: '', username: '', password: '', sig_servers: [], media_servers: [] },
      dialin: [],
    });
  });
});

it('returns 10001 for a path without its room', async () => {
  const rig = await openRig();
  for (const [method, path] of [
    ['GET', '/rooms//users'],
    ['POST', '/rooms//tokens'],
  ] as const) {
    const { status, body } = await rig.request(method, `/video/v2${path}`, method === 'POST' ? {} : undefined);
    expect([status, body['result']]).toEqual([400, 10001]);
  }
});
