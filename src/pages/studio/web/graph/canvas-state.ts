/** View state of a canvas: the marked exit, the running pick, folded groups and opened flows. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { DraggedBox, Port } from './gestures.ts';
import { hintsFor } from './walking.ts';

/** Picking an exit by letters, then its target, or the exit after which a step is added. */
export type Picking =
  | { what: 'exit'; step: string; then: 'retarget' | 'add'; letters: ReadonlyMap<string, string> }
  | { what: 'target'; from: Port; letters: ReadonlyMap<string, string>; typed: string };

export class CanvasState {
  readonly exit = signal(0);
  /** Selected step of an inner flow (`inner.ts`). */
  readonly inner = signal<string | undefined>(undefined);
  readonly picking = signal<Picking | undefined>(undefined);
  readonly hints: Signal<{ of: 'cards' | 'exits'; letters: ReadonlyMap<string, string> } | undefined> =
    signal(undefined);
  readonly folded = signal<ReadonlySet<string>>(new Set());
  readonly opened = signal<ReadonlySet<string>>(new Set());
  readonly withDefaults = signal(false);
  readonly hasMap = signal(true);
  readonly isOutline: Signal<boolean>;
  /** Line from a port to the pointer. */
  readonly dragged = signal<{ from: Port; to: [x: number, y: number] } | undefined>(undefined);
  /** Rectangle of a drag that selects steps. */
  readonly marquee = signal<DraggedBox | undefined>(undefined);
  /** Text announced to screen readers. */
  readonly said = signal('');
  /** Steps that the user has walked through. */
  readonly came: string[] = [];

  constructor(isOutline: boolean) {
    this.isOutline = signal(isOutline);
  }

  pick(picking: Picking | undefined): void {
    this.picking.value = picking;
    this.hints.value =
      picking === undefined ? undefined : { of: picking.what === 'exit' ? 'exits' : 'cards', letters: picking.letters };
  }

  pickExit(step: string, outcomes: readonly string[], then: 'retarget' | 'add'): void {
    this.pick({ what: 'exit', step, then, letters: hintsFor(outcomes) });
    this.said.value = `Pick an exit: ${[...this.hints.value!.letters].map(([name, letter]) => `${letter} ${name}`).join(', ')}`;
  }

  pickTarget(from: Port, names: readonly string[]): void {
    this.pick({ what: 'target', from, letters: hintsFor(names), typed: '' });
    this.said.value = `Pick where ${from.outcome} leads: type the letters at a card, or press Escape`;
  }
}

export function toggle(set: Signal<ReadonlySet<string>>, value: string): void {
  const next = new Set(set.value);
  if (!next.delete(value)) next.add(value);
  set.value = next;
}

export type Selected = Signal<string | undefined> | ReadonlySignal<string | undefined>;
