/**
 * RTP stream that a leg sends: one source with continuous numbering, for generated packets and for packets relayed from
 * another party.
 *
 * Invariants
 *  - T1 timestamps advance by wall time, sent or not; the first packet after a break has the marker bit (RFC 3551
 *    §4.1);
 *  - T2 relayed packets keep their distances in sequence and time, so that the far side sees the original loss and
 *    jitter;
 *  - a packet buffer is not reused before the packet after it was sent. Version and source are in it from the start.
 */
import { recodeTable } from '../../toolbox/audio/g711.ts';
import { writeUint16, writeUint32 } from '../../toolbox/rtp/bytes.ts';
import { MARKER, RTP_HEADER_BYTES, VERSION_BITS } from '../../toolbox/rtp/packet.ts';
import { sequenceDistance, timestampDistance } from '../../toolbox/rtp/sequence.ts';
import { type SrtpDirection, TAG_BYTES } from '../../toolbox/rtp/srtp.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';
import type { DigitStep } from './dtmf-sender.ts';
import type { Latch } from './latch.ts';
import type { MediaRemote } from './media-port.ts';

export interface RtpSenderOptions {
  /** Initial values: random, so that they cannot be guessed (RFC 3550 §5.1). */
  ssrc: number;
  sequence: number;
  timestamp: number;
  send(packet: Uint8Array, host: string, port: number): void;
  /** True if sent audio is read: only then it is described. Default: always. */
  isHeard?(): boolean;
}

/** Mapping of a relayed stream to the sent one. */
interface Passing {
  ssrc: number;
  newestSequence: number;
  /** Sent number minus received number. */
  sequenceOffset: number;
  timestampOffset: number;
}

/** Event, end bit and volume, duration (RFC 4733 §2.3). */
const EVENT_BYTES = 4;
const END_BIT = 0x80;
/** −10 dBm0. */
const EVENT_VOLUME = 10;
/** After a larger gap the relayed stream is treated as another one. */
const MAX_PASSED_GAP = 100;
/** A timeline further off the wall clock is treated as another one. */
const MAX_DRIFT_SAMPLES = 500 * SAMPLES_PER_MS;
/** 120 ms: the maximum packet negotiated for G.711. */
const MAX_PAYLOAD = 960;

export class RtpSender {
  packetsSent = 0;
  /** Payload bytes (RFC 3550 §6.4.1). */
  bytesSent = 0;
  protection: SrtpDirection | undefined;
  /** Time of the last packet, or when the far side became known. */
  sentMs = 0;
  readonly #options: RtpSenderOptions;
  #sequence: number;
  /** Timestamp that would continue the last packet. */
  #expectedTimestamp: number | undefined;
  #eventTimestamp = 0;
  readonly #packets: AlternatingBuffers;
  #sealed: AlternatingBuffers | undefined;
  #passing: Passing | undefined;

  constructor(options: RtpSenderOptions) {
    this.#options = options;
    this.#sequence = options.sequence;
    this.#packets = new AlternatingBuffers(options.ssrc);
  }

  get ssrc(): number {
    return this.#options.ssrc;
  }

