/**
 * Link to one subscriber: its bandwidth, and what is sent within it. Audio is always sent, screens before cameras;
 * cameras get a lower layer, or are paused, if not all fits. Packets are paced.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { PacketSink } from '../media-transport.ts';
import type { Layer } from '../sfu.ts';
import { chooseLayers, lower, nextStep, rateOfAll, type WantedPicture } from './layer-choice.ts';
import { LinkBudget } from './link-budget.ts';
import type { ReportedStream } from './loss-window.ts';
import type { OutgoingStream, Quality } from './outgoing-stream.ts';
import { Pacer } from './pacer.ts';
import type { PublishedSource } from './published-source.ts';
import { PADDING_PAYLOAD_TYPE } from './sdp.ts';
import { HEADER_BYTES, writeExtension } from './send-time.ts';

export interface LinkStream {
  source: PublishedSource;
  outgoing: OutgoingStream;
}

/** Pacing factor above the average rate of the link. */
const PACE = 2;
const SLOWEST_PACE = 200_000;
/** Rate above which pacing has no effect on other traffic. */
const FAST = 4_000_000;
/** Maximum padding in bytes (RFC 3550 §5.1): its length is one byte. */
const PADDING_BYTES = 255;
const MAX_PADDING = 40;
const PAD_EVERY_MS = 20;
const MAX_STEP_MS = 100;

const padding = Buffer.alloc(HEADER_BYTES + PADDING_BYTES);
padding[0] = 0xb0;
padding[1] = PADDING_PAYLOAD_TYPE;
padding[padding.length - 1] = PADDING_BYTES;

export class SubscriberLink {
  readonly pacer: Pacer;
  readonly #clock: Clock;
  readonly #streams: () => readonly LinkStream[];
  readonly #starved: (isStarved: boolean) => void;
  #budget: LinkBudget;
  #isStarved = false;
  /** Bit/s of all that the subscriber requests. */
  #wished = 0;
  /** Timer of padding, while the link is probed. */
  #padding: Timer | undefined;

  constructor(parts: {
    clock: Clock;
    sink: () => PacketSink | undefined;
    streams: () => readonly LinkStream[];
    /** Called when a video source is paused because the link does not carry it, and when all are sent again. */
    starved(isStarved: boolean): void;
  }) {
    this.#clock = parts.clock;
    this.#streams = parts.streams;
    this.#starved = parts.starved;
    this.#budget = new LinkBudget(parts.clock);
    this.pacer = new Pacer({
      ...{ clock: parts.clock, sink: parts.sink },
      overflowed: () => {
        for (const { source, outgoing } of this.#streams()) if (source.kind === 'video') outgoing.restart();
      },
    });
  }

  estimated(bits: number): void {
    this.#budget.estimated(bits);
    this.#setPace();
  }

  reported(stream: ReportedStream): void {
    this.#budget.reported(stream);
  }

  /** Resets the estimate for a new connection. */
  restart(): void {
    this.#budget = new LinkBudget(this.#clock);
    this.pacer.clear();
    this.#setPace();
  }

  #setPace(): void {
    const { budget = this.#wished, estimate = Number.POSITIVE_INFINITY } = this.#budget;
    const bits = Math.max(budget, estimate) * PACE;
    this.pacer.setRate(bits > FAST ? undefined : Math.max(SLOWEST_PACE, bits));
  }

  /** Chooses the layers that fit. Called several times a second. */
  adapt(): void {
    const nowMs = this.#clock.monotonicMs();
    const pictures = this.#streams().filter(({ source }) => source.kind === 'video');
    const wanted = pictures.map((picture) => wantedOf(picture, nowMs));
    const wishes = wanted.map(({ wish }) => wish);
    const least = wishes.map((wish) => lower(wish, 'LD'));
    const sent = this.pacer.sent();
    const sound = this.#soundBits(nowMs);
    const now = chosenNow(this.#budget.budget, sound, wanted);
    const step = nextStep(wanted, now);
    this.#wished = sound + rateOfAll(wanted, wishes);
    const budget = this.#budget.update({
      ...{ sent, wished: this.#wished },
      least: sound + rateOfAll(wanted, least),
      next: step === undefined ? undefined : sound + rateOfAll(wanted, now) + step,
    });
    this.#setPace();
    const chosen = chosenNow(budget, sound, wanted);
    for (const [index, { outgoing }] of pictures.entries())
      outgoing.setLimit(budget === undefined || wanted[index]!.wish === 'off' ? 'HD' : chosen[index]!);
    if (this.#budget.probe !== undefined) this.#padSoon();
    this.#setStarved(wanted.some(({ wish }, index) => wish !== 'off' && chosen[index] === 'off'));
  }

  #soundBits(nowMs: number): number {
    const heard = this.#streams().filter(({ source, outgoing }) => source.kind === 'audio' && outgoing.wish !== 'off');
    return heard.reduce((sum, { source }) => sum + source.bitsPerSecond('HD', nowMs), 0);
  }

  #setStarved(isStarved: boolean): void {
    if (this.#isStarved === isStarved) return;
    this.#isStarved = isStarved;
    this.#starved(isStarved);
  }

  #padSoon(): void {
    const lastMs = this.#clock.monotonicMs();
    this.#padding ??= this.#clock.after(PAD_EVERY_MS, () => {
      this.#padding = undefined;
      const { probe } = this.#budget;
      if (probe === undefined) return;
      this.#pad(probe, Math.min(MAX_STEP_MS, this.#clock.monotonicMs() - lastMs));
      this.#padSoon();
    });
  }

  /** Sends the padding that is missing for a probe rate of `bits` over the last `sinceMs`. */
  #pad(bits: number, sinceMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    const line = this.#streams().find(({ source }) => source.kind === 'video');
    if (!line) return;
    const missing = ((bits - this.pacer.media) * sinceMs) / 8000;
    const packets = Math.min(MAX_PADDING, Math.ceil(missing / padding.length));
    for (let packet = 0; packet < packets; packet++) {
      const { ssrc, sequence } = line.outgoing.nextPadding();
      padding.writeUInt16BE(sequence, 2);
      padding.writeUInt32BE(Math.floor(nowMs * 90) >>> 0, 4);
      padding.writeUInt32BE(ssrc, 8);
      writeExtension(padding, this.#clock.now());
      this.pacer.sendPadding(padding);
    }
  }

  close(): void {
    this.pacer.clear();
    this.#padding?.cancel();
  }
}

function wantedOf({ source, outgoing }: LinkStream, nowMs: number): WantedPicture {
  const rate = (quality: Quality): number => source.bitsPerSecond(quality, nowMs);
  return {
    isScreen: source.name === 'screen',
    ...{ wish: outgoing.wish, now: outgoing.limit },
    rates: { HD: rate('HD'), SD: rate('SD'), LD: rate('LD') },
  };
}

const chosenNow = (budget: number | undefined, sound: number, wanted: readonly WantedPicture[]): Layer[] =>
  budget === undefined ? wanted.map(({ wish }) => wish) : chooseLayers(budget - sound, wanted);
