/**
 * Port: index of recordings and their files. Implemented in `store/`; the contract suite is
 * `test/contracts/store/recording-store.ts`.
 */
export interface KeptRecording {
  recordingId: string;
  projectId: string;
  callId: string;
  /** Given by the application; unique in its project among recordings that did not fail. */
  name?: string;
  /**
   * Path relative to the data directory, with `/`. Paths of older versions may lead elsewhere, and are not followed.
   */
  file: string;
  /** `open`: being recorded, or cut off by the end of the service. */
  state: 'open' | 'completed' | 'failed';
  createdMs: number;
  durationMs?: number;
}

/** Every change is durable when its method returns. */
export interface RecordingStore {
  /** False, and nothing is stored, if the project has a recording of this name. */
  add(recording: KeptRecording): boolean;
  /** No effect for an unknown id. */
  close(recordingId: string, end: { state: 'completed' | 'failed'; durationMs: number }): void;
  find(recordingId: string): KeptRecording | undefined;
  /** Closed recordings that began earlier, oldest first, at most `most`. */
  olderThan(beforeMs: number, most: number): KeptRecording[];
  /** Makes the name available again. */
  remove(recordingId: string): void;
  /** Open recordings; at the start, those left by an earlier process. */
  unfinished(): KeptRecording[];
}
