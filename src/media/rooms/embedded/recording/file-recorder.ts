/**
 * One file of a recording: audio and video of a participant, or a shared screen. It starts with the first frame; muted
 * periods are gaps.
 *
 * Invariants
 *  - a frame is in the file within a second of its arrival, however the process ends;
 *  - a full or slow disk ends the file, not the session, and is reported once.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock, Timer } from '../../../../base/core/clock.ts';
import { reasonOf } from '../../../../base/core/reason-of.ts';
import type { Codec } from '../codecs.ts';
import type { PublishedSource } from '../published-source.ts';
import type { Frame } from './frames.ts';
import { MediaClock } from './media-clock.ts';
import { SourceRecorder } from './source-recorder.ts';
import type { TrackKind } from './webm-elements.ts';
import { type WebmBlock, type WebmTracks, WebmWriter } from './webm-writer.ts';

/** Delay before frames are written, in the order of their times. */
const BEHIND_MS = 450;
const WRITE_EVERY_MS = 500;
/** Maximum wait for the first video frame before the file starts. */
const FIRST_PICTURE_MS = 1000;
/** Maximum bytes that wait for a slow disk. */
const MAX_WAITING_BYTES = 32 * 2 ** 20;
/** Size of a camera that has sent no frame when its file starts. */
const USUAL_SIZE = { width: 640, height: 360 };

export interface FileEvents {
  /** The file exists. `tracks`: its tracks. */
  started(startedAtMs: number, tracks: readonly TrackKind[]): void;
  /** The file is complete. `pictures`: periods with video, in ms from the start of the file. */
  ended(end: { durationMs: number; pictures: [number, number][] }): void;
  failed(why: string): void;
}

interface Waiting extends Frame {
  track: TrackKind;
  /** Index of the period without pauses that a video frame belongs to. */
  part: number;
}

/** Creates a file that only its owner can read. */
export type OpenFile = (path: string) => Promise<Pick<FileHandle, 'write' | 'close'>>;

export const openNew: OpenFile = (path) => open(path, 'wx', 0o600);

export class FileRecorder {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #open: OpenFile;
  readonly #events: FileEvents;
  readonly #media = new MediaClock();
  readonly #sources = new Map<TrackKind, SourceRecorder>();
  readonly #last: Partial<Record<TrackKind, number>> = {};
  readonly #pictures: [number, number][] = [];
  /** Offset from the monotonic clock to the wall clock. */
  readonly #dayMs: number;
  #waiting: Waiting[] = [];
  #size: Frame['size'];
  #configuration: Buffer | undefined;
  #pictureCodec: Codec | undefined;
  #firstMs: number | undefined;
  #zeroMs: number | undefined;
  #file: Awaited<ReturnType<OpenFile>> | undefined;
  #writer: WebmWriter | undefined;
  #work: Promise<void> = Promise.resolve();
  #unwrittenBytes = 0;
  #part = 0;
  #shownPart = -1;
  #isOver = false;
  #hasFailed = false;
  #timer: Timer | undefined;

  constructor({ path, clock, openFile }: { path: string; clock: Clock; openFile: OpenFile }, events: FileEvents) {
    this.#path = path;
    this.#clock = clock;
    this.#open = openFile;
    this.#events = events;
    this.#dayMs = clock.now() - clock.monotonicMs();
    this.#tickLater();
  }

  /** True if the file has not started, or has a track for the source. The video codec cannot change within a file. */
  hasPlaceFor({ kind, codec }: PublishedSource): boolean {
    const known = this.#sources.get(kind);
    if (kind === 'video' && this.#pictureCodec !== undefined && this.#pictureCodec !== codec) return false;
    return this.#zeroMs === undefined || known !== undefined;
  }

  /** Records this source, in place of the previous one of its kind. */
  follow(source: PublishedSource): void {
    const known = this.#sources.get(source.kind);
    if (known?.source === source) return;
    known?.stop();
    const recorder = new SourceRecorder({
      source,
      out: (frame) => this.#onFrame(source.kind, frame),
      paused: () => this.#pause(source.kind),
    });
    this.#sources.set(source.kind, recorder);
    if (source.kind === 'video') this.#pictureCodec = source.codec;
  }

  /** The source ended; another one may follow. */
  leave(source: PublishedSource): void {
    const known = this.#sources.get(source.kind);
    if (known?.source !== source) return;
    known.stop();
    this.#pause(source.kind);
    if (this.#zeroMs === undefined) this.#sources.delete(source.kind);
  }

  #pause(track: TrackKind): void {
    if (track === 'video') this.#part++;
  }

  #onFrame(track: TrackKind, frame: Frame): void {
    if (this.#isOver) return;
    this.#media.observe(frame.stream, track, frame.timestamp, frame.atMs + this.#dayMs);
    this.#firstMs ??= this.#clock.monotonicMs();
    if (frame.size) this.#size ??= frame.size;
    this.#configuration ??= frame.configuration;
    this.#waiting.push({ ...frame, track, part: this.#part });
  }

  #tickLater(): void {
    this.#timer = this.#clock.after(WRITE_EVERY_MS, () => {
      const nowMs = this.#clock.monotonicMs();
      for (const source of this.#sources.values()) source.tick(nowMs);
      this.#write(nowMs - BEHIND_MS);
      if (!this.#isOver) this.#tickLater();
    });
  }

