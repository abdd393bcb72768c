/** Leads an outcome of the shown step elsewhere. A loop that this closes gets a bound, as in the graph. */
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { tell } from '../shell/messages.tsx';
import { boundWords, reroute } from '../text/close-loop.ts';
import { removeExit } from '../text/edit.ts';
import type { FormContext } from './context.ts';

/** Without a target, the default leads the outcome. */
export function leadTo(
  { draft, edits, language, step }: FormContext,
  outcome: string,
  target: string | undefined,
): void {
  const text = draft.text.peek();
  const way = { step, outcome, language: language.verbs };
  const title = t('lead {step}: {outcome} to {target}', { step, outcome, target: target ?? t('the default') });
  if (target === undefined) {
    edits.apply(removeExit(text, way), title);
    return;
  }
  const found = reroute(text, { ...way, target, narrow: true });
  const refused = edits.apply(isRefusal(found) ? found : found.edits, title);
  if (refused === undefined && !isRefusal(found) && found.bound !== undefined) tell(boundWords(found.bound));
}
