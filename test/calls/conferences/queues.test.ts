import { beforeEach, describe, expect, it } from 'vitest';
import { Queues } from '../../../src/service/calls/conferences/queues.ts';
import { Party, type PartyMember } from './test-members.ts';

let party: Party;
let queues: Queues;
beforeEach(() => {
  party = new Party();
  queues = new Queues({ clock: party.clock });
});

const wait = (agents: string[], more = {}, as = {}): PartyMember =>
  party.enter(queues, 'help', { agents, ...more }, as);
const said = (guest: PartyMember, name: string) =>
  guest.told.filter((one) => one.name === name).map(({ data }) => data);
const answer = (guest: PartyMember) => party.do(() => queues.tell(guest.memberId, 'answered', {}));
const giveUp = (guest: PartyMember) => party.do(() => queues.tell(guest.memberId, 'agent_free', {}));
const leave = (guest: PartyMember) => party.do(() => queues.exit(guest.memberId));

describe('a queue', () => {
  it('connects the first caller at once, and tells the others their position', async () => {
    const [ann, bob, cid] = [wait(['1']), wait(['1']), wait(['1'])];
    await party.settle();
    expect(ann.told.map(({ name, data }) => [name, data])).toEqual([['turn', { agent: '1' }]]);
    expect(said(bob, 'position')).toEqual([{ position: 2, waiting: 2 }]);
    expect(said(cid, 'position')).toEqual([{ position: 3, waiting: 3 }]);
    answer(ann);
    await party.settle();
    expect(said(bob, 'position').at(-1)).toEqual({ position: 1, waiting: 2 });
    expect(said(cid, 'position').at(-1)).toEqual({ position: 2, waiting: 2 });
    expect(said(bob, 'turn')).toEqual([]);
  });

  it('is first come, first served', async () => {
    const callers = [wait(['1']), wait(['1']), wait(['1'])];
    const served: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await party.settle();
      const next = callers.findIndex((caller, index) => !served.includes(index) && said(caller, 'turn').length > 0);
      served.push(next);
      answer(callers[next]!);
      leave(callers[next]!);
    }
    expect(served).toEqual([0, 1, 2]);
  });

  it('serves higher priorities first, each in order of arrival, without taking an agent away', async () => {
    const talks = wait(['1']);
    const [low, high, alsoHigh] = [wait(['1']), wait(['1'], { priority: 5 }), wait(['1'], { priority: 5 })];
    await party.settle();
    expect([high, alsoHigh, low].map((one) => said(one, 'position').at(-1)?.['position'])).toEqual([1, 2, 4]);
    leave(talks);
    await party.settle();
    expect([low, high, alsoHigh].map((one) => said(one, 'turn').length)).toEqual([0, 1, 0]);
  });

  it('sends each change of the figures to subscribers, and changes of their position to the others', async () => {
    const [, ann, bob] = [wait([]), wait([], { figures: true }), wait([])];
    await party.settle();
    wait([]);
    await party.settle();
    expect(said(ann, 'position')).toEqual([
      { position: 2, waiting: 2 },
      { position: 2, waiting: 3 },
      { position: 2, waiting: 4 },
    ]);
    expect(said(bob, 'position')).toEqual([{ position: 3, waiting: 3 }]);
  });

  it('estimates the wait from recent talk times and the number of agents', async () => {
    const first = wait(['1', '2']);
    await party.settle();
    answer(first);
    await party.clock.advance(120_000);
    leave(first);
    const [, , ann] = [wait(['1', '2']), wait(['1', '2']), wait(['1', '2'])];
    await party.settle();
    expect(said(ann, 'position')).toEqual([{ position: 3, waiting: 3, estimated_wait: 180 }]);
  });

  it('reports its state to an observer, without being changed', async () => {
    const look = (agents: string[]): PartyMember => party.enter(queues, 'help', { looks: true, agents });
    const first = wait(['1']);
    wait(['1']);
    await party.settle();
    answer(first);
    await party.clock.advance(60_000);
    const [seen, other] = [look(['1']), look(['1', '2'])];
    await party.settle();
    const figures = { waiting: 1, talking: 1, longest_wait: 60 };
    expect(said(seen, 'figures')).toEqual([{ ...figures, agents: 1, free: 0 }]);
    expect(said(other, 'figures')).toEqual([{ ...figures, agents: 2, free: 1, estimated_wait: 0 }]);
    leave(seen);
    expect(queues.size('shop', 'help')).toEqual({ waiting: 1, talking: 1 });
    leave(first);
    await party.settle();
    const later = look(['1']);
    await party.settle();
    expect(said(later, 'figures')).toEqual([{ ...figures, talking: 0, agents: 1, free: 0, estimated_wait: 120 }]);
  });

  it('gives an agent one call at a time, in all queues of the project, and separately in another one', async () => {
    wait(['1']);
    const bob = party.enter(queues, 'sales', { agents: ['1'] });
    const eve = wait(['1'], {}, { projectId: 'other' });
    await party.settle();
    expect(bob.news()).toEqual(['position']);
    expect(eve.news()).toEqual(['turn']);
  });

  it('assigns agents in turn, the longest idle first', async () => {
    const order: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      const caller = wait(['1', '2', '3']);
      await party.settle();
      order.push(said(caller, 'turn')[0]?.['agent']);
      // A waiting caller keeps the memory of the rung agents.
      if (count === 0) wait([]);
      answer(caller);
      leave(caller);
    }
    expect(order).toEqual(['1', '2', '3', '1']);
  });

  it('lets an agent who did not answer rest, while the caller keeps the position', async () => {
    const [ann, bob] = [wait(['1']), wait(['1'])];
    await party.settle();
    giveUp(ann);
    await party.settle();
    expect(said(ann, 'position')).toEqual([{ position: 1, waiting: 2 }]);
    expect(said(bob, 'turn')).toEqual([]);
    await party.clock.advance(9_999);
    expect(said(ann, 'turn')).toHaveLength(1);
    await party.clock.advance(1);
    expect(said(ann, 'turn')).toHaveLength(2);
    expect(said(bob, 'turn')).toEqual([]);
  });

  it('tries the next agent at once if one does not answer', async () => {
    const ann = wait(['1', '2']);
    await party.settle();
    giveUp(ann);
    await party.settle();
    expect(said(ann, 'turn')).toEqual([{ agent: '1' }, { agent: '2' }]);
  });

  it('serves callers whose agents are free before callers with other agents', async () => {
    const [, bob, cid] = [wait(['1']), wait(['1']), wait(['2'])];
    await party.settle();
    expect([bob.news(), cid.news()]).toEqual([['position'], ['turn']]);
  });

  it('frees the agent without a rest when the caller hangs up, during ringing or the conversation', async () => {
    for (const talks of [false, true]) {
      const [ann, bob] = [wait(['1']), wait(['1'])];
      await party.settle();
      if (talks) answer(ann);
      leave(ann);
      await party.settle();
      expect(said(bob, 'turn')).toEqual([{ agent: '1' }]);
      leave(bob);
    }
  });

  it('refuses callers above its limit', async () => {
    const ann = wait(['1'], { max_size: 1 });
    const bob = wait(['1'], { max_size: 1 });
    await party.settle();
    expect([ann.news(), bob.news()]).toEqual([['turn'], ['full']]);
    answer(ann);
    const cid = wait(['1'], { max_size: 1 });
    await party.settle();
    expect(cid.news()).toEqual(['position']);
    expect(queues.size('shop', 'help')).toEqual({ waiting: 1, talking: 1 });
  });

  describe('with agents who call in', () => {
    const serve = (): PartyMember => party.enter(queues, 'help', { serves: true });
    const come = (): PartyMember => party.enter(queues, 'help', {});
    const tell = (guest: PartyMember, name: string) => party.do(() => queues.tell(guest.memberId, name, {}));

    it('connects callers one after the other, each when the agent is ready', async () => {
      const agent = serve();
      const [ann, bob] = [come(), come()];
      await party.settle();
      expect(said(agent, 'turn')).toEqual([{ from: expect.any(String), waited: 0 }]);
      tell(agent, 'answered');
      await party.settle();
      const [mix] = said(ann, 'connected');
      expect(said(agent, 'connected')).toEqual([mix]);
      leave(ann);
      await party.settle();
      expect([said(agent, 'parted').length, said(agent, 'turn').length]).toEqual([1, 1]);
      tell(agent, 'ready');
      await party.settle();
      expect(said(agent, 'turn')).toHaveLength(2);
      expect(said(bob, 'connected')).toEqual([]);
    });

    it('keeps the position if the agent leaves before the conversation, and releases the caller afterwards', async () => {
      const [one, two] = [serve(), serve()];
      const [ann, bob] = [come(), come()];
      await party.settle();
      tell(two, 'answered');
      leave(one);
      await party.settle();
      expect(said(bob, 'connected')).toHaveLength(1);
      expect(said(ann, 'position').at(-1)).toMatchObject({ position: 1 });
      leave(two);
      await party.settle();
      expect([said(bob, 'parted').length, said(ann, 'parted').length]).toEqual([1, 0]);
    });

    it('gives two agents who are ready at once two callers, and one caller to one of them', async () => {
      const ann = party.enter(queues, 'help', { agents: [] });
      const agents = [serve(), serve()];
      await party.settle();
      expect(agents.map((agent) => said(agent, 'turn').length)).toEqual([1, 0]);
      const bob = come();
      await party.settle();
      expect(agents.map((agent) => said(agent, 'turn').length)).toEqual([1, 1]);
      for (const agent of agents) tell(agent, 'answered');
      await party.settle();
      const mixes = [ann, bob].map((caller) => said(caller, 'connected')[0]?.['mix_id']);
      expect(new Set(mixes).size).toBe(2);
    });

    it('skips a caller who hung up while the agent was being prepared', async () => {
      const agent = serve();
      const ann = come();
      await party.settle();
      leave(ann);
      tell(agent, 'answered');
      await party.settle();
      expect(agent.news()).toEqual(['turn', 'parted']);
    });

    it('sends no caller to agents who pause or released one, until they are ready', async () => {
      const agent = serve();
      tell(agent, 'pause');
      come();
      await party.settle();
      expect(agent.news()).toEqual([]);
      tell(agent, 'ready');
      tell(agent, 'answered');
      come();
      tell(agent, 'release');
      await party.settle();
      expect(said(agent, 'turn')).toHaveLength(1);
    });

    it('removes callers without agents, at once or a minute after the last one left', async () => {
      const early = come();
      await party.settle();
      expect(early.news()).toEqual(['no_agents']);
      const agent = serve();
      tell(agent, 'pause');
      const [ann, bob] = [come(), party.enter(queues, 'help', { agents: ['1'] })];
      await party.settle();
      leave(agent);
      await party.clock.advance(59_999);
      expect(said(ann, 'no_agents')).toEqual([]);
      await party.clock.advance(1);
      expect([said(ann, 'no_agents').length, said(bob, 'no_agents').length]).toEqual([1, 0]);
    });

    it('keeps callers whose agent returns within the minute', async () => {
      const agent = serve();
      tell(agent, 'pause');
      const ann = come();
      await party.settle();
      leave(agent);
      await party.clock.advance(30_000);
      const back = serve();
      await party.clock.advance(60_000);
      expect([said(ann, 'no_agents').length, said(back, 'turn').length]).toEqual([0, 1]);
    });

    it('restarts the minute when the agent who returned has left', async () => {
      const agent = serve();
      tell(agent, 'pause');
      const ann = come();
      await party.settle();
      leave(agent);
      await party.clock.advance(30_000);
      const back = serve();
      tell(back, 'pause');
      await party.settle();
      leave(back);
      await party.clock.advance(59_999);
      expect(said(ann, 'no_agents')).toEqual([]);
      await party.clock.advance(1);
      expect(said(ann, 'no_agents')).toHaveLength(1);
    });
  });

  it('keeps no timer without waiting callers', async () => {
    const ann = wait(['1']);
    await party.settle();
    giveUp(ann);
    leave(ann);
    await party.settle();
    expect(party.clock.pendingTimers).toBe(0);
  });
});
