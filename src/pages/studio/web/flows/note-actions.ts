/** The act that changes the note of a step: the comment above it. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import { noteOf, setNote } from '../../../../language/flow/text/notes.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { EditorParts } from './editor-parts.ts';
import { editsOf, refuse } from './make-edits.ts';

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
