/**
 * One track of the stream that the encoder reads, and what is in it: a source of somebody, or nothing. A track never stops,
 * because the encoder waits for all of them: where nothing comes it is black, or silent.
 */

import type { Quality } from '../outgoing-stream.ts';
import type { PublishedSource } from '../published-source.ts';
import type { Frame } from '../recording/frames.ts';
import type { MediaClock } from '../recording/media-clock.ts';
import { SourceRecorder } from '../recording/source-recorder.ts';
import type { Block, Track } from '../recording/webm-elements.ts';
import type { MediaKind } from '../sdp.ts';

/** What comes later than this is left out. */
export const BEHIND_MS = 450;
/** A screen on which nothing moves sends a picture each second. */
const STILL_MS = 2500;
const QUIET_MS = 300;

/** A picture of 16 × 16 that stands alone. */
const BLACK = Buffer.from('1002009d012a100010000047088585888584880202000c0d6000feffab5080', 'hex');
const BLACK_SIZE = { width: 16, height: 16 };
/** 20 ms of Opus. */
const SILENCE = Buffer.from('f8fffe', 'hex');

export interface LaneParts {
  /** Of its track, from 1 on. */
  number: number;
  kind: MediaKind;
  /** How large it is shown. */
  quality: Quality;
  /** When the stream begins. */
  zeroMs: number;
  /** Of somebody whose microphone and camera are in different lanes. */
  clockOf(owner: string): MediaClock;
}

export class Lane {
  readonly #parts: LaneParts;
  #recorder: SourceRecorder | undefined;
  #waiting: Frame[] = [];
  /** When something came of the source that is in it. */
  #cameMs: number | undefined;
  #lastMs = -1;

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  get track(): Track {
    const { number, kind } = this.#parts;
    return kind === 'audio' ? { number, kind } : { number, kind, size: BLACK_SIZE };
  }

  get source(): PublishedSource | undefined {
    return this.#recorder?.source;
  }

  /** Undefined: nothing. */
  put(source: PublishedSource | undefined): void {
    this.#recorder?.stop();
    this.#waiting = [];
    this.#cameMs = undefined;
    const { kind, quality, clockOf } = this.#parts;
    const take = (frame: Frame): void => {
      clockOf(source!.owner).hear(frame.stream, kind, frame.timestamp, frame.atMs);
      this.#waiting.push(frame);
    };
    this.#recorder = source && new SourceRecorder(source, take, () => undefined, quality);
  }

  /** What came until then. */
  blocks(beforeMs: number): Block[] {
    this.#recorder?.tick(beforeMs + BEHIND_MS);
    const due = this.#waiting.filter(({ atMs }) => atMs <= beforeMs);
    if (due.length === 0) return this.#nothing(beforeMs);
    this.#waiting = this.#waiting.slice(due.length);
    this.#cameMs = beforeMs;
    const { kind, clockOf } = this.#parts;
    const clock = clockOf(this.source!.owner);
    return due.map(({ stream, timestamp, isKey, data }) =>
      this.#block(Math.min(clock.msOf(stream, kind, timestamp), beforeMs), { isKey, data }),
    );
  }

  #nothing(beforeMs: number): Block[] {
    if (this.#parts.kind === 'audio') {
      const isQuiet = beforeMs - this.#parts.zeroMs - this.#lastMs > QUIET_MS;
      return isQuiet ? [this.#block(beforeMs - QUIET_MS / 2, { isKey: true, data: SILENCE })] : [];
    }
    if (this.#cameMs !== undefined) {
      if (beforeMs - this.#cameMs < STILL_MS) return [];
      // After black it goes on with a picture that stands alone.
      this.put(this.source);
    }
    return [this.#block(beforeMs, { isKey: true, data: BLACK })];
  }

  /** Times ascend. */
  #block(ms: number, { isKey, data }: Pick<Block, 'isKey' | 'data'>): Block {
    const { number, zeroMs } = this.#parts;
    this.#lastMs = Math.max(this.#lastMs + 1, Math.round(ms - zeroMs));
    return { ...{ number, isKey, data }, timeMs: this.#lastMs };
  }
}
