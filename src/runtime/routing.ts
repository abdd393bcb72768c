/** Where the result of a step leads in its flow. */
import { type Fault, fault } from '../core/fault.ts';
import type { CompiledFlow, CompiledStep } from '../flow/types.ts';
import { END } from '../flow/types.ts';
import type { StepResult } from '../steps/step.ts';
import type { Frame } from './frame.ts';

/** Why the flow cannot follow this result, which only an application or another flow can give. */
export function astrayOf(
  flow: CompiledFlow,
  step: CompiledStep,
  { outcome, goto, ends }: StepResult,
): Fault | undefined {
  if (goto !== undefined) {
    const isKnown = goto === END || flow.steps.has(goto);
    return isKnown ? undefined : fault('unknown_step', `there is no step ${goto.slice(0, 64)} to go to`);
  }
  if (ends || outcome === 'error' || flow.machine.next(step.name, outcome) !== undefined) return undefined;
  return fault('unrouted_outcome', `nothing routes the outcome ${outcome} of ${step.name}`);
}

/** The step to go to, or `$end`. A hang-up is routed once in each flow: by its step, else by the flow's interrupt. */
export function targetOf(frame: Frame, step: CompiledStep, { outcome, goto }: StepResult): string {
  if (goto !== undefined) return goto;
  const target = frame.flow.machine.next(step.name, outcome) ?? END;
  if (outcome !== 'hangup') return target;
  if (frame.hangupRouted) return END;
  const chosen = target === END ? (frame.flow.events['hangup'] ?? END) : target;
  frame.hangupRouted = chosen !== END;
  return chosen;
}
