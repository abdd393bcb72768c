/**
 * Live stream of one session: the audible participants in one video with one audio track, written in segments by an
 * encoder. If the layout does not fit any more, the encoder is replaced by one with another layout.
 *
 * Invariants
 *  - encoding runs only while the stream is requested;
 *  - an encoder that ends, or produces no segments, is restarted with exponential back-off; one that is too slow gets a
 *    smaller canvas;
 *  - segments are reported in playback order.
 */
import { mkdirSync } from 'node:fs';
import type { Clock, Timer } from '../../../../base/core/clock.ts';
import { reasonOf } from '../../../../base/core/reason-of.ts';
import { type EngineEvent, PHONES, type SessionSpec } from '../../sfu.ts';
import type { Codec } from '../codecs.ts';
import type { PublishedSource } from '../published-source.ts';
import { type Encoder, type OpenEncoder, openFfmpeg } from './encoder.ts';
import { EncoderRun, SOUNDS } from './encoder-run.ts';
import { canvasOf, isSameLayout, type Layout, layoutFor, tilesOf } from './layout.ts';

export interface SessionLiveStreamParts {
  clock: Clock;
  quality: SessionSpec['quality'];
  isAudible(owner: string): boolean;
  /** Name of a participant; empty if there is none. */
  nameOf(owner: string): string;
  report(event: EngineEvent): void;
  openEncoder?: OpenEncoder;
}

/** Codecs of the encoder's input; cameras in other codecs are not in the video. */
const ENCODED: readonly Codec[] = ['VP8', 'opus'];
const WRITE_EVERY_MS = 200;
/** Time for which another layout has to fit better before it is used. */
const SETTLE_MS = 3000;
/** First back-off, doubled after each failure. */
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** Uptime after which a failure counts as new, and the back-off is reset. */
const STEADY_MS = 20_000;
/**
 * Time without a segment after which the encoder is stuck, for example on video that it cannot decode: the input of the
 * other tracks would fill the memory.
 */
const STUCK_MS = 20_000;
const MAX_WAITING_BYTES = 4 * 2 ** 20;

