/** Names of a text that is edited: only the slices with new characters are read (`scanned-text.ts`). */
import type { GraphLanguage } from '../graph.ts';
import { type Name, type NamesInFlow, namesIn } from './names.ts';
import type { Word } from './scan-yaml.ts';
import { placedAt, type ScannedSlice, type ScannedText } from './scanned-text.ts';
import type { Range } from './text-edits.ts';

export class NamesSource {
  readonly #verbs: GraphLanguage;
  readonly #known = new WeakMap<ScannedSlice, NamesInFlow>();

  constructor(verbs: GraphLanguage) {
    this.#verbs = verbs;
  }

  /** Names are placed on first access, because most versions of a text are asked for few of them. */
  read(scanned: ScannedText): NamesInFlow {
    return new PlacedNames(scanned, (slice) => this.#namesOf(slice));
  }

  #namesOf(slice: ScannedSlice): NamesInFlow {
    let names = this.#known.get(slice);
    if (names === undefined) {
      names = namesIn(slice.text, this.#verbs, slice.words);
      this.#known.set(slice, names);
    }
    return names;
  }
}

class PlacedNames implements NamesInFlow {
  readonly #scanned: ScannedText;
  readonly #namesOf: (slice: ScannedSlice) => NamesInFlow;
  #heads: readonly Word[] | undefined;
  #defined: readonly Name[] | undefined;
  #used: readonly Name[] | undefined;

  constructor(scanned: ScannedText, namesOf: (slice: ScannedSlice) => NamesInFlow) {
    this.#scanned = scanned;
    this.#namesOf = namesOf;
  }

  get words(): readonly Word[] {
    return this.#scanned.words;
  }

  get heads(): readonly Word[] {
    this.#heads ??= this.#placed(({ heads }) => heads);
    return this.#heads;
  }

  get defined(): readonly Name[] {
    this.#defined ??= this.#placed(({ defined }) => defined);
    return this.#defined;
  }

  get used(): readonly Name[] {
    this.#used ??= this.#placed(({ used }) => used);
    return this.#used;
  }

  #placed<Item extends Range>(itemsOf: (names: NamesInFlow) => readonly Item[]): Item[] {
    return this.#scanned.slices.flatMap(({ slice, start }) =>
      itemsOf(this.#namesOf(slice)).map((item) => placedAt(item, start)),
    );
  }
}
