/**
 * One track of the encoder's input, and the source that fills it, if any. A track never stops, because the encoder
 * waits for all tracks: without a source it is black or a plain tile, or silent.
 */
import type { Quality } from '../outgoing-stream.ts';
import type { PublishedSource } from '../published-source.ts';
import type { Frame } from '../recording/frames.ts';
import type { MediaClock } from '../recording/media-clock.ts';
import { SourceRecorder } from '../recording/source-recorder.ts';
import type { Block, Track } from '../recording/webm-elements.ts';
import type { MediaKind } from '../sdp.ts';

/** Delay of the input in ms. Frames that arrive later are dropped. */
export const BEHIND_MS = 450;
/** A still screen sends a frame each second. */
const STILL_MS = 2500;
const QUIET_MS = 300;

/** Key frame of 16 × 16. */
const BLACK = Buffer.from('1002009d012a100010000047088585888584880202000c0d6000feffab5080', 'hex');
/** Key frame of 64 × 36 in the colour of the tiles in archives. */
const PLAIN = Buffer.from(
  '5003009d012a4000240000470885858899848802020275aa03f8020708e0fdf426cf2e00fefeae2c7fe849f824fc127ee9fffcd815cd73ee68',
  'hex',
);
const BLACK_SIZE = { width: 16, height: 16 };
/** 20 ms of Opus. */
const SILENCE = Buffer.from('f8fffe', 'hex');

export interface EncoderTrackParts {
  /** Track number, from 1. */
  number: number;
  kind: MediaKind;
  /** Quality at which the source is shown. */
  quality: Quality;
  /** Start of the stream. */
  zeroMs: number;
  /** Returns the media clock of a participant, whose microphone and camera are in different tracks. */
  clockOf(owner: string): MediaClock;
}

export class EncoderTrack {
  readonly #parts: EncoderTrackParts;
  #recorder: SourceRecorder | undefined;
  #waiting: Frame[] = [];
  /** Time of the last frame of the current source. */
  #cameMs: number | undefined;
  #lastMs = -1;
  /** Participant without a camera whose name is on the tile. */
  standIn: string | undefined;

  constructor(parts: EncoderTrackParts) {
    this.#parts = parts;
  }

  get track(): Track {
    const { number, kind } = this.#parts;
    return kind === 'audio' ? { number, kind } : { number, kind, size: BLACK_SIZE };
  }

  get source(): PublishedSource | undefined {
    return this.#recorder?.source;
  }

  /** Sets the source; undefined: none. */
  put(source: PublishedSource | undefined): void {
    this.#recorder?.stop();
    this.#waiting = [];
    this.#cameMs = undefined;
    const { kind, quality, clockOf } = this.#parts;
    const out = (frame: Frame): void => {
      clockOf(source!.owner).observe(frame.stream, kind, frame.timestamp, frame.atMs);
      this.#waiting.push(frame);
    };
    this.#recorder = source && new SourceRecorder({ source, out, quality });
  }

  /** Returns the frames that arrived before `beforeMs`. */
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
      // After black frames the source has to continue with a key frame.
      this.put(this.source);
    }
    const isPlain = this.source === undefined && this.standIn !== undefined;
    return [this.#block(beforeMs, { isKey: true, data: isPlain ? PLAIN : BLACK })];
  }

  /** Timestamps are strictly ascending. */
  #block(ms: number, { isKey, data }: Pick<Block, 'isKey' | 'data'>): Block {
    const { number, zeroMs } = this.#parts;
    this.#lastMs = Math.max(this.#lastMs + 1, Math.round(ms - zeroMs));
    return { ...{ number, isKey, data }, timeMs: this.#lastMs };
  }
}
