/** Conferences of a cluster: calls of all nodes are members as on one node, also after failures of nodes. */
import { describe, expect, it } from 'vitest';
import type { PartyMember } from '../calls/conferences/test-members.ts';
import { startVenueNodes } from './venue-nodes.ts';

const idOf = (member: PartyMember): string =>
  String(member.told.find(({ name }) => name === 'joined')?.data['conference_id']);

describe('a conference of several nodes', () => {
  it('has one mix, and its owner node links the mixes of the other nodes', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    const ann = party.enter(one!.venues.conference, 'daily');
    await party.clock.advance(100);
    const bob = party.enter(two!.venues.conference, 'daily', { muted: true });
    const cat = party.enter(three!.venues.conference, 'daily');
    await party.clock.advance(100);
    expect([idOf(ann), idOf(bob), idOf(cat)]).toEqual(Array(3).fill('conference-1-of-1'));
    expect(bob.told[0]!.data['mix_id']).toBe('conference-1-of-1');
    expect(ann.told.at(-1)!.data).toEqual({ members: 3 });
    expect(nodes.map(({ linked }) => [...linked])).toEqual([[], ['conference-1-of-1'], ['conference-1-of-1']]);
    expect([...one!.answered]).toEqual(['conference-1-of-1']);
    const { participants } = one!.local.conference.find('shop', idOf(ann))!;
    expect(participants.map(({ callId, muted, state }) => [callId, muted, state])).toEqual([
      [ann.callId, false, 'joined'],
      [bob.callId, true, 'joined'],
      [cat.callId, false, 'joined'],
    ]);
    party.do(() => two!.venues.conference.exit(bob.memberId));
    party.do(() => three!.venues.conference.exit(cat.memberId));
    await party.clock.advance(100);
    expect(ann.told.at(-1)!.data).toEqual({ members: 1 });
    expect(nodes.flatMap(({ linked, answered }) => [...linked, ...answered])).toEqual([]);
  });

  it('is created once when two nodes begin it at the same time', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2']);
    const members = nodes.map(({ venues }) => party.enter(venues.conference, 'daily'));
    await party.clock.advance(500);
    expect(new Set(members.map(idOf)).size).toBe(1);
    expect(nodes.flatMap(({ local }) => local.conference.live())).toHaveLength(1);
  });

  it('is muted, held and ended at its owner node, and by its members', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2']);
    const ann = party.enter(nodes[0]!.venues.conference, 'daily');
    await party.clock.advance(100);
    const bob = party.enter(nodes[1]!.venues.conference, 'daily');
    await party.clock.advance(100);
    const { conference } = nodes[0]!.local;
    expect(conference.change(idOf(ann), bob.callId, { muted: true, hold: true })).toBe(true);
    await party.clock.advance(100);
    expect(bob.news().slice(-2)).toEqual(['muted', 'held']);
    party.do(() => nodes[1]!.venues.conference.tell(bob.memberId, 'mute', { muted: false }));
    await party.clock.advance(100);
    expect(conference.find('shop', idOf(ann))!.participants[1]).toMatchObject({ muted: false, state: 'held' });
    conference.end(idOf(ann));
    await party.clock.advance(100);
    expect([ann.news().at(-1), bob.news().at(-1)]).toEqual(['ended', 'ended']);
    expect([...nodes[1]!.linked]).toEqual([]);
  });

  it('admits waiting callers when a moderator joins at another node', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const ann = party.enter(nodes[0]!.venues.conference, 'daily', { wait_for_moderator: true });
    const bob = party.enter(nodes[1]!.venues.conference, 'daily', { wait_for_moderator: true });
    await party.clock.advance(200);
    expect([ann.news(), bob.news()].map((news) => news[0])).toEqual(['waiting', 'waiting']);
    const eve = party.enter(nodes[2]!.venues.conference, 'daily', { moderator: true, end_on_exit: true });
    await party.clock.advance(100);
    for (const member of [ann, bob]) expect(member.news()).toEqual(expect.arrayContaining(['joined', 'started']));
    party.do(() => nodes[2]!.venues.conference.exit(eve.memberId));
    await party.clock.advance(100);
    expect([ann.news().at(-1), bob.news().at(-1)]).toEqual(['ended', 'ended']);
  });

  it('continues under its id when its owner node dies: members of other nodes are back within four seconds', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    party.enter(one!.venues.conference, 'daily', { moderator: true });
    await party.clock.advance(100);
    const bob = party.enter(two!.venues.conference, 'daily', { wait_for_moderator: true });
    const cat = party.enter(three!.venues.conference, 'daily');
    await party.clock.advance(100);
    const id = idOf(bob);
    one!.local.conference.change(id, bob.callId, { muted: true });
    await party.clock.advance(100);
    for (const member of [bob, cat]) member.news();
    one!.kill();
    await party.clock.advance(4000);
    const owners = [two!, three!].flatMap(({ local }) => local.conference.live());
    expect(owners).toMatchObject([{ conferenceId: id, name: 'daily' }]);
    const states = owners[0]!.participants.map(({ callId, muted, state }) => `${callId} ${muted} ${state}`);
    expect(states.sort()).toEqual([`${bob.callId} true joined`, `${cat.callId} false joined`]);
    // The step receives only the change of members.
    expect(new Set([...bob.news(), ...cat.news()])).toEqual(new Set(['members']));
    const newOwner = [two!, three!].find(({ local }) => local.conference.live().length > 0)!;
    const other = newOwner === two ? three! : two!;
    expect([[...newOwner.answered], [...other.linked]]).toEqual([[id], [id]]);
    const dan = party.enter(three!.venues.conference, 'daily');
    const fay = party.enter(two!.venues.conference, 'x', { conference_id: id });
    await party.clock.advance(100);
    expect([idOf(dan), idOf(fay)]).toEqual([id, id]);
  });

  it('continues when the connection between two nodes breaks, also for its last members', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2']);
    const ann = party.enter(nodes[0]!.venues.conference, 'daily');
    await party.clock.advance(100);
    const bob = party.enter(nodes[1]!.venues.conference, 'daily');
    await party.clock.advance(100);
    party.do(() => nodes[0]!.venues.conference.exit(ann.memberId));
    await party.clock.advance(100);
    nodes[1]!.disconnect();
    await party.clock.advance(1000);
    expect(nodes[0]!.local.conference.live()).toMatchObject([{ conferenceId: idOf(bob), state: 'active' }]);
    expect(bob.news()).not.toContain('ended');
    // The conference ended while the connection was broken, and stays ended.
    nodes[1]!.disconnect();
    nodes[0]!.local.conference.end(idOf(bob));
    await party.clock.advance(1000);
    expect(bob.news().at(-1)).toBe('ended');
  });

  it('is either the same or a new one for callers who join while the last leaves, and never two', async () => {
    for (let lateMs = 0; lateMs < 24; lateMs += 2) {
      const { party, nodes } = await startVenueNodes(['1', '2']);
      for (const { store } of nodes) store.delayMs = 2;
      const ann = party.enter(nodes[0]!.venues.conference, 'daily');
      // Every five seconds the owner node looks for empty venues.
      await party.clock.advance(2990);
      party.do(() => nodes[0]!.venues.conference.exit(ann.memberId));
      await party.clock.advance(lateMs);
      const bob = party.enter(nodes[1]!.venues.conference, 'daily');
      const cat = party.enter(nodes[0]!.venues.conference, 'daily');
      await party.clock.advance(1000);
      expect(idOf(bob)).toBe(idOf(cat));
      expect(idOf(bob)).not.toBe('undefined');
      expect(nodes.flatMap(({ local }) => local.conference.live())).toHaveLength(1);
    }
  });

  it('moves with all its members when its owner node was counted as lost and returns', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    const ann = party.enter(one!.venues.conference, 'daily');
    await party.clock.advance(100);
    const bob = party.enter(two!.venues.conference, 'daily');
    await party.clock.advance(100);
    // Cut off from the store, but not from the other nodes.
    one!.store.isCut = true;
    await party.clock.advance(5000);
    const cat = party.enter(three!.venues.conference, 'daily');
    await party.clock.advance(5000);
    one!.store.isCut = false;
    await party.clock.advance(8000);
    const live = nodes.flatMap(({ local }) => local.conference.live());
    expect(live).toHaveLength(1);
    const there = live[0]!.participants.filter(({ state }) => state !== 'left').map(({ callId }) => callId);
    expect(there.sort()).toEqual([ann, bob, cat].map(({ callId }) => callId).sort());
    for (const member of [ann, bob, cat]) expect(member.news()).not.toContain('ended');
  });

  it('ends for a member whose owner node cannot be found for ten seconds', async () => {
    const { party, nodes } = await startVenueNodes(['1']);
    nodes[0]!.store.isCut = true;
    const ann = party.enter(nodes[0]!.venues.conference, 'daily');
    await party.clock.advance(11_000);
    expect(ann.news()).toEqual(['ended']);
  });
});

