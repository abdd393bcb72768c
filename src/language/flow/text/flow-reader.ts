/**
 * Parses the text of a flow while it is edited, in one place for graphs, names and edits. All of them read a text by
 * `readFlow`, so that each version of a text is parsed once, whoever reads it first.
 *
 * A text of the usual outline is cut into slices (`slices.ts`), and only slices with new characters are parsed, together
 * in one call of the parser. Any other text (anchors, JSON, tabs at the start of lines, more than one document, errors)
 * is parsed as a whole.
 *
 * Invariant: slices and the whole parse give the same data and the same nodes.
 */
import { type Slice, type SlicedText, slicesOf } from './slices.ts';
import { isMap, isScalar, movedNode, nodesIn, type YamlMap, type YamlNode, type YamlPair } from './yaml/nodes.ts';
import { plainData } from './yaml/plain-data.ts';
import { readYaml, type YamlText } from './yaml/read-yaml.ts';

export interface FlowText {
  readonly text: string;
  /** Data of the text; for a text with errors, the part that could be read. */
  readonly value: unknown;
  /** Line of each step's name, 1-based. */
  readonly lines: ReadonlyMap<string, number>;
  /** True if the parser found no error. */
  readonly isSound: boolean;
  /** Built on first access. */
  readonly contents: YamlNode | null;
  /** Offset of the first syntax error, or else of the first duplicate key. */
  readonly problem: number | undefined;
}

/** Number of texts and of sets of slices that a reader keeps. */
const MAX_KEPT = 8;

/** Reads successive versions of texts. */
export class FlowReader {
  /** The latest first. */
  #texts: FlowText[] = [];
  /** Slices of the latest texts, by their characters. */
  #slices: ReadonlyMap<string, ParsedSlice>[] = [];
  /** Number of slices that were parsed for the last text. */
  parsedSlices = 0;
  /** Number of calls of the parser so far. */
  parserCalls = 0;

  read(text: string): FlowText {
    return this.#read(text) ?? this.#keep(this.#whole(text));
  }

  /** Reads a text with at most one call of the parser. Undefined for a text with errors. */
  readOnce(text: string): FlowText | undefined {
    const read = this.#read(text);
    return read?.isSound ? read : undefined;
  }

  /** Undefined if a slice has an error, so that only the whole text can be read. */
  #read(text: string): FlowText | undefined {
    this.parsedSlices = 0;
    const known = this.#texts.find((read) => read.text === text);
    const cut = known === undefined ? slicesOf(text) : undefined;
    const read = known ?? (cut === undefined ? this.#whole(text) : this.#bySlices(text, cut));
    return read && this.#keep(read);
  }

  #parse(text: string): YamlText {
    this.parserCalls += 1;
    return readYaml(text);
  }

  #whole(text: string): FlowText {
    return new WholeFlow(text, this.#parse(text));
  }

  #keep(read: FlowText): FlowText {
    this.#texts = [read, ...this.#texts.filter((known) => known !== read)].slice(0, MAX_KEPT);
    return read;
  }

  #bySlices(text: string, cut: SlicedText): FlowText | undefined {
    const all = [...cut.heads, ...cut.steps];
    const slices = new Map<string, ParsedSlice>();
    for (const slice of all) {
      const known = this.#slices.find((kept) => kept.has(slice.text))?.get(slice.text);
      if (known !== undefined) slices.set(slice.text, known);
    }
    const changed = all.filter((slice) => !slices.has(slice.text));
    this.parsedSlices = changed.length;
    if (changed.length > 0) {
      const isWhole = changed.length === all.length;
      const joined = isWhole ? { text, starts: changed.map(({ start }) => start) } : joinedSlices(text, cut, changed);
      const yaml = this.#parse(joined.text);
      const parsed = yaml.problems.length === 0 ? parsedSlices(yaml.contents, changed, joined.starts) : undefined;
      if (parsed === undefined) return isWhole ? new WholeFlow(text, yaml) : undefined;
      for (const [index, slice] of changed.entries()) slices.set(slice.text, parsed[index]!);
    }
    this.#slices = [slices, ...this.#slices].slice(0, MAX_KEPT);
    const placed = (slice: Slice): PlacedSlice => ({ ...slice, parsed: slices.get(slice.text)! });
    const [heads, steps] = [cut.heads.map(placed), cut.steps.map(placed)];
    return hasTwice(heads) || hasTwice(steps) ? undefined : new SlicedFlow(text, { ...cut, heads, steps });
  }
}

