/**
 * What share of the packets to a viewer is lost, over most of a second: browsers report more often when they miss something,
 * and then of a few packets, so that the share of one report says little.
 */
const WINDOW_MS = 800;
const FEWEST_PACKETS = 10;
const FRESH_MS = 2000;

export interface ReportedStream {
  ssrc: number;
  /** Since it began: the highest number, and how many did not come. */
  highest: number;
  lost: number;
}

export class LossWindow {
  readonly #streams = new Map<number, { first: ReportedStream; last: ReportedStream }>();
  #sinceMs: number | undefined;
  #share = 0;
  #atMs = Number.NEGATIVE_INFINITY;

  add(reported: ReportedStream, nowMs: number): void {
    this.#sinceMs ??= nowMs;
    const stream = this.#streams.get(reported.ssrc);
    if (stream) stream.last = reported;
    else this.#streams.set(reported.ssrc, { first: reported, last: reported });
    if (nowMs - this.#sinceMs < WINDOW_MS) return;
    let expected = 0;
    let lost = 0;
    for (const { first, last } of this.#streams.values()) {
      expected += Math.max(0, last.highest - first.highest);
      // What is sent again makes up for some of it.
      lost += Math.max(0, last.lost - first.lost);
    }
    if (expected < FEWEST_PACKETS) return;
    this.#share = Math.min(1, lost / expected);
    this.#atMs = nowMs;
    this.#sinceMs = nowMs;
    for (const stream of this.#streams.values()) stream.first = stream.last;
  }

  share(nowMs: number): number {
    return nowMs - this.#atMs < FRESH_MS ? this.#share : 0;
  }

  /** What was lost before does not count any more. */
  restart(): void {
    this.#streams.clear();
    this.#sinceMs = undefined;
    this.#share = 0;
  }
}
