/**
 * Phones of a session. The engine takes part in their mix: every 20 ms it sends the sum of the audible browsers, and
 * receives the sum of the phones, which browsers receive as one audio source. The sum that a participant receives does
 * not contain the participant's own audio.
 *
 * Invariants
 *  - each browser is decoded once, and only while it is audible;
 *  - the audio of the phones is encoded once, and only while there are subscribers and audio.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { FrameQueue } from '../../toolbox/audio/frame-queue.ts';
import type { MixAddress } from '../../toolbox/audio/mix-frame.ts';
import { FRAME_MS, FRAME_SAMPLES } from '../../toolbox/audio/sample-rate.ts';
import { RTP_HEADER_BYTES, readRtp, writeRtpHeader } from '../../toolbox/rtp/packet.ts';
import { PHONES } from '../sfu.ts';
import { BrowserSound } from './browser-sound.ts';
import type { MixLink, OpenMixLink } from './mix-link.ts';
import type { SentMedia } from './offered-media.ts';
import type { Opus, OpusEncoder } from './opus.ts';
import { PublishedSource } from './published-source.ts';
import { SUBSCRIBER_PAYLOAD_TYPES } from './sdp.ts';

export interface PhoneMixParts {
  clock: Clock;
  opus: Opus;
  link: OpenMixLink;
  warn(message: string, error: unknown): void;
}

/** RTP clock of Opus, always 48 kHz (RFC 7587 §4.1). */
const FRAME_TICKS = 960;
/** Jitter buffer in frames before the mix is sent to browsers. */
const DELAY_FRAMES = 3;
/** Frames sent after the last audio, so that its end is not cut off. */
const TRAILING_FRAMES = 10;
/** Maximum delay of the timer that is caught up. */
const MAX_LATE_MS = 100;
const SSRC = 0x7068;
const SILENCE = new Int16Array(FRAME_SAMPLES);

export class PhoneMix {
  /** Audio of the phones. */
  readonly source: PublishedSource;
  readonly #parts: PhoneMixParts;
  readonly #link: MixLink;
  readonly #sounds = new Map<PublishedSource, BrowserSound>();
  readonly #fromPhones = new FrameQueue(DELAY_FRAMES);
  readonly #sum = new Int16Array(FRAME_SAMPLES);
  #encoder: OpusEncoder | undefined;
  #timer: Timer;
  #nextMs: number;
  #sequence = 0;
  #timestamp = 0;
  /** Silent frames since the last audio. */
  #quiet = TRAILING_FRAMES;
  #isOver = false;

  constructor(at: MixAddress, parts: PhoneMixParts) {
    const { clock, opus, link, warn } = parts;
    this.#parts = parts;
    this.source = new PublishedSource({
      owner: PHONES,
      name: 'audio',
      media: MEDIA,
      clock,
      quality: 'HD',
      send: () => undefined,
    });
    this.#link = link(
      at,
      (pcm) => this.#fromPhones.add(pcm),
      (error) => warn('the mix of telephones cannot be reached', error),
    );
    opus.encoder().then(
      (encoder) => {
        if (this.#isOver) encoder.free();
        else this.#encoder = encoder;
      },
      (error: unknown) => this.#failed(error),
    );
    this.#nextMs = clock.monotonicMs() + FRAME_MS;
    this.#timer = clock.after(FRAME_MS, () => this.#tick());
  }

  /** Number of browsers that are decoded. */
  get decoders(): number {
    return this.#sounds.size;
  }

  /** Sets the sources of browsers that phones hear. */
  setHeard(sources: readonly PublishedSource[]): void {
    for (const [source, sound] of this.#sounds) {
      if (sources.includes(source)) continue;
      sound.close();
      this.#sounds.delete(source);
    }
    for (const source of sources) {
      if (this.#sounds.has(source)) continue;
      this.#sounds.set(source, new BrowserSound(source, this.#parts.opus, (error) => this.#failed(error)));
    }
  }

  #failed(error: unknown): void {
    this.#parts.warn('Opus cannot be used', error);
  }

  #tick(): void {
    const { clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const late = nowMs - this.#nextMs > MAX_LATE_MS ? Math.floor((nowMs - this.#nextMs) / FRAME_MS) : 0;
    this.#nextMs += late * FRAME_MS;
    this.#timestamp = (this.#timestamp + late * FRAME_TICKS) >>> 0;
    for (; this.#nextMs <= nowMs; this.#nextMs += FRAME_MS) {
      this.#toPhones();
      this.#toBrowsers();
    }
    this.#timer = clock.after(Math.max(0, this.#nextMs - nowMs), () => this.#tick());
  }

  #toPhones(): void {
    const sum = this.#sum.fill(0);
    for (const sound of this.#sounds.values()) {
      const frame = sound.next();
      if (frame) addTo(sum, frame);
    }
    this.#link.send(sum);
  }

  #toBrowsers(): void {
    this.#timestamp = (this.#timestamp + FRAME_TICKS) >>> 0;
    const frame = this.#fromPhones.next() ?? SILENCE;
    const isSilent = frame.every((sample) => sample === 0);
    const isFirst = this.#quiet >= TRAILING_FRAMES;
    this.#quiet = isSilent ? this.#quiet + 1 : 0;
    const isHeard = this.source.outgoing.size > 0 || this.source.listeners.size > 0;
    if (!this.#encoder || !isHeard || this.#quiet >= TRAILING_FRAMES) return;
    this.#publish(this.#encoder.encode(frame), isFirst);
  }

  #publish(payload: Uint8Array, isFirst: boolean): void {
    const bytes = Buffer.alloc(RTP_HEADER_BYTES + payload.length);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const { payloadType } = MEDIA;
    const numbers = { sequence: this.#sequence, timestamp: this.#timestamp, ssrc: SSRC };
    writeRtpHeader(bytes, { payloadType, marker: isFirst, ...numbers });
    bytes.set(payload, RTP_HEADER_BYTES);
    const packet = readRtp(bytes);
    const stream = packet && (this.source.streams[0] ?? this.source.open(packet));
    if (stream) this.source.onRtp(packet, stream);
  }

  close(): void {
    this.#isOver = true;
    this.#timer.cancel();
    this.#link.close();
    this.setHeard([]);
    this.#encoder?.free();
    this.#encoder = undefined;
  }
}

/** Description as if a browser had offered it. */
const MEDIA: SentMedia = {
  ...{ mid: PHONES, payloadType: SUBSCRIBER_PAYLOAD_TYPES.opus },
  codec: { codec: 'opus', payloadType: SUBSCRIBER_PAYLOAD_TYPES.opus },
  ...{ rids: [], ssrcs: [SSRC], takesLoneFeedback: false },
};

/** Clamps to the range of a sample, because an array of 16 bits would wrap. */
function addTo(sum: Int16Array, samples: Int16Array): void {
  for (let index = 0; index < FRAME_SAMPLES; index++) {
    sum[index] = Math.max(-32_768, Math.min(32_767, sum[index]! + samples[index]!));
  }
}
