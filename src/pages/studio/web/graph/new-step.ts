/** The new step that a person is choosing, for the graph: `ghost.tsx` draws it, `step-drops.ts` takes its drop. */
import type { ReadonlySignal } from '@preact/signals';
import type { Port } from './gestures.ts';

/** Drops of a canvas. Positions are in px of the window. */
export interface StepDrops {
  /** Shows that exits take a step, until it is called with false. */
  show(isShown: boolean): void;
  /** Marks the exit at a position, and returns it. */
  over(x: number, y: number): Port | undefined;
}

/** Step that is marked in the list. */
export interface GhostStep {
  verb: string;
  name: string;
  sentence: string;
  group: string;
}

/** New step that is being chosen. */
export interface NewStep {
  /** Exit at which the step will be inserted. Undefined while no step is chosen. */
  at: ReadonlySignal<Port | undefined>;
  step: ReadonlySignal<GhostStep | undefined>;
  /** Receives the exits at which a step can be dropped. */
  drops: { current: StepDrops | undefined };
}
