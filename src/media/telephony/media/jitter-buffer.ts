/**
 * Jitter buffer: converts packets that arrive early, late, twice, out of order or not at all into a continuous flow of
 * samples. It has a window of samples on the local timeline, in which a packet is placed by its timestamp and a reader
 * takes what is due. The delay is chosen at every talk spurt from the measured jitter, grows when packets are late, and
 * shrinks in silence.
 *
 * Invariants
 *  - each `read` returns exactly the requested number of samples, whatever arrived;
 *  - a gap is concealed with the last 20 ms, fading out within 60 ms, then silence;
 *  - memory and delay are limited to half a second, whatever the timestamps.
 */
import { decodeTable } from '../../toolbox/audio/g711.ts';
import { isRestart, sequenceDistance, timestampDistance } from '../../toolbox/rtp/sequence.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';

export interface JitterCounts {
  /** Packets that arrived after their time. */
  late: number;
  /** Duration of concealed gaps in ms. */
  concealedMs: number;
}

/** Mapping of a source's timeline to the local one. */
export interface TimelineAnchor {
  ssrc: number;
  timestamp: number;
  position: number;
  newestSequence: number;
}

/** A power of two. */
const WINDOW_SAMPLES = 4_096;
const LEAST_DELAY = 20 * SAMPLES_PER_MS;
const MAX_DELAY = 200 * SAMPLES_PER_MS;
/** The mean deviation underestimates the worst case: three times as much covers nearly all packets. */
const JITTER_FACTOR = 3;
const SPARE_DELAY = 10 * SAMPLES_PER_MS;
/** A talk spurt that starts near its expected position stays there. */
const SPURT_TOLERANCE = 40 * SAMPLES_PER_MS;
const MAX_AHEAD = 300 * SAMPLES_PER_MS;
/** A packet further behind is not late but on another timeline. */
const RESTART_SAMPLES = 1_000 * SAMPLES_PER_MS;
const CONCEALED_SAMPLES = 60 * SAMPLES_PER_MS;
const PERIOD_SAMPLES = 20 * SAMPLES_PER_MS;
/** RFC 3550 §6.4.1: the gain of the jitter estimate. */
const JITTER_GAIN = 16;
/** Number of packets that must be early before the delay shrinks: about a second. */
const SHRINK_PACKETS = 50;
const SPARE_TO_SHRINK = 20 * SAMPLES_PER_MS;
/** With this much excess delay, audible samples are skipped, too. */
const SHRINK_ANYWHERE = 100 * SAMPLES_PER_MS;
/** Mean amplitude below which skipped samples are not noticed. */
const QUIET = 200;

export class JitterBuffer {
  readonly counts: JitterCounts = { late: 0, concealedMs: 0 };
  readonly #window = new Int16Array(WINDOW_SAMPLES);
  readonly #filled = new Uint8Array(WINDOW_SAMPLES);
  readonly #last = new Int16Array(PERIOD_SAMPLES);
  #anchor: TimelineAnchor | undefined;
  /** Position of the next sample to read, and the position after the last one present. */
  #head = 0;
  #end = 0;
  /** Samples since the last real one. */
  #missing = CONCEALED_SAMPLES;
  #jitter = 0;
  #transit: number | undefined;
  #leastDepth = Number.POSITIVE_INFINITY;
  #depths = 0;
  #toSkip = 0;

  /** Delay from the arrival of a packet that starts a talk spurt until it is played. */
  get delayMs(): number {
    return this.#delay / SAMPLES_PER_MS;
  }