  timestampAt(nowMs: number): number {
    return (this.#options.timestamp + Math.round(nowMs * SAMPLES_PER_MS)) >>> 0;
  }

  audioPacket(samples: number): Uint8Array {
    return this.#packets.next(RTP_HEADER_BYTES + samples);
  }

  /** Sends a buffer of `audioPacket`. Returns the audio that the far side hears, if it is read. */
  sendAudio(packet: Uint8Array, remote: MediaRemote, latch: Latch, nowMs: number): AudioPacket | undefined {
    this.sentMs = nowMs;
    const timestamp = this.timestampAt(nowMs);
    const marker = timestamp !== this.#expectedTimestamp;
    this.#expectedTimestamp = (timestamp + packet.length - RTP_HEADER_BYTES) >>> 0;
    this.#passing = undefined;
    return this.#writeAudio(packet, marker, timestamp, remote, latch);
  }

  sendEvent(step: DigitStep, remote: MediaRemote, latch: Latch, nowMs: number): void {
    if (step.begins) this.#eventTimestamp = this.timestampAt(nowMs);
    this.#expectedTimestamp = undefined;
    this.#passing = undefined;
    if (!remote.send) return;
    this.sentMs = nowMs;
    const packet = new Uint8Array(RTP_HEADER_BYTES + EVENT_BYTES);
    packet[RTP_HEADER_BYTES] = step.event;
    packet[RTP_HEADER_BYTES + 1] = (step.ends ? END_BIT : 0) | EVENT_VOLUME;
    packet[RTP_HEADER_BYTES + 2] = step.durationSamples >>> 8;
    packet[RTP_HEADER_BYTES + 3] = step.durationSamples;
    writeSource(packet, this.#options.ssrc);
    this.#write(packet, remote.telephoneEventPayloadType!, step.begins, this.#eventTimestamp, latch);
  }

  /**
   * Relays another party's audio, unless it is a duplicate, or too late to be numbered. Returns the sent packet, if sent
   * audio is read.
   */
  pass(from: AudioPacket, remote: MediaRemote, latch: Latch, nowMs: number): AudioPacket | undefined {
    const samples = from.payloadEnd - from.payloadStart;
    if (samples <= 0 || samples > MAX_PAYLOAD) return undefined;
    const passing = this.#passingOf(from, nowMs);
    const ahead = sequenceDistance(passing.newestSequence, from.sequence);
    const begins = this.#passing !== passing;
    // A duplicate, or a reordered packet in a stream whose cipher counts rollovers by the sent packets.
    if (!begins && (ahead === 0 || (ahead < 0 && this.protection))) return undefined;
    this.#passing = passing;
    this.sentMs = nowMs;
    const sequence = (from.sequence + passing.sequenceOffset) & 0xffff;
    const timestamp = (from.timestamp + passing.timestampOffset) >>> 0;
    const packet = this.audioPacket(samples);
    copyPayload(from, packet, remote);
    const next = this.#sequence;
    this.#sequence = sequence;
    const sent = this.#writeAudio(packet, from.marker || begins, timestamp, remote, latch);
    if (!begins && ahead < 0) this.#sequence = next;
    else {
      passing.newestSequence = from.sequence;
      this.#expectedTimestamp = undefined;
    }
    return sent;
  }

  #passingOf(from: AudioPacket, nowMs: number): Passing {
    const passing = this.#passing;
    const timestamp = this.timestampAt(nowMs);
    if (passing && passing.ssrc === from.ssrc) {
      const gap = Math.abs(sequenceDistance(passing.newestSequence, from.sequence));
      const drift = Math.abs(timestampDistance(timestamp, (from.timestamp + passing.timestampOffset) >>> 0));
      if (gap <= MAX_PASSED_GAP && drift <= MAX_DRIFT_SAMPLES) return passing;
    }
    return {
      ssrc: from.ssrc,
      newestSequence: from.sequence,
      sequenceOffset: this.#sequence - from.sequence,
      timestampOffset: timestamp - from.timestamp,
    };
  }

  #writeAudio(
    packet: Uint8Array,
    marker: boolean,
    timestamp: number,
    remote: MediaRemote,
    latch: Latch,
  ): AudioPacket | undefined {
    const { ssrc, isHeard } = this.#options;
    const { codec, payloadType } = remote;
    const sequence = this.#sequence;
    this.#write(packet, payloadType, marker, timestamp, latch);
    if (isHeard && !isHeard()) return undefined;
    const payloadStart = RTP_HEADER_BYTES;
    return { ssrc, sequence, timestamp, marker, codec, bytes: packet, payloadStart, payloadEnd: packet.length };
  }

  #write(packet: Uint8Array, payloadType: number, marker: boolean, timestamp: number, latch: Latch): void {
    packet[1] = (marker ? MARKER : 0) | payloadType;
    writeUint16(packet, 2, this.#sequence);
    writeUint32(packet, 4, timestamp);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.packetsSent++;
    this.bytesSent += packet.length - RTP_HEADER_BYTES;
    this.#options.send(this.protection ? this.#seal(packet, this.protection) : packet, latch.host, latch.port);
  }

  /** Encrypts a copy, because recorders and other parties read the packet as well. */
  #seal(packet: Uint8Array, protection: SrtpDirection): Uint8Array {
    this.#sealed ??= new AlternatingBuffers(this.#options.ssrc);
    const sealed = this.#sealed.next(packet.length + TAG_BYTES);
    sealed.set(packet);
    protection.protectRtp(sealed, RTP_HEADER_BYTES);
    return sealed;
  }
}

/** Two buffers in turn, because the kernel may still read the last one. Allocated with the first audio. */
class AlternatingBuffers {
  readonly #ssrc: number;
  #one: Uint8Array | undefined;
  #other: Uint8Array | undefined;

  constructor(ssrc: number) {
    this.#ssrc = ssrc;
  }

  next(bytes: number): Uint8Array {
    const next = this.#other?.length === bytes ? this.#other : this.#create(bytes);
    this.#other = this.#one;
    this.#one = next;
    return next;
  }

  #create(bytes: number): Uint8Array {
    const packet = new Uint8Array(bytes);
    writeSource(packet, this.#ssrc);
    return packet;
  }
}

/** Writes the fields that all packets of the stream have in common. */
function writeSource(packet: Uint8Array, ssrc: number): void {
  packet[0] = VERSION_BITS;
  writeUint32(packet, 8, ssrc);
}

function copyPayload(from: AudioPacket, packet: Uint8Array, { codec }: MediaRemote): void {
  const { bytes, payloadStart, payloadEnd } = from;
  const length = payloadEnd - payloadStart;
  if (from.codec === codec) {
    packet.set(bytes.subarray(payloadStart, payloadEnd), RTP_HEADER_BYTES);
    return;
  }
  const recode = recodeTable(codec);
  for (let index = 0; index < length; index++) packet[RTP_HEADER_BYTES + index] = recode[bytes[payloadStart + index]!]!;
}
