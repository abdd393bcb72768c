/** Rooms by REST, and by PIN on the telephone. */
import { describe, expect, it } from 'vitest';
import { administered } from './admin-client.ts';
import { ApiRig, OTHER } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';
import { enterRoom } from './room-clients.ts';

const CONFIG = `${NUMBERS}rooms:
  - { room_id: board, name: Board, pin: "4711" }
  - { room_id: lobby }
  - { room_id: lair, project: other }
`;

const ROUTE = '/voice/v1/room';
const hears = (rig: ApiRig, to: string): string[] => rig.farEnd(to).company.map((farEnd) => farEnd.to);

describe('POST /voice/v1/room/{room_id}/join', () => {
  it('POST /room/{room_id}/join: dials out, joins on connect, and reports joined and left', async () => {
    const rig = await openRig({ config: CONFIG });
    const order = { name: 'app', from: '1000', to: '2000', event_url: rig.webhookUrl };
    const { status, body } = await rig.request('POST', `${ROUTE}/board/join`, order);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      voice_id: expect.any(String),
      room_id: 'board',
      state: 'initiated',
      status: 'initiated',
      from: '1000',
      to: '2000',
    });
    await rig.pass(2000);
    expect(rig.events().at(-1)).toMatchObject({ voice_id: body['voice_id'], state: 'joined', room_id: 'board' });
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'joined', 'left', 'disconnected']);
    expect(rig.events().at(-2)).toMatchObject({ state: 'left', room_id: 'board' });
    expect(rig.events().at(-1)).toMatchObject({ state: 'disconnected', room_id: 'board' });
  });

  it('POST /room/{room_id}/join: reports the number of participants in joined and left, with a browser and telephones', async () => {
    const rig = await openRig({ config: CONFIG });
    const ann = await enterRoom(rig, 'lobby', 'participant', 'Ann');
    const joins = async (to: string): Promise<void> => {
      await rig.request('POST', `${ROUTE}/lobby/join`, { from: '1000', to, event_url: rig.webhookUrl });
      await rig.pass(2000);
    };
    const counts = () =>
      rig.events().flatMap(({ state, members }) => (state === 'joined' || state === 'left' ? [[state, members]] : []));
    for (const to of ['2000', '2001', '2002']) await joins(to);
    ann.say({ type: 'leave' });
    await ann.closed;
    for (const to of ['2000', '2001', '2002']) {
      rig.farEnd(to).hangUp();
      await rig.pass(1000);
    }
    const joined = [2, 3, 4].map((members) => ['joined', members]);
    expect(counts()).toEqual([...joined, ...[2, 1, 0].map((members) => ['left', members])]);
  });

  it('POST /room/{room_id}/join: removes all calls when the session is ended', async () => {
    const { rig, admin } = await administered({ config: CONFIG });
    const { body } = await rig.request('POST', '/video/v2/rooms', { name: 'Daily', owner_ref: 'acme' });
    const { room_id: room } = body['room'] as { room_id: string };
    for (const to of ['2000', '2001']) {
      await rig.request('POST', `${ROUTE}/${room}/join`, { from: '1000', to, event_url: rig.webhookUrl });
      await rig.pass(2000);
    }
    await admin('DELETE', `/rooms/shop/${room}/session`);
    await rig.pass(1000);
    const left = rig.events().filter(({ state }) => state === 'left');
    expect(left.map(({ members }) => members)).toEqual([0, 0]);
  });

  it('POST /room/{room_id}/join: reports disconnected with room_id for a call that REST hangs up in the room', async () => {
    const rig = await openRig({ config: CONFIG });
    const order = { from: '1000', to: '2000', event_url: rig.webhookUrl };
    const { body } = await rig.request('POST', `${ROUTE}/board/join`, order);
    await rig.pass(2000);
    await rig.request('DELETE', `/voice/v1/call/${body['voice_id']}`);
    await rig.pass(1000);
    expect(rig.eventNames().slice(2)).toEqual(['joined', 'left', 'disconnected']);
    expect(rig.events().at(-1)).toMatchObject({ room_id: 'board' });
  });

  it('POST /room/{room_id}/join: reports disconnected without room_id for a call that left the room', async () => {
    const rig = await openRig({ config: CONFIG });
    const order = { from: '1000', to: '2000', event_url: rig.webhookUrl };
    const { body } = await rig.request('POST', `${ROUTE}/board/join`, order);
    await rig.pass(2000);
    await rig.request('PUT', `/voice/v1/call/${body['voice_id']}/connect`, { from: '1000', to: '4000' });
    await rig.pass(3000);
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames()).toContain('bridged');
    expect(rig.events().at(-1)).toMatchObject({ state: 'disconnected' });
    expect(rig.events().at(-1)).not.toHaveProperty('room_id');
  });

  it('POST /room/{room_id}/join: reports disconnected with room_id for a call that a crash ended in the room', async () => {
    const before = await ApiRig.open({ config: CONFIG });
    await before.request('POST', `${ROUTE}/board/join`, { from: '1000', to: '2000', event_url: before.webhookUrl });
    await before.pass(2000);
    const rig = await openRig({ config: CONFIG, store: before.store });
    await rig.pass(1000);
    const told = new Map(before.received.map(({ headers, body }) => [headers['webhook-id'], body]));
    expect([...told.values()].at(-1)).toMatchObject({ state: 'disconnected', room_id: 'board' });
    await before.crash();
  });

  it('POST /room/{room_id}/join: connects callers of one room with each other', async () => {
    const rig = await openRig({ config: CONFIG });
    for (const to of ['2000', '2001']) await rig.request('POST', `${ROUTE}/lobby/join`, { from: '1000', to });
    await rig.request('POST', `${ROUTE}/board/join`, { from: '1000', to: '2002' });
    // The words on entry are over.
    await rig.pass(5000);
    expect([hears(rig, '2000'), hears(rig, '2001'), hears(rig, '2002')]).toEqual([['2001'], ['2000'], []]);
  });

  it.each<[string, string, object, number, number]>([
    ['a room that is not there', 'attic', { from: '1000', to: '2000' }, 404, 404],
    ["another project's room", 'lair', { from: '1000', to: '2000' }, 404, 404],
    ['no from', 'lobby', { to: '2000' }, 400, 400],
    ['a from of nobody', 'lobby', { from: '5555', to: '2000' }, 400, 6118],
  ])('POST /room/{room_id}/join: %s is refused', async (_what, room, body, status, result) => {
    const rig = await openRig({ config: CONFIG });
    const answer = await rig.request('POST', `${ROUTE}/${room}/join`, body);
    expect([answer.status, answer.body['result']]).toEqual([status, result]);
    await rig.pass(100);
    expect(rig.farEnds).toEqual([]);
  });

  it('action_on_connect.room: joins when the call is answered', async () => {
    const rig = await openRig({ config: CONFIG });
    await rig.dial({ action_on_connect: { room: { room_id: 'board' } } });
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'joined']);
  });
});

