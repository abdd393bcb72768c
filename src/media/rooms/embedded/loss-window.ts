/**
 * Share of packets to a subscriber that are lost, over most of a second: browsers report more often when packets are
 * missing, and then about few packets, so that a single report is not significant.
 */
const WINDOW_MS = 800;
const FEWEST_PACKETS = 10;
const FRESH_MS = 2000;

export interface ReportedStream {
  ssrc: number;
  /** Highest sequence number and number of lost packets, since the start of the stream. */
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
      // Retransmitted packets reduce the loss, which can make it negative.
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

  /** Discards the loss so far. */
  restart(): void {
    this.#streams.clear();
    this.#sinceMs = undefined;
    this.#share = 0;
  }
}