export class SessionLiveStream {
  readonly #parts: Required<SessionLiveStreamParts>;
  readonly #published = new Set<PublishedSource>();
  /** Folder of the segments; undefined while there is no audience. */
  #directory: string | undefined;
  #run: EncoderRun | undefined;
  #runs = 0;
  /** Latest run that has reported a segment. Segments of earlier runs are too late. */
  #seenRun = 0;
  #beganMs = 0;
  /** Start of the run, or time of its last segment. */
  #cameMs = 0;
  #differsSinceMs: number | undefined;
  #notBeforeMs = 0;
  #waitMs = FIRST_WAIT_MS;
  /** Number of times that the canvas was reduced. */
  #steps = 0;
  #timer: Timer | undefined;
  /** Encoders that still encode their remaining input. */
  readonly #finishing = new Set<Encoder>();
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: SessionLiveStreamParts) {
    this.#parts = { openEncoder: openFfmpeg, ...parts };
  }

  /** Sets the folder; undefined: there is no audience any more. */
  set(directory: string | undefined): void {
    if (directory === this.#directory) return;
    this.#end();
    this.#directory = directory;
    if (directory === undefined) return;
    this.#notBeforeMs = 0;
    this.#waitMs = FIRST_WAIT_MS;
    this.#tick();
  }

  published(source: PublishedSource): void {
    this.#published.add(source);
  }

  unpublished(source: PublishedSource): void {
    this.#published.delete(source);
  }

  #tick(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const audible = [...this.#published].filter(
      ({ owner, codec }) => this.#parts.isAudible(owner) && ENCODED.includes(codec),
    );
    const shown = audible.filter(({ isMuted }) => !isMuted);
    const ownersOf = (sources: readonly PublishedSource[], name: string): string[] =>
      sources.flatMap((source) => (source.name === name ? source.owner : []));
    const cameras = ownersOf(shown, 'video');
    // All phones have one source, which has no name.
    const standIns = ownersOf(audible, 'audio').filter((owner) => owner !== PHONES && !cameras.includes(owner));
    const layout = layoutFor({
      screens: ownersOf(shown, 'screen').length,
      cameras: cameras.length + standIns.length,
    });
    this.#fit(layout, nowMs);
    this.#run?.show(shown, standIns);
    this.#run?.write(nowMs);
    if (this.#run) this.#check(this.#run, nowMs);
    this.#timer = this.#parts.clock.after(WRITE_EVERY_MS, () => this.#tick());
  }

  /** Starts an encoder, or replaces it if another layout has fitted better for a while. */
  #fit(layout: Layout, nowMs: number): void {
    const run = this.#run;
    if (!run) {
      if (nowMs >= this.#notBeforeMs) this.#start(layout, nowMs);
      return;
    }
    this.#differsSinceMs = isSameLayout(layout, run.layout) ? undefined : (this.#differsSinceMs ?? nowMs);
    if (this.#differsSinceMs === undefined || nowMs - this.#differsSinceMs < SETTLE_MS) return;
    run.leave();
    run.encoder.finish();
    this.#finishing.add(run.encoder);
    this.#start(layout, nowMs);
  }

  #start(layout: Layout, nowMs: number): void {
    const { clock, quality, report, nameOf, openEncoder } = this.#parts;
    const directory = this.#directory!;
    const number = ++this.#runs;
    this.#differsSinceMs = undefined;
    this.#beganMs = nowMs;
    this.#cameMs = nowMs;
    const canvas = canvasOf(quality, this.#steps);
    let isFirst = true;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      this.#failed(reasonOf(error));
      return;
    }
    const encoder: Encoder = openEncoder(
      // File names have to differ across restarts of the engine, too.
      {
        ...{ directory, canvas, tiles: tilesOf(layout, canvas), hasScreen: layout.hasScreen, sounds: SOUNDS },
        name: `${Math.round(clock.now()).toString(36)}-${number}-`,
      },
      {
        segment: (file, durationMs) => {
          if (directory !== this.#directory || number < this.#seenRun) return;
          this.#seenRun = number;
          this.#cameMs = clock.monotonicMs();
          report({ type: 'segment', file, durationMs, isFirst });
          isFirst = false;
        },
        ended: (why) => {
          this.#finishing.delete(encoder);
          if (this.#run?.encoder === encoder) this.#failed(why);
        },
      },
    );
    this.#run = new EncoderRun({ layout, encoder, clock, nameOf });
  }

  #check({ encoder }: EncoderRun, nowMs: number): void {
    const isSlow = encoder.waitingBytes > MAX_WAITING_BYTES;
    if (!isSlow && nowMs - this.#cameMs < STUCK_MS) return;
    if (isSlow) this.#steps++;
    this.#failed(isSlow ? 'the machine is too slow' : 'the encoder writes no output');
    this.#stop(encoder);
  }

  #failed(why: string): void {
    const { clock, report } = this.#parts;
    this.#run?.leave();
    this.#run = undefined;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#beganMs > STEADY_MS) this.#waitMs = FIRST_WAIT_MS;
    this.#notBeforeMs = nowMs + this.#waitMs;
    this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
    report({ type: 'live_stream_failed', why });
  }

  #stop(encoder: Encoder): void {
    const ending: Promise<void> = encoder.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #end(): void {
    this.#timer?.cancel();
    this.#directory = undefined;
    for (const encoder of this.#finishing) this.#stop(encoder);
    const run = this.#run;
    if (!run) return;
    this.#run = undefined;
    run.leave();
    this.#stop(run.encoder);
  }

  /** Resolves when all encoders have ended. */
  async close(): Promise<void> {
    this.#end();
    await Promise.all(this.#ending);
  }
}
