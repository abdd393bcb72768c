/**
 * Media of one leg without sockets and timers: `tick(nowMs)` sends the packets of one interval, and `receive` handles
 * incoming packets. A thread owns the sockets and the wheel that drive it; tests drive it in any time.
 *
 * The party hears the first available source: digits, a play, hold music (on hold no other source), the stream
 * receiver, the mix. Covered sources advance unheard.
 *
 * Invariants
 *  - every play, recording, digit sequence and detection is answered once through `emit`, at the latest by `close`;
 *  - packets are sent only while a source plays, or another party is in the mix, except for a packet of silence as
 *    keepalive;
 *  - to an unverified address that never sent a packet, at most `UNVERIFIED_MS` of audio are sent in the leg's life, so
 *    that the service cannot be used to flood others;
 *  - `active` is false when a tick would have no effect: relayed packets need none.
 */
import type { LegQuality } from '../../../base/core/leg.ts';
import { DtmfDetector } from '../../toolbox/dtmf/dtmf-detector.ts';
import { isRtcp, readRtp } from '../../toolbox/rtp/packet.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';
import { DtmfReceiver, type KeyPress } from './dtmf-receiver.ts';
import { EarlyPackets } from './early-packets.ts';
import { KeyPresses, type KeySource } from './key-presses.ts';
import { Latch } from './latch.ts';
import { LegControl } from './leg-control.ts';
import { LegOutput, type OutputEvent } from './leg-output.ts';
import { LegRecorders } from './leg-recorders.ts';
import { LegTaps, type TapEvent } from './leg-taps.ts';
import type { G711Codec, MediaRemote, MediaRequestOf } from './media-port.ts';
import type { MixerInput, MixPort } from './mix.ts';
import type { RecorderEvent } from './recorder.ts';
import { RtpSender, type RtpSenderOptions } from './rtp-sender.ts';
import { TalkTap } from './talk-tap.ts';
import { TappedTrack } from './tapped-track.ts';
import type { LegCounts } from './thread-figures.ts';

export type LegMediaEvent =
  | { type: 'digit'; digit: string; durationMs: number }
  | OutputEvent
  | RecorderEvent
  | { type: 'silent'; forMs: number }
  | TapEvent;

export interface LegMediaOptions extends RtpSenderOptions {
  emit(event: LegMediaEvent): void;
  /** Called when another party's action requires ticks. */
  wake?(): void;
  /** Sends RTCP to the far side. */
  sendControl?(packet: Uint8Array, host: string, port: number): void;
  /** Canonical name in reports (RFC 3550 §6.5.1). */
  name?: string;
  /** Wall clock at 0 ms of this leg's time, in ms since 1970, for reports. */
  epochMs?: number;
}

/** RFC 3551 §6: a peer may send the other law without negotiation, by its static number. */
const STATIC_CODECS: Readonly<Record<number, G711Codec>> = { 0: 'PCMU', 8: 'PCMA' };
const MIN_PTIME_MS = 10;
const MAX_PTIME_MS = 120;
/** Signalling may report any duration, and the other party hears no other audio meanwhile. */
const MAX_RELAYED_TONE_MS = 1_000;

/** Longer than any phone needs to send its first RTP or RTCP packet (RFC 3550 §6.2). */
const UNVERIFIED_MS = 30_000;

/** Covers the buffers at the end of withholding, and the last key, which may still be down. */
const WITHHELD_TAIL_MS = 500;

const SILENCE = new Int16Array(MAX_PTIME_MS * SAMPLES_PER_MS);

