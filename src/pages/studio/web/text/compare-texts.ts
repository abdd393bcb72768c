/** Aligned lines of two texts. Pure; shown by `both-texts.tsx`. */
import { align } from '../journal/align.ts';

export interface DiffLine {
  number: number;
  text: string;
  /** Changed parts, as offsets in the line. */
  changed?: readonly [from: number, to: number];
}

/** A pair of aligned lines; one side can be missing. */
export interface DiffRow {
  before?: DiffLine;
  now?: DiffLine;
}

export function compareTexts(before: string, now: string): DiffRow[] {
  const old = before.split('\n');
  const fresh = now.split('\n');
  const rows: DiffRow[] = [];
  let went: number[] = [];
  let came: number[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(went.length, came.length); index++) {
      rows.push(changedRow(lineOf(old, went[index]), lineOf(fresh, came[index])));
    }
    went = [];
    came = [];
  };
  for (const each of alignLines(old, fresh)) {
    if (each.of === 'before') went.push(each.before);
    else if (each.of === 'now') came.push(each.now);
    else {
      flush();
      rows.push({ before: lineOf(old, each.before)!, now: lineOf(fresh, each.now)! });
    }
  }
  flush();
  return rows;
}

/** Skips the comparison of common lines at the start and the end. */
function alignLines(old: readonly string[], fresh: readonly string[]): ReturnType<typeof align> {
  const most = Math.min(old.length, fresh.length);
  let first = 0;
  while (first < most && old[first] === fresh[first]) first += 1;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === fresh.at(-1 - last)) last += 1;
  const both = (index: number, by = 0) => ({ of: 'both', before: index, now: index + by }) as const;
  const between = align(old.slice(first, old.length - last), fresh.slice(first, fresh.length - last));
  return [
    ...Array.from({ length: first }, (_, index) => both(index)),
    ...between.map((each) => ({
      ...each,
      ...('before' in each && { before: each.before + first }),
      ...('now' in each && { now: each.now + first }),
    })),
    ...Array.from({ length: last }, (_, index) => both(old.length - last + index, fresh.length - old.length)),
  ];
}

const lineOf = (lines: readonly string[], index: number | undefined): DiffLine | undefined =>
  index === undefined ? undefined : { number: index + 1, text: lines[index]! };

function changedRow(before: DiffLine | undefined, now: DiffLine | undefined): DiffRow {
  const old = before?.text ?? '';
  const fresh = now?.text ?? '';
  const most = before && now ? Math.min(old.length, fresh.length) : 0;
  let from = 0;
  while (from < most && old[from] === fresh[from]) from += 1;
  let same = 0;
  while (same < most - from && old.at(-1 - same) === fresh.at(-1 - same)) same += 1;
  return {
    ...(before && { before: { ...before, changed: [from, old.length - same] } }),
    ...(now && { now: { ...now, changed: [from, fresh.length - same] } }),
  };
}
