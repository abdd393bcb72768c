/** Puts the steps of a local flow in the place of the step that runs it. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { tell } from '../shell/messages.tsx';
import type { EditorParts } from './editor-parts.ts';
import { editsOf } from './make-edits.ts';

/** Without a step, it asks for one. The code is loaded when it is first used. */
export async function inlineInEditor(parts: EditorParts, step: string | undefined): Promise<void> {
  const { draft, language } = parts;
  if (draft.isLocked) return;
  if (step === undefined) {
    tell(t('Select a step that runs a flow of this file'));
    return;
  }
  const { inlineStep } = await import('../../../../language/flow/text/inline-flow.ts');
  const made = inlineStep(draft.text.peek(), { step, language });
  const edits = isRefusal(made) ? made : made.edits;
  const flow = isRefusal(made) ? '' : made.flow;
  const words = {
    title: t('put the steps of {flow} here', { flow }),
    said: t('The steps of {flow} are here now', { flow }),
  };
  if (editsOf(parts)(edits, words) && !isRefusal(made)) draft.selected.value = made.entry;
}
