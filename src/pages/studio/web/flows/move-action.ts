/** Moves steps of the editor into another route. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { tell } from '../shell/messages.tsx';
import { boundWords } from '../text/close-loop.ts';
import type { ExitRef } from '../text/edit.ts';
import { moveSteps } from '../text/move-steps.ts';
import type { EditorParts } from './editor-parts.ts';
import { editsOf, stepsInWords } from './make-edits.ts';

export function moveInEditor(parts: EditorParts, steps: readonly string[], line: ExitRef): void {
  const { draft, language } = parts;
  const made = moveSteps(draft.text.peek(), { steps, line, language: language.verbs });
  const words = stepsInWords(steps);
  const said = t('{words} moved to {step}: {outcome}', { words, step: line.step, outcome: line.outcome });
  if (!editsOf(parts)(isRefusal(made) ? made : made.edits, { title: t('move {words}', { words }), said })) return;
  if (!isRefusal(made)) for (const bound of made.bounds) tell(boundWords(bound));
}
