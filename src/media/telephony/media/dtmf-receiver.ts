/**
 * Converts telephone-event packets (RFC 4733) into key presses: one press per event, even if its packets are repeated,
 * lost or reordered.
 *
 * Invariants
 *  - packets with one source and timestamp are one press; an older timestamp never starts one;
 *  - gateways that change the timestamp within a press are supported: consecutive packets of one event without a
 *    marker, whose duration does not shrink and covers the change, are also one press;
 *  - a press is returned at its first end packet, when a later event starts, or when updates stop.
 */

import { digitOfEvent } from '../../toolbox/dtmf/dtmf-events.ts';
import { readUint16 } from '../../toolbox/rtp/bytes.ts';
import { sequenceDistance, timestampDistance } from '../../toolbox/rtp/sequence.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';

type DtmfPacket = Omit<AudioPacket, 'codec'>;

/** A key that was pressed and released. */
export interface KeyPress {
  digit: string;
  durationMs: number;
}

interface PendingKey {
  event: number;
  /** Timestamp of the current segment (§2.5.1.3). */
  timestamp: number;
  samples: number;
  /** Duration of the segments before it. */
  earlierSamples: number;
  heardMs: number;
}

/** Event, flags with volume, duration (§2.3). */
const PAYLOAD_BYTES = 4;
/** Longer than three intervals of the slowest usual updates (50 ms): all end packets were lost. */
const LOST_END_MS = 200;
/** §2.5.1.3: a longer event continues as a new segment that starts where this one ends. */
const MAX_SEGMENT_SAMPLES = 0xffff;
/** Maximum sequence distance between packets of one press: one or two may be lost, or have audio between them. */
const MAX_APART = 5;
/** A timestamp further back than this means a restarted source, not a late packet. */
const LATE_WINDOW_SAMPLES = 5_000 * SAMPLES_PER_MS;

const NO_PRESSES: readonly KeyPress[] = [];

interface LastPacket {
  event: number;
  sequence: number;
  timestamp: number;
  samples: number;
  atMs: number;
}

export class DtmfReceiver {
  #press: PendingKey | undefined;
  /** Presses that are complete and not returned yet. */
  #complete: readonly KeyPress[] = NO_PRESSES;
  #ssrc: number | undefined;
  #newestTimestamp: number | undefined;
  /** Last packet of the current or the last press. */
  #last: LastPacket | undefined;

  /** True while a press has started and is not complete, so that `tick` is needed. */
  get pending(): boolean {
    return this.#press !== undefined;
  }

  /** Returns the presses that this packet completes. */
  packet(packet: DtmfPacket, nowMs: number): readonly KeyPress[] {
    this.#receive(packet, nowMs);
    return this.#takeComplete();
  }

  /** Returns the press whose packets have stopped. */
  tick(nowMs: number): readonly KeyPress[] {
    if (this.#press && nowMs - this.#press.heardMs >= LOST_END_MS) this.#finish();
    return this.#takeComplete();
  }

  #receive(packet: DtmfPacket, nowMs: number): void {
    const { bytes, payloadStart, timestamp } = packet;
    if (packet.payloadEnd - payloadStart < PAYLOAD_BYTES) return;
    const event = bytes[payloadStart]!;
    if (digitOfEvent(event) === undefined) return;
    if (packet.ssrc !== this.#ssrc) {
      this.#finish();
      this.#ssrc = packet.ssrc;
      this.#newestTimestamp = undefined;
      this.#last = undefined;
    }
    const samples = readUint16(bytes, payloadStart + 2);
    const isMoved = this.#hasMovedTimestamp(packet, event, samples, nowMs);
    if (isMoved) this.#newestTimestamp = timestamp;
    const press = isMoved ? this.#press : this.#pressOf(event, timestamp, nowMs);
    if (press || isMoved) this.#last = { event, sequence: packet.sequence, timestamp, samples, atMs: nowMs };
    if (!press) return;
    press.heardMs = nowMs;
    press.samples = Math.max(press.samples, samples);
    if (bytes[payloadStart + 1]! & 0x80) this.#finish();
  }

  #hasMovedTimestamp(packet: DtmfPacket, event: number, samples: number, nowMs: number): boolean {
    const last = this.#last;
    if (!last || last.event !== event || packet.marker || nowMs - last.atMs >= LOST_END_MS) return false;
    const apart = sequenceDistance(last.sequence, packet.sequence);
    const moved = timestampDistance(last.timestamp, packet.timestamp);
    const isNext = apart > 0 && apart <= MAX_APART;
    return isNext && samples >= last.samples && moved > 0 && moved <= last.samples;
  }

  #pressOf(event: number, timestamp: number, nowMs: number): PendingKey | undefined {
    const newest = this.#newestTimestamp;
    if (newest !== undefined) {
      const distance = timestampDistance(newest, timestamp);
      if (distance === 0) return this.#press;
      if (distance < 0 && distance > -LATE_WINDOW_SAMPLES) return undefined;
    }
    const before = this.#press;
    this.#newestTimestamp = timestamp;
    if (before && before.event === event && continues(before, timestamp)) {
      before.earlierSamples += before.samples;
      before.samples = 0;
      before.timestamp = timestamp;
      return before;
    }
    this.#finish();
    this.#press = { event, timestamp, samples: 0, earlierSamples: 0, heardMs: nowMs };
    return this.#press;
  }

  #finish(): void {
    const press = this.#press;
    if (!press) return;
    this.#press = undefined;
    const samples = press.earlierSamples + press.samples;
    const durationMs = Math.round(samples / SAMPLES_PER_MS);
    this.#complete = [...this.#complete, { digit: digitOfEvent(press.event)!, durationMs }];
  }

  #takeComplete(): readonly KeyPress[] {
    const complete = this.#complete;
    this.#complete = NO_PRESSES;
    return complete;
  }
}

const continues = (press: PendingKey, timestamp: number): boolean =>
  press.samples === MAX_SEGMENT_SAMPLES && timestampDistance(press.timestamp, timestamp) === MAX_SEGMENT_SAMPLES;
