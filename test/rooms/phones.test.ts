/** Telephones in sessions: admitted, denied, muted and removed like other participants. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { enterByPhone } from '../../src/media/rooms/phones.ts';
import type { VideoRoom } from '../../src/media/rooms/room.ts';
import { roomRig } from './room-fixtures.ts';

type Rig = ReturnType<typeof roomRig>;

function phoneIn({ sessions }: Rig, { roomId }: VideoRoom) {
  const visits: string[] = [];
  const call = enterByPhone(
    sessions,
    { projectId: 'shop', roomId, name: '+33612345678', callId: 'call-7', legId: 'leg-7' },
    {
      waits: () => visits.push('waits'),
      isIn: () => visits.push('in'),
      counts: () => undefined,
      isMuted: (muted) => visits.push(muted ? 'muted' : 'unmuted'),
      hasHand: (raised) => visits.push(raised ? 'hand up' : 'hand down'),
      isRefused: (by) => visits.push(`refused by ${by}`),
      isOut: (why) => visits.push(why),
    },
  );
  return { ...call, visits, hangUp: () => call.leave() };
}

const phoneId = (rig: Rig, { roomId }: VideoRoom): string =>
  rig.sessions.usersIn('shop', roomId)!.find(({ isPhone }) => isPhone)!.id;

describe('a telephone', () => {
  it('is a participant of the room: listed, visible to the others, and in the call detail records', async () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const { visits, hangUp } = phoneIn(rig, room);
    expect(visits).toEqual(['in']);
    expect(ada.last('joined')).toMatchObject({ participant: { name: '+33612345678', phone: true } });
    expect(ada.last('changed')).toMatchObject({ participant: { published: ['audio'] } });
    expect(rig.sessions.usersIn('shop', room.roomId)).toMatchObject([{}, { userRef: 'call-7', role: 'participant' }]);
    expect(rig.engine.commands.at(-1)?.command).toMatchObject({ type: 'set_audible' });
    await rig.clock.advance(5000);
    hangUp();
    expect(ada.last('left')).toMatchObject({ reason: 'left' });
    const [detail] = rig.store.callDetails.list({ projectId: 'shop', limit: 9 }).details;
    expect(detail!.body).toMatchObject({
      sip: true,
      room: { sip: true },
      user: { ref: 'call-7', agent: 'telephone' },
      published_track: { audio: true, video: false },
      usage: { published_minutes: 5 },
    });
  });

  it('waits for a moderator, and knocks at the lobby', () => {
    const rig = roomRig();
    const room = rig.room({ knock: true, wait_for_moderator: true });
    const [first, second] = [phoneIn(rig, room), phoneIn(rig, room)];
    const ada = rig.join(room, 'moderator');
    const [one, other] = ada.last('knocking')!['participants'] as { id: string }[];
    ada.say({ type: 'admit', participant: one!.id }).say({ type: 'deny', participant: other!.id });
    expect([first.visits, second.visits]).toEqual([
      ['waits', 'waits', 'in'],
      ['waits', 'waits', 'denied'],
    ]);
  });

  it('is muted and unmuted by moderators', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const { visits } = phoneIn(rig, room);
    const mute = (more: JsonObject) =>
      ada.say({ type: 'mute_user', participant: phoneId(rig, room), source: 'audio', ...more });
    mute({ muted: true, hard: true });
    mute({ muted: true });
    mute({ muted: false });
    expect(visits).toEqual(['in', 'muted', 'unmuted']);
  });

  it('unmutes itself after “Mute all”, not after “Mute all and lock”, and mutes itself', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const phone = phoneIn(rig, room);
    ada.say({ type: 'mute_all', source: 'audio', muted: true });
    phone.mute(false);
    phone.mute(true);
    phone.mute(false);
    ada.say({ type: 'mute_all', source: 'audio', muted: true, hard: true });
    phone.mute(false);
    ada.say({ type: 'mute_all', source: 'audio', muted: false, hard: false });
    expect(phone.visits).toEqual([
      'in',
      'muted',
      'unmuted',
      'muted',
      'unmuted',
      'muted',
      'refused by moderator',
      'unmuted',
    ]);
    expect(ada.last('changed')).toMatchObject({ participant: { phone: true, muted: [] } });
  });

  it('raises its hand, which moderators see and lower by giving the floor', () => {
    const rig = roomRig();
    const room = rig.room({ mode: 'lecture' });
    const ada = rig.join(room, 'moderator');
    const phone = phoneIn(rig, room);
    phone.mute(false);
    phone.toggleHand();
    expect(ada.last('changed')).toMatchObject({ participant: { hand: true } });
    ada.say({ type: 'floor', participant: phoneId(rig, room), given: true });
    phone.toggleHand();
    phone.toggleHand();
    expect(phone.visits).toEqual([
      ...['in', 'muted', 'refused by role', 'hand up', 'unmuted', 'hand down', 'hand up', 'hand down'],
    ]);
  });

  it('has no effect before it is in, and after it has left', () => {
    const rig = roomRig();
    const room = rig.room({ wait_for_moderator: true });
    const phone = phoneIn(rig, room);
    phone.mute(true);
    phone.toggleHand();
    phone.hangUp();
    phone.toggleHand();
    expect(phone.visits).toEqual(['waits']);
  });

  it('gets the number of participants, including browsers', () => {
    const rig = roomRig();
    const room = rig.room();
    for (const role of ['moderator', 'participant'] as const) rig.join(room, role);
    const counts: unknown[] = [];
    const ignore = () => undefined;
    const visit = { waits: ignore, isMuted: ignore, hasHand: ignore, isRefused: ignore, isOut: ignore };
    const phone = { projectId: 'shop', roomId: room.roomId, name: 'Ann', callId: 'call-1', legId: 'leg-1' };
    const count = (people: unknown) => counts.push(people);
    enterByPhone(rig.sessions, phone, { ...visit, isIn: count, counts: count });
    expect(counts).toEqual([3]);
    const ben = rig.join(room);
    ben.say({ type: 'leave' });
    expect(counts).toEqual([3, 4, 3]);
  });

  it('listens in a lecture until it gets the floor', () => {
    const rig = roomRig();
    const room = rig.room({ mode: 'lecture' });
    const ada = rig.join(room, 'moderator');
    const { visits } = phoneIn(rig, room);
    const participant = phoneId(rig, room);
    ada.say({ type: 'mute_user', participant, source: 'video', muted: true });
    ada.say({ type: 'floor', participant, given: true });
    expect(ada.last('changed')).toMatchObject({ participant: { published: ['audio'] } });
    ada.say({ type: 'floor', participant, given: false });
    expect(visits).toEqual(['in', 'muted', 'unmuted', 'muted']);
    expect(ada.last('changed')).toMatchObject({ participant: { published: [] } });
  });

  it('is removed, and notified of the end once', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    const dropped = phoneIn(rig, room);
    ada.say({ type: 'drop', participant: phoneId(rig, room) });
    dropped.hangUp();
    const last = phoneIn(rig, room);
    ada.say({ type: 'end' });
    last.hangUp();
    expect([dropped.visits, last.visits]).toEqual([
      ['in', 'removed'],
      ['in', 'ended'],
    ]);
  });

  it('is refused by a full room, and keeps a session active alone until it hangs up', () => {
    const rig = roomRig();
    const room = rig.room({ participants: 1 });
    const first = phoneIn(rig, room);
    expect(phoneIn(rig, room).visits).toEqual(['full']);
    expect(() => rig.rooms.remove('shop', room.roomId)).toThrow('the room has an active session');
    first.hangUp();
    expect(rig.sessions.count).toBe(0);
    expect(rig.told.map(({ type }) => type)).toEqual(['active', 'joined', 'left', 'over']);
  });

  it('is forgotten after it hangs up while waiting', () => {
    const rig = roomRig();
    const room = rig.room({ wait_for_moderator: true });
    const waiting = phoneIn(rig, room);
    waiting.hangUp();
    const ada = rig.join(room, 'moderator');
    expect([waiting.visits, ada.last('welcome')]).toMatchObject([['waits'], { participants: [] }]);
  });
});
