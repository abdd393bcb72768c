/** Sessions of rooms as the operator sees them, and the events that applications get. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { createMemoryStore } from '../memory-store.ts';
import { administered } from './admin-client.ts';
import { ApiRig, SHOP } from './rig.ts';
import { openRig } from './rigs.ts';
import { comeToRoom, connectToRoom, enterRoom, roomOf } from './room-clients.ts';

const SECRET = `whsec_${Buffer.from('a secret of the shop, long enough').toString('base64')}`;
const PROJECTS = `
projects:
  - { app_id: ${SHOP.id}, app_key: ${SHOP.key}, webhook_secret: ${SECRET}, video_webhook: "HOOK" }
`;

const typesOf = (rig: ApiRig) => rig.received.map(({ body }) => body['type']);

describe('the admin API', () => {
  it('shows the rooms of all projects with their participants', async () => {
    const { rig, admin } = await administered();
    const [first, second] = [await roomOf(rig), await roomOf(rig, { adhoc: true })];
    const ada = await enterRoom(rig, first, 'moderator', 'Ada');
    const ben = await enterRoom(rig, first, 'participant', 'Ben');
    const { confNum } = rig.roomEngine.sessions.values().next().value!;
    rig.roomEngine.report(confNum, { type: 'published', participant: ben.id, source: 'audio', on: true });
    rig.roomEngine.report(confNum, { type: 'link', participant: ben.id, poor: true });
    const { body } = await admin('GET', '/rooms');
    expect(body['rooms']).toMatchObject([
      { app_id: 'shop', room_id: first, type: 'permanent', session: { users: 2, waiting: 0, recording: false } },
      { app_id: 'shop', room_id: second, type: 'adhoc', session: null },
    ]);
    const { body: shown } = await admin('GET', `/rooms/shop/${first}`);
    expect(shown).toMatchObject({
      room_id: first,
      session: { conf_num: confNum, engine: 'simulated', media: 'running', since: '2026-03-02T08:30:00.000Z' },
      users: [
        { call_num: ada.id, name: 'Ada', role: 'moderator', state: 'in', ip: '127.0.0.1', poor_link: false },
        { call_num: ben.id, published: ['audio'], poor_link: true, call_quality: 'Unknown' },
      ],
    });
    const page = (await admin('GET', '/rooms?limit=1')).body;
    expect((await admin('GET', `/rooms?cursor=${page['next']}`)).body['rooms']).toMatchObject([{ room_id: second }]);
    expect((await admin('GET', `/rooms/other/${first}`)).status).toBe(404);
    expect((await admin('GET', '/rooms/shop/nowhere')).status).toBe(404);
  });

  it('mutes, removes and ends, with the administrator in the journal', async () => {
    const { rig, admin } = await administered();
    const room = await roomOf(rig);
    const [ada, ben] = [await enterRoom(rig, room, 'moderator', 'Ada'), await enterRoom(rig, room, 'participant')];
    expect((await admin('PUT', `/rooms/shop/${room}/users/${ben.id}`, { muted: true })).status).toBe(200);
    expect((await ada.next('changed'))['participant']).toMatchObject({ id: ben.id, hard_muted: ['audio'] });
    ben.say({ type: 'mute', source: 'audio', muted: false });
    expect(await ben.next('error')).toMatchObject({ code: 'not_allowed' });
    ada.say({ type: 'mute_all', source: 'video', muted: true });
    ada.say({ type: 'record', on: true });
    await ada.next('recording');
    expect((await admin('DELETE', `/rooms/shop/${room}/users/${ben.id}`)).status).toBe(200);
    await ben.next('dropped');
    expect((await admin('DELETE', `/rooms/shop/${room}/users/${ben.id}`)).status).toBe(404);
    expect((await admin('DELETE', `/rooms/shop/${room}/session`)).status).toBe(200);
    await ada.next('ended');
    expect((await admin('DELETE', `/rooms/shop/${room}/session`)).status).toBe(409);
    expect((await admin('PUT', `/rooms/shop/${room}/users/x`, { muted: true })).status).toBe(409);
    expect((await admin('PUT', `/rooms/shop/${room}/users/x`, { muted: 'loud' })).status).toBe(400);
    const { entries } = (await admin('GET', `/rooms/shop/${room}/journal`)).body as { entries: JsonObject[] };
    expect(entries.reverse().map(({ at: _, conf_num: __, ...entry }) => entry)).toEqual([
      { type: 'active' },
      expect.objectContaining({ type: 'joined', call_num: ada.id, name: 'Ada', user_ref: 'ref of Ada', sip: false }),
      expect.objectContaining({ type: 'joined', call_num: ben.id }),
      {
        ...{ type: 'moderated', by: 'administrator', command: 'mute_user', participant: ben.id },
        ...{ source: 'audio', muted: true, hard: true, name: 'participant' },
      },
      { type: 'moderated', by: ada.id, command: 'mute_all', source: 'video', muted: true },
      { type: 'recording', on: true, by: ada.id },
      { type: 'moderated', by: ada.id, command: 'record', on: true },
      { type: 'left', call_num: ben.id, name: 'participant', reason: 'dropped' },
      { type: 'moderated', by: 'administrator', command: 'drop', participant: ben.id, name: 'participant' },
      { type: 'moderated', by: 'administrator', command: 'end' },
      { type: 'recording', on: false },
      { type: 'left', call_num: ada.id, name: 'Ada', reason: 'ended' },
      { type: 'over' },
    ]);
    const [{ conf_num: confNum }] = entries as [JsonObject];
    const few = (await admin('GET', `/rooms/shop/${room}/journal?conf_num=${confNum}&limit=1`)).body;
    expect([(few['entries'] as JsonObject[])[0]!['type'], few['next']]).toEqual(['over', expect.any(String)]);
    expect((await admin('GET', `/rooms/shop/${room}/journal?conf_num=none`)).body['entries']).toEqual([]);
  });

  it('admits or denies participants in the lobby, also in place of a moderator', async () => {
    const { rig, admin } = await administered();
    const room = await roomOf(rig, { knock: true, wait_for_moderator: true });
    const [ben, cleo] = [
      await comeToRoom(rig, room, 'participant', 'Ben'),
      await comeToRoom(rig, room, 'participant', 'Cleo'),
    ];
    await Promise.all([ben, cleo].map((one) => one.next('waiting')));
    const waiting = async () => (await admin('GET', `/rooms/shop/${room}`)).body['users'] as JsonObject[];
    const idOf = async (name: string) => (await waiting()).find((user) => user['name'] === name)!['call_num'];
    const [benId, cleoId] = [await idOf('Ben'), await idOf('Cleo')];
    expect((await admin('PUT', `/rooms/shop/${room}/lobby/${benId}`)).status).toBe(200);
    await ben.next('welcome');
    expect((await admin('DELETE', `/rooms/shop/${room}/lobby/${cleoId}`)).status).toBe(200);
    await cleo.next('denied');
    expect(await waiting()).toMatchObject([{ name: 'Ben', state: 'in' }]);
    for (const method of ['PUT', 'DELETE']) {
      const { status, body } = await admin(method, `/rooms/shop/${room}/lobby/${benId}`);
      expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('is in the lobby')]);
    }
    const { entries } = (await admin('GET', `/rooms/shop/${room}/journal`)).body as { entries: JsonObject[] };
    expect(entries.filter(({ type }) => type === 'moderated')).toMatchObject([
      { by: 'administrator', command: 'deny', participant: cleoId, name: 'Cleo' },
      { by: 'administrator', command: 'admit', participant: benId, name: 'Ben' },
    ]);
  });
});

describe('metrics', () => {
  it('counts sessions, participants by role and client, published tracks, tokens, and links', async () => {
    const rig = await openRig();
    const room = await roomOf(rig);
    await enterRoom(rig, room, 'moderator');
    const ben = await enterRoom(rig, room);
    await (await comeToRoom(rig, room, 'participant', 'Cleo', 'look')).next('invited');
    const call = await rig.dial({});
    await rig.pass(3000);
    await rig.request('PUT', `/voice/v1/room/${room}/call/${call}/join`);
    await rig.pass(1000);
    const { confNum } = rig.roomEngine.sessions.values().next().value!;
    for (const source of ['audio', 'video'] as const) {
      rig.roomEngine.report(confNum, { type: 'published', participant: ben.id, source, on: true });
    }
    const lines = async () => (await rig.request('GET', '/metrics')).text.split('\n');
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'callweave_room_sessions 1',
        'callweave_room_participants{by="browser",role="moderator"} 1',
        'callweave_room_participants{by="browser",role="participant"} 1',
        'callweave_room_participants{by="telephone",role="participant"} 1',
        'callweave_room_published{source="audio"} 2',
        'callweave_room_published{source="video"} 1',
        'callweave_room_tokens_total{result="issued"} 3',
        'callweave_room_tokens_total{result="used"} 2',
        'callweave_engine_up{role="rooms",engine="simulated"} 1',
      ]),
    );
    ben.say({ type: 'leave' });
    await ben.closed;
    rig.roomEngine.die();
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'callweave_room_reports_total{quality="unknown"} 1',
        'callweave_room_engine_restarts_total 1',
        'callweave_room_published{source="audio"} 1',
      ]),
    );
  });
});

describe('events of rooms', () => {
  it('are posted to the video webhook in order, as documented, and signed', async () => {
    const rig = await openRig({ config: '', projects: PROJECTS });
    const room = await roomOf(rig, { audiences: 5, send_audiences_stats: true });
    const ada = await enterRoom(rig, room, 'moderator', 'Ada');
    ada.say({ type: 'record', on: true });
    await ada.next('recording');
    const eve = await enterRoom(rig, room, 'audience', 'Eve');
    eve.say({ type: 'leave' });
    await eve.closed;
    ada.say({ type: 'record', on: false });
    ada.say({ type: 'end' });
    await ada.closed;
    await rig.settle();
    const common = {
      ...{ app_id: 'shop', room_id: room, conf_num: expect.any(String) },
      ...{ trans_date: '2026-03-02T08:30:00.000Z', timestamp: '2026-03-02T08:30:00.000Z' },
    };
    const user = { name: 'Eve', user_ref: 'ref of Eve', role: 'audience', call_num: eve.id, sip: false };
    const host = { name: 'Ada', user_ref: 'ref of Ada', role: 'moderator', call_num: ada.id, sip: false };
    expect(rig.received.map(({ body }) => body)).toEqual([
      { type: 'room-active', ...common },
      { type: 'user-connected', user: host, ...common },
      { type: 'recording', state: 'started', ...common },
      { type: 'user-connected', user, ...common },
      { type: 'user-disconnected', user, reason: 'left', ...common },
      { type: 'recording', state: 'stopped', ...common },
      { type: 'user-disconnected', user: host, reason: 'ended', ...common },
      { type: 'room-drop', ...common },
    ]);
    expect(new Set(rig.received.map(({ body }) => body['conf_num'])).size).toBe(1);
    const ids = rig.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    const webhook = new Webhook(SECRET);
    for (const { body, headers } of rig.received) {
      expect(Math.abs(Number(headers['webhook-timestamp']) - rig.clock.now() / 1000)).toBeLessThan(2);
      const text = JSON.stringify(body);
      const signature = webhook.sign(
        headers['webhook-id']!,
        new Date(1000 * Number(headers['webhook-timestamp'])),
        text,
      );
      expect(headers['webhook-signature']).toBe(signature);
    }
  });

  it('includes polls with the votes, without names, also in the journal', async () => {
    const { rig, admin } = await administered({ config: '', projects: PROJECTS });
    const room = await roomOf(rig);
    const ada = await enterRoom(rig, room, 'moderator', 'Ada');
    const asked = { question: 'Lunch?', multiple: false, anonymous: false, results: 'all' };
    ada.say({ type: 'poll_start', ...asked, answers: ['Soup', 'Salad'] });
    const { id } = await ada.next('poll');
    ada.say({ type: 'vote', poll: id!, answers: [1] });
    ada.say({ type: 'poll_close', poll: id! });
    ada.say({ type: 'leave' });
    await ada.closed;
    await rig.settle();
    const answers = (votes: number) => [
      { text: 'Soup', votes: 0 },
      { text: 'Salad', votes },
    ];
    const polls = rig.received.map(({ body }) => body).filter(({ type }) => type === 'poll');
    expect(polls).toMatchObject([
      { state: 'started', poll: { id, ...asked, voters: 0, answers: answers(0) } },
      { state: 'closed', poll: { id, ...asked, voters: 1, answers: answers(1) } },
    ]);
    const { entries } = (await admin('GET', `/rooms/shop/${room}/journal`)).body as { entries: JsonObject[] };
    expect(entries.filter(({ type }) => type === 'poll')).toMatchObject([
      { state: 'closed', by: ada.id, poll: id, question: 'Lunch?', voters: 1, answers: answers(1) },
      { state: 'started', by: ada.id, poll: id },
    ]);
  });

  it('includes the feedback of a participant, also in the report and the journal', async () => {
    const { rig, admin } = await administered({ config: '', projects: PROJECTS });
    const room = await roomOf(rig, { feedback: true });
    const ben = await enterRoom(rig, room, 'participant', 'Ben');
    const { resume_key: key } = await ben.next('welcome');
    ben.say({ type: 'leave' });
    await ben.closed;
    const feedback = { rating: 4, text: 'Clear sound' };
    const after = await connectToRoom(rig, { type: 'feedback', resume_key: key!, ...feedback });
    await after.next('thanks');
    await rig.settle();
    const user = { name: 'Ben', user_ref: 'ref of Ben', role: 'participant', call_num: ben.id, sip: false };
    expect(rig.received.map(({ body }) => body).at(-1)).toMatchObject({ type: 'feedback', user, ...feedback });
    const { body } = await rig.request('GET', `/video/v2/cdr/room/${room}`);
    expect(body['cdr']).toMatchObject([{ call_num: ben.id, feedback }]);
    const { entries } = (await admin('GET', `/rooms/shop/${room}/journal`)).body as { entries: JsonObject[] };
    expect(entries[0]).toMatchObject({ type: 'feedback', call_num: ben.id, name: 'Ben', ...feedback });
  });

  it('names the audience only if the room asks for it', async () => {
    const rig = await openRig({ config: '', projects: PROJECTS });
    const room = await roomOf(rig, { audiences: 5 });
    const people = [await enterRoom(rig, room), await enterRoom(rig, room, 'audience')];
    for (const one of people) one.say({ type: 'leave' });
    await Promise.all(people.map(({ closed }) => closed));
    await rig.settle();
    expect(typesOf(rig)).toEqual(['room-active', 'user-connected', 'user-disconnected', 'room-drop']);
  });

  it('names telephones by the id of their call, without the number', async () => {
    const rig = await openRig({ config: 'numbers: [{ number: "1000" }]\n', projects: PROJECTS });
    const room = await roomOf(rig);
    const order = { from: '1000', to: '+33612345678' };
    const { body } = await rig.request('POST', `/voice/v1/room/${room}/join`, order);
    await rig.pass(3000);
    await rig.request('DELETE', `/voice/v1/call/${body['voice_id']}`);
    await rig.pass(1000);
    const told = rig.received.filter(({ body: { type } }) => String(type).startsWith('user-'));
    expect(told.map((event) => event.body)).toMatchObject([
      { type: 'user-connected', user: { name: '+336…78', user_ref: body['voice_id'], sip: true } },
      { type: 'user-disconnected', reason: 'left' },
    ]);
  });
});

describe('a session', () => {
  it('ends on an orderly stop with messages to participants and reports, and is unknown after it', async () => {
    const store = createMemoryStore();
    const rig = await ApiRig.open({ projects: PROJECTS, store });
    const room = await roomOf(rig);
    const people = [await enterRoom(rig, room, 'moderator'), await enterRoom(rig, room)];
    await rig.clock.advance(61_000);
    await rig.close();
    for (const { received, closed } of people) {
      expect([received.at(-1), await closed]).toEqual([{ type: 'ended', reason: 'ended' }, 1005]);
    }
    const { details } = store.callDetails.list({ projectId: 'shop', limit: 9 });
    expect(details.map(({ body }) => body['usage'])).toEqual(
      people.map(() => expect.objectContaining({ connect_minutes: 61 })),
    );
    expect(store.roomJournal.unfinished()).toEqual([]);
    const next = await openRig({ config: '', projects: PROJECTS, store });
    await next.pass(20_000);
    // Events that the stop left no time to send stay stored for their URL, whose receiver has stopped.
    const kept = await store.outbox.headOfLine(String(rig.received[0]!.body['conf_num']), 9);
    const told = new Map(rig.received.map(({ headers, body }) => [headers['webhook-id'], body['type']]));
    for (const { id, body } of kept) told.set(id, (JSON.parse(body) as JsonObject)['type']!);
    expect([[...told.values()], next.roomEngine.sessions.size]).toEqual([
      [
        ...['room-active', 'user-connected', 'user-connected'],
        ...['user-disconnected', 'user-disconnected', 'room-drop'],
      ],
      0,
    ]);
    expect((await next.request('GET', `/video/v2/rooms/${room}/users`)).body).toMatchObject({ total: 0, users: null });
  });

  it('gets its end, its reports and its event at the start after a crash', async () => {
    const store = createMemoryStore();
    const rig = await ApiRig.open({ projects: PROJECTS, store });
    const room = await roomOf(rig);
    const [ada, ben] = [await enterRoom(rig, room, 'moderator', 'Ada'), await enterRoom(rig, room)];
    await rig.clock.advance(30_000);
    ben.say({ type: 'leave' });
    await ben.closed;
    await rig.settle();
    await rig.crash();
    ada.socket.terminate();
    const next = await openRig({ config: '', projects: PROJECTS, store });
    await next.settle();
    // The crashed service may deliver the event, too, because both share the store.
    const once = new Map(next.received.map(({ headers, body }) => [headers['webhook-id'], body['type']]));
    expect([...once.values()]).toEqual(['room-drop']);
    const { cdr } = (await next.request('GET', `/video/v2/cdr/room/${room}`)).body as { cdr: JsonObject[] };
    expect(cdr.map(({ user, room: of }) => [(user as JsonObject)['name'], (of as JsonObject)['duration']])).toEqual([
      ['participant', 30],
      ['Ada', 30],
    ]);
    expect(store.roomJournal.list({ projectId: 'shop', roomId: room, limit: 1 }).entries).toMatchObject([
      { type: 'over', body: { reason: 'crash' } },
    ]);
    await next.close();
    expect(store.roomJournal.unfinished()).toEqual([]);
  });
});

describe('a client', () => {
  it('is disconnected after ten thousand messages at once, and the service continues', async () => {
    const rig = await openRig();
    const room = await roomOf(rig);
    const [ada, ben] = [await enterRoom(rig, room, 'moderator', 'Ada'), await enterRoom(rig, room)];
    for (let count = 0; count < 10_000; count++) ben.say({ type: 'hand', raised: count % 2 === 0 });
    await ben.next('error');
    expect(ben.received.filter(({ type }) => type === 'error')).toEqual([{ type: 'error', code: 'too_many_messages' }]);
    await ben.closed;
    expect(ada.received.filter(({ type }) => type === 'changed').length).toBeLessThan(300);
    expect((await rig.request('GET', `/video/v2/rooms/${room}/users`)).body).toMatchObject({ total: 2 });
    await rig.pass(30_000);
    expect((await rig.request('GET', `/video/v2/rooms/${room}/users`)).body).toMatchObject({ total: 1 });
  });

  it('is closed after a line of 1 MB, without an effect on others', async () => {
    const rig = await openRig();
    const room = await roomOf(rig);
    const [ada, ben] = [await enterRoom(rig, room, 'moderator', 'Ada'), await enterRoom(rig, room)];
    ben.say({ type: 'chat', text: 'x'.repeat(2 ** 20) });
    expect(await ben.closed).toBe(1009);
    ada.say({ type: 'ping' });
    await ada.next('pong');
    expect(ada.received.filter(({ type }) => type === 'chat')).toEqual([]);
  });
});

it('fetches the stream of the audience from its own address, which must not be cached', async () => {
  const rig = await openRig();
  const room = await roomOf(rig, { audiences: 2 });
  const ada = await enterRoom(rig, room, 'moderator', 'Ada');
  const eve = await enterRoom(rig, room, 'audience', 'Eve');
  expect(await eve.next('broadcast')).toEqual({ type: 'broadcast', state: 'starting' });
  const asked = rig.roomEngine.commands.flatMap(({ command }) =>
    command.type === 'live_stream' ? [command.directory!] : [],
  );
  const [directory] = asked;
  mkdirSync(directory!, { recursive: true });
  writeFileSync(join(directory!, 's0.ts'), 'a segment');
  writeFileSync(join(directory!, 'secret.ts'), 'no segment');
  eve.received.length = 0;
  const { confNum } = rig.roomEngine.sessions.values().next().value!;
  rig.roomEngine.report(confNum, { type: 'segment', file: 's0.ts', durationMs: 2000, isFirst: true });
  const url = String((await eve.next('broadcast'))['url']);
  const fetched = async (path: string) => {
    const response = await fetch(rig.base + path);
    const { status, headers } = response;
    return {
      status,
      type: headers.get('content-type'),
      kept: headers.get('cache-control'),
      text: await response.text(),
    };
  };
  expect(await fetched(url)).toEqual({
    ...{
      status: 200,
      type: expect.stringMatching(/^application\/vnd\.apple\.mpegurl/),
      kept: 'no-store',
      text: expect.stringContaining('\ns0.ts\n'),
    },
  });
  const segment = url.replace('index.m3u8', 's0.ts');
  expect(await fetched(segment)).toEqual({ status: 200, type: 'video/mp2t', kept: 'no-store', text: 'a segment' });
  const statuses = async (...paths: string[]) => Promise.all(paths.map(async (path) => (await fetched(path)).status));
  const others = ['secret.ts', '..%2f..%2fsecret.ts', 's0.ts%00'].map((file) => url.replace('index.m3u8', file));
  expect(await statuses(...others)).toEqual([404, 404, 404]);
  expect(await statuses(url.replace(room, 'other'), url.replace(/[^/]+\/index/, 'forged/index'))).toEqual([403, 403]);
  ada.say({ type: 'drop', participant: eve.id });
  await eve.closed;
  expect(await statuses(url, segment)).toEqual([404, 404]);
  await rig.settle();
  expect(JSON.stringify(rig.logLines)).not.toContain(url.split('/')[4]);
});
