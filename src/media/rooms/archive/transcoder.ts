/**
 * Transcodes recorded sessions for viewing, one at a time, or one on each core except one that is reserved for calls.
 * Unfinished work is resumed after a restart.
 *
 * Invariants
 *  - an archive is transcoded once at a time; one that is removed is not written again;
 *  - without ffmpeg the recordings stay as they are, and the state of the archive shows it.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';
import { reasonOf } from '../../../base/core/reason-of.ts';
import type { Ffmpeg, FfmpegRun } from '../ffmpeg.ts';
import type { Archive, ArchiveStore, Transcoding } from './archive.ts';
import { makeComposite } from './composite.ts';

export interface TranscoderParts {
  store: Pick<ArchiveStore, 'put'>;
  clock: Clock;
  log: Log;
  folderOf(confNum: string): string;
  /** Maximum number of concurrent jobs. */
  slots: number;
  /** A new file is complete. */
  transcoded(archive: Archive): void;
}

interface Job {
  archive: Archive;
  isCancelled: boolean;
  run?: FfmpegRun;
  done: Promise<void>;
}

/** Interval at which the progress is stored. */
const PROGRESS_MS = 2000;

export class Transcoder {
  readonly #parts: TranscoderParts;
  readonly #waiting: Archive[] = [];
  readonly #jobs = new Map<string, Job>();
  #ffmpeg: Ffmpeg | undefined;
  #isOver = false;

  constructor(parts: TranscoderParts) {
    this.#parts = parts;
  }

  /** Sets ffmpeg; undefined if it is not installed. */
  use(ffmpeg: Ffmpeg | undefined): void {
    this.#ffmpeg = ffmpeg;
  }

  get isAvailable(): boolean {
    return this.#ffmpeg !== undefined;
  }

  /** Initial transcoding state of recordings. */
  get work(): Transcoding {
    return { state: this.isAvailable ? 'queued' : 'unavailable' };
  }

  add(archive: Archive): void {
    if (archive.state !== 'work' || this.#isOver) return;
    if (!this.#ffmpeg) {
      this.#write({ ...archive, state: 'done', transcoding: { state: 'unavailable' } });
      return;
    }
    this.#waiting.push(archive);
    this.#next();
  }

  #next(): void {
    const ffmpeg = this.#ffmpeg;
    while (ffmpeg && !this.#isOver && this.#jobs.size < this.#parts.slots) {
      const archive = this.#waiting.shift();
      if (!archive) return;
      const job: Job = { archive, isCancelled: false, done: Promise.resolve() };
      this.#jobs.set(archive.confNum, job);
      job.done = this.#do(job, ffmpeg).finally(() => {
        this.#jobs.delete(archive.confNum);
        this.#next();
      });
    }
  }

  async #do(job: Job, ffmpeg: Ffmpeg): Promise<void> {
    const { archive } = job;
    const { clock, log, folderOf, transcoded } = this.#parts;
    const { confNum } = archive;
    let writtenMs = Number.NEGATIVE_INFINITY;
    try {
      const name = await makeComposite(archive, {
        ffmpeg,
        folder: folderOf(confNum),
        progress: (share) => {
          const nowMs = clock.monotonicMs();
          if (job.isCancelled || nowMs - writtenMs < PROGRESS_MS) return;
          writtenMs = nowMs;
          this.#write({ ...archive, transcoding: { state: 'running', progress: Math.round(share * 100) / 100 } });
        },
        began(run) {
          if (job.isCancelled) run.cancel();
          job.run = run;
        },
      });
      if (job.isCancelled) return;
      const done: Archive = { ...archive, state: 'done', transcoding: { state: 'done' }, transcoded: [name] };
      this.#write(done);
      transcoded(done);
    } catch (error) {
      if (job.isCancelled) return;
      const why = reasonOf(error);
      log.error('archive.not_transcoded', { confNum, why });
      this.#write({ ...archive, state: 'done', transcoding: { state: 'failed', why } });
    }
  }

  #write(archive: Archive): void {
    try {
      this.#parts.store.put(archive);
    } catch (error) {
      this.#parts.log.error('archive.not_kept', { confNum: archive.confNum, error });
    }
  }

  /** Resolves when no file of the session is being written any more. */
  async cancel(confNum: string): Promise<void> {
    const waits = this.#waiting.findIndex((archive) => archive.confNum === confNum);
    if (waits >= 0) this.#waiting.splice(waits, 1);
    await this.#end(this.#jobs.get(confNum));
  }

  async #end(job: Job | undefined): Promise<void> {
    if (!job) return;
    job.isCancelled = true;
    job.run?.cancel();
    await job.done;
  }

  /** Cancels all jobs, when the service stops; they start again after a restart. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#jobs.values()].map((job) => this.#end(job)));
  }
}