  get #delay(): number {
    return Math.round(Math.min(Math.max(SPARE_DELAY + JITTER_FACTOR * this.#jitter, LEAST_DELAY), MAX_DELAY));
  }

  get #talking(): boolean {
    return this.#missing < CONCEALED_SAMPLES;
  }

  packet(packet: AudioPacket, nowMs: number): void {
    const samples = packet.payloadEnd - packet.payloadStart;
    if (samples <= 0) return;
    const position = this.#positionOf(packet, nowMs);
    const first = Math.max(0, this.#head - position);
    const last = Math.min(samples, this.#head + WINDOW_SAMPLES - position);
    if (first >= samples) this.counts.late++;
    if (first >= last) return;
    const decode = decodeTable(packet.codec);
    for (let index = first; index < last; index++) {
      const slot = (position + index) & (WINDOW_SAMPLES - 1);
      this.#window[slot] = decode[packet.bytes[packet.payloadStart + index]!]!;
      this.#filled[slot] = 1;
    }
    this.#end = Math.max(this.#end, position + last);
  }

  /** Reads the next `count` samples; false in silence, if all of them are zero. */
  read(into: Int16Array, count: number): boolean {
    if (this.#toSkip >= count) this.#shrink(count);
    if (this.#end <= this.#head && !this.#talking) {
      into.fill(0, 0, count);
      this.#head += count;
      return false;
    }
    if (!this.#copy(into, count)) for (let index = 0; index < count; index++) into[index] = this.#next();
    return true;
  }

  /** Fast path with one copy: no samples are missing now or before. */
  #copy(into: Int16Array, count: number): boolean {
    const start = this.#head & (WINDOW_SAMPLES - 1);
    if (this.#missing > 0 || start + count > WINDOW_SAMPLES) return false;
    const window = this.#window;
    const filled = this.#filled;
    for (let index = 0; index < count; index++) {
      if (filled[start + index] === 0) return false;
      into[index] = window[start + index]!;
    }
    filled.fill(0, start, start + count);
    const last = this.#last;
    let period = this.#head % PERIOD_SAMPLES;
    for (let index = 0; index < count; index++) {
      last[period] = into[index]!;
      if (++period === PERIOD_SAMPLES) period = 0;
    }
    this.#head += count;
    return true;
  }

  #next(): number {
    const position = this.#head++;
    const slot = position & (WINDOW_SAMPLES - 1);
    const period = position % PERIOD_SAMPLES;
    if (this.#filled[slot] === 1) {
      this.#filled[slot] = 0;
      if (this.#missing > 0 && this.#talking) this.counts.concealedMs += this.#missing / SAMPLES_PER_MS;
      this.#missing = 0;
      const sample = this.#window[slot]!;
      this.#last[period] = sample;
      return sample;
    }
    if (!this.#talking) return 0;
    const gain = 1 - this.#missing++ / CONCEALED_SAMPLES;
    return Math.round(this.#last[period]! * gain);
  }

  #positionOf(packet: AudioPacket, nowMs: number): number {
    const anchor = this.#anchor;
    if (!anchor || anchor.ssrc !== packet.ssrc) {
      this.#transit = undefined;
      return this.#restart(packet, nowMs);
    }
    const position = anchor.position + timestampDistance(anchor.timestamp, packet.timestamp);
    if (isRestart(anchor.newestSequence, packet.sequence)) return this.#restart(packet, nowMs);
    if (sequenceDistance(anchor.newestSequence, packet.sequence) <= 0) return position;
    const depth = position - this.#head;
    if (depth > MAX_AHEAD || depth < -RESTART_SAMPLES) return this.#restart(packet, nowMs);
    this.#measure(packet, nowMs);
    anchor.newestSequence = packet.sequence;
    if (depth < 0) this.counts.late++;
    if (!this.#talking && this.#end <= this.#head) {
      const delay = this.#delay;
      const asExpected = depth >= LEAST_DELAY / 2 && depth <= delay + SPURT_TOLERANCE;
      return asExpected && !packet.marker ? position : this.#anchorAt(packet, this.#head + delay);
    }
    if (depth < 0) {
      // The newest packet is late, so that the following ones will be, too: playback is delayed from here on.
      this.#jitter = Math.max(this.#jitter, Math.min(-depth, MAX_DELAY) / JITTER_FACTOR);
      return this.#anchorAt(packet, this.#head);
    }
    this.#watchDepth(depth);
    return position;
  }

  /** Another timeline: appended to the present one, as if it were the same. */
  #restart(packet: AudioPacket, nowMs: number): number {
    this.#measure(packet, nowMs);
    const waiting = this.#end - this.#head;
    const follows = this.#talking && waiting > 0 && waiting <= this.#delay + SPURT_TOLERANCE;
    return this.#anchorAt(packet, follows ? this.#end : this.#head + this.#delay);
  }

  #anchorAt({ ssrc, timestamp, sequence }: AudioPacket, position: number): number {
    this.#anchor = { ssrc, timestamp, position, newestSequence: sequence };
    this.#forgetDepths();
    return position;
  }

  #measure({ timestamp }: AudioPacket, nowMs: number): void {
    const transit = (Math.round(nowMs * SAMPLES_PER_MS) - timestamp) | 0;
    const before = this.#transit;
    this.#transit = transit;
    if (before === undefined) return;
    const difference = Math.abs((transit - before) | 0);
    if (difference < RESTART_SAMPLES) this.#jitter += (difference - this.#jitter) / JITTER_GAIN;
  }

  #watchDepth(depth: number): void {
    this.#leastDepth = Math.min(this.#leastDepth, depth);
    if (++this.#depths < SHRINK_PACKETS) return;
    const spare = this.#leastDepth - this.#delay;
    this.#forgetDepths();
    if (spare > SPARE_TO_SHRINK) this.#toSkip = spare;
  }

  #forgetDepths(): void {
    this.#leastDepth = Number.POSITIVE_INFINITY;
    this.#depths = 0;
    this.#toSkip = 0;
  }

  /** Skips `count` samples if they are quiet, or if the delay is too long. */
  #shrink(count: number): void {
    let loudness = 0;
    for (let index = 0; index < count; index++) {
      loudness += Math.abs(this.#window[(this.#head + index) & (WINDOW_SAMPLES - 1)]!);
    }
    if (loudness > QUIET * count && this.#toSkip < SHRINK_ANYWHERE) return;
    for (let index = 0; index < count; index++) this.#filled[(this.#head + index) & (WINDOW_SAMPLES - 1)] = 0;
    this.#head += count;
    this.#toSkip -= count;
  }
}
