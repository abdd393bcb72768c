/** Random receivers, calls and restarts over days: the delivery guarantees hold at every moment and at the end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../rounds.ts';
import { type Behaviour, DeliverySimulation, down, failing, hanging, refusing, slow, up } from './simulation.ts';

const HOUR_MS = 3_600_000;
const CALLS = [...'abcdefghijkl'];
const ORIGINS = ['http://one.example', 'http://two.example', 'http://three.example'];
const PER_RECEIVER = 2;
/** The retry schedule with the least jitter: no event may become a dead letter earlier. */
const SHORTEST_LIFE_MS = 0.8 * 38_556_000;

const fickle: Behaviour = (seen) => [up, down, failing, hanging][(seen.atMs + seen.id.charCodeAt(2)) % 4]!(seen);
const BEHAVIOURS = { up, down, failing, hanging, slow, refusing, fickle };

type Act =
  | { do: 'events'; call: string; count: number; origin: string }
  | { do: 'receiver'; origin: string; is: keyof typeof BEHAVIOURS }
  | { do: 'wait'; ms: number }
  | { do: 'hold'; call: string; forMs: number }
  | { do: 'end'; call: string }
  | { do: 'resend' | 'restart' | 'crash' };

const call = fc.constantFrom(...CALLS);
const origin = fc.constantFrom(...ORIGINS);
const names = Object.keys(BEHAVIOURS) as (keyof typeof BEHAVIOURS)[];
const of = <D extends string>(what: D) => fc.constant(what);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: of('events'), call, count: fc.integer({ min: 1, max: 12 }), origin }) },
  { weight: 5, arbitrary: fc.record({ do: of('receiver'), origin, is: fc.constantFrom(...names) }) },
  { weight: 6, arbitrary: fc.record({ do: of('wait'), ms: fc.integer({ min: 1, max: 90_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: of('wait'), ms: fc.integer({ min: 1, max: 15 * HOUR_MS }) }) },
  { weight: 1, arbitrary: fc.record({ do: of('hold'), call, forMs: fc.integer({ min: 0, max: 15_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: of('end'), call }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('resend', 'restart', 'crash') }) },
);

const story = fc.record({
  acts: fc.array(act, { minLength: 10, maxLength: 60, size: 'max' }),
  liveCalls: fc.subarray(CALLS),
  // Most answers are failures, so that circuits open.
  first: fc.array(fc.constantFrom<keyof typeof BEHAVIOURS>('down', 'hanging', 'failing', 'fickle', 'up'), {
    minLength: ORIGINS.length,
    maxLength: ORIGINS.length,
  }),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

interface Played {
  simulation: DeliverySimulation;
  /** Calls of which an event became a dead letter at some time. */
  withDeadLetters: Set<string>;
  shortestLifeMs: number;
  crashed: boolean;
}

async function play({ acts, liveCalls, first }: Story): Promise<Played> {
  const simulation = new DeliverySimulation({ limits: { total: 3, perReceiver: PER_RECEIVER } });
  for (const live of liveCalls) simulation.live.add(live);
  for (const [n, is] of first.entries()) simulation.receivers.set(ORIGINS[n]!, BEHAVIOURS[is]);
  const withDeadLetters = new Set<string>();
  let shortestLifeMs = Number.POSITIVE_INFINITY;
  let resent = false;
  const collectDeadLetters = async (): Promise<void> => {
    for (const { orderKey, createdMs, deadMs } of await simulation.store.outbox.deadLetters('project-1', 9999)) {
      withDeadLetters.add(orderKey);
      // A requeued event starts its schedule again.
      if (!resent) shortestLifeMs = Math.min(shortestLifeMs, deadMs - createdMs);
    }
  };
  const resend = async (): Promise<void> => {
    await collectDeadLetters();
    resent = true;
    await simulation.dispatcher.requeueAll('project-1');
  };
  for (const step of acts) {
    if (step.do === 'events') await simulation.commit(step.call, step.count, `${step.origin}/${step.call}`);
    else if (step.do === 'receiver') simulation.receivers.set(step.origin, BEHAVIOURS[step.is]);
    else if (step.do === 'wait') await simulation.advance(step.ms);
    else if (step.do === 'hold') simulation.clock.after(step.forMs, simulation.dispatcher.pause(step.call));
    else if (step.do === 'end') simulation.live.delete(step.call);
    else if (step.do === 'resend') await resend();
    else if (step.do === 'restart') await simulation.restart();
    else await simulation.crash();
  }
  await collectDeadLetters();
  for (const name of ORIGINS) simulation.receivers.set(name, up);
  await simulation.drain(30 * 24 * HOUR_MS, HOUR_MS);
  await resend();
  await simulation.drain(30 * 24 * HOUR_MS, HOUR_MS);
  await simulation.advance(60_000);
  return { simulation, withDeadLetters, shortestLifeMs, crashed: acts.some((step) => step.do === 'crash') };
}

describe('webhook delivery under random failures', () => {
  it('accepts every event in the end, in order unless one was passed or dead-lettered, and leaves nothing in memory', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (played) => {
        const { simulation, withDeadLetters, shortestLifeMs, crashed } = await play(played);
        expect(await simulation.store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
        expect(simulation.dispatcher.inMemory()).toEqual({ receivers: 0, deliveries: 0, timeouts: 0 });
        expect(simulation.clock.pendingTimers).toBe(0);
        expect(shortestLifeMs).toBeGreaterThanOrEqual(SHORTEST_LIFE_MS);
        const taken = simulation.taken();
        for (const [name, ids] of simulation.committed) {
          const its = taken.get(name) ?? [];
          expect(its.toSorted()).toEqual(ids.toSorted());
          if (withDeadLetters.has(name) || played.liveCalls.includes(name)) continue;
          expect(its).toEqual(ids);
          if (!crashed) expect(simulation.mostAtOnce.get(name)).toBe(1);
        }
        if (crashed) return;
        for (const name of ORIGINS) expect(simulation.mostAtOnce.get(name) ?? 0).toBeLessThanOrEqual(PER_RECEIVER);
      }),
      { numRuns: rounds(12) },
    );
  }, 60_000);
});
