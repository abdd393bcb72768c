/** Behaviour of the far ends of simulated calls. */
import type { Clock } from '../../src/base/core/clock.ts';
import type { CalleePlan, FarEnd } from '../../src/media/telephony/simulated/far-end.ts';
import type { CallPlan } from './plan.ts';

export function calleeOf(plan: CallPlan | undefined): CalleePlan {
  if (plan === undefined || plan.callee === 'answers') return { does: 'answer', ringsAfterMs: 100, afterMs: 900 };
  return plan.callee === 'busy' ? { does: 'busy', afterMs: 400 } : { does: 'no_answer' };
}

/** The far end carries out its plan once it has been answered. */
export function playFarEnd(farEnd: FarEnd, plan: CallPlan | undefined, clock: Pick<Clock, 'after'>): void {
  if (!plan) return;
  const { keys, hangsUpAfterMs } = plan;
  const stop = farEnd.observe((notice) => {
    if (notice.type !== 'answered') return;
    stop();
    for (const { afterMs, digit } of keys) clock.after(afterMs, () => farEnd.press(digit));
    if (hangsUpAfterMs !== undefined) clock.after(hangsUpAfterMs, () => farEnd.hangUp());
  });
}
