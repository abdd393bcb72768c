/**
 * Edits in the graph. Asks for names and verbs where needed; `text/edit.ts` computes the text changes, and the text
 * editor applies them as one undo step. An impossible edit shows a message and changes nothing.
 */

import { STEP_NAME } from '../../../../language/flow/name-patterns.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { definitionOf } from '../../../../language/flow/text/names.ts';
import { renameStep } from '../../../../language/flow/text/rename.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { EditCallbacks } from '../graph/edit-callbacks.ts';
import { announce, tell } from '../shell/messages.tsx';
import { boundWords, reroute } from '../text/close-loop.ts';
import { changeWords, spokenWords } from '../text/spoken-words.ts';
import { clipboardActions } from './clipboard-actions.ts';
import { deleteInEditor } from './delete-action.ts';
import type { EditorParts } from './editor-parts.ts';
import { groupInEditor, setSection } from './group-actions.ts';
import { inlineInEditor } from './inline-action.ts';
import { editsOf, type MakeEdits, refuse } from './make-edits.ts';
import { moveInEditor } from './move-action.ts';
import { askForNote } from './note-actions.ts';

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
    onRename: (step) => askForName(parts, step),
    onWords: (step) => askForWords(parts, step, made),
    onDelete: (steps) => deleteInEditor(parts, steps),
    ...clipboardActions(parts),
    onNote: (step) => askForNote(parts, step),
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

/** Dialog for `F2` and `r`: renames the step everywhere in the flow. */
export function askForName({ draft, language, text, asked }: EditorParts, step: string): void {
  const taken = draft.graph.steps.map(({ name }) => name);
  asked.value = {
    what: 'word',
    title: t('Rename {step} everywhere', { step }),
    label: t('New name'),
    value: step,
    action: t('Rename'),
    refuse: (name) =>
      name !== step && taken.includes(name)
        ? t('There is a step {name} already', { name })
        : STEP_NAME.test(name)
          ? undefined
          : t('A name has letters, digits, _ and -, and does not begin with a digit'),
    take: (name) => {
      if (name === step) return;
      const edits = renameStep(draft.text.peek(), { from: step, to: name }, language.verbs);
      if (isRefusal(edits)) {
        refuse(edits);
        return;
      }
      text.current?.change(edits, t('rename {step}', { step }));
      draft.renames.push({ from: step, to: name });
      draft.selected.value = name;
      announce(t('{step} is now {name}', { step, name }));
    },
  };
}