/** Reader of all flows that are edited. */
export const flowReader = new FlowReader();
export const readFlow = (text: string): FlowText => flowReader.read(text);

/** A slice with its nodes, at the offsets of the text in which it was parsed. */
class ParsedSlice {
  readonly name: string;
  readonly value: unknown;
  readonly #pair: YamlPair;
  readonly #start: number;
  /** Null if there is none; undefined before it is asked for. */
  #duplicate: number | null | undefined;

  constructor(pair: YamlPair, start: number, [name, value]: [string, unknown]) {
    this.name = name;
    this.value = value;
    this.#pair = pair;
    this.#start = start;
  }

  pairAt(start: number): YamlPair {
    const { key, value } = this.#pair;
    const by = start - this.#start;
    let moved: YamlNode | null | undefined;
    return {
      key: movedNode(key, by),
      get value() {
        moved ??= value && movedNode(value, by);
        return moved;
      },
    };
  }

  duplicateAt(start: number): number | undefined {
    if (this.#duplicate === undefined) this.#duplicate = firstDuplicate(this.#pair.value) ?? null;
    return this.#duplicate === null ? undefined : this.#duplicate + start - this.#start;
  }
}

interface PlacedSlice extends Slice {
  parsed: ParsedSlice;
}

/** Slices of a text, all of them parsed. */
interface PlacedSlices extends SlicedText {
  heads: PlacedSlice[];
  steps: PlacedSlice[];
}

const hasTwice = (slices: readonly PlacedSlice[]): boolean =>
  new Set(slices.map(({ parsed }) => parsed.name)).size < slices.length;

/** The slices in the order of the text, with the line of `steps` and the comments below it. */
function joinedSlices(
  text: string,
  { steps, stepsKey }: SlicedText,
  slices: readonly Slice[],
): { text: string; starts: number[] } {
  const hasStep = slices.some(({ column }) => column > 0);
  const line = hasStep ? { start: stepsKey!.start, text: text.slice(stepsKey!.start, steps[0]!.start) } : undefined;
  const starts = new Map<object, number>();
  let joined = '';
  const parts = [...slices, ...(line === undefined ? [] : [line])];
  for (const part of parts.toSorted((one, other) => one.start - other.start)) {
    starts.set(part, joined.length);
    joined += part.text;
  }
  return { text: joined, starts: slices.map((slice) => starts.get(slice)!) };
}

/** Pairs of the slices in a text that consists of them. Undefined if the parser has found other pairs. */
function parsedSlices(
  contents: YamlNode | null,
  slices: readonly Slice[],
  starts: readonly number[],
): ParsedSlice[] | undefined {
  const pairs = isMap(contents)
    ? contents.items.flatMap((pair) =>
        isScalar(pair.key) && pair.key.value === 'steps' && isMap(pair.value) ? pair.value.items : [pair],
      )
    : [];
  const byStart = new Map(pairs.map((pair) => [pair.key.range[0], pair]));
  const parsed = slices.flatMap(({ column }, index) => {
    const start = starts[index]!;
    const pair = byStart.get(start + column);
    const entry = pair && entryOf(pair);
    return entry === undefined ? [] : new ParsedSlice(pair!, start, entry);
  });
  return parsed.length === slices.length && parsed.length === pairs.length ? parsed : undefined;
}

function entryOf(pair: YamlPair): [string, unknown] | undefined {
  const data = plainData({ kind: 'map', items: [pair], flow: false, range: pair.key.range });
  return data && Object.entries(data.value as object)[0];
}

/** A text that was parsed by slices. */
class SlicedFlow implements FlowText {
  readonly text: string;
  readonly value: unknown;
  readonly lines: ReadonlyMap<string, number>;
  readonly isSound = true;
  readonly #heads: readonly PlacedSlice[];
  readonly #steps: readonly PlacedSlice[];
  readonly #stepsKey: SlicedText['stepsKey'];
  #contents: YamlMap | undefined;

