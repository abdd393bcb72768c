/**
 * What the audience of a session sees and hears: those who are audible, in one picture with one sound, in segments that
 * an encoder writes. Where the stage does not fit any more the encoder is replaced by one with another stage.
 *
 * Invariants
 *  - nothing is encoded while nobody asks for it;
 *  - an encoder that ends, or of which nothing comes, is started again, ever more slowly; one that is too slow gets a
 *    smaller picture;
 *  - segments are reported in the order in which they are to be seen.
 */
import { mkdirSync } from 'node:fs';
import type { Clock, Timer } from '../../../core/clock.ts';
import { reasonOf } from '../../../core/reason-of.ts';
import type { EngineEvent, SessionSpec } from '../../sfu.ts';
import type { Codec } from '../codecs.ts';
import type { PublishedSource } from '../published-source.ts';
import { type Encoder, type OpenEncoder, openFfmpeg } from './encoder.ts';
import { EncoderRun, SOUNDS } from './encoder-run.ts';
import { canvasOf, isSameStage, type Stage, stageFor, tilesOf } from './stage.ts';

export interface SessionBroadcastParts {
  clock: Clock;
  quality: SessionSpec['quality'];
  isAudible(owner: string): boolean;
  report(event: EngineEvent): void;
  openEncoder?: OpenEncoder;
}

/** Codecs of the tracks that the encoder reads; cameras in another one are not in the picture. */
const ENCODED: readonly Codec[] = ['VP8', 'opus'];
const WRITE_EVERY_MS = 200;
/** How long another stage has to fit better. */
const SETTLE_MS = 3000;
/** Then twice as long each time. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** One that ran that long ended for a new reason. */
const STEADY_MS = 20_000;
/** As when somebody sends pictures that nobody can decode: what others send would be kept until the memory is full. */
const STUCK_MS = 20_000;
const MOST_WAITING_BYTES = 4 * 2 ** 20;

export class SessionBroadcast {
  readonly #parts: Required<SessionBroadcastParts>;
  readonly #published = new Set<PublishedSource>();
  /** Where segments go; undefined: nobody watches. */
  #directory: string | undefined;
  #run: EncoderRun | undefined;
  #runs = 0;
  /** The latest of which a segment was reported: what an earlier one still writes comes too late. */
  #seenRun = 0;
  #beganMs = 0;
  /** When the run began, or the last segment of it came. */
  #cameMs = 0;
  #differsSinceMs: number | undefined;
  #notBeforeMs = 0;
  #waitMs = FIRST_WAIT_MS;
  /** How many times smaller the picture became. */
  #steps = 0;
  #timer: Timer | undefined;
  /** They still write what they have. */
  readonly #finishing = new Set<Encoder>();
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: SessionBroadcastParts) {
    this.#parts = { openEncoder: openFfmpeg, ...parts };
  }

  /** Undefined: nobody watches any more. */
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
    const shown = [...this.#published].filter(
      ({ owner, isMuted, codec }) => this.#parts.isAudible(owner) && !isMuted && ENCODED.includes(codec),
    );
    const count = (name: string): number => shown.filter((source) => source.name === name).length;
    const stage = stageFor({ screens: count('screen'), cameras: count('video') });
    this.#fit(stage, nowMs);
    this.#run?.show(shown);
    this.#run?.write(nowMs);
    if (this.#run) this.#check(this.#run, nowMs);
    this.#timer = this.#parts.clock.after(WRITE_EVERY_MS, () => this.#tick());
  }

  /** Begins, or begins again where another stage has fitted for a while. */
  #fit(stage: Stage, nowMs: number): void {
    const run = this.#run;
    if (!run) {
      if (nowMs >= this.#notBeforeMs) this.#begin(stage, nowMs);
      return;
    }
    this.#differsSinceMs = isSameStage(stage, run.stage) ? undefined : (this.#differsSinceMs ?? nowMs);
    if (this.#differsSinceMs === undefined || nowMs - this.#differsSinceMs < SETTLE_MS) return;
    run.leave();
    run.encoder.finish();
    this.#finishing.add(run.encoder);
    this.#begin(stage, nowMs);
  }

  #begin(stage: Stage, nowMs: number): void {
    const { clock, quality, report, openEncoder } = this.#parts;
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
      // Names of several lives of the engine differ, too.
      {
        ...{ directory, canvas, tiles: tilesOf(stage, canvas), sounds: SOUNDS },
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
    this.#run = new EncoderRun({ stage, encoder, clock });
  }

  #check({ encoder }: EncoderRun, nowMs: number): void {
    const isSlow = encoder.waitingBytes > MOST_WAITING_BYTES;
    if (!isSlow && nowMs - this.#cameMs < STUCK_MS) return;
    if (isSlow) this.#steps++;
    this.#failed(isSlow ? 'the machine is too slow' : 'nothing comes of the encoder');
    this.#stop(encoder);
  }

  #failed(why: string): void {
    const { clock, report } = this.#parts;
    this.#run?.leave();
    this.#run = undefined;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#beganMs > STEADY_MS) this.#waitMs = FIRST_WAIT_MS;
    this.#notBeforeMs = nowMs + this.#waitMs;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs * 2);
    report({ type: 'broadcast_failed', why });
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

  /** Resolves when no encoder runs any more. */
  async close(): Promise<void> {
    this.#end();
    await Promise.all(this.#ending);
  }
}
