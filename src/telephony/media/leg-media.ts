/**
 * The media of one leg without sockets and timers: what `tick(nowMs)` sends each packet interval, and what comes of the
 * packets handed to `receive`. The worker owns the socket and the wheel that drive it; tests drive it in any time.
 *
 * Invariants
 *  G1 every play, recording and digit string given to it is answered once through `emit`, at the latest by `close`;
 *  G2 timestamps advance by wall time, sent or not; packets are sent only while something sounds, and the first after
 *     a break carries the marker bit (RFC 3551 §4.1);
 *  G3 a packet buffer is not touched again before the one after it was sent.
 */
import { encodeSample, silenceByte } from '../../core/g711.ts';
import { SAMPLES_PER_MS } from './dtmf-events.ts';
import { DtmfReceiver } from './dtmf-receiver.ts';
import { type DigitStep, DtmfSender } from './dtmf-sender.ts';
import { dtmfSample } from './dtmf-tone.ts';
import { Latch } from './latch.ts';
import type { G711Codec, MediaRemote, RecordRequest, SendDigitsRequest } from './media-port.ts';
import { type EncodedAudio, Playback } from './playback.ts';
import { type Recorded, Recorder } from './recorder.ts';
import { RTP_HEADER_BYTES, readRtp, writeRtpHeader } from './rtp-packet.ts';

export type LegMediaEvent =
  | { type: 'digit'; digit: string; durationMs: number }
  | { type: 'play_ended'; playId: string; reason: 'finished' | 'stopped'; playedMs: number }
  | { type: 'record_chunk'; recordId: string; pcm: Int16Array<ArrayBuffer> }
  | ({ type: 'recorded' } & Recorded)
  | { type: 'digits_sent'; sendId: string };

export interface LegMediaOptions {
  /** Where numbering starts: random, so that nobody can guess it (RFC 3550 §5.1). */
  ssrc: number;
  sequence: number;
  timestamp: number;
  emit(event: LegMediaEvent): void;
  send(packet: Uint8Array, host: string, port: number): void;
}

export interface LegCounts {
  sent: number;
  received: number;
  /** From elsewhere than the negotiated peer. */
  strange: number;
  /** From the peer, but no RTP or a payload type not negotiated. */
  malformed: number;
}

/** Event, end bit and volume, duration (RFC 4733 §2.3). */
const EVENT_BYTES = 4;
const END_BIT = 0x80;
/** −10 dBm0. */
const EVENT_VOLUME = 10;
/** RFC 3551 §6: a peer may send the other law unasked, by its static number. */
const STATIC_CODECS: Readonly<Record<number, G711Codec>> = { 0: 'PCMU', 8: 'PCMA' };
const MIN_PTIME_MS = 10;
const MAX_PTIME_MS = 120;

export class LegMedia {
  readonly counts: LegCounts = { sent: 0, received: 0, strange: 0, malformed: 0 };
  readonly #options: LegMediaOptions;
  readonly #receiver: DtmfReceiver;
  readonly #sender: DtmfSender;
  #remote: MediaRemote | undefined;
  #latch: Latch | undefined;
  #play: Playback | undefined;
  #recorder: Recorder | undefined;
  #sequence: number;
  /** The timestamp that would continue what was sent last. */
  #expectedTimestamp: number | undefined;
  #eventTimestamp = 0;
  /** The time of the packet or tick that is being worked on. */
  #nowMs = 0;
  #packets: Uint8Array[] = [];

  constructor(options: LegMediaOptions) {
    this.#options = options;
    this.#sequence = options.sequence;
    this.#receiver = new DtmfReceiver((digit, durationMs) => this.#emitDigit(digit, durationMs));
    this.#sender = new DtmfSender((sendId) => options.emit({ type: 'digits_sent', sendId }));
  }

  /** Whether `tick` has anything to do; an idle leg needs no wheel. */
  get active(): boolean {
    const sounds = this.#remote !== undefined && (this.#play !== undefined || this.#sender.active);
    return sounds || this.#recorder !== undefined || this.#receiver.pending;
  }

  /** The packet interval: how often `tick` wants to be called. */
  get ptimeMs(): number {
    return this.#remote?.ptimeMs ?? 20;
  }