  constructor(text: string, cut: PlacedSlices) {
    this.text = text;
    this.#heads = cut.heads;
    this.#steps = cut.steps;
    this.#stepsKey = cut.stepsKey;
    const dataOf = (slices: readonly PlacedSlice[]) =>
      Object.fromEntries(slices.map(({ parsed: { name, value } }) => [name, value]));
    const heads = dataOf(cut.heads);
    this.value = cut.steps.length === 0 ? heads : { ...heads, steps: dataOf(cut.steps) };
    this.lines = new Map(cut.steps.map(({ parsed, line }) => [parsed.name, line]));
  }

  get contents(): YamlMap {
    this.#contents ??= this.#map();
    return this.#contents;
  }

  get problem(): number | undefined {
    const all = [...this.#heads, ...this.#steps].toSorted((one, other) => one.start - other.start);
    for (const { parsed, start } of all) {
      const duplicate = parsed.duplicateAt(start);
      if (duplicate !== undefined) return duplicate;
    }
    return undefined;
  }

  #map(): YamlMap {
    const pairOf = ({ parsed, start }: PlacedSlice): YamlPair => parsed.pairAt(start);
    const key = this.#stepsKey;
    const heads = (isBefore: boolean) =>
      this.#heads.filter(({ start }) => start < (key?.start ?? 0) === isBefore).map(pairOf);
    if (key === undefined) return blockMap(heads(false));
    const style = key.written.startsWith('"') ? 'double' : key.written.startsWith("'") ? 'single' : 'plain';
    const steps: YamlPair = {
      key: { kind: 'scalar', value: 'steps', style, range: [key.start, key.start + key.written.length] },
      value: blockMap(this.#steps.map(pairOf)),
    };
    return blockMap([...heads(true), steps, ...heads(false)]);
  }
}

function blockMap(items: YamlPair[]): YamlMap {
  const [first, last] = [items[0], items.at(-1)];
  return {
    kind: 'map',
    items,
    flow: false,
    range: [first?.key.range[0] ?? 0, (last?.value ?? last?.key)?.range[1] ?? 0],
  };
}

/** Parses the whole text at once. */
export const readWhole = (text: string): FlowText => new WholeFlow(text, readYaml(text));

class WholeFlow implements FlowText {
  readonly text: string;
  readonly value: unknown;
  readonly lines: ReadonlyMap<string, number>;
  readonly isSound: boolean;
  readonly contents: YamlNode | null;
  readonly #problems: readonly number[];

  constructor(text: string, { contents, problems }: YamlText) {
    this.text = text;
    this.contents = contents;
    this.#problems = problems;
    const data = plainData(contents);
    // Without data, aliases expand to too many values.
    this.value = data?.value ?? null;
    this.lines = data === undefined ? new Map() : linesOfSteps(text, contents);
    this.isSound = data !== undefined && problems.length === 0;
  }

  get problem(): number | undefined {
    return this.#problems[0] ?? firstDuplicate(this.contents);
  }
}

function linesOfSteps(text: string, contents: YamlNode | null): Map<string, number> {
  const itemsOf = (node: YamlNode | null | undefined) => (isMap(node) ? node.items : []);
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

/** Position of the first duplicate key of a map. */
function firstDuplicate(contents: YamlNode | null): number | undefined {
  for (const node of nodesIn(contents)) {
    if (!isMap(node)) continue;
    const known = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) continue;
      if (known.has(key.value)) return key.range[0];
      known.add(key.value);
    }
  }
  return undefined;
}
