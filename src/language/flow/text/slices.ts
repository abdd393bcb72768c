/**
 * Cuts the text of a flow into one slice for each top-level key and each step, so that `flow-reader.ts` parses only the
 * slices that changed.
 */

export interface Slice {
  text: string;
  /** Offset in the whole text. */
  start: number;
  /** Line of its key. */
  line: number;
  /** Column of its key. */
  column: number;
}

/** Slices of a whole text. */
export interface SlicedText {
  heads: Slice[];
  steps: Slice[];
  /** Offset and characters of the key `steps`; undefined if the text has no steps. */
  stepsKey?: { start: number; written: string };
}

/** A key at the beginning of a line: plain or quoted, followed by a colon. */
const KEY = /^(?:[\p{L}_][\p{L}\p{M}\p{N}_.-]*|"[^"\\]*"|'[^']*') *:(?=\s|$)/u;
/** Syntax that connects slices or does not occupy whole lines. */
const UNUSUAL = /^ *\t|^---|^\.\.\.|^%|(?:^|[\s[{,:])[&*][^\s,\]}"']|<<|^\s*\?(?:\s|$)|\ufeff/m;
const STEPS = /^(steps|"steps"|'steps') *:/;

let last: { text: string; cut: SlicedText | undefined } | undefined;

/**
 * Slices of a text of the usual outline: `steps` is a map in block style, with each name on its own line. The slices of
 * the last text are kept, because several readers ask for them.
 */
export function slicesOf(text: string): SlicedText | undefined {
  if (last?.text !== text) last = { text, cut: cutOf(text) };
  return last.cut;
}

function cutOf(text: string): SlicedText | undefined {
  if (UNUSUAL.test(text)) return undefined;
  const heads: Slice[] = [];
  const steps: Slice[] = [];
  let open: (Omit<Slice, 'text'> & { into: Slice[] }) | undefined;
  const close = (end: number): void => {
    if (open !== undefined) {
      const { into, ...slice } = open;
      into.push({ ...slice, text: text.slice(slice.start, end) });
    }
    open = undefined;
  };
  /** Indentation of the steps' names; 0 before the first of them. */
  let indent = 0;
  let isInSteps = false;
  let stepsKey: SlicedText['stepsKey'];
  for (const { start, column, line, written } of linesOf(text)) {
    if (column === 0) {
      close(start);
      if (!KEY.test(written)) return undefined;
      const key = STEPS.exec(written)?.[1];
      isInSteps = key !== undefined;
      if (key === undefined) open = { start, line, column, into: heads };
      // `steps` must occur once, and its map must begin on the next line.
      else if (stepsKey !== undefined || !/: *(?:#.*)?\r?$/.test(written)) return undefined;
      else stepsKey = { start, written: key };
    } else if (isInSteps) {
      indent ||= column;
      if (column < indent) return undefined;
      if (column > indent) continue;
      close(start);
      if (!KEY.test(written)) return undefined;
      open = { start, line, column, into: steps };
    } else if (open === undefined) return undefined;
  }
  close(text.length);
  // An empty `steps:` is null, which slices cannot represent.
  if (stepsKey === undefined) return { heads, steps };
  return steps.length === 0 ? undefined : { heads, steps, stepsKey };
}

interface Line {
  start: number;
  /** Column of the first character that is not a space. */
  column: number;
  line: number;
  /** Text from that column to the end of the line. */
  written: string;
}

/** Lines that are neither empty nor comments. */
function* linesOf(text: string): Generator<Line> {
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    line += 1;
    let at = start;
    while (text[at] === ' ') at += 1;
    const first = text[at];
    if (first !== undefined && first !== '\n' && first !== '\r' && first !== '#') {
      yield { start, column: at - start, line, written: text.slice(at, end < 0 ? text.length : end) };
    }
    start = end < 0 ? text.length : end + 1;
  }
}
