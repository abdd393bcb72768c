/**
 * Undo history of the text editor, with a title for each change. CodeMirror keeps the changes; this module keeps their
 * titles, and gives both to the graph, the outline and the toolbar.
 *
 * Invariant: there are as many titles as changes that can be undone and redone.
 */
import { history, isolateHistory, redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import { Annotation, type Extension, type StateCommand, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Range } from '../../../../language/flow/text/text-edits.ts';
import { t } from '../../../shared/web/words/translate.ts';

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

export class EditHistory {
  readonly extension: Extension = [history(), EditorView.updateListener.of((update) => this.#follow(update))];
  readonly #nextUndo = signal<string | undefined>(undefined);
  readonly #nextRedo = signal<string | undefined>(undefined);
  #done: string[] = [];
  #undone: string[] = [];
  #view: EditorView | undefined;

  /** Title of the change that `undo` reverts. Undefined if there is none. */
  get nextUndo(): ReadonlySignal<string | undefined> {
    return this.#nextUndo;
  }

  /** Title of the change that `redo` repeats. Undefined if there is none. */
  get nextRedo(): ReadonlySignal<string | undefined> {
    return this.#nextRedo;
  }

  attach(view: EditorView): void {
    this.#view = view;
  }

  /** Returns the changed ranges, and the title of the reverted change. */
  undo(): Undone | undefined {
    return this.#run(undo, this.#nextUndo);
  }

  redo(): Undone | undefined {
    return this.#run(redo, this.#nextRedo);
  }

  #run(command: StateCommand, next: Signal<string | undefined>): Undone | undefined {
    const view = this.#view;
    const title = next.peek();
    if (view === undefined || title === undefined) return undefined;
    let ranges: Range[] | undefined;
    command({
      state: view.state,
      dispatch: (transaction) => {
        ranges = changedRanges(transaction);
        view.dispatch(transaction);
      },
    });
    return ranges && { title, ranges };
  }

  #follow({ transactions }: { transactions: readonly Transaction[] }): void {
    for (const transaction of transactions) if (transaction.docChanged) this.#record(transaction);
    this.#nextUndo.value = this.#done.at(-1);
    this.#nextRedo.value = this.#undone.at(-1);
  }

  #record(transaction: Transaction): void {
    const { startState, state } = transaction;
    if (transaction.isUserEvent('undo')) this.#undone.push(this.#done.pop() ?? '');
    else if (transaction.isUserEvent('redo')) this.#done.push(this.#undone.pop() ?? '');
    // Characters typed in a row are one change.
    else if (undoDepth(state) !== undoDepth(startState)) this.#done.push(titleFor(transaction));
    // The history forgets its oldest changes, and a new change ends what could be redone.
    this.#done = latest(this.#done, undoDepth(state));
    this.#undone = latest(this.#undone, redoDepth(state));
  }
}

export interface Undone {
  title: string;
  ranges: readonly Range[];
}

const titleFor = (transaction: Transaction): string =>
  transaction.annotation(titleOf) ??
  TITLES.find(([event]) => transaction.isUserEvent(event))?.[1] ??
  t('change the text');

const latest = (titles: string[], count: number): string[] => titles.slice(Math.max(0, titles.length - count));

/** Ranges of the new text that a transaction has changed. */
export function changedRanges({ changes }: Transaction): Range[] {
  const touched: Range[] = [];
  changes.iterChangedRanges((_, __, from, to) => touched.push({ from, to }));
  return touched;
}
