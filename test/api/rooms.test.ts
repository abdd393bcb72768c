/** Rooms by REST: created, read, changed and removed by clients written for this API. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { createMemoryStore } from '../memory-store.ts';
import { ApiRig, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const ROOM = { name: 'Daily', owner_ref: 'acme' };
const BASES = ['/video/v2', '/video/v1', '/v1'];

async function made(rig: Awaited<ReturnType<typeof openRig>>, more: JsonObject = {}): Promise<JsonObject> {
  const { status, body } = await rig.request('POST', '/video/v2/rooms', { ...ROOM, ...more });
  expect([status, body['result']]).toEqual([200, 0]);
  return body['room'] as JsonObject;
}

describe('POST /video/v2/rooms', () => {
  it('makes a room with all its defaults', async () => {
    const rig = await openRig();
    const room = await made(rig, { data: { floor: 3 } });
    expect(room).toEqual({
      room_id: expect.any(String),
      ...ROOM,
      settings: {
        ...{ mode: 'group', scheduled: false, adhoc: false, audiences: 0, send_audiences_stats: false },
        ...{ auto_recording: false, screen_share: true, canvas: false, knock: false, wait_for_moderator: false },
        ...{ quality: 'HD', abwd: false, facex: false, max_active_talkers: 16, single_file_recording: false },
        role_based_recording: { moderator: 'audiovideo', participant: 'audiovideo' },
        ...{ live_recording: false, watermark: false, media_zone: 'XX', billing_code: '' },
        ...{ feedback: false, invitations: [], keep_captions: false },
      },
      sip: { enabled: false },
      data: { floor: 3 },
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it('accepts the spellings of clients: numbers as text, a numeric owner, sip as {} or false, other names', async () => {
    const rig = await openRig();
    const room = await made(rig, {
      owner_ref: 7,
      settings: {
        ...{
          participants: '4',
          duration: '30',
          adhoc: 'true',
          quality: 'sd',
          wait_moderator: true,
          active_talker: true,
        },
        live_recording: { auto_recording: true, url: '' },
      },
      sip: {},
    });
    expect(room).toMatchObject({
      owner_ref: '7',
      settings: { participants: 4, duration: 30, adhoc: true, quality: 'SD', wait_for_moderator: true },
      sip: { enabled: false },
    });
    expect((await made(rig, { sip: false }))['sip']).toEqual({ enabled: false });
  });

  it('gives a room for telephones a numeric PIN and meeting id', async () => {
    const rig = await openRig();
    const { sip } = await made(rig, { sip: { enabled: true } });
    expect(sip).toEqual({ enabled: true, pin: expect.any(Number), meeting_id: expect.any(Number) });
  });

  it.each<[change: JsonObject, result: number]>([
    [{ name: null }, 10002],
    [{ owner_ref: '' }, 10010],
    [{ settings: { scheduled: 'maybe' } }, 10003],
    [{ settings: { scheduled: true, duration: 30 } }, 10004],
    [{ settings: { scheduled: true, duration: 30, scheduled_time: 'tomorrow' } }, 10005],
    [{ settings: { scheduled: true, duration: 30, scheduled_time: '2020-01-01 00:00:00' } }, 10006],
    [{ settings: { participants: 0 } }, 10007],
    [{ settings: { participants: 'many' } }, 10007],
    [{ settings: { auto_recording: 'sometimes' } }, 10008],
    [{ settings: { adhoc: true, duration: 9 } }, 10011],
    [{ settings: { max_active_talkers: 17 } }, 10012],
    [{ settings: { wait_for_moderator: 1 } }, 10013],
    [{ settings: { quality: '4K' } }, 10014],
    [{ settings: { adhoc: 'x' } }, 10016],
    [{ settings: { scheduled_time: '2030-01-01 09:00:00' } }, 10018],
    [{ settings: { hls_view_url: 'not a url' } }, 400],
    [{ settings: { mode: 'party' } }, 10019],
    [{ settings: { moderators: 0 } }, 10022],
    [{ settings: { knock: 'twice' } }, 10025],
    [{ settings: { audiences: -1 } }, 400],
    [{ settings: 'none' }, 400],
    [{ sip: { enabled: 'perhaps' } }, 400],
    [{ data: 'text' }, 400],
  ])('refuses %j with %i', async (change, result) => {
    const rig = await openRig();
    const { status, body } = await rig.request('POST', '/video/v2/rooms', { ...ROOM, ...change });
    expect([status, body['result']]).toEqual([400, result]);
    expect(body).toMatchObject({ error: expect.any(String), desc: expect.any(String) });
    expect((await rig.request('GET', '/video/v2/rooms')).body).toEqual({ result: 0, rooms: [] });
  });
});

describe.each(BASES)('below %s', (base) => {
  it('lets a program create, list, read, change, enter and remove a room', async () => {
    const rig = await openRig();
    const created = await rig.request('POST', `${base}/rooms/`, { ...ROOM, settings: { participants: '2' }, sip: {} });
    const { room_id: id } = created.body['room'] as { room_id: string };
    const steps: [method: string, path: string, body?: Json][] = [
      ['GET', '/rooms'],
      ['GET', `/rooms/${id}`],
      ['PATCH', `/rooms/${id}`, {}],
      ['PUT', `/rooms/${id}/`, { name: 'Weekly', settings: { auto_recording: true } }],
      ['POST', `/rooms/${id}/tokens`, { name: 'Ada', role: 'moderator', user_ref: 'ada' }],
      ['GET', `/rooms/${id}/users`],
      ['GET', `/rooms/${id}`],
      ['DELETE', `/rooms/${id}`],
    ];
    const answers = [];
    for (const [method, path, body] of steps) answers.push(await rig.request(method, base + path, body));
    expect(answers.map(({ status, body }) => [status, body['result']])).toEqual(steps.map(() => [200, 0]));
    const [listed, , , , token, users, read] = answers.map(({ body }) => body);
    expect(listed!['rooms']).toEqual([expect.objectContaining({ room_id: id })]);
    expect(token).toEqual({ result: 0, token: expect.stringMatching(/^[\w-]+\.[\w-]+$/) });
    expect(users).toEqual({ result: 0, total: 0, users: null });
    expect(read!['room']).toMatchObject({ name: 'Weekly', settings: { participants: 2, auto_recording: true } });
    const gone = await rig.request('GET', `${base}/rooms/${id}`);
    expect([gone.status, gone.body]).toEqual([
      404,
      { result: 40001, error: 'room unknown', desc: `there is no room ${id}`, timestamp: expect.any(String) },
    ]);
  });
});

describe('a room', () => {
  it('returns 404 to other projects', async () => {
    const rig = await openRig();
    const { room_id: id } = await made(rig);
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['GET', '/users'],
      ['POST', '/tokens', { name: 'Eve', role: 'moderator', user_ref: 'eve' }],
    ] as [string, string, Json?][]) {
      const { status, body: answer } = await rig.request(method, `/video/v2/rooms/${id}${path}`, body, { as: OTHER });
      expect([method, path, status, answer['result']]).toEqual([method, path, 404, 40001]);
    }
    expect((await rig.request('GET', '/video/v2/rooms', undefined, { as: OTHER })).body['rooms']).toEqual([]);
  });

  it('survives a restart; a configured room keeps its changes', async () => {
    const config = 'rooms: [{ room_id: lobby, pin: "246810", name: Lobby }]\n';
    const store = createMemoryStore();
    const before = await ApiRig.open({ config, store });
    const { room_id: id } = await made(before);
    await before.request('PATCH', '/video/v2/rooms/lobby', { settings: { knock: true } });
    await before.crash();
    const rig = await openRig({ config, store });
    const { rooms } = (await rig.request('GET', '/video/v2/rooms')).body as { rooms: JsonObject[] };
    expect(rooms.map((room) => room['room_id'])).toEqual(['lobby', id]);
    expect(rooms[0]).toMatchObject({
      name: 'Lobby',
      settings: { knock: true },
      owner_ref: 'configuration',
      sip: { enabled: true, pin: 246810 },
    });
  });

  it('cannot be removed if it is configured, with a PIN or without, but can be changed', async () => {
    const rig = await openRig({ config: 'rooms: [{ room_id: lobby, pin: "246810" }, { room_id: hall }]\n' });
    for (const id of ['lobby', 'hall']) {
      const { status, body } = await rig.request('DELETE', `/video/v2/rooms/${id}`);
      expect([status, body['desc']]).toEqual([409, expect.stringContaining('in the configuration file')]);
      expect((await rig.request('PATCH', `/video/v2/rooms/${id}`, { name: 'Hall' })).status).toBe(200);
      expect((await rig.request('GET', `/video/v2/rooms/${id}`)).body['room']).toMatchObject({ name: 'Hall' });
    }
  });

  it('is refused with 10106 when its type is changed', async () => {
    const rig = await openRig();
    const { room_id: id } = await made(rig);
    const { status, body } = await rig.request('PATCH', `/video/v2/rooms/${id}`, { settings: { mode: 'lecture' } });
    expect([status, body['result']]).toEqual([400, 10106]);
  });

  it('is listed in pages', async () => {
    const rig = await openRig();
    for (const name of ['a', 'b', 'c']) await made(rig, { name });
    const { rooms, next } = (await rig.request('GET', '/video/v2/rooms?limit=2')).body;
    expect((rooms as JsonObject[]).map(({ name }) => name)).toEqual(['a', 'b']);
    const last = (await rig.request('GET', `/video/v2/rooms?limit=2&cursor=${next}`)).body;
    expect([(last['rooms'] as JsonObject[]).map(({ name }) => name), last['next']]).toEqual([['c'], undefined]);
    const { status, body } = await rig.request('GET', '/video/v2/rooms?cursor=x');
    expect([status, body['error']]).toEqual([400, 'cursor invalid']);
  });

  it('lists calls that join it as users, stays while they are in it, and reports on them', async () => {
    const rig = await openRig();
    const { room_id: id } = await made(rig, { sip: { enabled: true } });
    const call = await rig.dial({});
    await rig.pass(3000);
    expect((await rig.request('PUT', `/voice/v1/room/${id}/call/${call}/join`)).status).toBe(200);
    await rig.pass(1000);
    expect(rig.received.find(({ body }) => body['state'] === 'joined')?.body).toMatchObject({ room_id: id });
    const users = await rig.request('GET', `/video/v2/rooms/${id}/users`);
    expect(users.body).toMatchObject({ total: 1, users: [{ user_ref: call, permissions: { publish: true } }] });
    const removed = await rig.request('DELETE', `/video/v2/rooms/${id}`);
    expect([removed.status, removed.body['result']]).toEqual([409, 10030]);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    const report = await rig.request('GET', `/video/v2/cdr/room/${id}`);
    expect(report.body['cdr']).toMatchObject([{ sip: true, user: { ref: call } }]);
    expect((await rig.request('DELETE', `/video/v2/rooms/${id}`)).status).toBe(200);
  });
});

describe('POST /video/v2/rooms/{room_id}/tokens', () => {
  it.each<[change: JsonObject, result: number]>([
    [{ name: '' }, 10101],
    [{ user_ref: null }, 10102],
    [{ role: null }, 10103],
    [{ role: 'king' }, 10104],
    [{ role: 'audience' }, 10104],
  ])('refuses %j with %i', async (change, result) => {
    const rig = await openRig();
    const { room_id: id } = await made(rig);
    const body = { name: 'Ada', role: 'participant', user_ref: 'ada', ...change };
    const answer = await rig.request('POST', `/video/v2/rooms/${id}/tokens`, body);
    expect([answer.status, answer.body['result']]).toEqual([400, result]);
  });

  it.each<[settings: JsonObject, result: number]>([
    [{ scheduled: true, scheduled_time: '2026-03-02 12:00:00', duration: 30 }, 10112],
  ])('is refused with 10112 outside the time of the room', async (settings, result) => {
    const rig = await openRig();
    const { room_id: id } = await made(rig, { settings });
    const body = { name: 'Ada', role: 'participant', user_ref: 'ada' };
    const answer = await rig.request('POST', `/video/v2/rooms/${id}/tokens`, body);
    expect([answer.status, answer.body['result']]).toEqual([409, result]);
  });
});

it('returns errors in the format of the video API, also without credentials, a route or a method', async () => {
  const rig = await openRig();
  const none = await rig.request('GET', '/video/v2/rooms', undefined, { as: false });
  expect([none.status, none.body]).toEqual([
    401,
    {
      result: 40002,
      error: 'unauthorized',
      desc: expect.any(String),
      hint: expect.any(String),
      timestamp: expect.any(String),
    },
  ]);
  const nowhere = await rig.request('GET', '/video/v2/nowhere');
  expect([nowhere.status, nowhere.body]).toMatchObject([404, { result: 404, error: 'unknown route' }]);
  const method = await rig.request('DELETE', '/video/v2/rooms');
  expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET, POST']);
});
