/**
 * Reception of one RTP stream: loss and interarrival jitter, and its blocks in reports (RFC 3550 Appendix A.1, A.3,
 * A.8). A restart of the sequence, or another source, starts a new count; the sums are kept.
 */
import { middleOf, msToMiddle, type ReportBlock, type SenderClock } from './rtcp.ts';
import { extendSequence, isRestart } from './sequence.ts';

/** Larger changes of the transit time are those of a new clock, not jitter. */
const MAX_CHANGE_TICKS = 1_000_000;

export class Reception {
  /** Packets that arrived, including duplicates. */
  received = 0;
  readonly #ticksPerMs: number;
  #ssrc: number | undefined;
  /** Extended; those of the current count. */
  #highest = 0;
  #base = 0;
  #receivedHere = 0;
  #expectedBefore = 0;
  #lostBefore = 0;
  #transit: number | undefined;
  #jitterTicks = 0;
  #reported = { expected: 0, received: 0 };
  #sender: { middle: number; atMs: number } | undefined;

  /** `ticksPerMs`: rate of the RTP clock. */
  constructor(ticksPerMs: number) {
    this.#ticksPerMs = ticksPerMs;
  }

  /** Number of packets that the sender sent so far, by their sequence numbers. */
  get expected(): number {
    return this.#expectedBefore + this.#expectedHere;
  }

  /** Never negative: duplicates do not compensate loss. */
  get lost(): number {
    return this.#lostBefore + Math.max(0, this.#expectedHere - this.#receivedHere);
  }

  get jitterMs(): number {
    return this.#jitterTicks / this.#ticksPerMs;
  }

  packet(header: { ssrc: number; sequence: number; timestamp: number }, nowMs: number): void {
    this.received++;
    this.#advance(header.ssrc, header.sequence);
    this.#receivedHere++;
    const transit = (Math.round(nowMs * this.#ticksPerMs) - header.timestamp) | 0;
    const change = this.#transit === undefined ? undefined : Math.abs((transit - this.#transit) | 0);
    if (change !== undefined && change < MAX_CHANGE_TICKS) this.#jitterTicks += (change - this.#jitterTicks) / 16;
    this.#transit = transit;
  }

  /** Counts a packet as lost, although it arrived. */
  skip(header: { ssrc: number; sequence: number }): void {
    if (this.#ssrc !== undefined) this.#advance(header.ssrc, header.sequence);
  }

  /** The sender sent a report about its stream. */
  senderReported(clock: SenderClock, nowMs: number): void {
    this.#sender = { middle: middleOf(clock), atMs: nowMs };
  }

  /**
   * Block for the next report; the fraction lost is that since the previous block. Undefined before the first packet.
   * `nowMs`: by the clock of `senderReported`.
   */
  block(nowMs: number): ReportBlock | undefined {
    if (this.#ssrc === undefined) return undefined;
    const expected = this.#expectedHere - this.#reported.expected;
    const lost = expected - (this.#receivedHere - this.#reported.received);
    this.#reported = { expected: this.#expectedHere, received: this.#receivedHere };
    const sender = this.#sender;
    return {
      ssrc: this.#ssrc,
      fractionLost: expected <= 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((lost * 256) / expected)),
      lost: this.lost,
      highest: this.#highest % 2 ** 32,
      jitter: Math.round(this.#jitterTicks),
      lastReport: sender?.middle ?? 0,
      sinceLastReport: sender ? msToMiddle(nowMs - sender.atMs) : 0,
    };
  }

  get #expectedHere(): number {
    return this.#ssrc === undefined ? 0 : this.#highest - this.#base + 1;
  }

  #advance(ssrc: number, sequence: number): void {
    if (ssrc !== this.#ssrc || isRestart(this.#highest, sequence)) this.#start(ssrc, sequence);
    else this.#highest = Math.max(this.#highest, extendSequence(this.#highest, sequence));
  }

  #start(ssrc: number, sequence: number): void {
    this.#lostBefore = this.lost;
    this.#expectedBefore = this.expected;
    this.#ssrc = ssrc;
    this.#highest = sequence;
    this.#base = sequence;
    this.#receivedHere = 0;
    this.#reported = { expected: 0, received: 0 };
    this.#transit = undefined;
  }
}
