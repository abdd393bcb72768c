/** Earlier implementations of receiver statistics, as references: that of calls, and that of rooms. */
import { isRestart, sequenceDistance } from '../../../src/media/toolbox/rtp/sequence.ts';

const SAMPLES_PER_MS = 8;

interface Header {
  ssrc: number;
  sequence: number;
  timestamp: number;
}

/** A restart of the sequence, or another source, starts a new count. */
export class CallStatistics {
  /** Packets that arrived, including duplicates. */
  received = 0;
  #ssrc: number | undefined;
  #highest = 0;
  #cycles = 0;
  #base = 0;
  #receivedHere = 0;
  #lostBefore = 0;
  #transit: number | undefined;
  #jitterTicks = 0;
  #expectedPrior = 0;
  #receivedPrior = 0;

  get ssrc(): number | undefined {
    return this.#ssrc;
  }

  /** Extended highest sequence number (§6.4.1). */
  get highestSequence(): number {
    return (this.#cycles + this.#highest) >>> 0;
  }

  /** Never negative: duplicates do not compensate loss. */
  get lost(): number {
    return this.#lostBefore + Math.max(0, this.#expected - this.#receivedHere);
  }

  get jitterTicks(): number {
    return Math.round(this.#jitterTicks);
  }

  packet(header: Header, nowMs: number): void {
    const { ssrc, sequence, timestamp } = header;
    this.received++;
    const ahead = sequenceDistance(this.#highest, sequence);
    if (ssrc !== this.#ssrc || isRestart(this.#highest, sequence)) this.#begin(ssrc, sequence);
    else if (ahead > 0) {
      if (sequence < this.#highest) this.#cycles += 0x10000;
      this.#highest = sequence;
    }
    this.#receivedHere++;
    const transit = (Math.round(nowMs * SAMPLES_PER_MS) - timestamp) | 0;
    if (this.#transit !== undefined) {
      this.#jitterTicks += (Math.abs((transit - this.#transit) | 0) - this.#jitterTicks) / 16;
    }
    this.#transit = transit;
  }

  /** Fraction lost since the last call, in 256ths (§6.4.1). */
  takeFractionLost(): number {
    const expected = this.#expected - this.#expectedPrior;
    const received = this.#receivedHere - this.#receivedPrior;
    this.#expectedPrior = this.#expected;
    this.#receivedPrior = this.#receivedHere;
    const lost = expected - received;
    return expected <= 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((lost * 256) / expected));
  }

  get #expected(): number {
    return this.#ssrc === undefined ? 0 : this.#cycles + this.#highest - this.#base + 1;
  }

  #begin(ssrc: number, sequence: number): void {
    this.#lostBefore = this.lost;
    this.#ssrc = ssrc;
    this.#highest = sequence;
    this.#base = sequence;
    this.#cycles = 0;
    this.#receivedHere = 0;
    this.#expectedPrior = 0;
    this.#receivedPrior = 0;
    this.#transit = undefined;
  }
}

/** For one source without duplicates. A restart counts as loss, and jitter is measured in packets in order alone. */
export class RoomStatistics {
  readonly #ticksPerMs: number;
  #highest = -1;
  #cycles = 0;
  #first = 0;
  #packets = 0;
  #jitter = 0;
  #lastTransit: number | undefined;
  #before = { expected: 0, packets: 0 };

  constructor(ticksPerMs: number) {
    this.#ticksPerMs = ticksPerMs;
  }

  packet({ sequence, timestamp }: Header, nowMs: number): void {
    if (this.#highest < 0) this.#first = sequence;
    if (this.#highest < 0 || sequenceDistance(this.#highest, sequence) > 0) {
      if (this.#highest >= 0 && sequence < this.#highest) this.#cycles++;
      this.#highest = sequence;
      this.#addJitter(timestamp, nowMs);
    }
    this.#packets++;
  }

  block(): { lost: number; lostShare: number; highest: number; jitter: number } {
    const highest = this.#cycles * 65_536 + this.#highest;
    const expected = highest - this.#first + 1;
    const expectedNow = expected - this.#before.expected;
    const lostNow = Math.max(0, expectedNow - (this.#packets - this.#before.packets));
    this.#before = { expected, packets: this.#packets };
    const lostShare = expectedNow > 0 ? lostNow / expectedNow : 0;
    return { lost: expected - this.#packets, lostShare, highest, jitter: this.#jitter };
  }

  #addJitter(timestamp: number, nowMs: number): void {
    const transit = nowMs * this.#ticksPerMs - timestamp;
    const change = Math.abs(transit - (this.#lastTransit ?? transit));
    if (change < 1e6) this.#jitter += (change - this.#jitter) / 16;
    this.#lastTransit = transit;
  }
}
