/** The step that is being added: where the list of steps is open, and what it has marked. */
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Language } from '../../../../language/flow/text/language.ts';
import type { GhostStep, NewStep } from '../graph/new-step.ts';
import type { AddRequest } from '../picker/choice.ts';
import type { StepItem } from '../picker/search-steps.ts';

export interface ChosenInList extends NewStep {
  /** Place of the step. */
  adding: Signal<AddRequest | undefined>;
  /** Step that is marked in the list. */
  marked: Signal<StepItem | undefined>;
}

export function useNewStep({ verbs }: Language): ChosenInList {
  const adding = useSignal<AddRequest | undefined>(undefined);
  const marked = useSignal<StepItem | undefined>(undefined);
  const at = useComputed(() => (marked.value === undefined ? undefined : adding.value?.at));
  const step = useComputed((): GhostStep | undefined => {
    const item = marked.value;
    return item && { ...item, group: verbs[item.verb]?.group ?? 'logic' };
  });
  return useMemo(() => ({ adding, marked, at, step, drops: { current: undefined } }), []);
}
