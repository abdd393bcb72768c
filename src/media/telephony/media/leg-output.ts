/**
 * Output of a leg: sends the first available source: digits, a play, hold music (on hold no other source), the stream
 * receiver, the mix. Covered sources advance unheard. `LegMedia` owns it and drives it by `tick`.
 */
import { encodeSample, silenceByte } from '../../toolbox/audio/g711.ts';
import { dtmfSample } from '../../toolbox/dtmf/dtmf-tone.ts';
import { RTP_HEADER_BYTES } from '../../toolbox/rtp/packet.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';
import { type DigitStep, DtmfSender } from './dtmf-sender.ts';
import type { Latch } from './latch.ts';
import type { MediaRemote, MediaRequestOf } from './media-port.ts';
import type { MixBuffers } from './mix.ts';
import { type EncodedAudio, Playback } from './playback.ts';
import type { RtpSender } from './rtp-sender.ts';

type PlayEnded = { type: 'play_ended'; playId: string; reason: 'finished' | 'stopped'; playedMs: number };

export type OutputEvent = PlayEnded | { type: 'digits_sent'; sendId: string };

export interface LegOutputOptions {
  sender: RtpSender;
  /** Audio of the stream receiver. */
  streamAudio: Playback;
  emit(event: OutputEvent): void;
  /** Audio was sent to the party, and is read. */
  sent(packet: AudioPacket, nowMs: number): void;
}

/** RFC 6263 §5: at least 15 s; reports, which check whether one is due, are sent every 7.5 s or sooner. */
const KEEPALIVE_MS = 15_000;
/** Id of relayed digits, whose completion is not reported. */
const RELAYED = '';
const RELAYED_GAP_MS = 50;
/** Digits that arrive faster than they can be sent are dropped. */
const MAX_RELAYED_DIGITS = 32;

export class LegOutput {
  readonly #options: LegOutputOptions;
  readonly #digits: DtmfSender;
  #play: Playback | undefined;
  #music: Playback | undefined;
  #isHeld = false;
  /** Allocated with the first audio of a mix. */
  #mixed: Int16Array | undefined;

