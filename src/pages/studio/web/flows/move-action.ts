/** Moves steps of the editor into another route. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
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
  const said = `${words} moved to ${line.step}: ${line.outcome}`;
  if (!editsOf(parts)(isRefusal(made) ? made : made.edits, { title: `move ${words}`, said })) return;
  if (!isRefusal(made)) for (const bound of made.bounds) tell(boundWords(bound));
}
