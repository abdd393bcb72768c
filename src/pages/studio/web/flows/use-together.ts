/** Connects the flow editor with the other people in the flow: places, and saves. */
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Language } from '../../../../language/flow/text/language.ts';
import type { PlaceInFlow } from '../people/people-api.ts';
import { focusedField, followPeople, othersIn } from '../people/people-store.ts';
import type { EditorDraft } from './flow-draft.ts';
import { followSaves, type NewerVersion } from './newer-version.tsx';

export interface Together {
  /** Names of the other people at each step. */
  people: ReadonlyMap<string, readonly string[]>;
  newer: Signal<NewerVersion | undefined>;
}

export function useTogether(draft: EditorDraft, language: Language): Together {
  const newer = useSignal<NewerVersion | undefined>(undefined);
  const place = useComputed((): PlaceInFlow => {
    const step = draft.selected.value;
    const focused = focusedField.value;
    return { flow: draft.name, step, field: focused?.step === (step ?? '') ? focused.path : undefined };
  });
  useEffect(() => followPeople(place), []);
  useEffect(() => followSaves(draft, newer, language.verbs), []);
  const people = useComputed(() => {
    const byStep = Map.groupBy(othersIn(draft.name), ({ step }) => step ?? '');
    return new Map([...byStep].map(([step, there]) => [step, there.map(({ who }) => who)]));
  });
  return { people: people.value, newer };
}
