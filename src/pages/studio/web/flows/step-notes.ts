/** Comments of the studio and the unsaved text: present names of steps, and comments that become notes. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import { noteOf, setNote } from '../../../../language/flow/text/notes.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { TextHandle } from '../text/text-handle.ts';
import type { EditorDraft } from './flow-draft.ts';

/** Present name of a step that the saved text has under this name. */
export function stepNow(draft: EditorDraft, step: string): string {
  return draft.renamedSteps.find(({ from }) => from === step)?.to ?? step;
}

/** Writes a text as the comment of the step in the YAML. Returns the reason if the step cannot have one. */
export function addNote(draft: EditorDraft, handle: TextHandle, step: string, words: string): string | undefined {
  const source = openText(draft.text.peek());
  const before = isRefusal(source) ? undefined : noteOf(source, step);
  const edits = isRefusal(source) ? source : setNote(source, step, before ? `${before}\n${words}` : words);
  if (isRefusal(edits)) return edits.hint === undefined ? edits.refused : `${edits.refused}: ${edits.hint}`;
  handle.change(edits, t('note of {step}', { step }));
  return undefined;
}
