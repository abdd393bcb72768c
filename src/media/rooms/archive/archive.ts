/** Archive of a session: its recorded files, the files made from them, its chat and its timeline. */
import type { SessionQuery } from '../session-query.ts';
import type { TrackSource } from '../sfu.ts';

export interface ArchivedFile {
  /** File name in the folder of the session. */
  file: string;
  participant: string;
  /** Name of the participant. */
  name?: string;
  /** `camera`: microphone and camera together; `screen`: a shared screen. */
  kind: 'camera' | 'screen';
  /** Sources for which the file has a track. */
  sources: readonly TrackSource[];
  startedAtMs: number;
  /** Absent if the recording was interrupted. */
  durationMs?: number;
  /** Periods with video, in ms from the start of the file. Absent if the recording was interrupted. */
  pictures?: [number, number][];
  /** Reason why it ends early. */
  problem?: string;
}

/** Phone in the session. The audio of all phones is in one file. */
export interface ArchivedPhone {
  participant: string;
  name: string;
  fromMs: number;
  /** Absent if it stayed until the end. */
  toMs?: number;
}

/** State of transcoding; `queued` and `running` are resumed after a restart. */
export type Transcoding =
  | { state: 'none' }
  | { state: 'queued' }
  /** `progress`: 0 to 1. */
  | { state: 'running'; progress: number }
  | { state: 'done' }
  | { state: 'failed'; why: string }
  /** ffmpeg is not installed. */
  | { state: 'unavailable' };

export interface Archive {
  archiveId: string;
  projectId: string;
  roomId: string;
  confNum: string;
  room: { name: string; ownerRef: string };
  beganMs: number;
  /** Time when it was closed; while it is open, when it was opened. */
  atMs: number;
  /** `open`: its session is active, or was interrupted by the end of the service. */
  state: 'open' | 'work' | 'done';
  recordings: ArchivedFile[];
  /** Absent if there were none. */
  phones?: ArchivedPhone[];
  /** True for one file of the whole session instead of one for viewing. */
  isSingleFile: boolean;
  transcoding: Transcoding;
  transcoded: string[];
  /** File names. */
  chat?: string;
  metadata?: string;
}

/** Parent of the folders of sessions, relative to the data directory. */
export const ARCHIVES_FOLDER = 'recordings/rooms';

/** Names of the files in the folder of the session. */
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
  /** Writes the archive, in place of an earlier version. */
  put(archive: Archive): void;
  /** Writes the archive as the newest of all, and makes it visible in `find` and `list`. */
  close(archive: Archive): void;
  find(projectId: string, confNum: string): Archive | undefined;
  /** Closed archives, in the order of closing. */
  list(query: SessionQuery): ArchivePage;
  /** Archives that are `open` or have work left. */
  unfinished(): Archive[];
  /** Archives that were closed before `beforeMs`, oldest first. */
  olderThan(beforeMs: number, most: number): Archive[];
  remove(confNum: string): void;
}
