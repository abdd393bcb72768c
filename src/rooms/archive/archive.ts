/** What is kept of a session in a room: the files of its recording, what was made of them, its chat and its time line. */
import type { SessionQuery } from '../session-query.ts';
import type { Source } from '../sfu.ts';

export interface ArchivedFile {
  /** Its name in the folder of the session. */
  file: string;
  participant: string;
  /** Of the participant. */
  name?: string;
  /** Microphone and camera together, or a shared screen. */
  kind: 'camera' | 'screen';
  /** What it has a place for. */
  sources: readonly Source[];
  startedAtMs: number;
  /** Absent: it was cut off. */
  durationMs?: number;
  /** From when to when there is a picture, in ms from its beginning on; absent: it was cut off. */
  pictures?: [number, number][];
  /** Why it ends early. */
  problem?: string;
}

/** A telephone in the session: the sound of all of them is in one file. */
export interface ArchivedPhone {
  participant: string;
  name: string;
  fromMs: number;
  /** Absent: it stayed until the end. */
  toMs?: number;
}

/** What becomes of the files: `queued` and `running` are work to do, also after a restart. */
export type Transcoding =
  | { state: 'none' }
  | { state: 'queued' }
  /** `progress`: 0 to 1. */
  | { state: 'running'; progress: number }
  | { state: 'done' }
  | { state: 'failed'; why: string }
  /** There is no program for it. */
  | { state: 'unavailable' };

export interface Archive {
  archiveId: string;
  projectId: string;
  roomId: string;
  confNum: string;
  room: { name: string; ownerRef: string };
  beganMs: number;
  /** When it was closed; until then when it was begun. */
  atMs: number;
  /** `open`: its session goes on, or was cut off by the end of the service. */
  state: 'open' | 'work' | 'done';
  recordings: ArchivedFile[];
  /** Absent: there were none. */
  phones?: ArchivedPhone[];
  /** One file of the whole session in place of one for viewing. */
  isSingleFile: boolean;
  transcoding: Transcoding;
  transcoded: string[];
  /** Names of files. */
  chat?: string;
  metadata?: string;
}

/** Where sessions have their folders, below the data directory. */
export const ARCHIVES_FOLDER = 'recordings/rooms';

/** Names in the folder of the session. */
export const filesOf = ({ recordings, transcoded, chat, metadata }: Archive): string[] => [
  ...recordings.map(({ file }) => file),
  ...transcoded,
  ...[chat, metadata].filter((name) => name !== undefined),
];

export interface ArchivePage {
  archives: Archive[];
  next?: number;
}

/** Port. Durable when it returns. */
export interface ArchiveStore {
  /** Writes it, in place of the one of its session. */
  put(archive: Archive): void;
  /** Likewise, and as the latest of all: it can be found from now on. */
  close(archive: Archive): void;
  find(projectId: string, confNum: string): Archive | undefined;
  /** Closed ones, in the order in which they were closed. */
  list(query: SessionQuery): ArchivePage;
  /** Those that are `open` or have work left. */
  unfinished(): Archive[];
  /** Closed before, the oldest first. */
  olderThan(beforeMs: number, most: number): Archive[];
  remove(confNum: string): void;
}
