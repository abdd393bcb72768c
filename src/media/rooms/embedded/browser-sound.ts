/**
 * Decodes the audio of one browser for phones: Opus packets are decoded as they arrive, and read as frames of 20 ms. A
 * lost packet is recovered from the FEC of the next one, or concealed.
 *
 * Invariants
 *  - a packet that arrives too late, or does not decode as Opus, counts as lost;
 *  - a muted source produces silence.
 */
import { FrameQueue } from '../../toolbox/audio/frame-queue.ts';
import { FRAME_SAMPLES } from '../../toolbox/audio/sample-rate.ts';
import { isNewer, isRestart } from '../../toolbox/rtp/sequence.ts';
import type { IncomingStream, KeptPacket } from './incoming-stream.ts';
import type { Opus, OpusDecoder } from './opus.ts';
import type { PublishedSource, SourceListener } from './published-source.ts';

/** Jitter buffer in frames before the first one is played; more if packets arrive unevenly. */
const DELAY_FRAMES = 3;
/** A larger gap is a pause of the sender and is not concealed. */
const MAX_LOST = 6;

export class BrowserSound implements SourceListener {
  readonly #source: PublishedSource;
  readonly #frames = new FrameQueue(DELAY_FRAMES);
  #decoder: OpusDecoder | undefined;
  #stream: IncomingStream | undefined;
  #sequence = -1;
  /** Samples per packet, as chosen by the sender. */
  #packetSamples = FRAME_SAMPLES;
  #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  #isOver = false;

  constructor(source: PublishedSource, opus: Opus, failed: (error: unknown) => void) {
    this.#source = source;
    opus.decoder().then((decoder) => {
      if (this.#isOver) decoder.free();
      else this.#decoder = decoder;
    }, failed);
    source.listeners.add(this);
  }

  onPacket({ sequence, bytes, payloadStart, payloadEnd }: KeptPacket, stream: IncomingStream): void {
    const decoder = this.#decoder;
    if (!decoder || payloadEnd <= payloadStart) return;
    if (stream !== this.#stream) this.#sequence = -1;
    this.#stream = stream;
    if (this.#sequence >= 0 && isRestart(this.#sequence, sequence)) this.#sequence = -1;
    if (this.#sequence >= 0 && !isNewer(sequence, this.#sequence)) return;
    const lost = this.#sequence < 0 ? 0 : ((sequence - this.#sequence) & 0xffff) - 1;
    this.#sequence = sequence;
    const packet = bytes.subarray(payloadStart, payloadEnd);
    try {
      if (lost > 0 && lost <= MAX_LOST) this.#conceal(decoder, lost, packet);
      const pcm = decoder.decode(packet);
      this.#packetSamples = pcm.length;
      this.#add(pcm);
    } catch {
      // Packets that do not decode as Opus are dropped.
    }
  }

  #conceal(decoder: OpusDecoder, lost: number, next: Uint8Array): void {
    for (let index = 1; index < lost; index++) this.#add(decoder.conceal(this.#packetSamples));
    this.#add(decoder.recover(next, this.#packetSamples));
  }

  #add(pcm: Int16Array): void {
    for (let index = 0; index < pcm.length; index++) {
      this.#frame[this.#filled++] = pcm[index]!;
      if (this.#filled < FRAME_SAMPLES) continue;
      this.#frames.add(this.#frame);
      this.#frame = new Int16Array(FRAME_SAMPLES);
      this.#filled = 0;
    }
  }

  /** Audio after a mute does not continue the audio before it. */
  muted(): void {
    this.#sequence = -1;
  }

  /** Next frame; undefined: silence. */
  next(): Int16Array | undefined {
    return this.#frames.next();
  }

  close(): void {
    this.#isOver = true;
    this.#source.listeners.delete(this);
    this.#decoder?.free();
    this.#decoder = undefined;
  }
}
