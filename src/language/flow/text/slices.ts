/**
 * Parses the text of a flow to plain data while it is typed. A text of the usual outline is cut into one slice for each
 * top-level key and each step. A slice is parsed only when its characters change, so that a keystroke costs one step.
 * Any other text (anchors, JSON, tabs at the start of lines, more than one document, errors) is parsed as a whole.
 * Related: `language/flow/graph.ts`.
 *
 * Invariant: slices and the whole parse give the same data.
 */
import { isMap as isMapNode, isScalar, type YamlNode } from './yaml/nodes.ts';
import { plainData } from './yaml/plain-data.ts';
import { readYaml } from './yaml/read-yaml.ts';

export interface FlowText {
  /** Data of the text; for a text with errors, the part that could be read. */
  value: unknown;
  /** Line of each step's name, 1-based. */
  lines: ReadonlyMap<string, number>;
  /** True if the parser found no error. */
  isSound: boolean;
}

interface Parsed {
  value: unknown;
  isSound: boolean;
}

/** Reads successive versions of one text. */
export class FlowReader {
  /** Slices of the last text, by their characters. */
  #known = new Map<string, Parsed>();
  /** Number of slices that were parsed for the last text. */
  parsedSlices = 0;

  read(text: string): FlowText {
    this.parsedSlices = 0;
    return this.#bySlices(text) ?? readWhole(text);
  }

  #bySlices(text: string): FlowText | undefined {
    const cut = slicesOf(text);
    if (cut === undefined) return undefined;
    const known = new Map<string, Parsed>();
    const entryOf = (slice: Slice): [string, unknown] | undefined => {
      const parsed = this.#known.get(slice.text) ?? known.get(slice.text) ?? this.#parse(slice.text);
      known.set(slice.text, parsed);
      const entries = parsed.isSound && isMap(parsed.value) ? Object.entries(parsed.value) : [];
      return entries.length === 1 ? entries[0] : undefined;
    };
    const heads = cut.heads.map(entryOf);
    const steps = cut.steps.map(entryOf);
    // Kept for the next text even if this one has to be parsed as a whole.
    this.#known = known;
    if (!isComplete(heads) || !isComplete(steps) || hasTwice(heads) || hasTwice(steps)) return undefined;
    const value = Object.fromEntries(heads);
    if (steps.length > 0) value['steps'] = Object.fromEntries(steps);
    return { value, lines: new Map(steps.map(([name], index) => [name, cut.steps[index]!.line])), isSound: true };
  }

  #parse(text: string): Parsed {
    this.parsedSlices += 1;
    const { contents, problems } = readYaml(text);
    const data = plainData(contents);
    return { value: data?.value ?? null, isSound: data !== undefined && problems.length === 0 };
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isComplete = <Entry>(entries: (Entry | undefined)[]): entries is Entry[] => !entries.includes(undefined);
const hasTwice = (entries: [string, unknown][]): boolean => new Set(entries.map(([key]) => key)).size < entries.length;

/** Parses the whole text at once; fallback of `FlowReader`. */
export function readWhole(text: string): FlowText {
  const { contents, problems } = readYaml(text);
  const data = plainData(contents);
  // Aliases that expand to too many values.
  if (data === undefined) return { value: null, lines: new Map(), isSound: false };
  return { value: data.value, lines: linesOfSteps(text, contents), isSound: problems.length === 0 };
}

function linesOfSteps(text: string, contents: YamlNode | null): Map<string, number> {
  const itemsOf = (node: YamlNode | null | undefined) => (isMapNode(node) ? node.items : []);
  const steps = itemsOf(contents).findLast(({ key }) => isScalar(key) && key.value === 'steps')?.value;
  const lines = new Map<string, number>();
  let line = 1;
  let at = 0;
  for (const { key } of itemsOf(steps)) {
    if (!isScalar(key)) continue;
    for (; at < key.range[0]; at++) if (text[at] === '\n') line += 1;
    lines.set(String(key.value), line);
  }
  return lines;
}

export interface Slice {
  text: string;
  /** Offset in the whole text. */
  start: number;
  /** Line of its key. */
  line: number;
}

/** A key at the beginning of a line: plain or quoted, followed by a colon. */
const KEY = /^(?:[A-Za-z_][\w.-]*|"[^"\\]*"|'[^']*') *:(?=\s|$)/;
/** Syntax that connects slices or does not occupy whole lines. */
const UNUSUAL = /^ *\t|^---|^\.\.\.|^%|(?:^|[\s[{,:])[&*][^\s,\]}"']|<<|^\s*\?(?:\s|$)|\ufeff/m;
const STEPS = /^(?:steps|"steps"|'steps') *:/;

/** Slices of a text of the usual outline: `steps` is a map in block style, with each name on its own line. */
export function slicesOf(text: string): { heads: Slice[]; steps: Slice[] } | undefined {
  if (UNUSUAL.test(text)) return undefined;
  const heads: Slice[] = [];
  const steps: Slice[] = [];
  let open: { start: number; line: number; into: Slice[] } | undefined;
  const close = (end: number): void => {
    if (open !== undefined) open.into.push({ text: text.slice(open.start, end), start: open.start, line: open.line });
    open = undefined;
  };
  /** Indentation of the steps' names; 0 before the first of them. */
  let indent = 0;
  let isInSteps = false;
  let hasSteps = false;
  for (const { start, column, line, written } of linesOf(text)) {
    if (column === 0) {
      close(start);
      if (!KEY.test(written)) return undefined;
      isInSteps = STEPS.test(written);
      if (!isInSteps) open = { start, line, into: heads };
      // `steps` must occur once, and its map must begin on the next line.
      else if (hasSteps || !/: *(?:#.*)?\r?$/.test(written)) return undefined;
      hasSteps ||= isInSteps;
    } else if (isInSteps) {
      indent ||= column;
      if (column < indent) return undefined;
      if (column > indent) continue;
      close(start);
      if (!KEY.test(written)) return undefined;
      open = { start, line, into: steps };
    } else if (open === undefined) return undefined;
  }
  close(text.length);
  // An empty `steps:` is null, which slices cannot represent.
  return hasSteps && steps.length === 0 ? undefined : { heads, steps };
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