export class LegMedia implements MixerInput {
  readonly #options: LegMediaOptions;
  readonly #receiver = new DtmfReceiver();
  readonly #keys = new KeyPresses();
  readonly #sender: RtpSender;
  readonly output: LegOutput;
  readonly #control: LegControl;
  /** Audio of the party, and audio to it. */
  readonly #inbound = new TappedTrack();
  readonly #outbound = new TappedTrack();
  /** Streams, recognition and machine detection. */
  readonly taps: LegTaps;
  readonly #counts = { received: 0, strange: 0, malformed: 0 };
  #remote: MediaRemote | undefined;
  #latch: Latch | undefined;
  readonly #early = new EarlyPackets();
  /** Time of the last RTP or RTCP packet; before the first one, the time since which one is expected. */
  #heardMs: number | undefined;
  /** Set while the address is unverified; has the direction to restore once the address has sent a packet. */
  #unverified: { send: boolean } | undefined;
  #unverifiedMs = UNVERIFIED_MS;
  readonly #recorders: LegRecorders;
  #mixPort: MixPort | undefined;
  #muted = false;
  /** Time until which speech and keys are withheld from recordings, streams and other parties. */
  #withheldUntilMs = Number.NEGATIVE_INFINITY;
  /** False while the room does not let the party be heard; independent of mutes. */
  #isHeard = true;
  #talkTap: TalkTap | undefined;
  /** In-band DTMF, if telephone events were not negotiated. */
  #dtmfDetector: DtmfDetector | undefined;
  /** Time of the current packet or tick. */
  #nowMs = 0;
  readonly #toMix = {
    frame: (pcm: Int16Array): void => {
      const buffers = this.#mixPort?.buffers;
      if (!buffers) return;
      buffers.input.write(this.#isSilenced ? SILENCE : pcm, pcm.length);
    },
  };

