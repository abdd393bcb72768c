/** How the parts of a call write down what they decide: nothing is done before it is written (`run.ts`, R3). */
import type { NewEntry } from './journal.ts';

export interface Decision {
  /** When the input that is being handled was taken. */
  readonly nowMs: number;
  /** The same moment by the wall clock, which somebody may have set since the call began. */
  readonly wallMs: number;
  nextId(kind: string): string;
  append(entry: NewEntry): void;
  /** Kept until the decision is committed, then done. */
  onCommit(perform: () => void): void;
}
