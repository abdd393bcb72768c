/** Applies edits of the graph to the text of a flow, as one undo step each, and says what was done or refused. */
import { type EditRefusal, type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { announce, tell } from '../shell/messages.tsx';
import type { EditorParts } from './editor-parts.ts';

/** Applies edits, and announces them. `title`: imperative, for undo. Returns false if they are refused. */
export type MakeEdits = (edits: Edits, words: { title: string; said: string }) => boolean;

export const editsOf =
  ({ text: handle }: Pick<EditorParts, 'text'>): MakeEdits =>
  (edits, { title, said }) => {
    if (isRefusal(edits)) {
      refuse(edits);
      return false;
    }
    handle.current?.change(edits, title);
    announce(said);
    return true;
  };

export function refuse({ refused, hint }: EditRefusal): void {
  tell(hint === undefined ? refused : `${refused}: ${hint}`, true);
}

/** `menu`, or `4 steps`. */
export const stepsInWords = (steps: readonly string[]): string =>
  steps.length === 1 ? steps[0]! : t('{count, plural, one {# step} other {# steps}}', { count: steps.length });
