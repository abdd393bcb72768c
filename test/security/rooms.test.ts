/** Rooms and their PINs: who does not know one does not get in, however often they call. */
import { describe, expect, it } from 'vitest';
import { configuredRooms, Rooms } from '../../src/calls/conferences/rooms.ts';
import { Party } from '../calls/conferences/test-members.ts';
import { startLegs } from '../steps/scripted-legs.ts';

function stand() {
  const party = new Party();
  const rooms = new Rooms({
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

describe('guessing the PIN of a room', () => {
  it.each(['board', '*'])('%s by calling again and again comes to an end', async (room) => {
    const { party, rooms, enter } = stand();
    for (let guess = 0; guess < 100; guess++) expect(await enter(room, { pin: `1${guess}` })).toBe('wrong_pin');
    expect(await enter(room, { pin: '4711' })).toBe('too_many_tries');
    // Nobody else is kept out.
    expect(await enter('lobby', {})).toBe('joined');
    expect(await enter('lair', { pin: '0815' }, { projectId: 'other' })).toBe('joined');
    rooms.invite('board', 'guest', new Promise(() => {}));
    expect(await enter('board', {}, { callId: 'guest' })).toBe('joined');
    await party.clock.advance(600_000);
    expect(await enter(room, { pin: '4711' })).toBe('joined');
  });

  it('does not include entering it later, when the flow asks for it', async () => {
    const { enter } = stand();
    for (let call = 0; call < 200; call++) await enter('board', {});
    expect(await enter('board', { pin: '4711' })).toBe('joined');
  });
});

describe('a bridge', () => {
  it('is never the mix of a room, whatever it is called', async () => {
    const { caller, party } = await startLegs(
      '\n  first: { bridge: { to: "+441", bridge_id: "room shop board" }, exits: { completed: bye, failed: bye } }',
      { outbound: true },
    );
    await party('+441').answers();
    expect(caller.mix).toBeDefined();
    expect([caller.mix, party('+441').mix]).not.toContain('room shop board');
  });
});
