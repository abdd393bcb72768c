/** Undo history in the text editor: CodeMirror keeps the changes, `editor-history.ts` their titles. */
import { history, isolateHistory, redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import { Annotation, type Extension, type StateCommand, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Range } from '../../../../language/flow/text/text-edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { EditHistory, KeptChanges } from './editor-history.ts';

const titleOf = Annotation.define<string>();

/** Annotations of an edit that is one entry of the history, with its title: `add menu`. */
export const entryOf = (title: string) => [
  titleOf.of(title),
  isolateHistory.of('full'),
  Transaction.userEvent.of('input.studio'),
];

/** Annotation of an edit that is part of the entry before it. CodeMirror joins such an edit however late it comes. */
export const joinedEntry = Transaction.userEvent.of('input.type.compose');

/** Titles of changes that have none, by the user event of CodeMirror. */
const TITLES: readonly (readonly [event: string, title: string])[] = [
  ['input.paste', t('paste text')],
  ['input.complete', t('complete a word')],
  ['input', t('typing')],
  ['delete', t('delete text')],
  ['move', t('move lines')],
];

/** Keeps the changes of an editor, and their titles in a history. */
export const keepsChanges = (edits: EditHistory): Extension => [
  history(),
  EditorView.updateListener.of(({ transactions }) => {
    for (const transaction of transactions) if (transaction.docChanged) record(edits, transaction);
    edits.show();
  }),
];

export function changesOf(view: EditorView): KeptChanges {
  const run = (command: StateCommand): Range[] | undefined => {
    let ranges: Range[] | undefined;
    command({
      state: view.state,
      dispatch: (transaction) => {
        ranges = changedRanges(transaction);
        view.dispatch(transaction);
      },
    });
    return ranges;
  };
  return { undo: () => run(undo), redo: () => run(redo) };
}

function record(edits: EditHistory, transaction: Transaction): void {
  const { startState, state } = transaction;
  if (transaction.isUserEvent('undo')) edits.record('undo');
  else if (transaction.isUserEvent('redo')) edits.record('redo');
  // Characters typed in a row are one change.
  else if (undoDepth(state) !== undoDepth(startState)) edits.record({ title: titleFor(transaction) });
  edits.keep(undoDepth(state), redoDepth(state));
}

const titleFor = (transaction: Transaction): string =>
  transaction.annotation(titleOf) ??
  TITLES.find(([event]) => transaction.isUserEvent(event))?.[1] ??
  t('change the text');

/** Ranges of the new text that a transaction has changed. */
export function changedRanges({ changes }: Transaction): Range[] {
  const touched: Range[] = [];
  changes.iterChangedRanges((_, __, from, to) => touched.push({ from, to }));
  return touched;
}
