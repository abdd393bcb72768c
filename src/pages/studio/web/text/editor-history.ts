/**
 * Undo history of a text, with a title for each change. The text editor keeps the changes (`kept-changes.ts`); this
 * module keeps their titles, and gives both to the graph, the outline and the toolbar.
 *
 * Invariant: there are as many titles as changes that can be undone and redone.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Range } from '../../../../language/flow/text/text-edits.ts';

export interface Undone {
  title: string;
  ranges: readonly Range[];
}

/** Reverts or repeats a change in the text editor. Return the changed ranges; undefined if nothing has changed. */
export interface KeptChanges {
  undo(): Range[] | undefined;
  redo(): Range[] | undefined;
}

export class EditHistory {
  readonly #nextUndo = signal<string | undefined>(undefined);
  readonly #nextRedo = signal<string | undefined>(undefined);
  #done: string[] = [];
  #undone: string[] = [];
  #changes: KeptChanges | undefined;

  /** Title of the change that `undo` reverts. Undefined if there is none. */
  get nextUndo(): ReadonlySignal<string | undefined> {
    return this.#nextUndo;
  }

  /** Title of the change that `redo` repeats. Undefined if there is none. */
  get nextRedo(): ReadonlySignal<string | undefined> {
    return this.#nextRedo;
  }

  attach(changes: KeptChanges): void {
    this.#changes = changes;
  }

  /** Returns the changed ranges, and the title of the reverted change. */
  undo(): Undone | undefined {
    return this.#run('undo', this.#nextUndo.peek());
  }

  redo(): Undone | undefined {
    return this.#run('redo', this.#nextRedo.peek());
  }

  #run(how: 'undo' | 'redo', title: string | undefined): Undone | undefined {
    const ranges = title === undefined ? undefined : this.#changes?.[how]();
    return title === undefined || ranges === undefined ? undefined : { title, ranges };
  }

  /** Records a new change, or one that was reverted or repeated. */
  record(change: { title: string } | 'undo' | 'redo'): void {
    if (change === 'undo') this.#undone.push(this.#done.pop() ?? '');
    else if (change === 'redo') this.#done.push(this.#undone.pop() ?? '');
    else this.#done.push(change.title);
  }

  /** The editor forgets its oldest changes, and a new change ends what could be redone. */
  keep(done: number, undone: number): void {
    this.#done = latest(this.#done, done);
    this.#undone = latest(this.#undone, undone);
  }

  /** Gives the titles to what shows them. */
  show(): void {
    this.#nextUndo.value = this.#done.at(-1);
    this.#nextRedo.value = this.#undone.at(-1);
  }
}

const latest = (titles: string[], count: number): string[] => titles.slice(Math.max(0, titles.length - count));
