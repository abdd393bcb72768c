/**
 * Text of a field while the author types in it. An invalid text stays in the field with a sentence, and the flow keeps the
 * last valid value; Escape brings it back.
 */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Typed {
  text: string;
  problem: string | undefined;
  onInput(text: string): void;
  onLeave(): void;
  /** Returns true if the field had an invalid text. */
  bringBack(): boolean;
}

interface TypedParts {
  /** Text of the value. */
  shown: string;
  /** Text of the value in the latest flow, also before the form is drawn. */
  now(): string;
  /** Applies a text, and returns the reason if it cannot. */
  accept(text: string): string | undefined;
}

export function useTyped({ shown, now, accept }: TypedParts): Typed {
  const typed = useSignal<string | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const own = useRef(shown);
  // A value that changes without the field, such as by undo, replaces what was typed. Fast typing is ahead of `shown`.
  useEffect(() => {
    const latest = now();
    if (own.current !== latest) forget(typed, problem);
    own.current = latest;
  }, [shown]);
  return {
    text: typed.value ?? shown,
    problem: problem.value,
    onInput(text) {
      typed.value = text;
      problem.value = accept(text);
      own.current = now();
    },
    onLeave() {
      if (problem.peek() === undefined) typed.value = undefined;
    },
    bringBack() {
      const has = problem.peek() !== undefined;
      if (has) forget(typed, problem);
      return has;
    },
  };
}

function forget(typed: Signal<string | undefined>, problem: Signal<string | undefined>): void {
  typed.value = undefined;
  problem.value = undefined;
}
