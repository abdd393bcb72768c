import { beforeEach, describe, expect, it } from 'vitest';
import { countingIds } from '../../../src/base/core/ids.ts';
import { Conferences } from '../../../src/service/calls/conferences/conferences.ts';
import { Party, type PartyMember } from './test-members.ts';

const NEVER = new Promise(() => undefined);

let party: Party;
let halls: Conferences;
beforeEach(() => {
  party = new Party();
  halls = new Conferences({ clock: party.clock, ids: countingIds() });
});

const idOf = (guest: PartyMember): string => String(guest.told[0]?.data['conference_id']);

describe('a conference', () => {
  it('is one mix for all who join its name', async () => {
    const ann = party.enter(halls, 'daily');
    const bob = party.enter(halls, 'daily');
    await party.settle();
    expect(ann.told.map(({ name, data }) => [name, data])).toEqual([
      ['joined', { conference_id: 'conference-1', name: 'daily', members: 1, mix_id: 'conference-1' }],
      ['members', { members: 2 }],
    ]);
    expect(bob.told.map(({ name, data }) => [name, data])).toEqual([
      ['joined', { conference_id: 'conference-1', name: 'daily', members: 2, mix_id: 'conference-1' }],
    ]);
  });

  it('is separate from one of the same name in another project', async () => {
    const ann = party.enter(halls, 'daily');
    const eve = party.enter(halls, 'daily', {}, { projectId: 'other' });
    const spy = party.enter(halls, 'x', { conference_id: 'conference-1' }, { projectId: 'other' });
    await party.settle();
    expect(idOf(eve)).not.toBe(idOf(ann));
    expect(spy.news()).toEqual(['ended']);
    expect(halls.find('other', 'conference-1')).toBeUndefined();
    expect(halls.find('shop', 'conference-1')?.participants).toHaveLength(1);
  });

  it('ends with its last member, stays readable for an hour, and frees its name', async () => {
    const ann = party.enter(halls, 'daily');
    await party.clock.advance(60_000);
    party.do(() => halls.exit(ann.memberId));
    expect(halls.find('shop', 'conference-1')).toMatchObject({
      state: 'ended',
      createdMs: 0,
      endedMs: 60_000,
      participants: [{ callId: 'call-1', state: 'left', joinedMs: 0 }],
    });
    const bob = party.enter(halls, 'daily');
    await party.settle();
    expect(idOf(bob)).toBe('conference-2');
    await party.clock.advance(3_600_000);
    expect(halls.find('shop', 'conference-1')).toBeUndefined();
    expect(halls.find('shop', 'conference-2')).toBeDefined();
  });

  it('refuses members above its limit, and admits them after another has left', async () => {
    const ann = party.enter(halls, 'daily', { max_members: 2 });
    party.enter(halls, 'daily');
    const late = party.enter(halls, 'daily');
    await party.settle();
    expect(late.news()).toEqual(['full']);
    party.do(() => halls.exit(late.memberId));
    party.do(() => halls.exit(ann.memberId));
    const later = party.enter(halls, 'daily');
    await party.settle();
    expect(later.news()).toEqual(['joined']);
  });

  it('keeps members who wait for a moderator out of the mix until one joins', async () => {
    const ann = party.enter(halls, 'daily', { wait_for_moderator: true });
    const bob = party.enter(halls, 'daily', { wait_for_moderator: true });
    await party.settle();
    expect([ann.news(), bob.news()]).toEqual([['waiting', 'members'], ['waiting']]);
    expect(ann.told[0]?.data).not.toHaveProperty('mix_id');
    expect(halls.find('shop', 'conference-1')?.participants.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    const head = party.enter(halls, 'daily', { moderator: true, wait_for_moderator: true });
    await party.settle();
    expect(head.news()).toEqual(['joined']);
    expect(ann.news()).toEqual(['members', 'joined', 'started']);
    const late = party.enter(halls, 'daily', { wait_for_moderator: true });
    await party.settle();
    expect(late.news()).toEqual(['joined']);
  });

  it('ends for all when a member with end_on_exit leaves', async () => {
    const ann = party.enter(halls, 'daily');
    const head = party.enter(halls, 'daily', { end_on_exit: true });
    await party.settle();
    ann.news();
    party.do(() => halls.exit(head.memberId));
    await party.settle();
    expect(ann.news()).toEqual(['ended']);
    expect(halls.find('shop', 'conference-1')?.state).toBe('ended');
  });

  it('sends nothing to a member who has left', async () => {
    const ann = party.enter(halls, 'daily');
    party.do(() => halls.exit(ann.memberId));
    await party.settle();
    expect(ann.told).toEqual([]);
  });

  it('ignores unknown member ids', () => {
    expect(() => {
      halls.exit('nobody');
      halls.tell('nobody', 'mute', { muted: true });
    }).not.toThrow();
  });

  it('announces its recording as soon as a member requests it', () => {
    party.enter(halls, 'daily');
    expect(halls.find('shop', 'conference-1')?.recording).toBe(false);
    party.enter(halls, 'daily', { record: true });
    expect(halls.find('shop', 'conference-1')?.recording).toBe(true);
  });
});

describe('a conference created by REST', () => {
  it('exists before its first member, by id and by name', async () => {
    const made = halls.open({ projectId: 'shop', name: 'board' });
    expect(made).toMatchObject({ state: 'initiated', name: 'board', participants: [] });
    const ann = party.enter(halls, made.conferenceId, { conference_id: made.conferenceId });
    const bob = party.enter(halls, 'board');
    await party.settle();
    expect([idOf(ann), idOf(bob)]).toEqual([made.conferenceId, made.conferenceId]);
    expect(halls.find('shop', made.conferenceId)?.state).toBe('active');
  });

  it('ends if none of its calls is answered', async () => {
    const { conferenceId } = halls.open({ projectId: 'shop' });
    const one = Promise.withResolvers<void>();
    const two = Promise.withResolvers<void>();
    halls.expect(conferenceId, { callId: 'call-1', gone: one.promise, hangUp: async () => undefined });
    halls.expect(conferenceId, { callId: 'call-2', gone: two.promise, hangUp: async () => undefined });
    one.resolve();
    await party.settle();
    expect(halls.find('shop', conferenceId)?.state).toBe('initiated');
    two.resolve();
    await party.settle();
    expect(halls.find('shop', conferenceId)?.state).toBe('ended');
  });

  it('tracks the calls that it requested, as long as they live', async () => {
    const { conferenceId } = halls.open({ projectId: 'shop' });
    const over = Promise.withResolvers<void>();
    halls.expect(conferenceId, { callId: 'call-1', gone: over.promise, hangUp: async () => undefined });
    halls.expect(conferenceId, { callId: 'call-9', gone: NEVER, hangUp: async () => undefined });
    party.enter(halls, conferenceId, {}, { callId: 'call-1' });
    expect([...halls.find('shop', conferenceId)!.brought.keys()]).toEqual(['call-1', 'call-9']);
    over.resolve();
    await party.settle();
    expect([...halls.find('shop', conferenceId)!.brought.keys()]).toEqual(['call-9']);
  });

  it('refuses members after its end', async () => {
    const { conferenceId } = halls.open({ projectId: 'shop' });
    party.do(() => halls.end(conferenceId));
    const ann = party.enter(halls, conferenceId);
    await party.settle();
    expect(ann.news()).toEqual(['ended']);
    expect(halls.find('shop', conferenceId)?.participants).toEqual([]);
  });

  it('mutes and holds a member, reports it after the member received the command, and skips repetitions', async () => {
    const ann = party.enter(halls, 'daily', { muted: true });
    await party.settle();
    const change = (what: { muted?: boolean; hold?: boolean }) =>
      expect(halls.change('conference-1', ann.callId, what)).toBe(true);
    ann.news();
    change({ muted: true });
    change({ muted: false });
    change({ hold: true });
    expect(ann.told.slice(1).map(({ name, data }) => [name, data])).toEqual([
      ['muted', { muted: false }],
      ['held', { hold: true }],
    ]);
    const [member] = halls.find('shop', 'conference-1')!.participants;
    expect(member).toMatchObject({ muted: false, hold: true, state: 'held' });
    party.do(() => halls.tell(ann.memberId, 'mute', { muted: true }));
    expect(member!.muted).toBe(true);
    expect(halls.change('conference-1', 'call-77', { muted: true })).toBe(false);
  });
});

it('remembers the last thousand ended conferences', async () => {
  for (let count = 0; count < 1001; count++) {
    halls.exit(party.enter(halls, `c${count}`).memberId);
  }
  expect(halls.find('shop', 'conference-1')).toBeUndefined();
  expect(halls.find('shop', 'conference-2')).toBeDefined();
});
