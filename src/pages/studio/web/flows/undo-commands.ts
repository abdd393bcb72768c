/**
 * Undo and redo of the flow editor, with their keys. Text, graph and outline have one history: that of the text
 * editor. The selection follows the change.
 */
import { useMemo } from 'preact/hooks';
import { stepAt } from '../../../../language/flow/text/names.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { UndoActions } from '../graph/edit-callbacks.ts';
import { useCommands } from '../shell/commands.ts';
import { announce, tell } from '../shell/messages.tsx';
import type { EditHistory, Undone } from '../text/editor-history.ts';
import type { EditorDraft } from './flow-draft.ts';

export function useUndo(draft: EditorDraft, history: EditHistory): UndoActions | undefined {
  const actions = useMemo(() => (draft.isLocked ? undefined : actionsOf(draft, history)), [draft, history]);
  useCommands(
    () =>
      actions === undefined
        ? []
        : [
            { title: t('Undo'), keys: 'Ctrl+z', ...SHARED, run: actions.undo },
            { title: t('Redo'), keys: 'Ctrl+Shift+Z', also: 'Ctrl+y', ...SHARED, run: actions.redo },
          ],
    [actions],
  );
  return actions;
}

const SHARED = { group: t('Flow'), isOfField: true } as const;

function actionsOf(draft: EditorDraft, history: EditHistory): UndoActions {
  const run = (how: 'undo' | 'redo', words: string): void => {
    const before = stepsOf(draft);
    const undone = history[how]();
    if (undone === undefined) {
      tell(how === 'undo' ? t('Nothing to undo') : t('Nothing to redo'));
      return;
    }
    select(draft, before, undone);
    announce(`${words}: ${undone.title}`);
  };
  const { nextUndo, nextRedo } = history;
  return { nextUndo, nextRedo, undo: () => run('undo', t('Undone')), redo: () => run('redo', t('Redone')) };
}

const stepsOf = (draft: EditorDraft): ReadonlySet<string> =>
  new Set(draft.names.peek().defined.flatMap(({ kind, name }) => (kind === 'step' ? name : [])));

/** Selects the step that has come back, otherwise the first changed one. */
function select(draft: EditorDraft, before: ReadonlySet<string>, { ranges }: Undone): void {
  const now = stepsOf(draft);
  const names = draft.names.peek();
  const changed = ranges.flatMap(({ from, to }) => stepAt(names, from) ?? stepAt(names, to) ?? []);
  const step = [...now].find((name) => !before.has(name)) ?? changed[0];
  const selected = draft.selected.peek();
  if (step !== undefined) draft.selected.value = step;
  else if (selected !== undefined && !now.has(selected)) draft.selected.value = undefined;
}
