/** Shrinks a failing plan: removes calls and faults as long as the plan still fails. */
import type { Guards } from './guards.ts';
import { type HistoryResult, runHistory } from './history.ts';
import type { Plan } from './plan.ts';

export async function shrink(plan: Plan, guards: Guards): Promise<HistoryResult & { plan: Plan }> {
  let smallest = plan;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of candidatesOf(smallest)) {
      const { violations } = await runHistory(candidate, { guards });
      if (violations.length === 0) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return { plan: smallest, ...(await runHistory(smallest, { guards, isTraced: true })) };
}

function* candidatesOf(plan: Plan): Generator<Plan> {
  const { calls, faults } = plan;
  for (const index of calls.keys()) yield { ...plan, calls: calls.toSpliced(index, 1) };
  for (const index of faults.keys()) yield { ...plan, faults: faults.toSpliced(index, 1) };
  for (const [index, call] of calls.entries()) {
    if (call.keys.length > 0) yield { ...plan, calls: calls.with(index, { ...call, keys: [] }) };
    if (call.hangsUpAfterMs === undefined) continue;
    yield { ...plan, calls: calls.with(index, { ...call, hangsUpAfterMs: undefined }) };
  }
}
