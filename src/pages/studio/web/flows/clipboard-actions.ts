/** Copies, cuts, pastes and duplicates steps in the editor. */
import { type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';
import type { EditCallbacks } from '../graph/edit-callbacks.ts';
import { tell } from '../shell/messages.tsx';
import { copySteps } from '../text/clipboard.ts';
import { boundWords } from '../text/close-loop.ts';
import { type Pasted, pasteSteps } from '../text/paste-steps.ts';
import { deleteInEditor } from './delete-action.ts';
import type { EditorParts } from './editor-parts.ts';
import { editsOf, refuse, stepsInWords } from './make-edits.ts';

const WORDS = {
  paste: {
    title: (words: string) => t('paste {words}', { words }),
    said: (names: string) => t('{names} pasted', { names }),
  },
  duplicate: {
    title: (words: string) => t('duplicate {words}', { words }),
    said: (names: string) => t('{names} duplicated', { names }),
  },
} as const;

export function clipboardActions(
  parts: EditorParts,
): Required<Pick<EditCallbacks, 'onCopy' | 'onCut' | 'onPaste' | 'onDuplicate'>> {
  const { draft, language } = parts;
  const copied = (steps: readonly string[]): string | undefined => {
    const text = copySteps(draft.text.peek(), steps, language.verbs);
    if (typeof text === 'string') return text;
    refuse(text);
    return undefined;
  };
  const made = (found: Pasted | EditRefusal, act: keyof typeof WORDS): void => {
    if (isRefusal(found)) {
      refuse(found);
      return;
    }
    const names = [...found.names.values()];
    const words = {
      title: WORDS[act].title(stepsInWords(names)),
      said: WORDS[act].said(listText(names)),
    };
    if (!editsOf(parts)(found.edits, words)) return;
    for (const bound of found.bounds) tell(boundWords(bound));
    if (names.length > 1) draft.several.set(names, names[0]);
    else draft.selected.value = names[0];
  };
  return {
    onCopy: copied,
    onCut(steps) {
      const text = copied(steps);
      if (text !== undefined) deleteInEditor(parts, steps, (words) => t('cut {words}', { words }));
      return text;
    },
    onPaste: (text, at) => made(pasteSteps(draft.text.peek(), text, language.verbs, at), 'paste'),
    onDuplicate(steps) {
      const text = copied(steps);
      const last = draft.graph.steps.findLast(({ name }) => steps.includes(name))?.name;
      if (text !== undefined) made(pasteSteps(draft.text.peek(), text, language.verbs, last), 'duplicate');
    },
  };
}
