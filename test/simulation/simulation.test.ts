/** A small part of `npm run simulate`. */
import { describe, expect, it } from 'vitest';
import { ALL_GUARDS, type Guard, without } from './guards.ts';
import { runHistory } from './history.ts';
import { planOf } from './plan.ts';
import { shrink } from './shrink.ts';

const HISTORIES = 250;
const MAX_UNTIL_FOUND = 10_000;

async function firstFailing(guard: Guard): Promise<number | undefined> {
  for (let seed = 1; seed <= MAX_UNTIL_FOUND; seed++) {
    const { violations } = await runHistory(planOf(seed), { guards: without(guard) });
    if (violations.length > 0) return seed;
  }
  return undefined;
}

describe('simulated clusters', () => {
  it('does nothing twice, loses no call of a live node, and ends every call under any fault', async () => {
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const { violations } = await runHistory(planOf(seed));
      expect(violations, `npm run simulate -- 1 --seed ${seed}`).toEqual([]);
    }
  });

  /** Each seed once found a fault in the code or in its assumptions. */
  it.each([4632])('pass with the seed %i, which once found a fault', async (seed) => {
    expect((await runHistory(planOf(seed))).violations).toEqual([]);
  });

  it.each(Object.keys(ALL_GUARDS) as Guard[])('violates an invariant without the guard `%s`', async (guard) => {
    expect(await firstFailing(guard)).toBeDefined();
  });

  it('continues calls of lost nodes on an engine that survived them', async () => {
    let goneOn = 0;
    for (let seed = 1; seed <= HISTORIES && goneOn < 5; seed++) {
      const plan = planOf(seed);
      if (!plan.hasSwitch) continue;
      const { lines, journals } = await runHistory(plan, { isTraced: true });
      const adopted = lines.flatMap((line) => / has adopted (call-\d)/.exec(line)?.[1] ?? []);
      const ends = new Map(
        (JSON.parse(journals) as [string, { reason?: string }[]][]).map(([callId, entries]) => [
          callId,
          entries.at(-1)?.reason,
        ]),
      );
      goneOn += adopted.filter((callId) => ends.get(callId) !== 'lost').length;
    }
    expect(goneOn).toBeGreaterThanOrEqual(5);
  });

  it('has the same history for the same seed, byte for byte', async () => {
    const histories = await Promise.all(
      // Both run at the same time, which proves that they share no state.
      [7, 8, 7].map((seed) => runHistory(planOf(seed), { isTraced: true })),
    );
    expect(histories[0]!.lines.length).toBeGreaterThan(20);
    expect(JSON.stringify(histories[2])).toBe(JSON.stringify(histories[0]));
    expect(histories[1]!.journals).not.toBe(histories[0]!.journals);
  });

  it('shrinks on failure to the calls and faults that cause it', async () => {
    const guards = without('newName');
    const seed = (await firstFailing('newName'))!;
    const { plan, violations, lines } = await shrink(planOf(seed), guards);
    expect(violations).not.toEqual([]);
    expect(plan.calls).toHaveLength(1);
    // Each plan lets a node die.
    expect(plan.faults).toHaveLength(1);
    expect(['death', 'stall']).toContain(plan.faults[0]!.fault);
    expect(lines.join('\n')).toContain('dies');
  });
});
