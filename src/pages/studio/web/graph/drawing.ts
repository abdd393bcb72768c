/** Result of the layout: plain data shared by canvas, minimap, outline and exported picture. */
import type { FlowGraph, GraphStep } from '../../../../language/flow/graph.ts';

export type Point = readonly [x: number, y: number];

/** Style of an exit: `main` is the success path; `sad` and `limit` are negative outcomes and exhausted limits. */
export type ExitKind = 'main' | 'sad' | 'limit';

/**
 * Reason why an exit is a chip instead of a line: too many edges lead to its target, it is a back edge in a big flow,
 * its target is in another row of the drawing, it ends the flow, its target does not exist, or it has no target.
 */
export type Chip = 'jump' | 'back' | 'row' | 'end' | 'missing' | 'open';

export interface CardRow {
  outcome: string;
  target: string;
  /** Outcome, or the part of its condition that differs from the others. */
  label: string;
  kind: ExitKind;
  own: boolean;
  covers: readonly string[];
  key?: string;
  chip?: Chip;
  /** Number that the chips of another row share with their target. */
  pair?: number;
  /** Middle of the row, from the top of the card. */
  y: number;
}

/** Flow drawn inside the card of the step that runs it. */
export interface Opened {
  flow: string;
  /** Position relative to the corner of the card. */
  x: number;
  y: number;
  scale: number;
  drawing: Drawing;
}

/** Source of routes into a folded group. */
export interface WayIn {
  /** Name of the step or block that is drawn. Empty for the start of the flow, an event and a default. */
  source: string;
  /** Title of the source. */
  title: string;
  /** Each route in words: `ask: hours → hours`. */
  ways: string[];
}

export interface Card {
  step: GraphStep;
  x: number;
  y: number;
  width: number;
  height: number;
  rows: CardRow[];
  /** Exits that only the defaults route, to another target than the common default. */
  quiet: CardRow[];
  aboutLines: 0 | 1 | 2;
  /** True if the only exit has no row, and its line starts at the head. */
  isLone: boolean;
  waysIn: number;
  /** Number of the chips in other rows that lead here. */
  pair?: number;
  opened: Opened[];
  /** Routes into a block. Empty for a step. */
  entries: readonly WayIn[];
  /** Steps that this block represents. */
  members?: readonly string[];
}

export interface DrawnEdge {
  from: string;
  outcome: string;
  to: string;
  kind: ExitKind;
  isBack: boolean;
  points: Point[];
}

export interface Drawing {
  cards: ReadonlyMap<string, Card>;
  edges: DrawnEdge[];
  width: number;
  height: number;
  titles: { text: string; x: number; y: number }[];
}

export interface LayoutOptions {
  /** Width of a text at 12 px, in px. */
  measure: (text: string) => number;
  /** True for a step that exists but is not drawn. An exit to it is a chip. */
  isElsewhere?: (step: string) => boolean;
  /** Draws the exits that the defaults route, too. */
  withDefaults?: boolean;
  /** Flows to draw inside a step. `path` is its name after those of the steps that it is drawn in. */
  openedIn?: (path: string) => readonly FlowGraph[];
}

export const exitId = (step: string, outcome: string): string => `${step} ${outcome}`;

export const CARD_WIDTH = 236;
export const HEAD_HEIGHT = 38;
export const LINE_HEIGHT = 17;
export const BADGES_HEIGHT = 22;
export const ROW_HEIGHT = 24;
export const FOOT_HEIGHT = 20;
/** Height of the name above an opened flow. */
export const OPENED_HEAD = 26;
export const OPENED_SCALE = 0.72;
/** Gap between cards in a column. */
export const GAP = 26;
/** Height of a line that passes a column. */
export const PASS_HEIGHT = 14;
/** Maximum number of steps for which back edges are drawn as lines. */
export const SMALL_FLOW = 26;
