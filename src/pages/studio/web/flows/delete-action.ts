/** Deletes steps in the editor. Asks where the routes to them lead, if there are several possible targets. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { tell } from '../shell/messages.tsx';
import { boundWords } from '../text/close-loop.ts';
import { deleteSteps, planDeletion } from '../text/delete-steps.ts';
import type { DeletionChoice } from './deletion-choice.ts';
import type { EditorParts } from './editor-parts.ts';
import { editsOf, refuse, stepsInWords } from './make-edits.ts';

export function deleteInEditor(
  parts: EditorParts,
  steps: readonly string[],
  title = (words: string): string => t('delete {words}', { words }),
): void {
  const { draft, language, deleting } = parts;
  const plan = planDeletion(draft.text.peek(), steps, language.verbs);
  if (isRefusal(plan)) {
    refuse(plan);
    return;
  }
  const take: DeletionChoice['take'] = (target, along) => deleteNow(parts, { steps, to: target, along, title });
  const [first, ...others] = plan.targets;
  if (others.length === 0 && first!.lost.length === 0) take(first!.target, []);
  else deleting.value = { ...plan, take };
}

interface Chosen {
  steps: readonly string[];
  to: string;
  along: readonly string[];
  /** Title of the change, for undo. */
  title(words: string): string;
}

function deleteNow(parts: EditorParts, { steps, to, along, title }: Chosen): void {
  const { draft, language } = parts;
  const gone = [...steps, ...along];
  const before = draft.graph.steps.find(
    ({ name, exits }) => !gone.includes(name) && exits.some(({ target }) => gone.includes(target)),
  )?.name;
  const made = deleteSteps(draft.text.peek(), { steps, to, along, language: language.verbs });
  const words = stepsInWords(gone);
  const said = t('{words} deleted. Routes to {count, plural, one {it} other {them}} lead to {target}', {
    words,
    count: steps.length,
    target: to === '$end' ? t('the end') : to,
  });
  if (!editsOf(parts)(isRefusal(made) ? made : made.edits, { title: title(words), said })) return;
  if (!isRefusal(made)) for (const bound of made.bounds) tell(boundWords(bound));
  // Selects the preceding step.
  draft.selected.value = before;
}
