/**
 * Property test of a conference of four nodes: callers join and leave, connections break, nodes are cut off from the
 * store, have slow connections, or die. After the faults, all remaining callers are in one conference, with linked
 * mixes.
 */
import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import type { PartyMember } from '../calls/conferences/test-members.ts';
import { startVenueNodes, type VenueNode } from './venue-nodes.ts';

const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 1) * 30;
const STEPS = 40;
/** Shorter than the time for which a member waits for its owner node. */
const MAX_CUT_MS = 6000;

it.each(Array.from({ length: ROUNDS }, (_, seed) => seed))(
  'connects all remaining callers after random faults: order %i',
  async (seed) => {
    const random = seededRandom(seed + 1);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
    const { party, nodes } = await startVenueNodes(['1', '2', '3', '4']);
    const { clock } = party;
    let living = [...nodes];
    let members: { member: PartyMember; node: VenueNode }[] = [];
    const gone: { member: PartyMember; told: number }[] = [];
    const acts: (() => void | Promise<void>)[] = [
      () => {
        const node = pick(living);
        members.push({ node, member: party.enter(node.venues.conference, 'daily') });
      },
      () => {
        const leaving = pick(members);
        if (!leaving) return;
        members = members.filter((each) => each !== leaving);
        party.do(() => leaving.node.venues.conference.exit(leaving.member.memberId));
        gone.push({ member: leaving.member, told: leaving.member.told.length });
      },
      () => pick(living).disconnect(),
      async () => {
        const { store } = pick(living);
        store.isCut = true;
        await clock.advance(Math.floor(random() * MAX_CUT_MS));
        store.isCut = false;
        // One after another would take longer than a member waits.
        await clock.advance(3000);
      },
      () => {
        pick(living).store.delayMs = Math.floor(random() * 30);
      },
      () => {
        if (living.length < 3 || random() < 0.6) return;
        const dead = pick(living);
        living = living.filter((node) => node !== dead);
        dead.kill();
        members = members.filter(({ node }) => node !== dead);
      },
    ];
    for (let step = 0; step < STEPS; step++) {
      await pick([acts[0]!, acts[0]!, acts[1]!, ...acts])();
      if (random() < 0.8) await clock.advance(Math.floor(random() * 400));
    }
    await clock.advance(25_000);
    const owners = living.filter(({ local }) => local.conference.live().length > 0);
    const conferences = owners.flatMap(({ local }) => local.conference.live());
    expect(conferences).toHaveLength(members.length > 0 ? 1 : 0);
    for (const { member } of members) expect(member.told.map(({ name }) => name)).not.toContain('ended');
    for (const { member, told } of gone) expect(member.told.length).toBe(told);
    const [conference] = conferences;
    if (!conference) return;
    const there = conference.participants.filter(({ state }) => state === 'joined').map(({ callId }) => callId);
    expect(there.sort()).toEqual(members.map(({ member }) => member.callId).sort());
    const others = new Set(members.map(({ node }) => node).filter((node) => node !== owners[0]));
    for (const node of living) expect([...node.linked]).toEqual(others.has(node) ? [conference.conferenceId] : []);
    expect([...owners[0]!.answered]).toEqual(others.size > 0 ? [conference.conferenceId] : []);
  },
);
