/**
 * Property test of a queue of four nodes with random events of callers and nodes. After the faults, its owner node has the
 * same state of each caller as the caller, serves callers in the order of their arrival, and gives no agent to two.
 */
import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import type { PartyMember } from '../calls/conferences/test-members.ts';
import { startVenueNodes, type VenueNode } from './venue-nodes.ts';

const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 1) * 20;
const STEPS = 50;
const AGENTS = ['201', '202', '203'];

interface Caller {
  member: PartyMember;
  node: VenueNode;
  cameMs: number;
  /** Requested and completed actions. */
  read: number;
  state: 'waiting' | 'ringing' | 'talking';
}

it.each(Array.from({ length: ROUNDS }, (_, seed) => seed))(
  'serves callers in the order of arrival after random faults: order %i',
  async (seed) => {
    const random = seededRandom(seed + 1);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
    const { party, nodes } = await startVenueNodes(['1', '2', '3', '4']);
    const { clock } = party;
    let living = [...nodes];
    let callers: Caller[] = [];
    const follow = (): void => {
      for (const caller of callers) {
        for (const { name } of caller.member.told.slice(caller.read)) if (name === 'turn') caller.state = 'ringing';
        caller.read = caller.member.told.length;
      }
    };
    const say = ({ node, member }: Caller, name: string): void =>
      party.do(() => node.venues.queue.tell(member.memberId, name, {}));
    const acts: (() => void | Promise<void>)[] = [
      () => {
        const node = pick(living);
        const member = party.enter(node.venues.queue, 'sales', { agents: AGENTS });
        callers.push({ node, member, cameMs: clock.now(), read: 0, state: 'waiting' });
      },
      () => {
        const ringing = pick(callers.filter(({ state }) => state === 'ringing'));
        if (!ringing) return;
        const isAnswered = random() < 0.6;
        ringing.state = isAnswered ? 'talking' : 'waiting';
        say(ringing, isAnswered ? 'answered' : 'agent_free');
      },
      () => {
        const leaving = pick(callers);
        if (!leaving) return;
        callers = callers.filter((each) => each !== leaving);
        party.do(() => leaving.node.venues.queue.exit(leaving.member.memberId));
      },
      () => pick(living).disconnect(),
      async () => {
        const { store } = pick(living);
        store.isCut = true;
        await clock.advance(Math.floor(random() * 6000));
        store.isCut = false;
        await clock.advance(3000);
      },
      () => {
        if (living.length < 3 || random() < 0.5) return;
        const dead = pick(living);
        living = living.filter((node) => node !== dead);
        dead.kill();
        callers = callers.filter(({ node }) => node !== dead);
      },
    ];
    for (let step = 0; step < STEPS; step++) {
      await pick([acts[0]!, acts[0]!, acts[1]!, acts[1]!, ...acts])();
      if (random() < 0.8) await clock.advance(Math.floor(random() * 400));
      follow();
    }
    await clock.advance(25_000);
    follow();
    const reports = living.flatMap(({ local }) => local.queue.list('shop', 1000));
    expect(reports).toHaveLength(callers.length > 0 ? 1 : 0);
    const listed = reports[0]?.callers ?? [];
    const statesOf = (all: readonly { callId: string; state: string }[]) =>
      all.map(({ callId, state }) => `${callId} ${state}`).sort();
    expect(statesOf(listed)).toEqual(statesOf(callers.map(({ member, state }) => ({ callId: member.callId, state }))));
    const cameMs = listed.map(({ callId }) => callers.find(({ member }) => member.callId === callId)!.cameMs);
    expect(cameMs).toEqual(cameMs.toSorted((one, other) => one - other));
    const busy = listed.flatMap(({ agent }) => agent?.name ?? []);
    expect(new Set(busy).size).toBe(busy.length);
    // No caller waits while an agent is free.
    if (listed.some(({ state }) => state === 'waiting')) expect(busy).toHaveLength(AGENTS.length);
  },
);