describe('the name of a telephone in a room', () => {
  it.each<[order: object, shown: string]>([
    [{ to: 'sip:tel2@127.0.0.1:15762' }, 'tel2'],
    [{ to: '+33612345678' }, '+336…78'],
    [{ to: '+33612345678', name: 'Ann Okafor' }, 'Ann Okafor'],
    [{ to: '+33612345678', name: 'order line', display_name: 'Ben' }, 'Ben'],
  ])('%j: shows others the name %s', async (order, shown) => {
    const rig = await openRig({ config: CONFIG });
    await rig.request('POST', `${ROUTE}/lobby/join`, { from: '1000', ...order });
    await rig.pass(2000);
    expect((await rig.request('GET', '/video/v2/rooms/lobby/users')).body['users']).toMatchObject([{ name: shown }]);
  });
});

describe('PUT /voice/v1/room/{room_id}/call/{voice_id}/join', () => {
  it('PUT /room/{room_id}/call/{voice_id}/join: moves an answered call to the room', async () => {
    const rig = await openRig({ config: CONFIG });
    const call = await rig.dial();
    await rig.pass(2000);
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await rig.request('PUT', `${ROUTE}/board/call/${call}/join`, '', { headers });
    expect(status).toBe(200);
    expect(body).toMatchObject({ voice_id: call, room_id: 'board', state: 'initiated' });
    await rig.pass(100);
    expect(rig.eventNames().at(-1)).toBe('joined');
  });

  it('PUT /room/{room_id}/call/{voice_id}/join: joins an inbound call after it was accepted', async () => {
    const rig = await openRig({ config: CONFIG });
    rig.call('1000');
    await rig.pass(100);
    const call = String(rig.received[0]?.body['voice_id']);
    await rig.request('POST', `/voice/v1/call/${call}/accept`);
    await rig.pass(100);
    await rig.request('PUT', `${ROUTE}/lobby/call/${call}/join`);
    await rig.pass(100);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'joined']);
  });

  it.each<[string, string, string]>([
    ['a room that is not there', 'attic', 'CALL'],
    ["another project's room", 'lair', 'CALL'],
    ['a call that never was', 'lobby', 'nobody'],
  ])('PUT /room/{room_id}/call/{voice_id}/join: returns 404 for %s', async (_what, room, id) => {
    const rig = await openRig({ config: CONFIG });
    const call = await rig.dial();
    await rig.pass(2000);
    expect((await rig.request('PUT', `${ROUTE}/${room}/call/${id.replace('CALL', call)}/join`)).status).toBe(404);
  });

  it('PUT /room/{room_id}/call/{voice_id}/join: returns 404 for a call of another project', async () => {
    const rig = await openRig({ config: CONFIG });
    const call = await rig.dial();
    await rig.pass(2000);
    expect((await rig.request('PUT', `${ROUTE}/lair/call/${call}/join`, {}, { as: OTHER })).status).toBe(404);
  });
});

