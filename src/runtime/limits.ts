/** What a call may take of everybody's time, memory and disk, whatever its flows say of their own limits. */
import { type Fault, fault } from '../core/fault.ts';

/** Flows that are being carried out at the same time, inside and beside each other. */
export const MAX_FRAMES = 20;
const MAX_STEPS_AT_ONCE = 10_000;
/** A hang-up waits for it. */
const MAX_DECISION_MS = 10_000;
/** An hour of menus is a few hundred thousand. */
const MAX_JOURNAL_SIZE = 32_000_000;
/** Variables are written at every decision. */
export const MAX_VARIABLE_SIZE = 250_000;

/** What the decision in the making, and the call, have taken so far. */
export interface CallLimits {
  /** Steps since the last input. */
  stepsAtOnce: number;
  /** How long the decision in the making has taken. */
  readonly decidingMs: number;
  /** How much was noted in the journal so far, in characters. */
  readonly noted: number;
}

export function exceededLimit({ stepsAtOnce, decidingMs, noted }: CallLimits): Fault | undefined {
  if (stepsAtOnce > MAX_STEPS_AT_ONCE) {
    return fault('too_many_steps', `more than ${MAX_STEPS_AT_ONCE} steps without waiting for anything`);
  }
  if (decidingMs > MAX_DECISION_MS) {
    const seconds = MAX_DECISION_MS / 1000;
    return fault('too_slow', `more than ${seconds} seconds of computing without waiting for anything`);
  }
  if (noted <= MAX_JOURNAL_SIZE) return undefined;
  return fault('too_much', `the call has more than ${MAX_JOURNAL_SIZE} characters in its journal`);
}
