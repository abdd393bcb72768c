/**
 * One channel of a recording: samples that are not due yet, placed by mapping the timeline of their source to that of
 * the recording.
 */
import { decodeTable } from '../../toolbox/audio/g711.ts';
import { isRestart, sequenceDistance, timestampDistance } from '../../toolbox/rtp/sequence.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';
import type { TimelineAnchor } from './jitter-buffer.ts';

const WINDOW_SAMPLES = 4_096;
/** A source that runs further ahead of the local clock is moved back to its time of arrival. */
const MAX_AHEAD_SAMPLES = 240 * SAMPLES_PER_MS;

export class RecordingTrack {
  /** By position modulo the window; zero where no samples arrived. */
  readonly #window = new Int16Array(WINDOW_SAMPLES);
  #anchor: TimelineAnchor | undefined;

  /** Adds a packet that was complete at position `now`; positions before `written` have left the window. */
  packet(packet: AudioPacket, now: number, written: number): void {
    const samples = packet.payloadEnd - packet.payloadStart;
    if (samples <= 0) return;
    const position = this.#positionOf(packet, Math.max(0, now - samples), written);
    const decode = decodeTable(packet.codec);
    const first = Math.max(0, written - position);
    const last = Math.min(samples, written + WINDOW_SAMPLES - position);
    for (let index = first; index < last; index++) {
      const byte = packet.bytes[packet.payloadStart + index]!;
      this.#window[(position + index) % WINDOW_SAMPLES] = decode[byte]!;
    }
  }

  /** Moves `size` samples from position `from` into `frame`. */
  append(frame: Int16Array, size: number, from: number): void {
    for (let index = 0; index < size; index++) {
      const slot = (from + index) % WINDOW_SAMPLES;
      frame[index] = this.#window[slot]!;
      this.#window[slot] = 0;
    }
  }

  /** Places the next packet at its time of arrival, whatever came before. */
  forgetAnchor(): void {
    this.#anchor = undefined;
  }

  #positionOf(packet: AudioPacket, arrival: number, written: number): number {
    const anchor = this.#anchor;
    if (anchor && anchor.ssrc === packet.ssrc && !isRestart(anchor.newestSequence, packet.sequence)) {
      const position = anchor.position + timestampDistance(anchor.timestamp, packet.timestamp);
      const isNewer = sequenceDistance(anchor.newestSequence, packet.sequence) > 0;
      if (isNewer) anchor.newestSequence = packet.sequence;
      // The clock of the source is slower, the packet was delayed, or its timestamps jumped: only then is the newest
      // packet late.
      const isLate = isNewer && position < written;
      const isAhead = position > arrival + MAX_AHEAD_SAMPLES;
      if (!isLate && !isAhead) return position;
    }
    const { ssrc, timestamp, sequence } = packet;
    this.#anchor = { ssrc, timestamp, position: arrival, newestSequence: sequence };
    return arrival;
  }
}
