/** Notes of steps for the graph: the comments above them. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import { notesOf } from '../../../../language/flow/text/notes.ts';
import type { EditorDraft } from './flow-draft.ts';

/** Notes of all steps that have one, by their names, in the last text without errors. */
export function followNotes({ text }: Pick<EditorDraft, 'text'>): ReadonlySignal<ReadonlyMap<string, string>> {
  let last: ReadonlyMap<string, string> = new Map();
  return computed(() => {
    const source = openText(text.value);
    if (isRefusal(source)) return last;
    const notes = notesOf(source);
    const isSame = notes.size === last.size && [...notes].every(([step, note]) => last.get(step) === note);
    // The same notes keep their map, because each card reads it.
    if (!isSame) last = notes;
    return last;
  });
}
