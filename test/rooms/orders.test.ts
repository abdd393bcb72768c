/** Adversarial orders: messages that are late, early, concurrent, or not permitted. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { enterByPhone, type PhoneVisit } from '../../src/media/rooms/phones.ts';
import type { VideoRoom } from '../../src/media/rooms/room.ts';
import type { EngineCommand } from '../../src/media/rooms/sfu.ts';
import { roomRig, type TestClient } from './room-fixtures.ts';

type Rig = ReturnType<typeof roomRig>;

const MINUTE_MS = 60_000;

const errorsOf = (client: TestClient) => client.of('error').map(({ code }) => code);
const namesIn = (rig: Rig, { roomId }: VideoRoom) => rig.sessions.usersIn('shop', roomId)?.map(({ name }) => name);
const commands = <Type extends EngineCommand['type']>({ engine }: Rig, type: Type) =>
  engine.commands.flatMap(({ command }) =>
    command.type === type ? [command as Extract<EngineCommand, { type: Type }>] : [],
  );
const joinWith = (rig: Rig, token: string) => rig.client().say({ type: 'join', token });
const confOf = (rig: Rig, { roomId }: VideoRoom) => rig.sessions.find('shop', roomId)!.confNum;

function phoneTo(rig: Rig, { roomId }: VideoRoom, during: Partial<PhoneVisit> = {}) {
  const visits: string[] = [];
  const visit: PhoneVisit = {
    waits: () => visits.push('waits'),
    isIn: () => visits.push('in'),
    counts: () => undefined,
    isMuted: (muted) => visits.push(muted ? 'muted' : 'unmuted'),
    hasHand: (raised) => visits.push(raised ? 'hand up' : 'hand down'),
    isRefused: (by) => visits.push(`refused by ${by}`),
    isOut: (why) => visits.push(why),
    ...during,
  };
  const call = enterByPhone(
    rig.sessions,
    { projectId: 'shop', roomId, name: '+33', callId: 'call-7', legId: 'leg-7' },
    visit,
  );
  return { visits, hangUp: () => call.leave() };
}

describe('a token', () => {
  it('is not valid in another room', () => {
    const rig = roomRig();
    const [first, second] = [rig.room(), rig.room()];
    const ada = rig.join(first, 'moderator');
    const ben = rig.join(second, 'moderator', 'Ben');
    ada
      .say({ type: 'drop', participant: ben.id })
      .say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: true })
      .say({ type: 'layer', participant: ben.id, layer: 'off' })
      .say({ type: 'chat', text: 'psst', to: ben.id })
      .say({ type: 'mute_all', source: 'audio', muted: true, hard: true })
      .say({ type: 'end' });
    expect(errorsOf(ada)).toEqual(Array.from({ length: 4 }, () => 'unknown_participant'));
    expect([ben.types, ben.isClosed, namesIn(rig, second)]).toEqual([['welcome', 'knocking'], false, ['Ben']]);
  });

  it('is not valid after its room was removed, nor in a new room of another id', () => {
    const rig = roomRig();
    const room = rig.room();
    const token = rig.token(room);
    rig.rooms.remove('shop', room.roomId);
    rig.room();
    expect(errorsOf(joinWith(rig, token))).toEqual(['room_unknown']);
    expect(errorsOf(joinWith(rig, token))).toEqual(['token_used']);
  });

  it('is used up also if the room is full', () => {
    const rig = roomRig();
    const room = rig.room({ participants: 1 });
    const late = rig.token(room);
    const ada = rig.join(room);
    expect(errorsOf(joinWith(rig, late))).toEqual(['room_full']);
    ada.say({ type: 'leave' });
    expect(errorsOf(joinWith(rig, late))).toEqual(['token_used']);
  });

  it('is counted for the audience only, if it is of a viewer', () => {
    const rig = roomRig();
    const room = rig.room({ participants: 1, audiences: 2 });
    const spare = [rig.token(room, 'audience'), rig.token(room)];
    rig.join(room, 'audience');
    rig.join(room);
    rig.join(room, 'audience');
    expect(spare.map((token) => errorsOf(joinWith(rig, token)))).toEqual([['room_full'], ['room_full']]);
    for (const role of ['audience', 'participant'] as const) {
      expect(() => rig.token(room, role)).toThrow(expect.objectContaining({ code: 'room_full' }));
    }
  });
});

describe('a room that is removed', () => {
  it('rejects a token during its removal, and leaves no session', () => {
    const rig = roomRig();
    const room = rig.room();
    const token = rig.token(room);
    const client = rig.client();
    rig.rooms.remove('shop', room.roomId);
    client.say({ type: 'join', token });
    expect([errorsOf(client), client.isClosed, rig.sessions.count]).toEqual([['room_unknown'], true, 0]);
  });

  it('dismisses participants waiting in its lobby', () => {
    const rig = roomRig();
    const room = rig.room({ wait_for_moderator: true });
    const ben = rig.join(room);
    const { visits } = phoneTo(rig, room);
    rig.rooms.remove('shop', room.roomId);
    expect(ben.received).toEqual([
      { type: 'waiting', for: 'moderator' },
      { type: 'ended', reason: 'room_over' },
    ]);
    expect([ben.isClosed, visits]).toEqual([true, ['waits', 'ended']]);
    expect([rig.sessions.count, rig.engine.listSessions(), rig.told]).toEqual([0, [], []]);
  });

  it('cannot be removed once they are in', () => {
    const rig = roomRig();
    const room = rig.room({ wait_for_moderator: true });
    rig.join(room);
    rig.join(room, 'moderator');
    expect(() => rig.rooms.remove('shop', room.roomId)).toThrow('the room has an active session');
    expect(namesIn(rig, room)).toHaveLength(2);
  });
});

describe('the lobby', () => {
  it.each<JsonObject>([{ wait_for_moderator: true }, { knock: true }])(
    'keeps a place for the moderator, where there is %j',
    (settings) => {
      const rig = roomRig();
      const room = rig.room({ participants: 2, ...settings });
      const [early, late] = [rig.token(room), rig.token(room)];
      const moderators = [rig.token(room, 'moderator'), rig.token(room, 'moderator')];
      const ben = joinWith(rig, early);
      expect(errorsOf(joinWith(rig, late))).toEqual(['room_full']);
      const ada = joinWith(rig, moderators[0]!);
      expect(ada.last('welcome')).toBeDefined();
      const knocking = ada.last('knocking')!['participants'] as { id: string }[];
      for (const { id } of knocking) ada.say({ type: 'admit', participant: id });
      expect(ben.last('welcome')).toBeDefined();
      expect(errorsOf(joinWith(rig, moderators[1]!))).toEqual(['room_full']);
    },
  );

  it('is open once a moderator has joined, also after the moderator has left', () => {
    const rig = roomRig();
    const room = rig.room({ wait_for_moderator: true });
    const ben = rig.join(room);
    const ada = rig.join(room, 'moderator');
    ada.say({ type: 'leave' });
    expect(rig.join(room).types).toEqual(['welcome']);
    expect(ben.last('left')).toBeDefined();
  });

  it('shows a knocking participant to the next moderator', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator');
    const ben = rig.join(room);
    const { id } = ada.last('knocking')!.participants[0]!;
    const cleo = rig.join(room, 'moderator');
    ada.say({ type: 'leave' });
    ada.say({ type: 'admit', participant: id });
    expect(ben.types).toEqual(['waiting']);
    cleo.say({ type: 'admit', participant: id }).say({ type: 'admit', participant: id });
    expect([ben.last('welcome'), errorsOf(cleo)]).toMatchObject([{ type: 'welcome' }, ['unknown_participant']]);
  });
});

describe('an end of a session', () => {
  it('is the last message to each participant, and the only end', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator');
    const others = [rig.join(room, 'moderator'), rig.join(room)];
    const { visits } = phoneTo(rig, room);
    ada.say({ type: 'end' }).say({ type: 'end' });
    for (const client of [ada, ...others]) {
      expect(client.of('left')).toEqual([]);
      expect(client.types.filter((type) => type === 'ended')).toHaveLength(1);
      expect([client.types.at(-1), client.isClosed]).toEqual(['ended', true]);
    }
    expect(visits).toEqual(['waits', 'ended']);
    expect(rig.told.map(({ type }) => type)).toEqual([
      'active',
      'joined',
      'joined',
      'moderated',
      'left',
      'left',
      'over',
    ]);
  });

  it('writes and reports the records of all participants when the service stops', async () => {
    const rig = roomRig();
    const [room, other] = [rig.room(), rig.room({ wait_for_moderator: true })];
    const people = [rig.join(room, 'moderator'), rig.join(room), rig.join(other)];
    const phone = phoneTo(rig, room);
    await rig.clock.advance(61_000);
    rig.sessions.close();
    expect(people.map((one) => [one.types.at(-1), one.isClosed])).toEqual(people.map(() => ['ended', true]));
    expect(phone.visits).toEqual(['in', 'ended']);
    const { details } = rig.store.callDetails.list({ projectId: 'shop', limit: 9 });
    expect(details.map(({ body }) => body['usage'])).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ connect_minutes: 61, connect_minutes_cal: 2 })),
    );
    expect([rig.sessions.count, rig.engine.listSessions()]).toEqual([0, []]);
  });
});

describe('in a session', () => {
  it('waits with the 17th talker until one of sixteen is quiet', () => {
    const rig = roomRig();
    const room = rig.room();
    const people = Array.from({ length: 17 }, () => rig.join(room));
    const confNum = confOf(rig, room);
    const talk = ({ id }: TestClient, on: boolean) =>
      rig.engine.report(confNum, { type: 'talking', participant: id, on });
    for (const one of people) talk(one, true);
    const audible = () => commands(rig, 'set_audible').at(-1)!.participants;
    const last = people.at(-1)!;
    expect([audible().length, audible().includes(last.id)]).toEqual([16, false]);
    talk(people[4]!, false);
    expect([audible().length, audible().includes(last.id), audible().includes(people[4]!.id)]).toEqual([
      16,
      true,
      false,
    ]);
  });

  it('keeps a stopped recording stopped for a participant who joins meanwhile', () => {
    const rig = roomRig();
    const room = rig.room({ auto_recording: true });
    const ada = rig.join(room, 'moderator');
    const publish = ({ id }: TestClient) =>
      rig.engine.report(confOf(rig, room), { type: 'published', participant: id, source: 'audio', on: true });
    publish(ada);
    const ben = rig.client();
    const token = rig.token(room);
    ada.say({ type: 'record', on: false });
    ben.say({ type: 'join', token });
    publish(ben);
    expect([ben.last('welcome'), ben.of('recording')]).toMatchObject([{ recording: false }, []]);
    expect(commands(rig, 'record').map(({ on }) => on)).toEqual([true, false]);
    ada.say({ type: 'record', on: true });
    expect(commands(rig, 'record').at(-1)).toMatchObject({ on: true, sources: { [ben.id]: expect.anything() } });
  });

  it('treats a hard-muted participant who returns with a new token as a new one', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const ben = rig.join(room);
    ada.say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: true, hard: true });
    ben.say({ type: 'mute', source: 'audio', muted: false }).say({ type: 'leave' });
    const again = rig.join(room);
    again.say({ type: 'mute', source: 'audio', muted: false });
    expect([errorsOf(ben), errorsOf(again)]).toEqual([['not_allowed'], []]);
  });

  it('withdraws the floor also from a disconnected participant', () => {
    const rig = roomRig();
    const room = rig.room({ mode: 'lecture' });
    const ada = rig.join(room, 'moderator');
    const ben = rig.join(room);
    ada.say({ type: 'floor', participant: ben.id, given: true });
    ben.break();
    ada.say({ type: 'floor', participant: ben.id, given: false });
    const back = rig.client().say({ type: 'resume', resume_key: String(ben.last('welcome')!['resume_key']) });
    expect(back.last('welcome')).toMatchObject({ permissions: { publish: false } });
    back.say({ type: 'pub.offer', sdp: 'v=0', sources: {} });
    expect(errorsOf(back)).toEqual(['not_allowed']);
    expect(commands(rig, 'admit').at(-1)).toMatchObject({ participant: ben.id, grants: { publish: [] } });
  });

  it('ignores engine reports about participants who have left or are waiting', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const [ada, gone] = [rig.join(room, 'moderator'), rig.join(room, 'moderator')];
    rig.join(room);
    const confNum = confOf(rig, room);
    const waiting = rig.sessions.find('shop', room.roomId)!.lobby[0]!.id;
    const goneId = gone.id;
    gone.say({ type: 'leave' });
    const before = ada.received.length;
    for (const participant of [waiting, goneId, 'nobody']) {
      rig.engine.report(confNum, { type: 'published', participant, source: 'audio', on: true });
      rig.engine.report(confNum, { type: 'talking', participant, on: true });
      rig.engine.report(confNum, { type: 'link', participant, poor: true });
    }
    rig.engine.report('another session', { type: 'failed', why: 'it is not there' });
    expect([ada.received.length, rig.sessions.count]).toEqual([before, 1]);
  });

  it('ends for all if the engine fails; the next one starts from the beginning', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room);
    rig.engine.report(confOf(rig, room), { type: 'failed', why: 'out of memory' });
    expect([ada.types.at(-1), ada.isClosed, rig.sessions.count]).toEqual(['ended', true, 0]);
    expect(rig.join(room).last('welcome')).toBeDefined();
  });

  it('keeps all participants if the engine dies repeatedly', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const [ada, ben] = [rig.join(room, 'moderator', 'Ada'), rig.join(room, 'participant', 'Ben')];
    for (let times = 0; times < 5; times++) rig.engine.die();
    expect([ada.of('media_restarted').length, ben.types]).toEqual([5, ['waiting']]);
    expect([namesIn(rig, room), rig.engine.listSessions()]).toEqual([['Ada'], [confOf(rig, room)]]);
  });
});

describe('a telephone', () => {
  it('is audible again after the engine has died', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room);
    phoneTo(rig, room);
    rig.engine.die();
    expect(ada.last('changed')).toMatchObject({ participant: { phone: true, published: ['audio'] } });
  });

  it('is not admitted if it hangs up during admission', () => {
    const rig = roomRig();
    const room = rig.room({ wait_for_moderator: true });
    const phone = phoneTo(rig, room, { isIn: () => phone.hangUp() });
    const ada = rig.join(room, 'moderator', 'Ada');
    expect(namesIn(rig, room)).toEqual(['Ada']);
    expect([ada.last('left'), phone.visits]).toMatchObject([{ reason: 'left' }, ['waits']]);
    expect(commands(rig, 'drop')).toHaveLength(1);
  });

  it('is refused before and after the time of the room', async () => {
    const rig = roomRig();
    const room = rig.room(
      { scheduled: true, scheduled_time: '2026-03-02 10:00:00', duration: 30 },
      { sip: { enabled: true } },
    );
    expect(phoneTo(rig, room).visits).toEqual(['ended']);
    await rig.clock.advance(61 * MINUTE_MS);
    const phone = phoneTo(rig, room);
    expect(phone.visits).toEqual(['in']);
    await rig.clock.advance(90 * MINUTE_MS);
    expect(phoneTo(rig, room).visits).toEqual(['in']);
    rig.sessions.end('shop', room.roomId);
    expect(phoneTo(rig, room).visits).toEqual(['ended']);
    expect(rig.sessions.count).toBe(0);
  });
});

describe('the time of a room', () => {
  const scheduled = { scheduled: true, scheduled_time: '2026-03-02 10:00:00', duration: 30 };

  it('begins 30 minutes early, and lasts while a participant is in', async () => {
    const rig = roomRig();
    const room = rig.room(scheduled);
    await rig.clock.advance(60 * MINUTE_MS - 1);
    expect(() => rig.token(room)).toThrow(expect.objectContaining({ code: 'room_not_open' }));
    await rig.clock.advance(1);
    const ada = rig.join(room);
    await rig.clock.advance(60 * MINUTE_MS);
    expect(rig.join(room).last('welcome')).toBeDefined();
    await rig.clock.advance(24 * 60 * MINUTE_MS);
    const late = rig.token(room);
    expect(ada.isClosed).toBe(false);
    rig.sessions.end('shop', room.roomId);
    expect(errorsOf(joinWith(rig, late))).toEqual(['room_over']);
    expect(() => rig.token(room)).toThrow(expect.objectContaining({ code: 'room_over' }));
  });

  it('ends an ad hoc room after its duration, also while it is empty', async () => {
    const rig = roomRig();
    const room = rig.room({ adhoc: true, duration: 30 });
    await rig.clock.advance(24 * 60 * MINUTE_MS);
    rig.join(room).say({ type: 'leave' });
    await rig.clock.advance(29 * MINUTE_MS);
    const late = rig.token(room);
    await rig.clock.advance(MINUTE_MS);
    expect(() => rig.token(room)).toThrow(expect.objectContaining({ code: 'room_over' }));
    expect(errorsOf(joinWith(rig, late))).toEqual(['room_over']);
    expect(rig.rooms.list({ projectId: 'shop', limit: 9 }).rooms).toEqual([]);
    expect(() => rig.rooms.find('shop', room.roomId)).toThrow('there is no room');
  });

  it('is over for an ad hoc room whose session ended in a crash', () => {
    const rig = roomRig();
    const room = rig.room({ adhoc: true });
    rig.join(room);
    const next = roomRig();
    for (const kept of rig.store.rooms.list({ projectId: 'shop', limit: 9 }).rooms) next.store.rooms.create(kept);
    expect(() => next.rooms.find('shop', room.roomId)).toThrow('there is no room');
    expect(next.store.rooms.find('shop', room.roomId)).toBeUndefined();
  });
});
