/**
 * Recording of one session: which files exist, and what each contains. Microphone and camera of a participant share a
 * file, a shared screen has its own. A camera that starts when the file of the microphone has begun starts the next
 * file.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../base/core/clock.ts';
import { reasonOf } from '../../../../base/core/reason-of.ts';
import type { EngineEvent, TrackSource } from '../../sfu.ts';
import type { PublishedSource } from '../published-source.ts';
import { FileRecorder, type OpenFile, openNew } from './file-recorder.ts';

export interface RecordOrder {
  on: boolean;
  /** Sources to record, by participant. */
  sources: Readonly<Record<string, readonly TrackSource[]>>;
}

export interface SessionRecorderParts {
  clock: Clock;
  /** Folder of the files, created with the first of them. */
  directory: string;
  report(event: EngineEvent): void;
  openFile?: OpenFile;
}

/** `camera` includes the microphone. */
type FileKind = 'camera' | 'screen';

export class SessionRecorder {
  readonly #parts: Required<SessionRecorderParts>;
  readonly #published = new Set<PublishedSource>();
  readonly #files = new Map<string, FileRecorder>();
  /** Files that could not be written are not retried until the recording is started again. */
  readonly #failed = new Set<string>();
  readonly #ending = new Set<Promise<void>>();
  /** Part of the file names that differs across restarts of the engine. */
  readonly #life: string;
  #count = 0;
  #order: RecordOrder = { on: false, sources: {} };

  constructor(parts: SessionRecorderParts) {
    this.#parts = { openFile: openNew, ...parts };
    this.#life = Math.round(parts.clock.now()).toString(36);
  }

  set(order: RecordOrder): void {
    this.#order = order;
    if (!order.on) {
      this.#failed.clear();
      for (const key of [...this.#files.keys()]) this.#end(key);
      return;
    }
    for (const [key, file] of this.#files) {
      const owned = [...this.#published].filter((source) => keyOf(source) === key);
      for (const source of owned) if (!this.#isWanted(source)) file.leave(source);
      if (!owned.some((source) => this.#isWanted(source))) this.#end(key);
    }
    for (const source of this.#published) this.#follow(source);
  }

  published(source: PublishedSource): void {
    this.#published.add(source);
    this.#follow(source);
  }

  unpublished(source: PublishedSource): void {
    this.#published.delete(source);
    this.#files.get(keyOf(source))?.leave(source);
    const isLeft = [...this.#published].some((other) => keyOf(other) === keyOf(source) && this.#isWanted(other));
    if (!isLeft) this.#end(keyOf(source));
  }

  #isWanted({ owner, name }: PublishedSource): boolean {
    const { on, sources } = this.#order;
    return on && Object.hasOwn(sources, owner) && sources[owner]!.includes(name);
  }

  #follow(source: PublishedSource): void {
    const key = keyOf(source);
    if (!this.#isWanted(source) || this.#failed.has(key)) return;
    const file = this.#files.get(key);
    if (file?.hasPlaceFor(source)) {
      file.follow(source);
      return;
    }
    this.#end(key);
    const begun = this.#start(source);
    if (!begun) return;
    this.#files.set(key, begun);
    for (const other of this.#published) if (keyOf(other) === key && this.#isWanted(other)) begun.follow(other);
  }

  #start({ owner, name }: PublishedSource): FileRecorder | undefined {
    const kind = kindOfFile(name);
    const key = `${owner} ${kind}`;
    const { clock, directory, openFile, report } = this.#parts;
    const isH264 = [...this.#published].some((other) => keyOf(other) === key && other.codec === 'H264');
    const file = `${safe(owner)}-${kind}-${this.#life}-${++this.#count}.${isH264 ? 'mkv' : 'webm'}`;
    const about = { participant: owner, kind, file };
    const failed = (why: string): void => {
      this.#failed.add(key);
      report({ type: 'recording_failed', ...about, why });
    };
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      failed(reasonOf(error));
      return undefined;
    }
    const begun: FileRecorder = new FileRecorder(
      { path: join(directory, file), clock, openFile },
      {
        started(startedAtMs, tracks) {
          const sources = tracks.map(
            (track): TrackSource => (track === 'audio' ? 'audio' : kind === 'screen' ? kind : track),
          );
          report({ type: 'recording_began', ...about, startedAtMs, sources });
        },
        ended: (end) => report({ type: 'recorded', ...about, ...end }),
        failed: (why) => {
          if (this.#files.get(key) === begun) this.#files.delete(key);
          failed(why);
        },
      },
    );
    return begun;
  }

  #end(key: string): void {
    const file = this.#files.get(key);
    if (!file) return;
    this.#files.delete(key);
    const ending: Promise<void> = file.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves when all files are complete. */
  async stop(): Promise<void> {
    for (const key of [...this.#files.keys()]) this.#end(key);
    await Promise.all(this.#ending);
  }
}

const kindOfFile = (source: TrackSource): FileKind => (source === 'screen' ? 'screen' : 'camera');

const keyOf = ({ owner, name }: PublishedSource): string => `${owner} ${kindOfFile(name)}`;

const safe = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
