/**
 * Edits in the graph. Asks for names and verbs where needed; `text/edit.ts` computes the text changes, and the text
 * editor applies them as one undo step. An impossible edit shows a message and changes nothing.
 */

import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { definitionOf } from '../../../../language/flow/text/names.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { EditCallbacks } from '../graph/edit-callbacks.ts';
import { tell } from '../shell/messages.tsx';
import { boundWords, reroute } from '../text/close-loop.ts';
import { changeWords, spokenWords } from '../text/spoken-words.ts';
import { clipboardActions } from './clipboard-actions.ts';
import { deleteInEditor } from './delete-action.ts';
import type { EditorParts } from './editor-parts.ts';
import { groupInEditor, setSection } from './group-actions.ts';
import { inlineInEditor } from './inline-action.ts';
import { editsOf, type MakeEdits } from './make-edits.ts';
import { moveInEditor } from './move-action.ts';
import { askForFlowNote, askForNote, askForWayNote } from './note-actions.ts';
import { askForName } from './rename-action.ts';

export function graphActions(parts: EditorParts): EditCallbacks {
  const { draft, language, adding } = parts;
  const textNow = (): string => draft.text.peek();
  const made = editsOf(parts);
  const verbs = language.verbs;
  return {
    onRetarget: (step, outcome, target) => {
      const found = reroute(textNow(), { step, outcome, target, language: verbs });
      const edits = isRefusal(found) ? found : found.edits;
      const words = {
        title: t('reconnect {step}', { step }),
        said: t('{step}: {outcome}, now leads to {target}', { step, outcome, target }),
      };
      if (!made(edits, words) || isRefusal(found)) return;
      const { bound } = found;
      if (bound !== undefined) tell(boundWords(bound));
    },
    onAdd(step, outcome, anchor) {
      const isFirst = draft.graph.steps.length === 0;
      if (isFirst) adding.value = { anchor };
      else if (step !== undefined && outcome !== undefined) adding.value = { at: { step, outcome }, anchor };
      else tell(t('{step} ends the call: add the step before it', { step: step ?? '' }), true);
    },
    onRename: (step) => askForName(parts, { kind: 'step', name: step }),
    onWords: (step) => askForWords(parts, step, made),
    onDelete: (steps) => deleteInEditor(parts, steps),
    ...clipboardActions(parts),
    onNote: (step, outcome) =>
      outcome === undefined ? askForNote(parts, step) : askForWayNote(parts, { step, outcome }),
    onFlowNote: () => askForFlowNote(parts),
    onMove: (steps, line) => moveInEditor(parts, steps, line),
    onGroup: (steps) => groupInEditor(parts, steps),
    onExtract: (steps) => (parts.extracting.value = steps),
    onInline: (step) => void inlineInEditor(parts, step),
    onUngroup: (steps) => setSection(parts, steps, undefined),
  };
}

/** Dialog for the prompts of a step. */
function askForWords({ draft, language, asked, goTo }: EditorParts, step: string, made: MakeEdits): void {
  const words = spokenWords(draft.text.peek(), step, language.verbs);
  if (words.length === 0) {
    // Prompts that are files or expressions are edited in the text.
    const found = definitionOf(draft.names.peek(), { kind: 'step', name: step });
    if (found !== undefined) goTo({ from: found.from, to: found.from });
    return;
  }
  asked.value = {
    what: 'texts',
    title: t('What callers hear in {step}', { step }),
    fields: words.map(({ label, text }) => ({ label, value: text })),
    action: t('Change'),
    take: (texts) => {
      const changes = words.map(({ path }, index) => ({ path, text: texts[index]! }));
      made(changeWords(draft.text.peek(), changes), {
        title: t('change words of {step}', { step }),
        said: t('The words of {step} are changed', { step }),
      });
    },
  };
}
