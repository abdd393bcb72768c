/**
 * Writes encoded video and Opus into a WebM file, or a Matroska file if the video is H.264, without transcoding.
 * Available libraries hold back data of one track while the other is silent, so that a crash would lose all audio since
 * a camera was muted; here each cluster is written when it is complete.
 *
 * Invariants
 *  - only complete clusters are written, in order, so that the file is readable up to its end at any time;
 *  - a file that is not finished has no duration and no index, but is valid WebM.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Codec } from '../codecs.ts';
import { element, ID, idBytes, sizeBytes, UNKNOWN_SIZE, voidOf } from './ebml.ts';
import { clusterOf, headOf, infoOf, type TrackKind, tracksOf } from './webm-elements.ts';

export interface WebmTracks {
  audio: boolean;
  video: { width: number; height: number; codec?: Codec; configuration?: Buffer | undefined } | undefined;
}

export interface WebmBlock {
  track: TrackKind;
  /** From the start of the file. */
  timeMs: number;
  isKey: boolean;
  data: Buffer;
}

const NUMBER: Readonly<Record<TrackKind, number>> = { audio: 1, video: 2 };
/** Space for two references: to the tracks, and to the index. */
const SEEK_HEAD_BYTES = 64;
const DURATION_BYTES = 11;
/** Matroska counts dates from 2001. */
const FIRST_YEAR_MS = Date.UTC(2001, 0, 1);
const NANOSECONDS = 1_000_000n;
/** Timestamps of blocks are 16 bits, relative to their cluster. */
const MAX_CLUSTER_MS = 30_000;
/** Interval of index entries in a file with audio only. */
const CUE_EVERY_MS = 10_000;

export class WebmWriter {
  readonly #file: Pick<FileHandle, 'write'>;
  #length = 0;
  #bodyAt = 0;
  #durationAt = 0;
  #tracksAt = 0;
  #endMs = 0;
  #cuedMs = Number.NEGATIVE_INFINITY;
  readonly #cues: Buffer[] = [];
  #hasVideo = false;

  constructor(file: Pick<FileHandle, 'write'>) {
    this.#file = file;
  }

  get bytes(): number {
    return this.#length;
  }

  /** Duration of what was written. */
  get durationMs(): number {
    return this.#endMs;
  }

  async start(tracks: WebmTracks, startedAtMs: number): Promise<void> {
    this.#hasVideo = tracks.video !== undefined;
    const head = headOf(tracks.video?.codec === 'H264' ? 'matroska' : 'webm');
    this.#bodyAt = head.length;
    const date = Buffer.alloc(8);
    date.writeBigInt64BE(BigInt(Math.round(startedAtMs) - FIRST_YEAR_MS) * NANOSECONDS);
    const info = infoOf([element(ID.DateUTC, date), voidOf(DURATION_BYTES)]);
    this.#tracksAt = SEEK_HEAD_BYTES + info.length;
    this.#durationAt = this.#bodyAt + this.#tracksAt - DURATION_BYTES;
    const entries = tracksOf([
      ...(tracks.audio ? [{ number: NUMBER.audio, kind: 'audio' as const }] : []),
      ...(tracks.video ? [{ number: NUMBER.video, kind: 'video' as const, size: tracks.video, ...tracks.video }] : []),
    ]);
    await this.#append(Buffer.concat([head, voidOf(SEEK_HEAD_BYTES), info, entries]));
  }

  /** Writes blocks, which must be in the order of their times. */
  async write(blocks: readonly WebmBlock[]): Promise<void> {
    for (let at = 0; at < blocks.length; ) {
      const firstMs = Math.round(blocks[at]!.timeMs);
      let end = at;
      while (end < blocks.length && blocks[end]!.timeMs - firstMs < MAX_CLUSTER_MS) end++;
      await this.#cluster(firstMs, blocks.slice(at, end));
      at = end;
    }
  }

  async #cluster(firstMs: number, blocks: readonly WebmBlock[]): Promise<void> {
    this.#index(firstMs, blocks);
    await this.#append(
      clusterOf(
        firstMs,
        blocks.map(({ track, ...block }) => ({ number: NUMBER[track], ...block })),
      ),
    );
    this.#endMs = Math.max(this.#endMs, Math.round(blocks.at(-1)!.timeMs));
  }

  #index(firstMs: number, blocks: readonly WebmBlock[]): void {
    const track: TrackKind = this.#hasVideo ? 'video' : 'audio';
    const found = blocks.find((block) => block.track === track && block.isKey);
    if (!found || (track === 'audio' && firstMs - this.#cuedMs < CUE_EVERY_MS)) return;
    this.#cuedMs = firstMs;
    this.#cues.push(
      element(ID.CuePoint, [
        element(ID.CueTime, Math.round(found.timeMs)),
        element(ID.CueTrackPositions, [
          element(ID.CueTrack, NUMBER[track]),
          element(ID.CueClusterPosition, this.#length - this.#bodyAt),
        ]),
      ]),
    );
  }

  /** Writes duration and index. */
  async end(): Promise<void> {
    const seeks = [seekTo(ID.Tracks, this.#tracksAt)];
    if (this.#cues.length > 0) {
      seeks.push(seekTo(ID.Cues, this.#length - this.#bodyAt));
      await this.#append(element(ID.Cues, this.#cues));
    }
    const seekHead = element(ID.SeekHead, seeks);
    await this.#put(Buffer.concat([seekHead, voidOf(SEEK_HEAD_BYTES - seekHead.length)]), this.#bodyAt);
    await this.#put(element(ID.Duration, { float: this.#endMs }), this.#durationAt);
    await this.#put(sizeBytes(this.#length - this.#bodyAt, true), this.#bodyAt - UNKNOWN_SIZE.length);
  }

  async #append(bytes: Buffer): Promise<void> {
    await this.#put(bytes, this.#length);
    this.#length += bytes.length;
  }

  async #put(bytes: Buffer, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }
}

const seekTo = (id: typeof ID.Tracks | typeof ID.Cues, position: number): Buffer =>
  element(ID.Seek, [element(ID.SeekID, idBytes(id)), element(ID.SeekPosition, position)]);
