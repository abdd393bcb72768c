/**
 * Words of a text that is edited. A text of the usual outline is scanned by slices (`slices.ts`), so that a new version
 * of the text scans only the slices with new characters. Any other text is scanned as a whole.
 *
 * Invariant: for a text without errors, slices and the whole scan give the same words.
 */
import { type Word, YamlScanner } from './scan-yaml.ts';
import { slicesOf } from './slices.ts';
import type { Range } from './text-edits.ts';

/** A scanned slice. The offsets of its words are those in the slice. */
export interface ScannedSlice {
  text: string;
  words: readonly Word[];
}

/** A slice and its offset in the text. */
export interface PlacedWords {
  slice: ScannedSlice;
  start: number;
}

export class ScannedText {
  readonly text: string;
  /** In the order of the text. */
  readonly slices: readonly PlacedWords[];
  #words: readonly Word[] | undefined;

  constructor(text: string, slices: readonly PlacedWords[]) {
    this.text = text;
    this.slices = slices;
  }

  /** All words, placed on first access. */
  get words(): readonly Word[] {
    this.#words ??= this.slices.flatMap(placedWords);
    return this.#words;
  }

  /** Words of the slices that overlap a range. */
  wordsNear(from: number, to: number): Word[] {
    return this.slices
      .filter(({ start, slice }) => start < to && start + slice.text.length > from)
      .flatMap(placedWords);
  }
}

/** Moves a word or a name of a slice to its place in the text. */
export const placedAt = <Placed extends Range>(item: Placed, start: number): Placed =>
  start === 0 ? item : { ...item, from: item.from + start, to: item.to + start };

const placedWords = ({ slice, start }: PlacedWords): readonly Word[] =>
  start === 0 ? slice.words : slice.words.map((word) => placedAt(word, start));

/** Scans successive versions of a text. */
export class TextScanner {
  /** Slices of the last text, by their characters and their place: top-level keys and steps are scanned differently. */
  #known: Readonly<Record<Place, ReadonlyMap<string, ScannedSlice>>> = { head: new Map(), step: new Map() };
  #last: ScannedText | undefined;
  /** Number of slices that were scanned for the last text. */
  scannedSlices = 0;

  read(text: string): ScannedText {
    if (this.#last?.text !== text) this.#last = this.#scan(text);
    return this.#last;
  }

  #scan(text: string): ScannedText {
    this.scannedSlices = 0;
    const cut = slicesOf(text);
    if (cut === undefined) {
      this.scannedSlices = 1;
      return new ScannedText(text, [{ slice: { text, words: new YamlScanner(text).words }, start: 0 }]);
    }
    const { heads, steps, stepsKey } = cut;
    const known = { head: new Map<string, ScannedSlice>(), step: new Map<string, ScannedSlice>() };
    const placed = (written: string, start: number, place: Place): PlacedWords => {
      const slice = this.#known[place].get(written) ?? this.#slice(written, place);
      known[place].set(written, slice);
      return { slice, start };
    };
    const before = heads.filter(({ start }) => start < (stepsKey?.start ?? 0));
    const behind = heads.slice(before.length);
    const slices = [
      ...before.map((slice) => placed(slice.text, slice.start, 'head')),
      ...(stepsKey === undefined ? [] : [placed(text.slice(stepsKey.start, steps[0]!.start), stepsKey.start, 'head')]),
      ...steps.map((slice) => placed(slice.text, slice.start, 'step')),
      ...behind.map((slice) => placed(slice.text, slice.start, 'head')),
    ];
    this.#known = known;
    return new ScannedText(text, slices);
  }

  #slice(text: string, place: Place): ScannedSlice {
    this.scannedSlices += 1;
    return { text, words: new YamlScanner(text, place === 'step' ? 'steps' : undefined).words };
  }
}

type Place = 'head' | 'step';

const textScanner = new TextScanner();
/** Scans the text that is edited, once for all who ask for its words. */
export const scanText = (text: string): ScannedText => textScanner.read(text);
