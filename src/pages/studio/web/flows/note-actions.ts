/** Notes of steps in the editor: the comments above them. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import { noteOf, setNote } from '../../../../language/flow/text/notes.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { EditorParts } from './editor-parts.ts';
import type { EditorDraft } from './flow-draft.ts';
import { editsOf, refuse } from './make-edits.ts';

/** Notes of all steps that have one, by their names. */
export function notesIn({ text, typed }: Pick<EditorDraft, 'text' | 'typed'>): ReadonlyMap<string, string> {
  const source = openText(text.value);
  if (isRefusal(source) || !source.text.includes('#')) return new Map();
  return new Map(
    typed.value.graph.steps.flatMap(({ name }) => {
      const note = noteOf(source, name);
      return note === undefined || note.trim() === '' ? [] : [[name, note] as const];
    }),
  );
}

/** Asks for the note of a step. An empty one is removed. */
export function askForNote(parts: EditorParts, step: string): void {
  const { draft, asked } = parts;
  const source = openText(draft.text.peek());
  if (isRefusal(source)) {
    refuse(source);
    return;
  }
  asked.value = {
    what: 'texts',
    title: t('Note at {step}', { step }),
    fields: [{ label: t('Note'), value: noteOf(source, step) ?? '' }],
    action: t('Write'),
    mayBeEmpty: true,
    take: ([note]) => {
      const now = openText(draft.text.peek());
      const edits = isRefusal(now) ? now : setNote(now, step, note!);
      editsOf(parts)(edits, {
        title: t('change note of {step}', { step }),
        said: t('The note of {step} is changed', { step }),
      });
    },
  };
}