  connect(remote: MediaRemote): void {
    const latch = this.#latch;
    if (!latch || latch.host !== remote.host || latch.negotiatedPort !== remote.port) {
      this.#latch = new Latch(remote.host, remote.port);
    }
    const ptimeMs = Math.min(Math.max(Math.round(remote.ptimeMs / 5) * 5, MIN_PTIME_MS), MAX_PTIME_MS);
    if (ptimeMs !== this.#remote?.ptimeMs) this.#packets = [];
    this.#remote = { ...remote, ptimeMs };
  }

  play(play: { playId: string; items: readonly EncodedAudio[]; repeat: boolean }): void {
    this.#endPlay('stopped');
    this.#play = new Playback(play);
    // Nothing to be heard is over at once: the next play must find it finished.
    if (this.#play.done) this.#endPlay('finished');
  }

  stopPlay(playId: string): void {
    if (this.#play?.playId === playId) this.#endPlay('stopped');
  }

  record(request: RecordRequest, nowMs: number): void {
    this.#recorder?.end('stopped', nowMs);
    const { emit } = this.#options;
    this.#recorder = new Recorder(
      request,
      {
        chunk: (recordId, pcm) => emit({ type: 'record_chunk', recordId, pcm }),
        ended: (recorded) => {
          if (this.#recorder?.recordId === recorded.recordId) this.#recorder = undefined;
          emit({ type: 'recorded', ...recorded });
        },
      },
      nowMs,
    );
  }

  stopRecord(recordId: string, nowMs: number): void {
    if (this.#recorder?.recordId === recordId) this.#recorder.end('stopped', nowMs);
  }

  sendDigits(request: SendDigitsRequest): void {
    this.#sender.add(request);
  }

  receive(packet: Uint8Array, host: string, port: number, nowMs: number): void {
    this.#nowMs = nowMs;
    const remote = this.#remote;
    if (!remote || host !== remote.host) {
      this.counts.strange++;
      return;
    }
    const rtp = readRtp(packet);
    const codec = rtp && (rtp.payloadType === remote.payloadType ? remote.codec : STATIC_CODECS[rtp.payloadType]);
    const isEvent = rtp !== undefined && rtp.payloadType === remote.telephoneEventPayloadType;
    if (!rtp || (!codec && !isEvent)) {
      this.counts.malformed++;
      return;
    }
    if (!this.#latch!.accept(host, port, nowMs)) {
      this.counts.strange++;
      return;
    }
    this.counts.received++;
    if (!remote.receive) return;
    if (isEvent) this.#receiver.packet({ ...rtp, payload: packet }, nowMs);
    else if (this.#recorder) this.#recorder.packet({ ...rtp, codec: codec!, payload: packet }, nowMs);
  }

  tick(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#receiver.tick(nowMs);
    this.#recorder?.tick(nowMs);
    const remote = this.#remote;
    if (!remote) return;
    if (this.#play?.done) this.#endPlay('finished');
    const samples = remote.ptimeMs * SAMPLES_PER_MS;
    if (this.#sender.active) {
      this.#play?.skip(samples);
      const step = this.#sender.step(remote.ptimeMs);
      if (step && remote.telephoneEventPayloadType !== undefined) this.#sendEvent(step, remote, nowMs);
      else if (step && !step.repeated) this.#sendTone(step, remote, nowMs);
    } else if (this.#play && remote.send) {
      const packet = this.#audioPacket(samples);
      this.#play.fill(packet, RTP_HEADER_BYTES, samples, remote.codec);
      this.#sendAudio(packet, remote, nowMs);
    } else {
      this.#play?.skip(samples);
    }
  }

  close(nowMs: number): void {
    this.#endPlay('stopped');
    this.#recorder?.end('hangup', nowMs);
    this.#sender.close();
    this.#remote = undefined;
  }

  #endPlay(reason: 'finished' | 'stopped'): void {
    const play = this.#play;
    if (!play) return;
    this.#play = undefined;
    const playedMs = Math.round(play.playedSamples / SAMPLES_PER_MS);
    this.#options.emit({ type: 'play_ended', playId: play.playId, reason, playedMs });
  }

  #emitDigit(digit: string, durationMs: number): void {
    this.#options.emit({ type: 'digit', digit, durationMs });
    const recorder = this.#recorder;
    if (recorder?.isTerminator(digit)) recorder.end('terminator', this.#nowMs);
  }

  #sendAudio(packet: Uint8Array, remote: MediaRemote, nowMs: number): void {
    const timestamp = this.#timestampAt(nowMs);
    const marker = timestamp !== this.#expectedTimestamp;
    this.#expectedTimestamp = (timestamp + remote.ptimeMs * SAMPLES_PER_MS) >>> 0;
    this.#sendPacket(packet, remote.payloadType, marker, timestamp);
  }

  #sendTone(step: DigitStep, remote: MediaRemote, nowMs: number): void {
    if (!remote.send) return;
    const packet = this.#audioPacket(remote.ptimeMs * SAMPLES_PER_MS).fill(silenceByte(remote.codec), RTP_HEADER_BYTES);
    for (let sample = step.startSamples; sample < step.durationSamples; sample++) {
      const byte = encodeSample(dtmfSample(step.event, sample), remote.codec);
      packet[RTP_HEADER_BYTES + sample - step.startSamples] = byte;
    }
    this.#sendAudio(packet, remote, nowMs);
  }

  #sendEvent(step: DigitStep, remote: MediaRemote, nowMs: number): void {
    if (step.begins) this.#eventTimestamp = this.#timestampAt(nowMs);
    this.#expectedTimestamp = undefined;
    if (!remote.send) return;
    const packet = new Uint8Array(RTP_HEADER_BYTES + EVENT_BYTES);
    packet[RTP_HEADER_BYTES] = step.event;
    packet[RTP_HEADER_BYTES + 1] = (step.ends ? END_BIT : 0) | EVENT_VOLUME;
    packet[RTP_HEADER_BYTES + 2] = step.durationSamples >>> 8;
    packet[RTP_HEADER_BYTES + 3] = step.durationSamples;
    this.#sendPacket(packet, remote.telephoneEventPayloadType!, step.begins, this.#eventTimestamp);
  }

  #sendPacket(packet: Uint8Array, payloadType: number, marker: boolean, timestamp: number): void {
    const { ssrc, send } = this.#options;
    writeRtpHeader(packet, { payloadType, marker, sequence: this.#sequence, timestamp, ssrc });
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.counts.sent++;
    send(packet, this.#latch!.host, this.#latch!.port);
  }

  /** Two buffers in turn: the kernel may still be reading the last one. Made when a leg first sounds. */
  #audioPacket(samples: number): Uint8Array {
    if (this.#packets.length === 0) {
      this.#packets = [new Uint8Array(RTP_HEADER_BYTES + samples), new Uint8Array(RTP_HEADER_BYTES + samples)];
    }
    return this.#packets[this.#sequence & 1]!;
  }

  #timestampAt(nowMs: number): number {
    return (this.#options.timestamp + Math.round(nowMs * SAMPLES_PER_MS)) >>> 0;
  }
}
