/**
 * Problems of the last check. Typing moves their places with the text. The shown list changes only with what people see
 * of it, so that a key draws nothing again.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type Problem, problemsAfter } from '../../../../language/flow/text/problems.ts';

export class FoundProblems {
  readonly #shown = signal<readonly Problem[]>([]);
  /** The same problems at their places in the present text, in the same order. */
  #placed: readonly Problem[] = [];

  /** Their offsets are right at the moment of a change of the list. */
  get shown(): ReadonlySignal<readonly Problem[]> {
    return this.#shown;
  }

  /** The problems at their places in the present text. */
  get placed(): readonly Problem[] {
    return this.#placed;
  }

  /** A shown problem at its place in the present text. */
  placeOf(problem: Problem): Problem {
    return this.#placed[this.#shown.peek().indexOf(problem)] ?? problem;
  }

  /** The same problems keep their list, because everything that shows them would be drawn again. */
  take(found: readonly Problem[]): void {
    if (JSON.stringify(found) !== JSON.stringify(this.#placed)) this.#show(found);
  }

  /** Follows a change of the text. */
  move(before: string, after: string): void {
    if (this.#placed.length === 0) return;
    const moved = problemsAfter(before, after, this.#placed);
    if (moved.every((problem, index) => looksLike(problem, this.#placed[index]!))) this.#placed = moved;
    else this.#show(moved);
  }

  #show(problems: readonly Problem[]): void {
    this.#placed = problems;
    this.#shown.value = problems;
  }
}

const looksLike = (one: Problem, other: Problem): boolean =>
  one.line === other.line && (one.repair === undefined) === (other.repair === undefined);
