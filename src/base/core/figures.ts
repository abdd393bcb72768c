/**
 * Metrics: counters and gauges of the parts of the service, read on demand. Each part has its own list with names and
 * help texts (`media/telephony/sip/sip-figures.ts`, `service/store/store-figures.ts` …); `service/observers/metrics.ts`
 * writes them for Prometheus.
 * Labels come from closed sets or are names of the configuration: a number, a person or a call id is never a label.
 */

export interface Figure {
  /** Name without the prefix `callweave_`. The name of a counter ends in `_total`. */
  name: string;
  type: 'gauge' | 'counter' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** Undefined if there is no current value. */
  read(): number | undefined | readonly Reading[];
}

/** Value for one set of labels. */
export interface Reading {
  labels: Readonly<Record<string, string>>;
  value: number | DistributionReading;
}

export interface FigureSource {
  figures: readonly Figure[];
  /** Called before a read, to fetch values that are not in memory. */
  refresh?(): Promise<void>;
}

/** Histogram: counts of values up to each bound. Plain data, so that threads can send it. */
export interface DistributionReading {
  readonly bounds: readonly number[];
  /** One more entry than `bounds`: the last one counts the values above all bounds. */
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

/**
 * Counts by words of a closed set. All counters exist from the start, so that the first increment is visible as an
 * increase.
 */
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

  /** Readings with this label, in addition to the other labels. */
  readings(label: string, others: Readonly<Record<string, string>> = {}): Reading[] {
    return Object.entries<number>(this.#counts).map(([word, value]) => ({
      labels: { ...others, [label]: word },
      value,
    }));
  }
}
