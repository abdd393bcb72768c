/** View state of a canvas: the marked exit, the running pick, folded groups and opened flows. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { foldsOf, OVERVIEW_FROM, overviewOf } from './folds.ts';
import type { DraggedBox, Port } from './gestures.ts';
import { SearchState } from './search-state.ts';
import { hintsFor } from './walking.ts';

/** Picking an exit by letters, then its target, or the exit after which a step is added. */
export type Picking =
  | { what: 'exit'; step: string; then: 'retarget' | 'add'; letters: ReadonlyMap<string, string> }
  | { what: 'target'; from: Port; letters: ReadonlyMap<string, string>; typed: string };

/** Picking a line by letters: to move steps into it, or to select it. Letters by exit id. */
export interface LinePick {
  then: 'move' | 'select';
  /** Steps that move. */
  steps: readonly string[];
  letters: ReadonlyMap<string, string>;
  typed: string;
}

/** Steps that are dragged. Points are in px of the drawing. */
export interface Lifted {
  /** Step whose card is dragged, with all steps that move. */
  step: string;
  /** Title of the card. */
  title: string;
  steps: readonly string[];
  at: readonly [x: number, y: number];
  /** Place of the card. */
  home: readonly [x: number, y: number];
  /** True while it glides back. */
  isBack: boolean;
}

/** Route into a block that is pointed at, or was chosen by a key. */
export interface MarkedWayIn {
  block: string;
  index: number;
  source: string;
}

/** Minimum number of cards for which the map is shown without being asked for. */
const MAP_FROM = 40;

export class CanvasState {
  readonly exit = signal(0);
  /** Selected step of an inner flow (`inner.ts`). */
  readonly inner = signal<string | undefined>(undefined);
  readonly picking = signal<Picking | undefined>(undefined);
  readonly hints: Signal<{ of: 'cards' | 'exits'; letters: ReadonlyMap<string, string> } | undefined> =
    signal(undefined);
  readonly folded = signal<ReadonlySet<string>>(new Set());
  /** Ids of the groups around the steps that are shown, the outermost first. */
  readonly inside = signal<readonly string[]>([]);
  readonly opened = signal<ReadonlySet<string>>(new Set());
  readonly withDefaults = signal(false);
  /** Undefined until the user decides: then a big drawing has a map. */
  readonly hasMap = signal<boolean | undefined>(undefined);
  readonly isOutline: Signal<boolean>;
  /** Line from a port to the pointer. */
  readonly dragged = signal<{ from: Port; to: [x: number, y: number] } | undefined>(undefined);
  /** Selected line, by its exit. */
  readonly line = signal<Port | undefined>(undefined);
  readonly wayIn = signal<MarkedWayIn | undefined>(undefined);
  readonly linePick = signal<LinePick | undefined>(undefined);
  readonly lifted = signal<Lifted | undefined>(undefined);
  /** Rectangle of a drag that selects steps. */
  readonly marquee = signal<DraggedBox | undefined>(undefined);
  readonly search = new SearchState();
  /** Text announced to screen readers. */
  readonly said = signal('');
  /** Steps that the user has walked through. */
  readonly came: string[] = [];

  #hasGraph = false;

  constructor(isOutline: boolean) {
    this.isOutline = signal(isOutline);
  }

  /** Folds a big flow to an overview when it is shown for the first time. */
  begin(graph: FlowGraph): void {
    if (this.#hasGraph || graph.steps.length === 0) return;
    this.#hasGraph = true;
    if (graph.steps.length < OVERVIEW_FROM) return;
    this.folded.value = new Set(overviewOf(graph, foldsOf(graph)).map(({ id }) => id));
  }

  /** Shows the map of a drawing, or hides it. */
  toggleMap(cards: number): void {
    this.hasMap.value = !this.isMapShown(cards);
  }

  isMapShown(cards: number): boolean {
    return this.hasMap.value ?? cards >= MAP_FROM;
  }

  pick(picking: Picking | undefined): void {
    this.picking.value = picking;
    this.hints.value =
      picking === undefined ? undefined : { of: picking.what === 'exit' ? 'exits' : 'cards', letters: picking.letters };
  }

  pickExit(step: string, outcomes: readonly string[], then: 'retarget' | 'add'): void {
    this.pick({ what: 'exit', step, then, letters: hintsFor(outcomes) });
    this.said.value = t('Pick an exit: {exits}', {
      exits: [...this.hints.value!.letters].map(([name, letter]) => `${letter} ${name}`).join(', '),
    });
  }

  pickTarget(from: Port, names: readonly string[]): void {
    this.pick({ what: 'target', from, letters: hintsFor(names), typed: '' });
    this.said.value = t('Pick where {outcome} leads: type the letters at a card, or press Escape', {
      outcome: from.outcome,
    });
  }
}

export function toggle(set: Signal<ReadonlySet<string>>, value: string): void {
  const next = new Set(set.value);
  if (!next.delete(value)) next.add(value);
  set.value = next;
}

export type Selected = Signal<string | undefined> | ReadonlySignal<string | undefined>;
