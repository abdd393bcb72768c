/** Sessions: admission, lobby, permissions, and ends; in adversarial orders, too. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { EngineCommand } from '../../src/media/rooms/sfu.ts';
import { roomRig, type TestClient } from './room-fixtures.ts';

type Rig = ReturnType<typeof roomRig>;

const commandsTo = ({ engine }: Rig, type: EngineCommand['type']) =>
  engine.commands.map(({ command }) => command).filter((command) => command.type === type);

const namesIn = (rig: Rig, roomId: string) => rig.sessions.usersIn('shop', roomId)?.map(({ name }) => name);

const errorsOf = (client: TestClient) => client.of('error').map(({ code }) => code);

describe('a token', () => {
  it('admits one participant, exactly once', () => {
    const rig = roomRig();
    const room = rig.room();
    const token = rig.token(room, 'moderator', 'Ada');
    const ada = rig.client().say({ type: 'join', token });
    expect(ada.last('welcome')).toMatchObject({
      role: 'moderator',
      permissions: { publish: true, subscribe: true, record: true, stats: true, controlhandlers: true },
      room: { room_id: room.roomId, name: 'Daily' },
      participants: [],
    });
    const thief = rig.client().say({ type: 'join', token });
    expect(errorsOf(thief)).toEqual(['token_used']);
    expect(thief.isClosed).toBe(true);
    expect(namesIn(rig, room.roomId)).toEqual(['Ada']);
  });

  it('expires after 15 minutes', async () => {
    const rig = roomRig();
    const room = rig.room();
    const [early, late] = [rig.token(room), rig.token(room)];
    await rig.clock.advance(15 * 60_000 - 1);
    expect(rig.client().say({ type: 'join', token: early }).types).toEqual(['welcome']);
    await rig.clock.advance(1);
    expect(errorsOf(rig.client().say({ type: 'join', token: late }))).toEqual(['token_expired']);
  });

  it('is rejected if it is forged, truncated or of another project', () => {
    const rig = roomRig();
    const room = rig.room();
    const [project, sealed] = rig.token(room).split('.') as [string, string];
    const asOther = `${Buffer.from('other').toString('base64url')}.${sealed}`;
    const turned = sealed[40] === 'A' ? 'B' : 'A';
    const forged = `${project}.${sealed.slice(0, 40)}${turned}${sealed.slice(41)}`;
    for (const token of [asOther, forged, `${project}.${sealed.slice(0, -4)}`, `${project}.`]) {
      const client = rig.client().say({ type: 'join', token });
      expect([client.isClosed, errorsOf(client)]).toEqual([
        true,
        [expect.stringMatching(/^token_(forged|malformed)$/)],
      ]);
    }
    // Four lengths of a name are every remainder of base64url, whose decoder passes over a single character at the end.
    for (const name of ['A', 'An', 'Ann', 'Anna']) {
      for (const end of ['x', '=', '\n', ' ']) {
        const token = rig.token(room, 'participant', name) + end;
        expect(errorsOf(rig.client().say({ type: 'join', token })), JSON.stringify(end)).toEqual([
          expect.stringMatching(/^token_(forged|malformed)$/),
        ]);
      }
    }
    expect(errorsOf(rig.client().say({ type: 'join', token: 'x' }))).toEqual(['token_malformed']);
    expect(errorsOf(rig.client().say({ type: 'join', token: 'a'.repeat(20_000) }))).toEqual(['bad_message']);
    expect(namesIn(rig, room.roomId)).toBeUndefined();
  });

  it('stays valid after `look`', () => {
    const rig = roomRig();
    const room = rig.room({ mode: 'lecture', description: 'For all' });
    const token = rig.token(room, 'moderator', 'Ada');
    const looking = rig.client().say({ type: 'look', token, room_id: room.roomId });
    expect([looking.isClosed, looking.received]).toEqual([
      true,
      [
        {
          ...{ type: 'invited', name: 'Ada', role: 'moderator', expires_at: rig.clock.now() + 15 * 60_000 },
          room: { room_id: room.roomId, name: 'Daily', mode: 'lecture', description: 'For all' },
        },
      ],
    ]);
    expect(namesIn(rig, room.roomId)).toBeUndefined();
    expect(rig.client().say({ type: 'join', token }).last('welcome')).toMatchObject({ role: 'moderator' });
    expect(errorsOf(rig.client().say({ type: 'look', token }))).toEqual(['token_used']);
  });

  it('is rejected in another room that the client names, and stays valid', () => {
    const rig = roomRig();
    const [here, elsewhere] = [rig.room(), rig.room()];
    const token = rig.token(elsewhere);
    for (const type of ['look', 'join']) {
      expect(errorsOf(rig.client().say({ type, token, room_id: here.roomId }))).toEqual(['token_foreign']);
    }
    expect(rig.client().say({ type: 'join', token, room_id: elsewhere.roomId }).types).toEqual(['welcome']);
  });

  it('is rejected after its room was removed', () => {
    const rig = roomRig();
    const room = rig.room();
    const token = rig.token(room);
    rig.rooms.remove('shop', room.roomId);
    for (const type of ['look', 'join']) {
      expect(errorsOf(rig.client().say({ type, token }))).toEqual(['room_unknown']);
    }
  });

  it('does not reveal its contents', () => {
    const rig = roomRig();
    const token = rig.token(rig.room(), 'participant', 'Ada Lovelace');
    expect(Buffer.from(token.split('.')[1]!, 'base64url').toString('latin1')).not.toContain('Lovelace');
  });
});

it('accepts reports of a client within bounds', () => {
  const rig = roomRig();
  const room = rig.room();
  const ada = rig.join(room);
  ada.say({ type: 'client_stats', seconds: 5, frames_decoded: 100, freezes: 2, freeze_ms: 900, concealed: 0.01 });
  const wrongs: JsonObject[] = [
    { seconds: 0 },
    { seconds: 5, freezes: -1 },
    { seconds: 5, concealed: 2 },
    { seconds: 5, more: 1 },
  ];
  for (const wrong of wrongs) {
    ada.say({ type: 'client_stats', ...wrong });
  }
  expect(errorsOf(ada)).toEqual(Array(4).fill('bad_message'));
  const [participant] = rig.sessions.usersIn('shop', room.roomId)!;
  expect(participant!.quality.report['experience']).toMatchObject({
    frames_decoded: 100,
    freezes: 2,
    freeze_seconds: 0.9,
  });
});

describe('the lobby', () => {
  it('keeps participants until a moderator joins', () => {
    const rig = roomRig();
    const room = rig.room({ wait_for_moderator: true });
    const ben = rig.join(room, 'participant', 'Ben');
    expect(ben.received).toEqual([{ type: 'waiting', for: 'moderator' }]);
    expect(commandsTo(rig, 'admit')).toEqual([]);
    expect(namesIn(rig, room.roomId)).toBeUndefined();
    rig.join(room, 'moderator', 'Ada');
    expect(ben.types).toEqual(['waiting', 'welcome']);
    expect(namesIn(rig, room.roomId)?.sort()).toEqual(['Ada', 'Ben']);
  });

  it('holds knocking participants until a moderator admits or denies them', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator', 'Ada');
    const [ben, cleo] = [rig.join(room, 'participant', 'Ben'), rig.join(room, 'participant', 'Cleo')];
    const knocking = ada.last('knocking')!['participants'] as { id: string; name: string }[];
    expect(knocking.map(({ name }) => name)).toEqual(['Ben', 'Cleo']);
    ada.say({ type: 'admit', participant: knocking[0]!.id }).say({ type: 'deny', participant: knocking[1]!.id });
    expect(ben.types).toEqual(['waiting', 'welcome']);
    expect([cleo.types, cleo.isClosed]).toEqual([['waiting', 'denied'], true]);
    expect(ada.last('knocking')).toEqual({ type: 'knocking', participants: [] });
    ada.say({ type: 'admit', participant: knocking[1]!.id });
    expect(errorsOf(ada)).toEqual(['unknown_participant']);
  });

  it('rejects commands and hides participants while waiting', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator');
    const ben = rig.join(room);
    ben.say({ type: 'chat', text: 'let me in' }).say({ type: 'pub.offer', sdp: 'v=0', sources: {} });
    ada.say({ type: 'chat', text: 'shall we?' });
    expect(ben.types).toEqual(['waiting', 'error', 'error']);
    expect(errorsOf(ben)).toEqual(['not_in', 'not_in']);
    expect(ada.of('chat')).toHaveLength(1);
    expect(commandsTo(rig, 'negotiate')).toEqual([]);
  });

  it('stays filled for the next session when the moderator leaves', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator', 'Ada');
    const first = rig.sessions.find('shop', room.roomId)!.confNum;
    const ben = rig.join(room, 'participant', 'Ben');
    ada.say({ type: 'leave' });
    expect(namesIn(rig, room.roomId)).toBeUndefined();
    expect(ben.isClosed).toBe(false);
    const next = rig.join(room, 'moderator', 'Cleo');
    const { id } = next.last('knocking')!.participants[0]!;
    next.say({ type: 'admit', participant: id });
    expect(ben.last('welcome')).toBeDefined();
    expect(rig.sessions.find('shop', room.roomId)!.confNum).not.toBe(first);
    ben.say({ type: 'chat', text: 'hello' });
    expect(next.last('chat')).toMatchObject({ text: 'hello', name: 'Ben' });
    expect(rig.told.map(({ type }) => type)).toEqual([
      ...['active', 'joined', 'left', 'over'],
      ...['active', 'joined', 'joined', 'moderated', 'chat'],
    ]);
  });

  it('forgets a participant who leaves it', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator');
    rig.join(room).break();
    expect(ada.last('knocking')).toEqual({ type: 'knocking', participants: [] });
    ada.say({ type: 'leave' });
    expect(rig.sessions.count).toBe(0);
  });
});

describe('a moderator', () => {
  const lecture = () => {
    const rig = roomRig();
    const room = rig.room({ mode: 'lecture' });
    const ada = rig.join(room, 'moderator', 'Ada');
    const ben = rig.join(room, 'participant', 'Ben');
    return { rig, room, ada, ben };
  };

  it.each<JsonObject>([
    { type: 'mute_user', participant: 'x', source: 'audio', muted: true },
    { type: 'mute_all', source: 'audio', muted: true },
    { type: 'floor', participant: 'x', given: true },
    { type: 'drop', participant: 'x' },
    { type: 'admit', participant: 'x' },
    { type: 'deny', participant: 'x' },
    { type: 'record', on: true },
    { type: 'end' },
  ])('is the only role that may send %j', (message) => {
    const rig = roomRig();
    const room = rig.room();
    rig.join(room, 'moderator');
    for (const role of ['participant', 'viewer'] as const) {
      expect(errorsOf(rig.join(room, role).say(message))).toEqual(['not_allowed']);
    }
    expect(namesIn(rig, room.roomId)).toHaveLength(3);
  });

  it('mutes participants, who may unmute unless it is a hard mute', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben] = [rig.join(room, 'moderator'), rig.join(room)];
    ada.say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: true });
    ben.say({ type: 'mute', source: 'audio', muted: false });
    expect(commandsTo(rig, 'mute')).toMatchObject([{ muted: true }, { muted: false }]);
    ada.say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: true, hard: true });
    ben.say({ type: 'mute', source: 'audio', muted: false });
    expect(errorsOf(ben)).toEqual(['not_allowed']);
    expect(ada.last('changed')).toMatchObject({ participant: { muted: ['audio'], hard_muted: ['audio'] } });
    ada.say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: false });
    ben.say({ type: 'mute', source: 'audio', muted: true }).say({ type: 'mute', source: 'audio', muted: false });
    expect(ada.last('changed')).toMatchObject({ participant: { muted: [], hard_muted: [] } });
  });

  it('mutes all others at once', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, eve, ben] = [rig.join(room, 'moderator'), rig.join(room, 'moderator'), rig.join(room)];
    ada.say({ type: 'mute_all', source: 'video', muted: true, hard: true });
    expect(commandsTo(rig, 'mute')).toEqual([{ type: 'mute', participant: ben.id, source: 'video', muted: true }]);
    expect(errorsOf(eve)).toEqual([]);
  });

  it('gives the floor in a lecture; taking it back ends the published media', () => {
    const { rig, room, ada, ben } = lecture();
    expect(ben.last('welcome')).toMatchObject({ permissions: { publish: false, subscribe: true } });
    ben.say({ type: 'pub.offer', sdp: 'v=0', sources: {} });
    expect(errorsOf(ben)).toEqual(['not_allowed']);
    ben.say({ type: 'hand', raised: true });
    expect(ada.last('changed')).toMatchObject({ participant: { id: ben.id, hand: true } });
    ada.say({ type: 'floor', participant: ben.id, given: true });
    expect(ben.last('floor')).toMatchObject({ given: true, permissions: { publish: true } });
    ben.say({ type: 'pub.offer', sdp: 'v=0', sources: {} });
    expect(commandsTo(rig, 'negotiate')).toHaveLength(1);
    const { confNum } = rig.sessions.find('shop', room.roomId)!;
    rig.engine.report(confNum, { type: 'published', participant: ben.id, source: 'audio', on: true });
    rig.engine.report(confNum, { type: 'talking', participant: ben.id, on: true });
    ada.say({ type: 'floor', participant: ben.id, given: false });
    expect(commandsTo(rig, 'grant')).toMatchObject([
      { grants: { publish: ['audio', 'video', 'screen'] } },
      { grants: { publish: [], subscribe: true } },
    ]);
    expect(ada.last('changed')).toMatchObject({ participant: { published: [], floor: false, hand: false } });
    ben.say({ type: 'pub.offer', sdp: 'v=0', sources: {} });
    expect(errorsOf(ben)).toEqual(['not_allowed', 'not_allowed']);
  });

  it('shows one participant large to all, until that participant leaves', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const [ben, cleo] = [rig.join(room), rig.join(room)];
    ada.say({ type: 'spotlight', participant: ben.id, on: true });
    expect(cleo.last('spotlight')).toEqual({ type: 'spotlight', participant: ben.id });
    expect(rig.join(room).last('welcome')).toMatchObject({ spotlight: ben.id });
    ada
      .say({ type: 'spotlight', participant: cleo.id, on: true })
      .say({ type: 'spotlight', participant: ben.id, on: false });
    expect(ben.last('spotlight')).toEqual({ type: 'spotlight', participant: cleo.id });
    cleo.say({ type: 'spotlight', participant: ben.id, on: true });
    expect(errorsOf(cleo)).toEqual(['not_allowed']);
    cleo.say({ type: 'leave' });
    expect(ben.last('spotlight')).toEqual({ type: 'spotlight' });
    expect(rig.join(room).last('welcome')).not.toHaveProperty('spotlight');
  });

  it('removes a participant, whose token and key are then rejected', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const ben = rig.join(room);
    ada.say({ type: 'drop', participant: ben.id });
    expect([ben.types.at(-1), ben.isClosed]).toEqual(['dropped', true]);
    expect(ada.last('left')).toEqual({ type: 'left', id: ben.id, reason: 'dropped' });
    const again = rig.client().say({ type: 'resume', resume_key: String(ben.last('welcome')!['resume_key']) });
    expect(errorsOf(again)).toEqual(['not_known']);
  });

  it('ends the session for all', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben] = [rig.join(room, 'moderator'), rig.join(room)];
    ada.say({ type: 'end' });
    for (const client of [ada, ben]) {
      expect([client.of('ended'), client.isClosed]).toEqual([[{ type: 'ended', reason: 'ended' }], true]);
    }
    expect([rig.sessions.count, rig.engine.listSessions()]).toEqual([0, []]);
  });

  it('records once, by roles, including participants who join later', () => {
    const rig = roomRig();
    const room = rig.room({ role_based_recording: { participant: 'audio' } });
    const ada = rig.join(room, 'moderator');
    ada.say({ type: 'record', on: true }).say({ type: 'record', on: true });
    const ben = rig.join(room);
    expect(ben.last('welcome')).toMatchObject({ recording: true });
    const { confNum } = rig.sessions.find('shop', room.roomId)!;
    rig.engine.report(confNum, { type: 'published', participant: ben.id, source: 'video', on: true });
    expect(commandsTo(rig, 'record')).toEqual([
      { type: 'record', on: true, sources: { [ada.id]: ['audio', 'video', 'screen'] } },
      { type: 'record', on: true, sources: { [ada.id]: ['audio', 'video', 'screen'], [ben.id]: ['audio'] } },
    ]);
    ada.say({ type: 'record', on: false });
    expect([ada.of('recording'), ben.of('recording')].map((one) => one.map(({ on }) => on))).toEqual([
      [true, false],
      [false],
    ]);
  });
});

describe('participants', () => {
  it('are limited to the size of the room: the next is refused', () => {
    const rig = roomRig();
    const room = rig.room({ participants: 2, moderators: 1 });
    const third = rig.token(room);
    const second = rig.token(room, 'moderator');
    rig.join(room, 'moderator');
    expect(errorsOf(rig.client().say({ type: 'join', token: second }))).toEqual(['room_moderators_full']);
    rig.join(room);
    expect(() => rig.token(room)).toThrow('the room has 2 people already');
    expect(errorsOf(rig.client().say({ type: 'join', token: third }))).toEqual(['room_full']);
    expect(namesIn(rig, room.roomId)).toHaveLength(2);
  });

  it.each([
    ['scheduled', { scheduled: true, scheduled_time: '2026-03-02 08:45:00', duration: 60 }, 300],
    ['lecture', { scheduled: true, scheduled_time: '2026-03-02 08:45:00', duration: 60, mode: 'lecture' }, 1000],
  ])('are limited by the type to as many in a %s room', (_type, settings, most) => {
    const rig = roomRig();
    const room = rig.room(settings as JsonObject);
    const tokens = Array.from({ length: most + 1 }, () => rig.token(room));
    const clients = tokens.map((token) => rig.client().say({ type: 'join', token }));
    expect(clients.filter((client) => client.last('welcome'))).toHaveLength(most);
    expect(errorsOf(clients.at(-1)!)).toEqual(['room_full']);
  });

  it('are permitted to write to all or to one participant; viewers only read', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben, vic] = [rig.join(room, 'moderator'), rig.join(room), rig.join(room, 'viewer')];
    ben.say({ type: 'chat', text: '<img src=x onerror=alert(1)>' }).say({ type: 'chat', text: 'psst', to: ada.id });
    vic.say({ type: 'chat', text: 'me too' });
    expect(vic.of('chat').map(({ text }) => text)).toEqual(['<img src=x onerror=alert(1)>']);
    expect(ada.of('chat').map((one) => [one['text'], one['private']])).toEqual([
      ['<img src=x onerror=alert(1)>', false],
      ['psst', true],
    ]);
    expect(errorsOf(vic)).toEqual(['not_allowed']);
    ben.say({ type: 'chat', text: 'to nobody', to: 'somebody' });
    expect(errorsOf(ben)).toEqual(['unknown_participant']);
  });

  it('sends a reaction to all, from six emojis; rejects viewers', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben, vera] = [rig.join(room, 'moderator'), rig.join(room), rig.join(room, 'viewer')];
    ben.say({ type: 'reaction', emoji: '👏' }).say({ type: 'reaction', emoji: '<b>' });
    vera.say({ type: 'reaction', emoji: '👏' });
    expect([ada, ben, vera].map((one) => one.of('reaction'))).toEqual(
      Array(3).fill([{ type: 'reaction', participant: ben.id, emoji: '👏' }]),
    );
    expect([errorsOf(ben), errorsOf(vera)]).toEqual([['bad_message'], ['not_allowed']]);
  });

  it('are restored as they were if they reconnect within 30 s', async () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben] = [rig.join(room, 'moderator'), rig.join(room)];
    ada.say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: true, hard: true });
    ben.break();
    expect(ada.last('changed')).toMatchObject({ participant: { away: true } });
    await rig.clock.advance(29_999);
    const back = rig.client().say({ type: 'resume', resume_key: String(ben.last('welcome')!['resume_key']) });
    expect([back.id, back.last('changed')]).toEqual([
      ben.id,
      expect.objectContaining({ participant: expect.objectContaining({ hard_muted: ['audio'], away: false }) }),
    ]);
    expect(commandsTo(rig, 'mute').at(-1)).toMatchObject({ participant: ben.id, muted: true });
    back.break();
    await rig.clock.advance(30_000);
    expect(ada.last('left')).toEqual({ type: 'left', id: ben.id, reason: 'lost' });
    expect(namesIn(rig, room.roomId)).toHaveLength(1);
  });

  it('are removed 5 s after their page was closed, unless a reloaded page reconnects', async () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben, cleo] = [rig.join(room, 'moderator'), rig.join(room), rig.join(room)];
    const hold = (key: unknown) => rig.client().say({ type: 'hold', resume_key: String(key) });
    const keyOfBen = ben.last('welcome')!.resume_key;
    for (const one of [ben, cleo]) one.break(true);
    await rig.clock.advance(4999);
    const asked = hold(keyOfBen);
    expect([asked.types, asked.isClosed]).toEqual([['held'], true]);
    await rig.clock.advance(1);
    expect(ada.of('left')).toEqual([{ type: 'left', id: cleo.id, reason: 'left' }]);
    await rig.clock.advance(29_998);
    const back = rig.client().say({ type: 'resume', resume_key: keyOfBen });
    expect(back.id).toBe(ben.id);
    // The new page may be quicker than the end of the older link.
    hold(keyOfBen);
    expect(back.isClosed).toBe(true);
    back.break(true);
    await rig.clock.advance(29_999);
    expect(namesIn(rig, room.roomId)).toHaveLength(2);
    await rig.clock.advance(1);
    expect(ada.last('left')).toEqual({ type: 'left', id: ben.id, reason: 'lost' });
  });

  it('accepts a resume key for 10 minutes after the participant left, as a new participant', async () => {
    const rig = roomRig();
    const room = rig.room({ participants: 3 });
    const [ada, ben, cleo] = [rig.join(room, 'moderator'), rig.join(room), rig.join(room)];
    const [keyOfBen, keyOfCleo] = [ben, cleo].map((one) => one.last('welcome')!.resume_key);
    const ask = (type: 'hold' | 'resume', key: unknown) => rig.client().say({ type, resume_key: String(key) });
    ben.say({ type: 'leave' });
    cleo.break(true);
    await rig.clock.advance(5000);
    expect(namesIn(rig, room.roomId)).toHaveLength(1);
    expect(ask('hold', keyOfBen).types).toEqual(['held']);
    const back = ask('resume', keyOfBen);
    expect(back.last('welcome')).toMatchObject({ role: 'participant', participants: [{ id: ada.id }] });
    expect([back.id === ben.id, back.last('welcome')!.resume_key === keyOfBen]).toEqual([false, false]);
    expect(errorsOf(ask('resume', keyOfBen))).toEqual(['not_known']);
    const dan = rig.join(room);
    expect(errorsOf(ask('resume', keyOfCleo))).toEqual(['room_full']);
    dan.say({ type: 'leave' });
    await rig.clock.advance(10 * 60_000 - 5001);
    expect(ask('hold', keyOfCleo).types).toEqual(['held']);
    await rig.clock.advance(5001);
    expect([...errorsOf(ask('hold', keyOfCleo)), ...errorsOf(ask('resume', keyOfCleo))]).toEqual([
      ...['not_known', 'not_known'],
    ]);
  });

  it('returns participants who left to the lobby, and rejects those with a locked microphone', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator');
    const [ben, cleo] = ['Ben', 'Cleo'].map((name) =>
      rig.client().say({ type: 'join', token: rig.token(room, 'participant', name) }),
    );
    for (const { id } of ada.last('knocking')!.participants) ada.say({ type: 'admit', participant: id });
    ada.say({ type: 'mute_user', participant: cleo!.id, source: 'audio', muted: true, hard: true });
    const again = [ben!, cleo!].map((one) => {
      one.say({ type: 'leave' });
      return rig.client().say({ type: 'resume', resume_key: one.last('welcome')!.resume_key });
    });
    expect(again.map(({ types }) => types)).toEqual([['waiting'], ['error']]);
    expect(errorsOf(again[1]!)).toEqual(['not_known']);
  });

  it('are counted once if they reconnect before the old socket closes', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const key = String(ada.last('welcome')!['resume_key']);
    const again = rig.client().say({ type: 'resume', resume_key: key });
    expect([ada.isClosed, again.id, namesIn(rig, room.roomId)]).toEqual([true, ada.id, ['user 1']]);
    ada.break();
    expect(namesIn(rig, room.roomId)).toHaveLength(1);
  });
});

describe('talkers', () => {
  it('are forwarded up to the limit; a talker replaces a quiet participant, never another talker', () => {
    const rig = roomRig();
    const room = rig.room({ max_active_talkers: 2 });
    const [a, b, c, d] = Array.from({ length: 4 }, () => rig.join(room));
    const { confNum } = rig.sessions.find('shop', room.roomId)!;
    const audible = () => commandsTo(rig, 'set_audible').at(-1) as Extract<EngineCommand, { type: 'set_audible' }>;
    const talk = (one: TestClient, on: boolean) =>
      rig.engine.report(confNum, { type: 'talking', participant: one.id, on });
    expect(audible().participants).toEqual([a!.id, b!.id]);
    talk(c!, true);
    expect(audible().participants).toEqual([b!.id, c!.id]);
    talk(d!, true);
    expect(audible().participants).toEqual([c!.id, d!.id]);
    const changes = commandsTo(rig, 'set_audible').length;
    talk(a!, true);
    expect(commandsTo(rig, 'set_audible')).toHaveLength(changes);
    talk(c!, false);
    expect(audible().participants).toEqual([d!.id, a!.id]);
    d!.say({ type: 'leave' });
    expect(audible().participants).toEqual([a!.id]);
    expect(a!.last('talking')).toMatchObject({ participants: expect.arrayContaining([a!.id]) });
  });
});

describe('a session', () => {
  it('ends when the last participant leaves; a join at that moment opens the next', () => {
    const rig = roomRig();
    const room = rig.room();
    const token = rig.token(room);
    const ada = rig.join(room);
    const first = rig.sessions.find('shop', room.roomId)!.confNum;
    ada.say({ type: 'leave' });
    const ben = rig.client().say({ type: 'join', token });
    expect(ben.last('welcome')).toMatchObject({ participants: [] });
    expect(rig.sessions.find('shop', room.roomId)!.confNum).not.toBe(first);
    expect(rig.engine.listSessions()).toHaveLength(1);
    expect(rig.told.map(({ type }) => type)).toEqual(['active', 'joined', 'left', 'over', 'active', 'joined']);
  });

  it('keeps its room from being removed; tokens are rejected after the removal', () => {
    const rig = roomRig();
    const room = rig.room();
    const late = rig.token(room);
    const ada = rig.join(room);
    expect(() => rig.rooms.remove('shop', room.roomId)).toThrow('the room has an active session');
    ada.say({ type: 'leave' });
    rig.rooms.remove('shop', room.roomId);
    expect(errorsOf(rig.client().say({ type: 'join', token: late }))).toEqual(['room_unknown']);
  });

  it('keeps the settings from its beginning', () => {
    const rig = roomRig();
    const room = rig.room({ participants: 1 });
    const [first, second] = [rig.token(room), rig.token(room)];
    const ada = rig.client().say({ type: 'join', token: first });
    rig.rooms.change('shop', room.roomId, { settings: { participants: 5 } });
    expect(errorsOf(rig.client().say({ type: 'join', token: second }))).toEqual(['room_full']);
    ada.say({ type: 'leave' });
    rig.join(room);
    expect(rig.join(room).last('welcome')).toBeDefined();
  });

  it('is the only one of an ad hoc room', () => {
    const rig = roomRig();
    const room = rig.room({ adhoc: true });
    rig.join(room).say({ type: 'leave' });
    expect(() => rig.rooms.find('shop', room.roomId)).toThrow('there is no room');
  });

  it('is one of several in an ad hoc room with a duration, until that ends', async () => {
    const rig = roomRig();
    const room = rig.room({ adhoc: true, duration: 30 });
    rig.join(room).say({ type: 'leave' });
    await rig.clock.advance(29 * 60_000);
    const last = rig.join(room);
    await rig.clock.advance(2 * 60_000);
    expect(rig.rooms.find('shop', room.roomId).roomId).toBe(room.roomId);
    last.say({ type: 'leave' });
    expect(() => rig.rooms.find('shop', room.roomId)).toThrow('there is no room');
  });

  it('survives the death of the engine, and admits all participants to the new one', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben] = [rig.join(room, 'moderator'), rig.join(room)];
    ada.say({ type: 'record', on: true });
    rig.engine.commands.length = 0;
    rig.engine.die();
    expect(rig.engine.listSessions()).toHaveLength(1);
    expect(commandsTo(rig, 'admit')).toHaveLength(2);
    expect(commandsTo(rig, 'record')).toHaveLength(1);
    expect([ada.last('media_restarted'), ben.last('media_restarted')]).toEqual(
      Array.from({ length: 2 }, () => ({ type: 'media_restarted' })),
    );
  });

  it('informs participants without a media connection, and journals it; not while their link is down', () => {
    const rig = roomRig();
    const { engine, told } = rig;
    const ada = rig.join(rig.room());
    const confNum = engine.listSessions()[0]!;
    const becomes = (state: 'renewed' | 'failed' | 'up') =>
      engine.report(confNum, { type: 'connection', participant: ada.id, direction: 'receive', state });
    const noted = () => told.filter(({ type }) => type === 'connection').length;
    becomes('up');
    becomes('renewed');
    expect([ada.of('media'), noted()]).toEqual([[], 1]);
    becomes('failed');
    expect(noted()).toBe(2);
    becomes('up');
    becomes('up');
    const message = expect.stringMatching(/^You cannot hear or see the others: .*firewall/);
    expect(ada.of('media')).toEqual([
      { type: 'media', direction: 'receive', works: false, message },
      { type: 'media', direction: 'receive', works: true },
    ]);
    ada.break();
    becomes('failed');
    expect(noted()).toBe(2);
  });

  it('starts recording automatically when a participant publishes', () => {
    const rig = roomRig();
    const room = rig.room({ auto_recording: true });
    const ada = rig.join(room, 'moderator');
    const { confNum } = rig.sessions.find('shop', room.roomId)!;
    rig.engine.report(confNum, { type: 'published', participant: ada.id, source: 'audio', on: true });
    expect(ada.of('recording')).toEqual([{ type: 'recording', on: true }]);
    ada.say({ type: 'record', on: false });
    rig.engine.report(confNum, { type: 'published', participant: ada.id, source: 'audio', on: false });
    expect(ada.of('recording').map(({ on }) => on)).toEqual([true, false]);
  });
});

describe('a client message', () => {
  it.each<[what: string, message: string]>([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['an unknown type', '{"type":"fly"}'],
    ['a type of Object', '{"type":"constructor"}'],
    ['a missing key', '{"type":"mute","source":"audio"}'],
    ['a foreign key', '{"type":"leave","force":true}'],
    ['a long line', JSON.stringify({ type: 'chat', text: 'x'.repeat(1_000_000) })],
    ['a long text', JSON.stringify({ type: 'chat', text: 'x'.repeat(4001) })],
  ])('is refused where it is %s, and the others notice nothing', (_what, message) => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben] = [rig.join(room), rig.join(room)];
    const before = ada.received.length;
    ben.say(message);
    expect(errorsOf(ben)).toEqual(['bad_message']);
    expect([ada.received.length, ben.isClosed]).toEqual([before, false]);
    const stranger = rig.client().say(message);
    expect([stranger.types, stranger.isClosed]).toEqual([['error'], true]);
  });

  it('is handled only after the client joined', () => {
    const rig = roomRig();
    const client = rig.client().say({ type: 'ping' }).say({ type: 'end' });
    expect([client.types, errorsOf(client), client.isClosed]).toEqual([['pong', 'error'], ['not_joined'], true]);
  });

  it('is limited: a flood of ten thousand closes the link, without an effect on others', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben] = [rig.join(room), rig.join(room)];
    const before = ada.received.length;
    for (let index = 0; index < 10_000; index++) ben.say({ type: 'ping' });
    expect([ben.isClosed, errorsOf(ben)]).toEqual([true, ['too_many_messages']]);
    expect(ben.of('pong').length).toBeLessThan(250);
    expect(ada.received.length - before).toBeLessThan(3);
  });

  it('names only media of its client', () => {
    const rig = roomRig();
    const room = rig.room();
    const [ada, ben] = [rig.join(room), rig.join(room)];
    ben.say({ type: 'layer', participant: ada.id, layer: 'LD' }).say({ type: 'sub.restart' });
    expect(commandsTo(rig, 'set_layer')).toEqual([
      { type: 'set_layer', participant: ben.id, publisher: ada.id, layer: 'LD' },
    ]);
    expect(commandsTo(rig, 'negotiate')).toEqual([
      { type: 'negotiate', participant: ben.id, message: { type: 'sub.restart' } },
    ]);
    ben.say({ type: 'layer', participant: 'stranger', layer: 'LD' });
    expect(errorsOf(ben)).toEqual(['unknown_participant']);
  });
});
