import { beforeEach, describe, expect, it } from 'vitest';
import { configuredRooms, RoomVenue } from '../../../src/service/calls/conferences/room-phones.ts';
import { Party } from './test-members.ts';

const NEVER = new Promise(() => undefined);

let party: Party;
let rooms: RoomVenue;
beforeEach(() => {
  party = new Party();
  rooms = new RoomVenue({
    clock: party.clock,
    directory: configuredRooms([
      { roomId: 'board', projectId: 'shop', name: 'Board', pin: '4711' },
      { roomId: 'lobby', projectId: 'shop', name: 'Lobby' },
      { roomId: 'lair', projectId: 'other', name: 'Lair', pin: '0815' },
    ]),
  });
});

describe('a room', () => {
  it('is one mix for all who call in', async () => {
    const ann = party.enter(rooms, 'lobby');
    const bob = party.enter(rooms, 'lobby');
    await party.settle();
    expect(ann.told.map(({ name, data }) => [name, data])).toEqual([
      ['joined', { room_id: 'lobby', name: 'Lobby', mix_id: 'room shop lobby', members: 1, may_talk: true }],
      ['members', { members: 2 }],
    ]);
    expect(bob.told[0]?.data['mix_id']).toBe('room shop lobby');
    expect(rooms.callsIn('shop', 'lobby')).toEqual([ann.callId, bob.callId]);
    party.do(() => rooms.exit(ann.memberId));
    expect(rooms.callsIn('shop', 'lobby')).toEqual([bob.callId]);
  });

  it.each<[string, string, object, string, object]>([
    ['with its PIN', 'board', { pin: '4711' }, 'joined', { room_id: 'board' }],
    ['by its PIN alone', '*', { pin: '4711' }, 'joined', { room_id: 'board' }],
    ['without its PIN', 'board', {}, 'denied', { reason: 'wrong_pin' }],
    ['with a wrong PIN', 'board', { pin: '4712' }, 'denied', { reason: 'wrong_pin' }],
    ['by a PIN that no room has', '*', { pin: '9999' }, 'denied', { reason: 'wrong_pin' }],
    ['by an empty PIN', '*', { pin: '' }, 'denied', { reason: 'wrong_pin' }],
    ['that is not there', 'attic', { pin: '4711' }, 'denied', { reason: 'unknown' }],
    ['of another project, by its id', 'lair', { pin: '0815' }, 'denied', { reason: 'unknown' }],
    ['of another project, by its PIN', '*', { pin: '0815' }, 'denied', { reason: 'wrong_pin' }],
  ])('admits or denies a caller: entered %s', async (_what, name, options, event, data) => {
    const ann = party.enter(rooms, name, options as never);
    await party.settle();
    expect(ann.told).toMatchObject([{ name: event, data }]);
  });

  it('denies a call that guesses too often, whatever it says then', async () => {
    const tell = async (pin: string, callId: string) => {
      const guest = party.enter(rooms, 'board', { pin }, { callId });
      await party.settle();
      party.do(() => rooms.exit(guest.memberId));
      return [guest.told[0]?.name, guest.told[0]?.data['reason']];
    };
    for (let count = 0; count < 5; count++) expect(await tell('0000', 'thief')).toEqual(['denied', 'wrong_pin']);
    expect(await tell('4711', 'thief')).toEqual(['denied', 'too_many_tries']);
    expect(await tell('4711', 'friend')).toEqual(['joined', undefined]);
  });

  it('slows down a source that guesses with many numbers, and no caller of another source', async () => {
    const guess = async (call: number, pin: string, source: string) => {
      const guest = party.enter(rooms, 'board', { pin }, { callId: `${source} ${call}`, from: `06${call}`, source });
      await party.settle();
      return guest.news();
    };
    for (let call = 0; call < 30; call++) expect(await guess(call, '0000', '192.0.2.1')).toEqual(['denied']);
    expect(await guess(30, '0001', '192.0.2.1')).toContain('waiting');
    expect(await guess(31, '4711', '192.0.2.2')).toEqual(['joined']);
    expect(await guess(32, '0000', '192.0.2.2')).toEqual(['denied']);
  });

  it('takes an invited call without the PIN, once', async () => {
    rooms.invite('board', 'guest', NEVER);
    const enter = async (callId: string) => {
      const guest = party.enter(rooms, 'board', {}, { callId });
      await party.settle();
      return guest.told[0]?.name;
    };
    expect(await enter('stranger')).toBe('denied');
    expect(await enter('guest')).toBe('joined');
    expect(await enter('guest')).toBe('denied');
  });

  it('forgets an invitation when the call is over', async () => {
    const over = Promise.withResolvers<void>();
    rooms.invite('board', 'guest', over.promise);
    over.resolve();
    await party.settle();
    const guest = party.enter(rooms, 'board', {}, { callId: 'guest' });
    await party.settle();
    expect(guest.news()).toEqual(['denied']);
  });
});
