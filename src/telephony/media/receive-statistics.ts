/**
 * Receiver statistics of one RTP stream: loss and interarrival jitter (RFC 3550 Appendix A.1, A.3, A.8). A sequence
 * jump or another source starts a new count; the sums are kept.
 */
import { isRestart, sequenceDistance } from '../../media/rtp/sequence.ts';
import { SAMPLES_PER_MS } from '../audio.ts';

export class ReceiveStatistics {
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

  get jitterMs(): number {
    return this.#jitterTicks / SAMPLES_PER_MS;
  }

  packet(header: { ssrc: number; sequence: number; timestamp: number }, nowMs: number): void {
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