  constructor(options: LegOutputOptions) {
    this.#options = options;
    this.#digits = new DtmfSender((sendId) => {
      if (sendId !== RELAYED) options.emit({ type: 'digits_sent', sendId });
    });
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** True if it sends audio other than the mix. */
  get isActive(): boolean {
    return this.#play !== undefined || this.#music !== undefined || this.#digits.active || this.#isStreamAudible;
  }

  /** True if the mix is covered. */
  get coversMix(): boolean {
    return this.#isHeld || this.#play !== undefined || this.#digits.active || this.#isStreamAudible;
  }

  get #isStreamAudible(): boolean {
    const { waitingItems, isPaused } = this.#options.streamAudio;
    return waitingItems > 0 && !isPaused;
  }

  play(play: { playId: string; items: readonly EncodedAudio[]; repeat: boolean; complete?: boolean }): void {
    this.endPlay('stopped');
    this.#play = new Playback(play);
    // An empty play ends at once, so that the next play finds it finished.
    if (this.#play.done) this.endPlay('finished');
  }

  /** Adds the next chunks of an incomplete play. */
  playMore(more: { playId: string; items: readonly EncodedAudio[]; complete: boolean }): void {
    if (this.#play?.playId !== more.playId) return;
    this.#play.add(more.items, more.complete);
    if (this.#play.done && this.#play.playedSamples === 0) this.endPlay('finished');
  }

  stopPlay(playId: string): void {
    if (this.#play?.playId === playId) this.endPlay('stopped');
  }

  sendDigits(request: MediaRequestOf<'send_digits'>): void {
    this.#digits.add(request);
  }

  /** Relays a digit of the other party in a mix of two; false if it is dropped. */
  relayDigit(digit: string, durationMs: number): boolean {
    if (this.#isHeld || this.#digits.pendingDigits >= MAX_RELAYED_DIGITS) return false;
    this.#digits.add({ sendId: RELAYED, digits: digit, toneMs: durationMs, gapMs: RELAYED_GAP_MS });
    return true;
  }

  /** Puts the party on hold with this music, which may be empty; undefined: resumes. */
  hold(items: readonly EncodedAudio[] | undefined): void {
    this.#isHeld = items !== undefined;
    this.#music = undefined;
    if (!items) return;
    const music = new Playback({ playId: '', items, repeat: true });
    if (!music.done) this.#music = music;
  }

  close(): void {
    this.#digits.close();
    this.#music = undefined;
  }

  /** Sends the next packet. `buffers`: those of a mix. */
  tick(remote: MediaRemote, latch: Latch, buffers: MixBuffers | undefined, samples: number, nowMs: number): void {
    if (this.#play?.done) this.endPlay('finished');
    const mixed = buffers && this.#readMix(buffers, samples);
    if (this.#digits.active) {
      this.#skip(samples);
      const step = this.#digits.step(remote.ptimeMs);
      if (step && remote.telephoneEventPayloadType !== undefined) {
        this.#options.sender.sendEvent(step, remote, latch, nowMs);
      } else if (step && !step.repeated) this.#sendTone(step, remote, latch, nowMs);
    } else if (!remote.send) this.#skip(samples);
    else if (this.#play || this.#isHeld || this.#isStreamAudible) this.#sendCover(remote, latch, samples, nowMs);
    else if (mixed) {
      const packet = this.#options.sender.audioPacket(samples);
      for (let index = 0; index < samples; index++) {
        packet[RTP_HEADER_BYTES + index] = encodeSample(mixed[index]!, remote.codec);
      }
      this.#send(packet, remote, latch, nowMs);
    }
  }

  /** Returns the next samples of the mix; undefined in silence. */
  #readMix(buffers: MixBuffers, samples: number): Int16Array | undefined {
    if (this.#mixed?.length !== samples) this.#mixed = new Int16Array(samples);
    return buffers.output.read(this.#mixed, samples) ? this.#mixed : undefined;
  }

  /** Sends the source that covers the mix; covered sources advance. */
  #sendCover(remote: MediaRemote, latch: Latch, samples: number, nowMs: number): void {
    const { sender, streamAudio } = this.#options;
    const source = this.#play ?? this.#music ?? (this.#isHeld ? undefined : streamAudio);
    if (this.#play) this.#music?.skip(samples);
    if (source !== streamAudio) streamAudio.skip(samples);
    if (!source) return;
    const packet = sender.audioPacket(samples);
    source.fill(packet, RTP_HEADER_BYTES, samples, remote.codec);
    this.#send(packet, remote, latch, nowMs);
  }

  /** Sends a packet of silence, if none was sent for long: phones hang up after 30 s, and NAT bindings expire. */
  keepAlive(remote: MediaRemote, latch: Latch, nowMs: number): void {
    if (!remote.send || nowMs - this.#options.sender.sentMs < KEEPALIVE_MS) return;
    const packet = this.#options.sender.audioPacket(remote.ptimeMs * SAMPLES_PER_MS);
    packet.fill(silenceByte(remote.codec), RTP_HEADER_BYTES);
    this.#send(packet, remote, latch, nowMs);
  }

  #skip(samples: number): void {
    this.#play?.skip(samples);
    this.#music?.skip(samples);
    this.#options.streamAudio.skip(samples);
  }

  #send(packet: Uint8Array, remote: MediaRemote, latch: Latch, nowMs: number): void {
    const sent = this.#options.sender.sendAudio(packet, remote, latch, nowMs);
    if (sent) this.#options.sent(sent, nowMs);
  }

  #sendTone(step: DigitStep, remote: MediaRemote, latch: Latch, nowMs: number): void {
    if (!remote.send) return;
    const packet = this.#options.sender.audioPacket(remote.ptimeMs * SAMPLES_PER_MS);
    packet.fill(silenceByte(remote.codec), RTP_HEADER_BYTES);
    for (let sample = step.startSamples; sample < step.durationSamples; sample++) {
      const byte = encodeSample(dtmfSample(step.event, sample), remote.codec);
      packet[RTP_HEADER_BYTES + sample - step.startSamples] = byte;
    }
    this.#send(packet, remote, latch, nowMs);
  }

  endPlay(reason: 'finished' | 'stopped'): void {
    const play = this.#play;
    if (!play) return;
    this.#play = undefined;
    const playedMs = Math.round(play.playedSamples / SAMPLES_PER_MS);
    this.#options.emit({ type: 'play_ended', playId: play.playId, reason, playedMs });
  }
}
