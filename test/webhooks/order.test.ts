/** The guarantees of the dispatcher hold for random receivers, and for random times of events, pauses and call ends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SendResult } from '../../src/service/observers/webhooks/http-sender.ts';
import { rounds } from '../rounds.ts';
import { ERROR, OK, Rig } from './rig.ts';

const CALLS = ['a', 'b', 'c'];
const URLS = ['http://one.example/', 'http://two.example/'];

type Act =
  | { do: 'event'; call: string; url: string }
  | { do: 'hold'; call: string; forMs: number }
  | { do: 'end'; call: string }
  | { do: 'wait'; ms: number };

const call = fc.constantFrom(...CALLS);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('event' as const), call, url: fc.constantFrom(...URLS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('hold' as const), call, forMs: fc.integer({ min: 0, max: 15_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), call }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 12_000 }) }) },
);
/** Behaviour of a receiver in one attempt: how long it takes, and whether it succeeds. */
const reaction = fc.record({ takesMs: fc.constantFrom(0, 0, 10, 4000), ok: fc.boolean() });

interface Story {
  acts: Act[];
  reactions: { takesMs: number; ok: boolean }[];
  liveCalls: string[];
}

const story: fc.Arbitrary<Story> = fc.record({
  acts: fc.array(act, { maxLength: 40 }),
  reactions: fc.array(reaction, { minLength: 1, maxLength: 30 }),
  liveCalls: fc.subarray(CALLS),
});

interface Outcome {
  /** Per call, events in the order of their commits. */
  committed: Map<string, string[]>;
  /** Events in the order of their first attempt, and of their first acceptance. */
  tried: string[];
  taken: string[];
  mostAtOnce: Map<string, number>;
  left: number;
  timers: number;
}

async function play({ acts, reactions, liveCalls }: Story): Promise<Outcome> {
  const rig = new Rig({ limits: { total: 3, perReceiver: 2 } });
  for (const live of liveCalls) rig.live.add(live);
  const committed = new Map(CALLS.map((name) => [name, [] as string[]]));
  const taken: string[] = [];
  const under = new Map<string, number>();
  const mostAtOnce = new Map<string, number>();
  const tries = new Map<string, number>();
  let attempts = 0;
  rig.receive = ({ id }) => {
    const { takesMs, ok } = reactions[attempts++ % reactions.length]!;
    const count = (tries.get(id) ?? 0) + 1;
    tries.set(id, count);
    const key = id[0]!;
    const now = (under.get(key) ?? 0) + 1;
    under.set(key, now);
    mostAtOnce.set(key, Math.max(now, mostAtOnce.get(key) ?? 0));
    return new Promise<SendResult>((resolve) => {
      rig.clock.after(takesMs, () => {
        under.set(key, under.get(key)! - 1);
        // Every receiver recovers before the last retry.
        const success = ok || count > 7;
        if (success) taken.push(id);
        resolve(success ? OK : ERROR);
      });
    });
  };
  rig.dispatcher.start();
  for (const step of acts) {
    if (step.do === 'event') {
      const id = `${step.call}${committed.get(step.call)!.length}`;
      committed.get(step.call)!.push(id);
      await rig.put([id], step.url);
    } else if (step.do === 'hold') {
      rig.clock.after(step.forMs, rig.dispatcher.pause(step.call));
    } else if (step.do === 'end') {
      rig.live.delete(step.call);
    } else {
      await rig.advance(step.ms);
    }
  }
  for (let day = 0; day < 30 && (await rig.waiting()) > 0; day++) await rig.advance(86_400_000);
  await rig.advance(60_000);
  return {
    committed,
    tried: [...new Set(rig.ids)],
    taken: [...new Set(taken)],
    mostAtOnce,
    left: await rig.waiting(),
    timers: rig.clock.pendingTimers,
  };
}

const ofCall = (name: string, ids: readonly string[]): string[] => ids.filter((id) => id.startsWith(name));

describe('webhook delivery with recovering receivers', () => {
  it('accepts every event, tries them in order, and delivers those of ended calls one at a time', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (played) => {
        const { committed, tried, taken, mostAtOnce, left, timers } = await play(played);
        expect({ left, timers }).toEqual({ left: 0, timers: 0 });
        for (const [name, ids] of committed) {
          expect(ofCall(name, tried)).toEqual(ids);
          expect(ofCall(name, taken).sort()).toEqual([...ids].sort());
          if (played.liveCalls.includes(name)) continue;
          expect(ofCall(name, taken)).toEqual(ids);
          expect(mostAtOnce.get(name) ?? 0).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: rounds(30) },
    );
  });
});
