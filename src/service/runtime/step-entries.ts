/** Journal entries of a step run: its entry into the step, and its end. */
import { isObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { StepResult } from '../../language/steps/step.ts';
import { MASK, type NewEntry } from './journal.ts';
import type { StepRun } from './step-run.ts';

interface EntryPlace {
  flow: CompiledFlow;
  /** Number of enclosing flows. */
  depth: number;
  /** True if the flow has another version than at the start of the call. */
  isNewVersion: boolean;
  branch: string | undefined;
}

export const enteredEntry = (
  { step, number }: Pick<StepRun, 'step' | 'number'>,
  { flow, depth, isNewVersion, branch }: EntryPlace,
): NewEntry => ({
  kind: 'entered',
  step: step.name,
  verb: step.verb,
  visit: number,
  depth,
  flow: flow.name,
  flowHash: isNewVersion ? flow.hash : undefined,
  branch,
});

/** The result of a sensitive step is masked. */
export function leftEntry(
  { step, input, number, hasListened }: Pick<StepRun, 'step' | 'input' | 'number' | 'hasListened'>,
  { outcome, result, fault }: Pick<StepResult, 'outcome' | 'result' | 'fault'>,
): NewEntry {
  const { play_id: playId, prompt_ref: promptRef } = isObject(input) ? input : {};
  return {
    kind: 'left',
    step: step.name,
    verb: step.verb,
    visit: number,
    outcome,
    result: step.sensitive && result !== undefined ? MASK : result,
    fault,
    playId: typeof playId === 'string' ? playId : undefined,
    promptRef: typeof promptRef === 'string' ? promptRef : undefined,
    sensitive: step.sensitive || undefined,
    speech: hasListened || undefined,
  };
}
