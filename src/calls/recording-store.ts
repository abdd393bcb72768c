/**
 * Port: which recordings there are, and where their files lie. Implemented in `store/`; the contract suite is
 * `contracts/store/recording-store.ts`.
 */
export interface KeptRecording {
  recordingId: string;
  projectId: string;
  callId: string;
  /** Given by the application; one of a kind in its project, among those that did not fail. */
  name?: string;
  /** Its name below the data directory, with `/`; paths of older versions may lead elsewhere, and are not followed. */
  file: string;
  /** `open`: still being made, or cut off by the end of the service. */
  state: 'open' | 'completed' | 'failed';
  createdMs: number;
  durationMs?: number;
}

/** All of it is durable when it returns. */
export interface RecordingStore {
  /** False, and nothing is kept, where the project has one of this name. */
  add(recording: KeptRecording): boolean;
  /** For an id that is not there it does nothing. */
  close(recordingId: string, end: { state: 'completed' | 'failed'; durationMs: number }): void;
  find(recordingId: string): KeptRecording | undefined;
  /** Closed ones that were begun before, the oldest first; no more than `most`. */
  olderThan(beforeMs: number, most: number): KeptRecording[];
  /** Its name may be given again. */
  remove(recordingId: string): void;
  /** Those that are open: at the start, those that an earlier life of the service left so. */
  unfinished(): KeptRecording[];
}