describe('a call that REST moved to a room, when its session ends', () => {
  const endings = async (order: object) => {
    const { rig, admin } = await administered({ config: CONFIG });
    const body = { from: '1000', to: '2000', event_url: rig.webhookUrl, ...order };
    await rig.request('POST', `${ROUTE}/board/join`, body);
    await rig.pass(2000);
    await admin('DELETE', '/rooms/shop/board/session');
    await rig.pass(1000);
    return rig;
  };

  it('ends with it, instead of staying on a silent line', async () => {
    const rig = await endings({});
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'joined', 'room_ended', 'left', 'disconnected']);
    expect(rig.farEnd('2000').state).toBe('ended');
  });

  it('stays available for further requests with after: stay', async () => {
    const rig = await endings({ after: 'stay' });
    expect(rig.eventNames().slice(3)).toEqual(['room_ended', 'left']);
    const call = String(rig.received[0]?.body['voice_id']);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'Good morning', voice: 'male', language: 'en-GB' });
    await rig.pass(5000);
    expect(rig.eventNames().at(-1)).toBe('playfinished');
  });

  it.each([
    ['its session ends', false],
    ['a moderator sends it out', true],
  ])('ends, too, when it was brought there later and %s', async (_, isSentOut) => {
    const { rig, admin } = await administered({ config: CONFIG });
    const call = await rig.dial();
    await rig.pass(2000);
    await rig.request('PUT', `${ROUTE}/board/call/${call}/join`);
    await rig.pass(100);
    const { body } = await admin('GET', '/rooms/shop/board');
    const [user] = body['users'] as { call_num: string }[];
    await admin('DELETE', isSentOut ? `/rooms/shop/board/users/${user!.call_num}` : '/rooms/shop/board/session');
    await rig.pass(1000);
    expect(rig.eventNames().at(-1)).toBe('disconnected');
  });

  it('follows a request that takes it out of the room, and stays controlled afterwards', async () => {
    const { rig } = await administered({ config: CONFIG });
    const { body } = await rig.request('POST', `${ROUTE}/board/join`, {
      ...{ from: '1000', to: '2000', event_url: rig.webhookUrl },
    });
    await rig.pass(2000);
    await rig.request('PUT', `/voice/v1/call/${body['voice_id']}/connect`, { from: '1000', to: '4000' });
    await rig.pass(2000);
    rig.farEnd('4000').hangUp();
    await rig.pass(10_000);
    expect(rig.eventNames().slice(2)).toEqual(['joined', 'left', 'bridging', 'bridged', 'bridge_disconnected']);
  });

  it('ends if the room denies it', async () => {
    const rig = await openRig({ config: CONFIG });
    const { body } = await rig.request('POST', '/video/v2/rooms', {
      ...{ name: 'Small', owner_ref: 'acme', settings: { participants: 1 } },
    });
    const { room_id: room } = body['room'] as { room_id: string };
    for (const to of ['2000', '2001']) {
      await rig.request('POST', `${ROUTE}/${room}/join`, { from: '1000', to, event_url: rig.webhookUrl });
      await rig.pass(3000);
    }
    expect(rig.farEnd('2000').state).toBe('connected');
    expect(rig.farEnd('2001').state).toBe('ended');
  });
});

it.each(['/voice/v1/call', '/voice/v1/room/lobby/join', '/voice/v1/conference'])(
  'POST %s: returns 404/6110 for an unknown user, without dialling',
  async (path) => {
    const rig = await openRig({ config: CONFIG });
    rig.unreachable.add('user:nobody');
    const { status, body } = await rig.request('POST', path, { from: '1000', to: 'user:nobody' });
    expect([status, body['result'], body['msg']]).toEqual([404, 6110, 'to: there is no user nobody']);
    await rig.pass(1000);
    expect(rig.farEnds).toEqual([]);
    expect((await rig.request('POST', path, { from: '1000', to: 'user:alice' })).status).toBe(200);
  },
);

describe('a caller with a PIN', () => {
  const FLOW = `
flow: door
start: ask
steps:
  ask: { collect: { prompt: Your PIN please, digits: { length: 4 } }, sensitive: true, exits: { collected: join, exhausted: bye, error: bye } }
  join: { join_room: { room_id: "*", pin: "\${ steps.ask.digits }" }, exits: { left: bye, ended: bye, denied: ask, error: bye } }
  bye: { hangup: normal }
`;
  it('inbound: joins the room of the PIN that it enters, and is asked again after a wrong one', async () => {
    const config = `${CONFIG}`.replace(
      '{ number: "1000", webhook: HOOK }',
      '{ number: "1000", webhook: HOOK, flow: door }',
    );
    const rig = await openRig({ config, flows: { door: FLOW } });
    const farEnd = rig.call('1000');
    await rig.pass(3000);
    farEnd.press('1111');
    await rig.pass(5000);
    expect(rig.events().findLast(({ state }) => state === 'room_denied')).toMatchObject({ reason: 'wrong_pin' });
    farEnd.press('4711');
    await rig.pass(3000);
    expect(rig.events().findLast(({ state }) => state === 'joined')).toMatchObject({ room_id: 'board' });
  });
});
