/** Content and height of a card: head, text, badges, opened flows, then a row for each exit. */
import type { FlowGraph, GraphExit, GraphStep } from '../../../../language/flow/graph.ts';
import {
  BADGES_HEIGHT,
  CARD_WIDTH,
  type Card,
  type CardRow,
  type Chip,
  type Drawing,
  type ExitKind,
  FOOT_HEIGHT,
  HEAD_HEIGHT,
  LINE_HEIGHT,
  OPENED_HEAD,
  OPENED_SCALE,
  type Opened,
  ROW_HEIGHT,
} from './drawing.ts';
import { membersOf } from './folds.ts';
import { waysInOf } from './ways-in.ts';

/** First words of negative outcomes. */
const SAD = new Set(
  'error exhausted failed hangup timeout not_found silence abandoned full denied closed machine returned'.split(' '),
);
const PADDING = 12;
/** Largest size of the text on a card, relative to 12 px: it grows a little where the card is drawn smaller. */
const GROWN = 13 / 12;
/** Maximum number of characters in a line, even if they are narrow. */
const MAX_LINE = 60;

export function kindOf(outcome: string): ExitKind {
  const end = outcome.search(/[. ]/);
  const head = end < 0 ? outcome : outcome.slice(0, end);
  return head === 'limit' ? 'limit' : SAD.has(head) ? 'sad' : 'main';
}

export interface CardOptions {
  graph: FlowGraph;
  measure: (text: string) => number;
  withDefaults: boolean;
  /** Chip of an exit that is not drawn as a line. */
  chipOf: (exit: GraphExit) => Chip | undefined;
  /** Numbers of steps that chips in other rows lead to. */
  pairs: ReadonlyMap<string, number>;
  waysIn: number;
  opened: readonly { flow: string; drawing: Drawing }[];
}

/** Card at the origin; its position is assigned later. */
export function cardOf(step: GraphStep, options: CardOptions): Card {
  const { graph, measure, withDefaults, chipOf, pairs, waysIn } = options;
  const ownPair = pairs.get(step.name);
  const rows: CardRow[] = [];
  const quiet: CardRow[] = [];
  const labels = labelsOf(step.exits);
  for (const [index, exit] of step.exits.entries()) {
    const row = rowOf(exit, labels[index]!);
    if (exit.own || withDefaults) {
      const chip = chipOf(exit);
      const pair = chip === 'row' ? pairs.get(exit.target) : undefined;
      rows.push(chip === undefined ? row : { ...row, chip, ...(pair !== undefined && { pair }) });
    } else if (graph.defaults[exit.outcome.split('.')[0]!] !== exit.target) quiet.push(row);
  }
  rows.sort((one, other) => Number(one.kind !== 'main') - Number(other.kind !== 'main'));

  const members = membersOf(step);
  const aboutLines = aboutLinesOf(step, measure);
  let y = HEAD_HEIGHT + (aboutLines > 0 ? aboutLines * LINE_HEIGHT + 10 : 0);
  if (step.badges.length > 0 || step.sensitive || step.when !== undefined) y += BADGES_HEIGHT;

  const entries = waysInOf(step);
  if (entries.length > 0) y += entries.length * ROW_HEIGHT + 8;

  const opened: Opened[] = [];
  let width = CARD_WIDTH;
  for (const { flow, drawing } of options.opened) {
    opened.push({ flow, x: PADDING, y: y + OPENED_HEAD, scale: OPENED_SCALE, drawing });
    y += OPENED_HEAD + drawing.height * OPENED_SCALE + PADDING;
    width = Math.max(width, drawing.width * OPENED_SCALE + 2 * PADDING);
  }

  const [first] = rows;
  const isLone = rows.length === 1 && first!.kind === 'main' && first!.chip === undefined && first!.key === undefined;
  if (isLone) first!.y = HEAD_HEIGHT / 2;
  else for (const [index, row] of rows.entries()) row.y = y + 4 + (index + 0.5) * ROW_HEIGHT;
  if (rows.length > 0 && !isLone) y += rows.length * ROW_HEIGHT + 8;
  if (quiet.length > 0) y += FOOT_HEIGHT;
  if (rows.length + quiet.length === 0) y += 4;
  return {
    step,
    x: 0,
    y: 0,
    width,
    height: y,
    rows,
    quiet,
    aboutLines,
    isLone,
    waysIn,
    opened,
    entries,
    ...(members && { members }),
    ...(ownPair !== undefined && { pair: ownPair }),
  };
}

export function aboutLinesOf(step: GraphStep, measure: (text: string) => number): 0 | 1 | 2 {
  if (step.about === '') return 0;
  return step.about.length > MAX_LINE || isWide(step, measure) ? 2 : 1;
}

const wide = new WeakMap<GraphStep, boolean>();

/** Cached by step object; an unchanged step keeps its object. */
function isWide(step: GraphStep, measure: (text: string) => number): boolean {
  const known = wide.get(step);
  if (known !== undefined) return known;
  const isNow = measure(step.about) * GROWN > CARD_WIDTH - 2 * PADDING;
  wide.set(step, isNow);
  return isNow;
}

function rowOf({ outcome, target, own, covers, key }: GraphExit, label: string): CardRow {
  return { outcome, target, label, kind: kindOf(outcome), own, covers, y: 0, ...(key !== undefined && { key }) };
}

const SHORTENED = 6;

/**
 * Shortens conditions with a common prefix to the part that differs: `steps.look_up.body.state = 'done'` becomes
 * `…state = 'done'`.
 */
function labelsOf(exits: readonly GraphExit[]): string[] {
  if (exits.every(({ label }) => label === undefined)) return exits.map(({ outcome }) => outcome);
  const conditions = exits.flatMap(({ label }) => label ?? []);
  let shared = conditions.length > 1 ? conditions[0]! : '';
  for (const condition of conditions) while (!condition.startsWith(shared)) shared = shared.slice(0, -1);
  const cut = shared.lastIndexOf('.') + 1;
  return exits.map(({ label, outcome }) => {
    if (label === undefined) return outcome;
    return cut > SHORTENED ? `…${label.slice(cut)}` : label;
  });
}
