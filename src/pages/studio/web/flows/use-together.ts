/** Connects the flow editor with the other people in the flow: places, and saves. */
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { noteOf, setNote } from '../../../../language/flow/text/notes.ts';
import type { FlowComment } from '../comments/comment-api.ts';
import { comments, followComments, openCounts } from '../comments/comment-store.ts';
import type { PlaceInFlow } from '../people/people-api.ts';
import { focusedField, followPeople, othersIn } from '../people/people-store.ts';
import type { TextHandle } from '../text/editor.tsx';
import type { EditorDraft } from './flow-draft.ts';
import { followSaves, type NewerVersion } from './newer-version.tsx';

export interface Together {
  /** Names of the other people at each step. */
  people: ReadonlyMap<string, readonly string[]>;
  /** Number of open comments at each step. */
  comments: ReadonlyMap<string, number>;
  newer: Signal<NewerVersion | undefined>;
}

/** `mentioned` is called with a new comment that mentions this person. */
export function useTogether(
  draft: EditorDraft,
  language: Language,
  mentioned: (comment: FlowComment) => void,
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
  useEffect(() => followComments(draft.name, mentioned), []);
  const counts = useComputed(() => openCounts(comments.value, (step) => stepNow(draft, step)));
  return { people: people.value, comments: counts.value, newer };
}

/** Present name of a step that the saved text has under this name. */
export function stepNow(draft: EditorDraft, step: string): string {
  return draft.lastingRenames.find(({ from }) => from === step)?.to ?? step;
}

/** Writes a text as the comment of the step in the YAML. Returns the reason if the step cannot have one. */
export function addNote(draft: EditorDraft, handle: TextHandle, step: string, words: string): string | undefined {
  const source = openText(draft.text.peek());
  const before = isRefusal(source) ? undefined : noteOf(source, step);
  const edits = isRefusal(source) ? source : setNote(source, step, before ? `${before}\n${words}` : words);
  if (isRefusal(edits)) return edits.hint === undefined ? edits.refused : `${edits.refused}: ${edits.hint}`;
  handle.change(edits, `note of ${step}`);
  return undefined;
}
