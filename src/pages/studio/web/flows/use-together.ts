/** Connects the flow editor with the other people in the flow: places, and saves. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Language } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { comments, followComments, openCounts } from '../comments/comment-store.ts';
import type { PlaceInFlow } from '../people/people-api.ts';
import { focusedField, followPeople, othersIn } from '../people/people-store.ts';
import { tell } from '../shell/messages.tsx';
import type { TextHandle } from '../text/text-handle.ts';
import type { EditorDraft } from './flow-draft.ts';
import { followSaves, type NewerVersion } from './newer-version.tsx';
import { addNote, stepNow } from './step-notes.ts';

export interface Together {
  /** Names of the other people at each step. */
  people: ReadonlyMap<string, readonly string[]>;
  /** Number of open comments at each step. */
  comments: ReadonlyMap<string, number>;
  newer: NewerVersion | undefined;
  /** Acts of the comments on the unsaved text. */
  ofComments: {
    /** Present name of a step, which can be renamed in the unsaved text. */
    stepNow(step: string): string;
    /** Writes a text as the note of a step. Returns false if the step cannot have one. Absent for a locked flow. */
    makeNote?(step: string, text: string): boolean;
  };
}

export function useTogether(
  draft: EditorDraft,
  language: Language,
  text: { readonly current: TextHandle | undefined },
): Together {
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
  useEffect(
    () => followComments(draft.name, ({ who, text: words }) => tell(t('{who} mentioned you: {words}', { who, words }))),
    [],
  );
  const counts = useComputed(() => openCounts(comments.value, (step) => stepNow(draft, step)));
  const makeNote = (step: string, words: string): boolean => {
    const refused = addNote(draft, text.current!, step, words);
    if (refused !== undefined) tell(refused, true);
    return refused === undefined;
  };
  return {
    people: people.value,
    comments: counts.value,
    newer: newer.value,
    ofComments: { stepNow: (step) => stepNow(draft, step), ...(!draft.isLocked && { makeNote }) },
  };
}
