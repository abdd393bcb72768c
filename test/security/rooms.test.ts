/** Rooms and their PINs: callers without a PIN are refused, however often they call, and do not block others. */
import { describe, expect, it } from 'vitest';
import { configuredRooms, RoomVenue } from '../../src/service/calls/conferences/room-phones.ts';
import { Party } from '../calls/conferences/test-members.ts';
import { startLegs } from '../steps/scripted-legs.ts';

function stand() {
  const party = new Party();
  const rooms = new RoomVenue({
    clock: party.clock,
    directory: configuredRooms([
      { roomId: 'board', projectId: 'shop', name: 'Board', pin: '4711' },
      { roomId: 'lobby', projectId: 'shop', name: 'Lobby' },
      { roomId: 'lair', projectId: 'other', name: 'Lair', pin: '0815' },
    ]),
  });
  const enter = async (room: string, options: { pin?: string }, as = {}) => {
    const guest = party.enter(rooms, room, options, as);
    await party.settle();
    return guest.told[0]?.data['reason'] ?? guest.told[0]?.name;
  };
  return { party, rooms, enter };
}

describe('guesses at the PIN of a room', () => {
  it.each(['board', '*'])('slows down only the caller who guesses, for a PIN of %s', async (room) => {
    const { party, rooms, enter } = stand();
    const guess = (index: number) => enter(room, { pin: `1${index}` }, { from: 'thief' });
    for (let index = 0; index < 10; index++) expect(await guess(index)).toBe('wrong_pin');
    for (let index = 10; index < 200; index++) expect(await guess(index)).toBe('waiting');
    expect(await enter(room, { pin: '4711' }, { from: 'friend' })).toBe('joined');
    // Nor where the caller who guesses knows it in the end.
    const late = party.enter(rooms, room, { pin: '4711' }, { from: 'thief' });
    await party.clock.advance(191 * 20_000);
    expect(late.news()).toEqual(['waiting', 'joined']);
  });

  it('delays new callers from new numbers, but blocks none, and ignores known and invited callers', async () => {
    const { party, rooms, enter } = stand();
    expect(await enter('board', { pin: '4711' }, { from: '555-known' })).toBe('joined');
    for (let index = 0; index < 100; index++) {
      expect(await enter('board', { pin: `1${index}` }, { from: `thief ${index}` })).toBe('wrong_pin');
    }
    for (let index = 0; index < 5; index++) {
      expect(await enter('board', { pin: '0000' }, { from: `late thief ${index}` })).toBe('waiting');
    }
    const friend = party.enter(rooms, 'board', { pin: '4711' }, { from: 'friend' });
    await party.settle();
    expect(friend.news()).toEqual(['waiting']);
    expect(await enter('board', { pin: '4711' }, { from: '555-known' })).toBe('joined');
    // Other rooms, projects, and those who are invited.
    expect(await enter('lobby', {})).toBe('joined');
    expect(await enter('lair', { pin: '0815' }, { projectId: 'other' })).toBe('joined');
    rooms.invite('board', 'guest', new Promise(() => {}));
    expect(await enter('board', {}, { callId: 'guest' })).toBe('joined');
    await party.clock.advance(6 * 20_000);
    expect(friend.news()).toEqual(['joined']);
  });

  it('are checked at one PIN every twenty seconds, for all callers together', async () => {
    const { party, rooms } = stand();
    const guests = Array.from({ length: 1000 }, (_, index) =>
      party.enter(rooms, '*', { pin: '0000' }, { from: `thief ${index}` }),
    );
    await party.clock.advance(3_600_000);
    const checked = guests.filter(({ told }) => told.at(-1)?.name === 'denied').length;
    expect(checked).toBeGreaterThanOrEqual(100 + 179);
    expect(checked).toBeLessThanOrEqual(100 + 181);
  });

  it('ends with the call: no PIN is checked for a caller who has left', async () => {
    const { party, rooms } = stand();
    for (let index = 0; index < 100; index++) party.enter(rooms, '*', { pin: '0000' }, { from: `thief ${index}` });
    const gone = Array.from({ length: 50 }, (_, index) =>
      party.enter(rooms, '*', { pin: '0000' }, { from: `gone ${index}` }),
    );
    await party.settle();
    party.do(() => {
      for (const { memberId } of gone) rooms.exit(memberId);
    });
    const friend = party.enter(rooms, 'board', { pin: '4711' }, { from: 'friend' });
    await party.clock.advance(20_000);
    expect(friend.news()).toEqual(['waiting', 'joined']);
    expect(gone.every(({ told }) => told.length === 1)).toBe(true);
  });

  it('does not include a PIN entered later, when the flow asks for it', async () => {
    const { enter } = stand();
    for (let call = 0; call < 200; call++) await enter('board', {});
    expect(await enter('board', { pin: '4711' })).toBe('joined');
  });
});

describe('a bridge beside rooms', () => {
  it('is never the mix of a room, whatever its name', async () => {
    const { caller, party } = await startLegs(
      '\n  first: { bridge: { to: "+441", bridge_id: "room shop board" }, exits: { completed: bye, failed: bye } }',
      { outbound: true },
    );
    await party('+441').answers();
    expect(caller.mix).toBeDefined();
    expect([caller.mix, party('+441').mix]).not.toContain('room shop board');
  });
});
