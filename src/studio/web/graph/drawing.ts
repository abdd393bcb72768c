/** What layout makes of a graph: plain data that the canvas, the map, the outline and the exported picture share. */
import type { FlowGraph, GraphStep } from '../../../flow/graph.ts';

export type Point = readonly [x: number, y: number];

/** How an exit looks: as the way on, or quieter, because something did not work or was tried too often. */
export type ExitKind = 'main' | 'sad' | 'limit';

/**
 * Why an exit is a chip in place of a line: everybody leads to its target, it leads back in a big flow, it ends the flow,
 * its target is missing, or it has no target yet.
 */
export type Chip = 'jump' | 'back' | 'end' | 'missing' | 'open';

export interface Row {
  outcome: string;
  target: string;
  /** The outcome, or the part of its condition that differs from the others. */
  label: string;
  kind: ExitKind;
  own: boolean;
  covers: readonly string[];
  key?: string;
  chip?: Chip;
  /** Of its middle, from the top of the card. */
  y: number;
}

/** A flow that is drawn inside the card of the step that runs it. */
export interface Opened {
  flow: string;
  /** From the corner of the card. */
  x: number;
  y: number;
  scale: number;
  drawing: Drawing;
}

export interface Card {
  step: GraphStep;
  x: number;
  y: number;
  width: number;
  height: number;
  rows: Row[];
  /** Exits that only the defaults route, and not as they route everything else. */
  quiet: Row[];
  aboutLines: 0 | 1 | 2;
  /** A single way on has no row: its line leaves the head. */
  isLone: boolean;
  waysIn: number;
  opened: Opened[];
  /** Steps that this block stands for. */
  members?: readonly string[];
}

export interface Wire {
  from: string;
  outcome: string;
  to: string;
  kind: ExitKind;
  isBack: boolean;
  points: Point[];
}

export interface Drawing {
  cards: ReadonlyMap<string, Card>;
  wires: Wire[];
  width: number;
  height: number;
  titles: { text: string; x: number; y: number }[];
}

export interface LayoutOptions {
  /** The width of a text of 12 px, in px. */
  measure: (text: string) => number;
  /** Draws the exits of the defaults, too. */
  withDefaults?: boolean;
  /** The flows to draw inside a step; `path` is its name, below the names of the steps it is drawn in. */
  openedIn?: (path: string) => readonly FlowGraph[];
}

export const exitId = (step: string, outcome: string): string => `${step} ${outcome}`;

export const CARD_WIDTH = 236;
export const HEAD_HEIGHT = 38;
export const LINE_HEIGHT = 17;
export const BADGES_HEIGHT = 22;
export const ROW_HEIGHT = 24;
export const FOOT_HEIGHT = 20;
/** Above an opened flow: its name. */
export const OPENED_HEAD = 26;
export const OPENED_SCALE = 0.72;
/** Between cards of a column. */
export const GAP = 26;
/** The height that a line takes where it passes a column. */
export const PASS_HEIGHT = 14;
/** Flows of up to so many steps have lines for ways back. */
export const SMALL_FLOW = 26;
