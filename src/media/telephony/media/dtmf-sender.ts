/**
 * Decides for each packet interval what a queue of digits sends: telephone events with increasing durations, the end
 * packet three times, gaps and pauses. It builds no packets and has no clock: time advances with `step`.
 */

import { DIGIT_PAUSE_MS, eventOfDigit } from '../../toolbox/dtmf/dtmf-events.ts';
import { SAMPLES_PER_MS } from '../audio.ts';

export interface DigitStep {
  event: number;
  /** True for the first packet of the event, which has the marker bit (RFC 4733 §2.2). */
  begins: boolean;
  /** True if the tone has ended, and this packet has the end bit. */
  ends: boolean;
  /** True for a retransmitted end packet. */
  repeated: boolean;
  /** Samples of the tone before this packet, and until its end. */
  startSamples: number;
  durationSamples: number;
}

interface DigitString {
  sendId: string;
  digits: string[];
  toneMs: number;
  gapMs: number;
}

interface Tone {
  event: number;
  totalSamples: number;
  sentSamples: number;
  endsLeft: number;
}

/** RFC 4733 §2.5.1.4: the final packet is sent three times. */
const END_PACKETS = 3;
/** The duration field has 16 bits (§2.3); a tone is not longer than one segment. */
const MAX_TONE_MS = 8_000;
const SHORTEST_TONE_MS = 40;

export class DtmfSender {
  readonly #sent: (sendId: string) => void;
  readonly #jobs: DigitString[] = [];
  #tone: Tone | undefined;
  #quietMs = 0;

  constructor(sent: (sendId: string) => void) {
    this.#sent = sent;
  }

  get active(): boolean {
    return this.#jobs.length > 0 || this.#quietMs > 0;
  }

  /** Number of digits that have not started. */
  get pendingDigits(): number {
    return this.#jobs.reduce((sum, job) => sum + job.digits.length, 0);
  }

  add(request: { sendId: string; digits: string; toneMs: number; gapMs: number }): void {
    const digits = [...request.digits].filter((digit) => digit === 'w' || eventOfDigit(digit) !== undefined);
    const toneMs = Math.min(Math.max(request.toneMs, SHORTEST_TONE_MS), MAX_TONE_MS);
    this.#jobs.push({ sendId: request.sendId, digits, toneMs, gapMs: Math.max(0, request.gapMs) });
  }

  /** Returns what to send in this interval of `intervalMs`; undefined in gaps and pauses, and if the queue is empty. */
  step(intervalMs: number): DigitStep | undefined {
    if (!this.#tone) {
      if (this.#quietMs > 0) {
        this.#quietMs = Math.max(0, this.#quietMs - intervalMs);
        return undefined;
      }
      this.#tone = this.#nextTone();
      if (!this.#tone) return undefined;
    }
    return this.#toneStep(this.#tone, intervalMs);
  }

  /** Finishes all queued sequences, sent or not. */
  close(): void {
    this.#tone = undefined;
    this.#quietMs = 0;
    for (const job of this.#jobs.splice(0)) this.#sent(job.sendId);
  }

  #nextTone(): Tone | undefined {
    for (let job = this.#jobs[0]; job; job = this.#jobs[0]) {
      const digit = job.digits.shift();
      if (digit === 'w') {
        this.#quietMs = DIGIT_PAUSE_MS;
        return undefined;
      }
      if (digit !== undefined) {
        const totalSamples = Math.round(job.toneMs * SAMPLES_PER_MS);
        return { event: eventOfDigit(digit)!, totalSamples, sentSamples: 0, endsLeft: END_PACKETS };
      }
      this.#jobs.shift();
      this.#sent(job.sendId);
    }
    return undefined;
  }

  #toneStep(tone: Tone, intervalMs: number): DigitStep {
    const startSamples = tone.sentSamples;
    const repeated = tone.endsLeft < END_PACKETS;
    const durationSamples = Math.min(tone.totalSamples, startSamples + Math.round(intervalMs * SAMPLES_PER_MS));
    tone.sentSamples = durationSamples;
    const ends = durationSamples === tone.totalSamples;
    if (ends && --tone.endsLeft === 0) this.#endTone(intervalMs);
    return { event: tone.event, begins: startSamples === 0, ends, repeated, startSamples, durationSamples };
  }

  #endTone(intervalMs: number): void {
    this.#tone = undefined;
    const job = this.#jobs[0]!;
    // The retransmitted end packets are part of the gap.
    this.#quietMs = Math.max(0, job.gapMs - (END_PACKETS - 1) * intervalMs);
    if (job.digits.length > 0) return;
    this.#jobs.shift();
    this.#sent(job.sendId);
  }
}