describe('a conference created by REST', () => {
  it('is created at the owner node of its name, and accepts calls of any node', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    const ann = party.enter(one!.venues.conference, 'daily');
    await party.clock.advance(100);
    const opening = two!.clusterVenues.conferences.open({
      projectId: 'shop',
      name: 'daily',
      eventUrl: 'http://x.example/',
    });
    await party.clock.advance(100);
    const made = (await opening)!;
    expect(one!.local.conference.live().map(({ conferenceId }) => conferenceId)).toEqual([
      idOf(ann),
      made.conferenceId,
    ]);
    const locating = three!.clusterVenues.conferences.locate('shop', made.conferenceId);
    await party.clock.advance(100);
    const found = (await locating)!;
    expect(found).toMatchObject({ name: 'daily', state: 'initiated', eventUrl: 'http://x.example/', participants: [] });
    const [over, unknown] = [Promise.withResolvers<void>(), three!.clusterVenues.conferences.locate('shop', 'nowhere')];
    three!.clusterVenues.conferences.expect(found, {
      callId: 'call-x',
      gone: over.promise,
      hangUp: async () => undefined,
    });
    await party.clock.advance(100);
    expect(await unknown).toBeUndefined();
    const bob = party.enter(
      three!.venues.conference,
      'daily',
      { conference_id: made.conferenceId },
      { callId: 'call-x' },
    );
    await party.clock.advance(100);
    expect(idOf(bob)).toBe(made.conferenceId);
    const { brought } = one!.local.conference.find('shop', made.conferenceId)!;
    for (const hangUp of brought.values()) await hangUp();
    await party.clock.advance(100);
    expect(three!.hungUp).toEqual(['call-x']);
  });

  it('ends when the pending call of another node has ended', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2']);
    party.enter(nodes[0]!.venues.conference, 'daily');
    await party.clock.advance(100);
    const opening = nodes[1]!.clusterVenues.conferences.open({ projectId: 'shop', name: 'daily' });
    await party.clock.advance(100);
    const made = (await opening)!;
    const over = Promise.withResolvers<void>();
    nodes[1]!.clusterVenues.conferences.expect(made, {
      callId: 'c',
      gone: over.promise,
      hangUp: async () => undefined,
    });
    await party.clock.advance(100);
    expect(nodes[0]!.local.conference.find('shop', made.conferenceId)?.state).toBe('initiated');
    over.resolve();
    await party.clock.advance(100);
    expect(nodes[0]!.local.conference.find('shop', made.conferenceId)?.state).toBe('ended');
  });
});