  constructor(options: LegMediaOptions) {
    const { emit } = options;
    this.#options = options;
    this.#sender = new RtpSender({
      ...options,
      send: (packet, host, port) => {
        options.send(packet, host, port);
        if (this.#unverified) this.#countUnverified();
      },
      isHeard: () => this.#outbound.isTapped || this.#recorders.isActive,
    });
    this.#control = new LegControl(this.#sender, options);
    this.taps = new LegTaps({
      inbound: this.#inbound,
      outbound: this.#outbound,
      emit,
      isWithheld: () => this.#isWithheld,
      isAlive: () => this.#counts.received > 0,
    });
    this.#recorders = new LegRecorders(emit);
    this.output = new LegOutput({
      sender: this.#sender,
      streamAudio: this.taps.streamAudio,
      emit,
      sent: (packet, nowMs) => this.#sentAudio(packet, nowMs),
    });
  }

  /** True if `tick` has work; an idle leg is not on the wheel. */
  get active(): boolean {
    if (this.#recorders.isActive || this.#receiver.pending) return true;
    if (this.#inbound.isTapped || this.#outbound.isTapped) return true;
    if (this.#remote === undefined) return false;
    return this.output.isActive || this.#mixPort?.buffers !== undefined;
  }

  /** Packet interval, in which `tick` is called. */
  get ptimeMs(): number {
    return this.#remote?.ptimeMs ?? 20;
  }

  get counts(): LegCounts {
    const { strange, ...counts } = this.#counts;
    return {
      sent: this.#sender.packetsSent,
      ...counts,
      strange: strange + this.#early.dropped,
      late: this.#inbound.late,
    };
  }

  /** Undefined if there was no audio in either direction. */
  get quality(): LegQuality | undefined {
    return this.#control.quality;
  }

  /** Takes effect at once; packets that arrived just before are processed now. */
  connect(remote: MediaRemote, nowMs: number): void {
    if (!this.#latch?.isOf(remote)) this.#latch = new Latch(remote, this.#latch && { latch: this.#latch, nowMs });
    const ptimeMs = Math.min(Math.max(Math.round(remote.ptimeMs / 5) * 5, MIN_PTIME_MS), MAX_PTIME_MS);
    this.#remote = { ...remote, ptimeMs };
    this.#unverified = remote.isUnverified && !this.#latch.wasHeard ? { send: remote.send } : undefined;
    if (this.#unverified && this.#unverifiedMs <= 0) this.#remote.send = false;
    this.#control.connect(this.#remote);
    if (this.#heardMs === undefined) this.#sender.sentMs = nowMs;
    this.#heardMs ??= nowMs;
    this.#listenForTones(remote.telephoneEventPayloadType === undefined);
    for (const { bytes, host, port, atMs } of this.#early.take(nowMs)) this.receive(bytes, host, port, atMs);
  }

  record(request: MediaRequestOf<'record'>, nowMs: number): void {
    this.#recorders.start(request, nowMs);
  }

  pauseRecord(recordId: string, paused: boolean, nowMs: number): void {
    this.#recorders.pause(recordId, paused, nowMs);
  }

  stopRecord(recordId: string, nowMs: number): void {
    this.#recorders.stop(recordId, nowMs);
  }

  /** Handles a digit reported by signalling like one in the audio. */
  signalledDigit(digit: string, durationMs: number, nowMs: number): void {
    this.#nowMs = nowMs;
    if (this.#isPressed('signalling', digit, durationMs)) {
      this.#relayDigit(digit, Math.min(durationMs, MAX_RELAYED_TONE_MS));
    }
  }

  mute(muted: boolean): void {
    this.#muted = muted;
  }

  withhold(on: boolean, nowMs: number): void {
    this.#withheldUntilMs = on ? Number.POSITIVE_INFINITY : nowMs + WITHHELD_TAIL_MS;
  }

  get #isWithheld(): boolean {
    return this.#nowMs < this.#withheldUntilMs;
  }

  setHeard(heard: boolean): void {
    this.#isHeard = heard;
  }

  /** Reports when the party starts and stops talking, except while it is muted. Undefined: ends the reports. */
  watchTalking(talking: ((on: boolean) => void) | undefined): void {
    if (this.#talkTap) this.#inbound.remove(this.#talkTap);
    this.#talkTap = talking && new TalkTap(talking, () => this.#muted);
    if (this.#talkTap) this.#inbound.add(this.#talkTap);
  }

  get #isSilenced(): boolean {
    return this.#muted || !this.#isHeard || this.#isWithheld || this.output.isHeld;
  }

  setMixPort(port: MixPort | undefined): void {
    const mixes = port?.buffers !== undefined;
    this.#mixPort = port;
    if (mixes) this.#inbound.add(this.#toMix);
    else this.#inbound.remove(this.#toMix);
  }

  relayPacket(packet: AudioPacket, nowMs: number): void {
    const remote = this.#remote;
    if (!remote?.send || this.output.coversMix) return;
    const heard = this.#sender.pass(packet, remote, this.#latch!, nowMs);
    if (heard) this.#sentAudio(heard, nowMs);
  }

  relayDigit(digit: string, durationMs: number): void {
    if (this.output.relayDigit(digit, durationMs)) this.#options.wake?.();
  }

  receive(bytes: Uint8Array, host: string, port: number, nowMs: number): void {
    this.#nowMs = nowMs;
    const remote = this.#remote;
    if (!remote) {
      this.#early.keep({ bytes, host, port, atMs: nowMs });
      return;
    }
    if (!this.#latch!.knows(host)) {
      this.#counts.strange++;
      return;
    }
    if (isRtcp(bytes)) {
      this.#onControlPacket(bytes, host, nowMs);
      return;
    }
    // Checked before decryption, so that a copy of an encrypted packet from another source does not make the original a
    // replay.
    if (!this.#latch!.mayAccept(host, port, nowMs)) {
      this.#counts.strange++;
      return;
    }
    const plain = this.#control.unprotect(bytes);
    const rtp = plain && readRtp(plain);
    if (rtp) this.#heardMs = nowMs;
    const codec = rtp && (rtp.payloadType === remote.payloadType ? remote.codec : STATIC_CODECS[rtp.payloadType]);
    const isEvent = rtp !== undefined && rtp.payloadType === remote.telephoneEventPayloadType;
    if (!rtp || (!codec && !isEvent)) {
      this.#counts.malformed++;
      return;
    }
    if (!this.#latch!.accept(host, port, rtp, nowMs)) {
      this.#counts.strange++;
      return;
    }
    this.#verify();
    this.#counts.received++;
    this.#control.count(rtp, nowMs);
    if (!remote.receive) return;
    if (isEvent) this.#receivePresses(this.#receiver.packet(rtp, nowMs));
    else if (this.#inbound.isTapped || this.#recorders.isActive || this.#mixPort?.peer) {
      const { ssrc, sequence, timestamp, marker, payloadStart, payloadEnd } = rtp;
      const packet = { ssrc, sequence, timestamp, marker, codec: codec!, bytes: rtp.bytes, payloadStart, payloadEnd };
      this.#receiveAudio(packet, nowMs);
    }
  }

  /** Receives RTCP on its own port. */
  receiveControl(packet: Uint8Array, host: string, nowMs: number): void {
    if (this.#remote && this.#latch?.knows(host)) this.#onControlPacket(packet, host, nowMs);
  }

  /** Sends a report, if one is due. To be called every few seconds. */
  report(nowMs: number): void {
    this.#reportSilence(nowMs);
    if (this.#remote) this.output.keepAlive(this.#remote, this.#latch!, nowMs);
    if (this.#remote && !(this.#unverified && this.#unverifiedMs <= 0))
      this.#control.report(this.#remote, this.#latch!, nowMs);
  }

  tick(nowMs: number): void {
    this.#nowMs = nowMs;
    const samples = this.ptimeMs * SAMPLES_PER_MS;
    if (this.#receiver.pending) this.#receivePresses(this.#receiver.tick(nowMs));
    this.#recorders.tick(nowMs);
    this.#inbound.tick(samples, nowMs);
    if (this.#remote) this.output.tick(this.#remote, this.#latch!, this.#mixPort?.buffers, samples, nowMs);
    this.#outbound.tick(samples, nowMs);
  }

  close(nowMs: number): void {
    this.#mixPort?.mix.remove(this);
    this.output.endPlay('stopped');
    this.#recorders.close(nowMs);
    this.output.close();
    this.taps.close(nowMs);
    this.watchTalking(undefined);
    this.#listenForTones(false);
    this.#remote = undefined;
  }

  #receivePresses(presses: readonly KeyPress[]): void {
    for (const { digit, durationMs } of presses) {
      if (this.#isPressed('sound', digit, durationMs)) this.#relayDigit(digit, durationMs);
    }
  }

  #onControlPacket(packet: Uint8Array, host: string, nowMs: number): void {
    const isTrusted = this.#control.receive(packet, nowMs) && isRtcp(packet);
    if (isTrusted) this.#heardMs = nowMs;
    if (isTrusted && host === this.#latch?.host) this.#verify();
  }

  /** A party on hold may send no packets. */
  #reportSilence(nowMs: number): void {
    if (this.output.isHeld) this.#heardMs = nowMs;
    const mostMs = this.#remote?.reportSilenceMs;
    const forMs = nowMs - (this.#heardMs ?? nowMs);
    if (mostMs !== undefined && forMs >= mostMs) this.#options.emit({ type: 'silent', forMs });
  }

  /** The destination has sent a packet, which verifies its address. */
  #verify(): void {
    if (!this.#unverified || !this.#remote) return;
    this.#remote = { ...this.#remote, send: this.#unverified.send };
    this.#unverified = undefined;
  }

  /** A packet was sent to an unverified address. */
  #countUnverified(): void {
    this.#unverifiedMs -= this.ptimeMs;
    if (this.#unverifiedMs <= 0 && this.#remote?.send) this.#remote = { ...this.#remote, send: false };
  }

  /** Handles audio from the party. */
  #receiveAudio(packet: AudioPacket, nowMs: number): void {
    this.#inbound.packet(packet, nowMs);
    if (!this.#isWithheld) this.#recorders.inboundPacket(packet, nowMs);
    if (!this.#isSilenced) this.#mixPort?.peer?.relayPacket(packet, nowMs);
  }

  /** Handles audio to the party. */
  #sentAudio(packet: AudioPacket, nowMs: number): void {
    this.#outbound.packet(packet, nowMs);
    this.#recorders.outboundPacket(packet, nowMs);
  }

  /** Reports a digit, and ends recordings by it; false if it was already reported by the other source. */
  #isPressed(way: KeySource, digit: string, durationMs: number): boolean {
    if (!this.#keys.isNew(way, digit, durationMs, this.#nowMs)) return false;
    this.#options.emit({ type: 'digit', digit, durationMs });
    this.#recorders.pressed(digit, this.#nowMs);
    return true;
  }

  #relayDigit(digit: string, durationMs: number): void {
    if (!this.#isSilenced) this.#mixPort?.mix.relayDigit(this, digit, durationMs);
  }

  #listenForTones(listen: boolean): void {
    if (listen === (this.#dtmfDetector !== undefined)) return;
    if (listen) {
      // A party in the mix hears the tone itself, so that the digit is not relayed.
      this.#dtmfDetector = new DtmfDetector((digit, durationMs) => void this.#isPressed('sound', digit, durationMs));
      this.#inbound.add(this.#dtmfDetector);
    } else if (this.#dtmfDetector) {
      this.#inbound.remove(this.#dtmfDetector);
      this.#dtmfDetector = undefined;
    }
  }
}
