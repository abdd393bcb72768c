/** Where the result of a step leads in its flow. */
import { type Fault, fault } from '../core/fault.ts';
import type { CompiledFlow, CompiledStep } from '../flow/compiled-flow.ts';
import { END } from '../flow/compiled-flow.ts';
import type { StepResult } from '../steps/step.ts';
import type { FlowFrame } from './flow-frame.ts';

/** Why the flow cannot follow this result, which only an application or another flow can give. */
export function unroutable(
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
export function nextTarget(frame: FlowFrame, step: CompiledStep, { outcome, goto }: StepResult): string {
  if (goto !== undefined) return goto;
  const target = frame.flow.machine.next(step.name, outcome) ?? END;
  if (outcome !== 'hangup') return target;
  if (frame.isHangupRouted) return END;
  const chosen = target === END ? (frame.flow.events['hangup'] ?? END) : target;
  frame.isHangupRouted = chosen !== END;
  return chosen;
}
