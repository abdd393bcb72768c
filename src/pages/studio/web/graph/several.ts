/**
 * Selection of several steps. `focused` is the one step that has the focus, the form and the cursor of the text.
 *
 * Invariants
 * - `steps` is empty while only the focused step is selected;
 * - a step that is focused by anything else, such as the cursor of the text, ends the selection of several, unless it
 *   is part of it.
 */
import { batch, type Signal, signal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';

export class Several {
  readonly focused: Signal<string | undefined>;
  readonly steps: Signal<ReadonlySet<string>> = signal(new Set<string>());
  /** True after a long press: each tap then adds or removes a step. */
  isByTouch = false;
  #isWalking = false;

  constructor(focused: Signal<string | undefined>) {
    this.focused = focused;
    focused.subscribe((step) => {
      if (!this.#isWalking && (step === undefined || !this.steps.peek().has(step))) this.clear();
    });
  }

  /** Selected steps: several, or the focused one, or none. */
  get names(): readonly string[] {
    const { value } = this.steps;
    if (value.size > 0) return [...value];
    return this.focused.value === undefined ? [] : [this.focused.value];
  }

  has(step: string): boolean {
    return this.steps.value.size > 0 ? this.steps.value.has(step) : this.focused.value === step;
  }

  clear(): void {
    this.isByTouch = false;
    if (this.steps.peek().size > 0) this.steps.value = new Set();
  }

  /** Selects these steps. `focused`: the one of them with the focus; default: the last. */
  set(steps: Iterable<string>, focused?: string): void {
    const next = new Set(steps);
    const step = focused ?? [...next].at(-1);
    batch(() => {
      this.steps.value = next;
      if (step !== undefined) this.walk(step);
    });
  }

  add(steps: Iterable<string>, focused?: string): void {
    this.set([...this.#now(), ...steps], focused);
  }

  /** Adds the steps of a card, or removes them if all of them are selected. */
  toggle(steps: readonly string[]): void {
    const next = this.#now();
    if (steps.every((step) => next.has(step))) for (const step of steps) next.delete(step);
    else for (const step of steps) next.add(step);
    if (next.size === 0) this.focused.value = undefined;
    else this.set(next, next.has(steps[0]!) ? steps[0] : undefined);
  }

  /** Moves the focus, and keeps the selection. */
  walk(step: string): void {
    // The first act with several steps begins with the focused one.
    if (this.steps.peek().size === 0 && this.focused.peek() !== undefined) this.steps.value = this.#now();
    this.#isWalking = true;
    this.focused.value = step;
    this.#isWalking = false;
  }

  #now(): Set<string> {
    const { focused, steps } = this;
    if (steps.peek().size > 0) return new Set(steps.peek());
    return new Set(focused.peek() === undefined ? [] : [focused.peek()!]);
  }
}

/** `4 steps selected`. */
export const severalWords = (count: number): string =>
  t('{count, plural, one {# step} other {# steps}} selected', { count });
