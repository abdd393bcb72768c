/** Queues of a cluster: callers of all nodes wait in one line, and conversations survive the loss of the owner node. */
import { describe, expect, it } from 'vitest';
import type { PartyMember } from '../calls/conferences/test-members.ts';
import { startVenueNodes } from './venue-nodes.ts';

const positionOf = (member: PartyMember) => member.told.findLast(({ name }) => name === 'position')?.data['position'];
const figuresOf = (member: PartyMember) => member.told.findLast(({ name }) => name === 'position')?.data;
const agentOf = (member: PartyMember) => member.told.findLast(({ name }) => name === 'turn')?.data['agent'];
const AGENTS = { agents: ['201'] };

describe('a queue of several nodes', () => {
  it('is one line that reports positions to callers, and each node rings its own agents', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    const ann = party.enter(two!.venues.queue, 'sales', AGENTS);
    await party.clock.advance(100);
    const bob = party.enter(one!.venues.queue, 'sales', { ...AGENTS, figures: true });
    await party.clock.advance(100);
    const cat = party.enter(three!.venues.queue, 'sales', AGENTS);
    await party.clock.advance(100);
    expect(agentOf(ann)).toBe('201');
    expect([positionOf(bob), positionOf(cat)]).toEqual([2, 3]);
    expect(figuresOf(bob)).toMatchObject({ waiting: 3 });
    party.do(() => two!.venues.queue.tell(ann.memberId, 'answered', { agent: '201' }));
    await party.clock.advance(60_000);
    expect([positionOf(bob), positionOf(cat)]).toEqual([1, 2]);
    party.do(() => two!.venues.queue.exit(ann.memberId));
    await party.clock.advance(100);
    expect([agentOf(bob), agentOf(cat)]).toEqual(['201', undefined]);
    // The increase is the duration of the conversation at the other node.
    const dan = party.enter(two!.venues.queue, 'sales', AGENTS);
    await party.clock.advance(100);
    expect(figuresOf(dan)).toMatchObject({ position: 3, waiting: 3, estimated_wait: 180 });
    const look = party.enter(one!.venues.queue, 'sales', { looks: true, ...AGENTS });
    await party.clock.advance(100);
    expect(look.told[0]).toMatchObject({ name: 'figures', data: { waiting: 3, talking: 0, agents: 1, free: 0 } });
  });

  it('rings an agent once, whichever queues on whichever nodes contain the agent', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2']);
    const members = nodes.map(({ venues }, node) => party.enter(venues.queue, `queue-${node}`, AGENTS));
    await party.clock.advance(500);
    expect(members.map(agentOf).filter((agent) => agent !== undefined)).toEqual(['201']);
  });

  it('lets agents who called in at one node serve callers of others, in a linked mix', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    const agent = party.enter(two!.venues.queue, 'sales', { serves: true });
    await party.clock.advance(100);
    const ann = party.enter(three!.venues.queue, 'sales');
    await party.clock.advance(100);
    expect(agent.told.at(-1)).toMatchObject({ name: 'turn', data: { from: '100' } });
    party.do(() => two!.venues.queue.tell(agent.memberId, 'answered', {}));
    await party.clock.advance(100);
    const mixes = [agent, ann].map(({ told }) => told.at(-1)!.data['mix_id']);
    expect(mixes[0]).toBe(mixes[1]);
    const mix = String(mixes[0]);
    const owner = nodes.find(({ local }) => local.queue.projects().length > 0)!;
    expect(owner).toBe(two);
    expect([[...three!.linked], [...two!.answered], [...one!.linked]]).toEqual([[mix], [mix], []]);
    party.do(() => three!.venues.queue.exit(ann.memberId));
    await party.clock.advance(100);
    expect(agent.news().at(-1)).toBe('parted');
    expect([[...three!.linked], [...two!.answered]]).toEqual([[], []]);
  });

  it('refuses callers at any node when it is full or has no agents', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2']);
    party.enter(nodes[0]!.venues.queue, 'sales', AGENTS);
    await party.clock.advance(100);
    const bob = party.enter(nodes[1]!.venues.queue, 'sales', { ...AGENTS, max_size: 1 });
    const cat = party.enter(nodes[1]!.venues.queue, 'support');
    await party.clock.advance(100);
    expect([bob.news(), cat.news()]).toEqual([['full'], ['no_agents']]);
  });
});

