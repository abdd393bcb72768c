/**
 * Figures: what a part of the service counts, read when somebody asks. Each part has a list of its own, with names and help
 * texts (`telephony/sip/sip-figures.ts`, `store/store-figures.ts` …); `observers/metrics.ts` writes them for Prometheus.
 *
 * Labels come from closed sets, or are names of the configuration: a number, a person or an id of a call is never a label.
 */

export interface Figure {
  /** Without `callweave_`; that of a counter ends in `_total`. */
  name: string;
  type: 'gauge' | 'counter' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** Undefined: there is nothing to say now. */
  read(): number | undefined | readonly Reading[];
}

/** One set of labels. */
export interface Reading {
  labels: Readonly<Record<string, string>>;
  value: number | DistributionReading;
}

export interface FigureSource {
  figures: readonly Figure[];
  /** Called before they are read: fetches what is not at hand. */
  refresh?(): Promise<void>;
}

/** How many values were at most as large as each bound; plain data, so that threads can send it. */
export interface DistributionReading {
  readonly bounds: readonly number[];
  /** One more than `bounds`: the last is of values above all of them. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export class Distribution implements DistributionReading {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    let index = 0;
    while (index < this.bounds.length && value > this.bounds[index]!) index++;
    this.counts[index]!++;
    this.sum += value;
  }
}

/** Counts by words of a closed set. All of them are there from the beginning, so that a first one is seen as an increase. */
export class Tally<Word extends string> {
  readonly #counts: Record<Word, number>;

  constructor(words: readonly Word[]) {
    this.#counts = Object.fromEntries(words.map((word) => [word, 0])) as Record<Word, number>;
  }

  add(word: Word): void {
    this.#counts[word]++;
  }

  count(word: Word): number {
    return this.#counts[word];
  }

  /** As readings with this label, beside others. */
  readings(label: string, others: Readonly<Record<string, string>> = {}): Reading[] {
    return Object.entries<number>(this.#counts).map(([word, value]) => ({
      labels: { ...others, [label]: word },
      value,
    }));
  }
}
