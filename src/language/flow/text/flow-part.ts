/**
 * Extracts the lines of a large flow that an edit affects as a small flow, so that an edit of one step does not parse
 * the whole text. `rewrite.ts` uses it; `slices.ts` cuts the text.
 *
 * Invariant: a step and its surroundings are the same as in the whole, so that an edit of the part is the edit of the
 * whole at another offset.
 */
import type { Change } from './change.ts';
import { type Edit, isRefusal } from './edits.ts';
import { type FlowSource, parseText } from './flow-source.ts';
import { type Slice, slicesOf } from './slices.ts';
import type { Range } from './text-edits.ts';

export interface FlowPart {
  source: FlowSource;
  inWhole(edit: Edit): Edit;
}

/** Below this number of characters, parsing the whole is as fast. */
const BIG = 8_000;
/** Maximum fraction of the whole text; above it, a part saves too little. */
const MOST = 0.6;

/** Returns undefined for texts that are small, cannot be cut, or change in many places. */
export function partOf({ text }: FlowSource, changes: readonly Change[]): FlowPart | undefined {
  if (text.length < BIG) return undefined;
  const cut = slicesOf(text);
  const [first] = cut?.steps ?? [];
  if (cut === undefined || first === undefined) return undefined;
  // The line of `steps:`, with the comments below it.
  const above = cut.heads.findLast(({ start }) => start < first.start);
  const line = text.lastIndexOf('\nsteps', first.start) + 1;
  if (line === 0 || line < endOf(above)) return undefined;
  const parts: Slice[] = [...cut.heads, ...cut.steps].toSorted((one, other) => one.start - other.start);
  const ranges: Range[] = [{ from: line, to: first.start }];
  for (const change of changes) {
    const slice = sliceOf(cut, change);
    if (slice === undefined) return undefined;
    const at = parts.indexOf(slice);
    const isAlone = change.path.length > 2 || (change.do === 'add' && change.path[0] !== 'steps');
    const from = isAlone ? slice.start : (parts[at - 1]?.start ?? 0);
    ranges.push({ from, to: endOf(isAlone ? slice : (parts[at + 1] ?? slice)) });
  }
  const kept = merged(ranges);
  if (kept.reduce((sum, { from, to }) => sum + to - from, 0) > text.length * MOST) return undefined;
  const source = parseText(kept.map(({ from, to }) => text.slice(from, to)).join(''));
  return isRefusal(source) ? undefined : { source, inWhole: (edit) => moved(edit, kept) };
}

const endOf = (slice: Slice | undefined): number => (slice === undefined ? 0 : slice.start + slice.text.length);

function sliceOf(cut: { heads: Slice[]; steps: Slice[] }, change: Change): Slice | undefined {
  const [top, name] = change.path;
  const named = (slices: Slice[], key: unknown): Slice | undefined => slices.find((slice) => keyOf(slice) === key);
  if (top === undefined) return undefined;
  if (top !== 'steps')
    return change.path.length === 1 && change.do !== 'set' && change.do !== 'add' ? undefined : named(cut.heads, top);
  if (name !== undefined) return named(cut.steps, name);
  if (change.do !== 'add' || change.first) return undefined;
  return change.after === undefined ? cut.steps.at(-1) : named(cut.steps, change.after);
}

const keyOf = ({ text }: Slice): string | undefined => {
  const [, double, single, plain] = /^ *(?:"([^"]*)"|'([^']*)'|([\w.-]+)) *:/.exec(text) ?? [];
  return double ?? single ?? plain;
};

function merged(ranges: readonly Range[]): Range[] {
  const kept: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const before = kept.at(-1);
    if (before !== undefined && range.from <= before.to) before.to = Math.max(before.to, range.to);
    else kept.push({ ...range });
  }
  return kept;
}

/**
 * Moves an edit to its offset in the whole. An insertion between two ranges belongs to the end of the first; a
 * replacement is within one.
 */
function moved({ from, to, insert }: Edit, ranges: readonly Range[]): Edit {
  const isInsertion = from === to;
  let at = 0;
  for (const range of ranges) {
    const length = range.to - range.from;
    if (from < at + length || (isInsertion && from === at + length)) {
      const by = range.from - at;
      return { from: from + by, to: to + by, insert };
    }
    at += length;
  }
  throw new Error('an edit of a part is outside of it');
}