  /** Writes the frames that arrived before `beforeMs`. */
  #write(beforeMs: number): void {
    if (this.#zeroMs === undefined && !this.#isReady(beforeMs)) return;
    const due = this.#waiting.filter(({ atMs }) => atMs <= beforeMs);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > beforeMs);
    const timed = due.map((frame) => ({ frame, ms: this.#media.msOf(frame.stream, frame.track, frame.timestamp) }));
    timed.sort((a, b) => a.ms - b.ms);
    if (this.#zeroMs === undefined) this.#start(timed[0]!.ms);
    const blocks = timed.map(({ frame, ms }) => this.#block(frame, ms - this.#zeroMs!));
    blocks.sort((a, b) => a.timeMs - b.timeMs);
    const bytes = blocks.reduce((sum, { data }) => sum + data.length, 0);
    this.#unwrittenBytes += bytes;
    if (this.#unwrittenBytes > MAX_WAITING_BYTES) {
      this.#fail('the disk is too slow');
      return;
    }
    this.#do(async (writer) => {
      await writer.write(blocks);
      this.#unwrittenBytes -= bytes;
    });
  }

  /** True if the first video frame has arrived, or none is expected. */
  #isReady(beforeMs: number): boolean {
    if (this.#firstMs === undefined || this.#firstMs > beforeMs) return false;
    const video = this.#sources.get('video');
    if (!video || video.source.isMuted || this.#size) return true;
    return this.#clock.monotonicMs() - this.#firstMs >= FIRST_PICTURE_MS;
  }

  #start(zeroMs: number): void {
    this.#zeroMs = zeroMs;
    const kinds = [...this.#sources.keys()];
    const tracks = {
      audio: this.#sources.has('audio'),
      video: this.#sources.has('video') ? this.#pictureTrack() : undefined,
    };
    this.#work = this.#work
      .then(async () => {
        this.#file = await this.#open(this.#path);
        this.#writer = new WebmWriter(this.#file);
        await this.#writer.start(tracks, zeroMs);
        this.#events.started(Math.round(zeroMs), kinds);
      })
      .catch((error: unknown) => this.#fail(reasonOf(error)));
  }

  #pictureTrack(): NonNullable<WebmTracks['video']> {
    const codec = this.#pictureCodec ?? 'VP8';
    return { ...(this.#size ?? USUAL_SIZE), codec, configuration: this.#configuration };
  }

  /** Timestamps of a track are strictly ascending, whatever the sender reports. */
  #block({ track, data, isKey, part }: Waiting, ms: number): WebmBlock {
    const timeMs = Math.max(0, ms, (this.#last[track] ?? -1) + 1);
    this.#last[track] = timeMs;
    if (track === 'video') this.#recordShown(Math.round(timeMs), part);
    return { track, timeMs, isKey, data };
  }

  #recordShown(timeMs: number, part: number): void {
    if (part === this.#shownPart) this.#pictures.at(-1)![1] = timeMs;
    else this.#pictures.push([timeMs, timeMs]);
    this.#shownPart = part;
  }

  #do(work: (writer: WebmWriter) => Promise<void>): void {
    this.#work = this.#work
      .then(async () => {
        if (this.#writer) await work(this.#writer);
      })
      .catch((error: unknown) => this.#fail(reasonOf(error)));
  }

  /** Stops writing; data in the file is kept. */
  #fail(why: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#halt();
    this.#writer = undefined;
    const file = this.#file;
    this.#file = undefined;
    void file?.close().catch(() => undefined);
    this.#events.failed(why);
  }

  #halt(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    for (const source of this.#sources.values()) source.stop();
  }

  /** Resolves when the file is complete. */
  stop(): Promise<void> {
    if (this.#isOver) return this.#work;
    for (const source of this.#sources.values()) source.stop();
    this.#write(Number.POSITIVE_INFINITY);
    this.#halt();
    this.#do(async (writer) => {
      await writer.end();
      await this.#file?.close();
      this.#file = undefined;
      this.#events.ended({ durationMs: writer.durationMs, pictures: this.#pictures });
      this.#writer = undefined;
    });
    return this.#work;
  }
}
