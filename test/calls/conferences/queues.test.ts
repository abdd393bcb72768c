import { beforeEach, describe, expect, it } from 'vitest';
import { Queues } from '../../../src/calls/conferences/queues.ts';
import { type Guest, Party } from './test-members.ts';

let party: Party;
let queues: Queues;
beforeEach(() => {
  party = new Party();
  queues = new Queues({ clock: party.clock });
});

const wait = (agents: string[], more = {}, as = {}): Guest => party.enter(queues, 'help', { agents, ...more }, as);
const said = (guest: Guest, name: string) => guest.told.filter((one) => one.name === name).map(({ data }) => data);
const answer = (guest: Guest) => party.do(() => queues.tell(guest.memberId, 'answered', {}));
const giveUp = (guest: Guest) => party.do(() => queues.tell(guest.memberId, 'agent_free', {}));
const leave = (guest: Guest) => party.do(() => queues.exit(guest.memberId));

describe('a queue', () => {
  it('gives the first caller the agent at once, and tells the others where they stand', async () => {
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

  it('gives an agent one call at a time, in all queues of the project, and not of another one', async () => {
    wait(['1']);
    const bob = party.enter(queues, 'sales', { agents: ['1'] });
    const eve = wait(['1'], {}, { projectId: 'other' });
    await party.settle();
    expect(bob.news()).toEqual(['position']);
    expect(eve.news()).toEqual(['turn']);
  });

  it('hands out agents in turn, the one who was idle longest first', async () => {
    const order: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      const caller = wait(['1', '2', '3']);
      await party.settle();
      order.push(said(caller, 'turn')[0]?.['agent']);
      // One who waits keeps the memory of who was rung.
      if (count === 0) wait([]);
      answer(caller);
      leave(caller);
    }
    expect(order).toEqual(['1', '2', '3', '1']);
  });

  it('lets an agent who did not answer rest, and its caller keep its place', async () => {
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

  it('tries the next agent at once when one does not answer', async () => {
    const ann = wait(['1', '2']);
    await party.settle();
    giveUp(ann);
    await party.settle();
    expect(said(ann, 'turn')).toEqual([{ agent: '1' }, { agent: '2' }]);
  });

  it('lets nobody wait behind somebody whose agents are others', async () => {
    const [, bob, cid] = [wait(['1']), wait(['1']), wait(['2'])];
    await party.settle();
    expect([bob.news(), cid.news()]).toEqual([['position'], ['turn']]);
  });

  it('frees the agent when the caller hangs up, while it rings or while they talk, without a rest', async () => {
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

  it('takes no more than it may', async () => {
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

  it('keeps no timer when nobody waits', async () => {
    const ann = wait(['1']);
    await party.settle();
    giveUp(ann);
    leave(ann);
    await party.settle();
    expect(party.clock.pendingTimers).toBe(0);
  });
});
