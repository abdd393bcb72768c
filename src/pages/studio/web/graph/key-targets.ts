/** Parts of a canvas that its keys and clicks act on. */
import type { Signal } from '@preact/signals';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { CanvasState } from './canvas-state.ts';
import type { Drawing } from './drawing.ts';
import type { EditCallbacks } from './edit-callbacks.ts';
import type { Fold } from './folds.ts';
import type { Notes } from './note-corner.tsx';
import type { Several } from './several.ts';
import type { Viewport } from './viewport.ts';

/** Parts that the clipboard needs. */
export type ClipboardTargets = Pick<KeyTargets, 'selected' | 'several' | 'shown' | 'state' | 'callbacks'>;

export interface KeyTargets {
  graph: FlowGraph;
  shown: FlowGraph;
  drawing: Drawing;
  folds(): readonly Fold[];
  selected: Signal<string | undefined>;
  /** Undefined if only one step can be selected. */
  several: Several | undefined;
  state: CanvasState;
  viewport: Viewport;
  callbacks: EditCallbacks;
  notes: Notes | undefined;
  /** Steps whose cards are in view. */
  inView(): string[];
  /** Scrolls to the card of the selected step. */
  showCard(step: string): void;
  /** Selects a step, scrolls to it and focuses it. */
  goTo(step: string): void;
  /** Selects, shows and focuses a step of an inner flow. */
  goInside(id: string): void;
}