describe('a queue whose owner node dies', () => {
  it('loses only the callers of that node: the others keep their order and their agents', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    const twoAgents = { agents: ['201', '202'] };
    const first = party.enter(one!.venues.queue, 'sales', { agents: ['203'] });
    await party.clock.advance(100);
    const ann = party.enter(two!.venues.queue, 'sales', twoAgents);
    await party.clock.advance(100);
    const bob = party.enter(three!.venues.queue, 'sales', twoAgents);
    await party.clock.advance(100);
    const cat = party.enter(three!.venues.queue, 'sales', twoAgents);
    await party.clock.advance(100);
    const dan = party.enter(two!.venues.queue, 'sales', twoAgents);
    await party.clock.advance(100);
    party.do(() => two!.venues.queue.tell(ann.memberId, 'answered', { agent: '201' }));
    await party.clock.advance(1000);
    expect([agentOf(ann), agentOf(bob), positionOf(cat), positionOf(dan)]).toEqual(['201', '202', 3, 4]);
    for (const member of [first, ann, bob, cat, dan]) member.news();
    one!.kill();
    await party.clock.advance(6000);
    // No caller is offered to an agent who talks, or whom another caller rings.
    expect([ann, bob, cat, dan].map((member) => member.news().filter((name) => name !== 'position'))).toEqual(
      Array(4).fill([]),
    );
    expect([positionOf(cat), positionOf(dan)]).toEqual([2, 3]);
    party.do(() => three!.venues.queue.tell(bob.memberId, 'agent_free', { agent: '202' }));
    await party.clock.advance(100);
    party.do(() => two!.venues.queue.exit(ann.memberId));
    await party.clock.advance(1000);
    expect(agentOf(bob)).toBe('201');
    await party.clock.advance(12_000);
    expect(agentOf(cat)).toBe('202');
  });

  it('keeps a caller and an agent at two other nodes connected, and ends conversations with the dead node', async () => {
    const { party, nodes } = await startVenueNodes(['1', '2', '3']);
    const [one, two, three] = nodes;
    const near = party.enter(one!.venues.queue, 'sales', { serves: true });
    await party.clock.advance(100);
    const ann = party.enter(two!.venues.queue, 'sales');
    await party.clock.advance(100);
    const far = party.enter(three!.venues.queue, 'sales', { serves: true });
    await party.clock.advance(100);
    const bob = party.enter(two!.venues.queue, 'sales');
    await party.clock.advance(100);
    party.do(() => one!.venues.queue.tell(near.memberId, 'answered', {}));
    party.do(() => three!.venues.queue.tell(far.memberId, 'answered', {}));
    await party.clock.advance(100);
    for (const member of [near, ann, far, bob]) expect(member.news().at(-1)).toBe('connected');
    const mix = String(bob.told.at(-1)!.data['mix_id']);
    one!.kill();
    await party.clock.advance(4000);
    expect([far.news(), bob.news()]).toEqual([[], []]);
    const owner = [two!, three!].find(({ local }) => local.queue.projects().length > 0)!;
    const other = owner === two ? three! : two!;
    expect([[...owner.answered], [...other.linked]]).toEqual([[mix], [mix]]);
    await party.clock.advance(6000);
    expect([ann.news(), far.news(), bob.news()]).toEqual([['parted'], [], []]);
    party.do(() => two!.venues.queue.exit(bob.memberId));
    await party.clock.advance(100);
    expect(far.news()).toEqual(['parted']);
  });
});

describe('pending callbacks of queues', () => {
  it('are called by the owner node of their queues, and by another node soon after its death', async () => {
    const { party, nodes, waiting } = await startVenueNodes(['1', '2', '3']);
    const callers = () => nodes.filter(({ callsBack, store }) => callsBack.has('shop') && !store.isCut);
    waiting.add('shop');
    await party.clock.advance(6000);
    expect(callers()).toHaveLength(1);
    const [first] = callers();
    first!.kill();
    await party.clock.advance(10_000);
    expect(callers()).toHaveLength(1);
    expect(callers()[0]).not.toBe(first);
  });

  it('are released by an owner node that was counted as lost', async () => {
    const { party, nodes, waiting } = await startVenueNodes(['1', '2']);
    waiting.add('shop');
    await party.clock.advance(6000);
    const first = nodes.find(({ callsBack }) => callsBack.has('shop'))!;
    const second = nodes.find((node) => node !== first)!;
    const member = party.enter(first.venues.queue, 'sales', AGENTS);
    await party.clock.advance(100);
    first.store.isCut = true;
    await party.clock.advance(12_000);
    first.store.isCut = false;
    await party.clock.advance(12_000);
    expect([first.callsBack.has('shop'), second.callsBack.has('shop')]).toEqual([false, true]);
    expect(second.local.queue.size('shop', 'sales')).toEqual({ waiting: 1, talking: 0 });
    expect(agentOf(member)).toBe('201');
  });
});
