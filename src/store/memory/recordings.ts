/** The recordings in memory. */
import type { KeptRecording, RecordingStore } from '../../calls/recording-store.ts';

export class MemoryRecordings implements RecordingStore {
  readonly #recordings = new Map<string, KeptRecording>();

  add(recording: KeptRecording): boolean {
    if (this.#recordings.has(recording.recordingId)) throw new Error(`there is a recording ${recording.recordingId}`);
    if (recording.name !== undefined && this.#isTaken(recording.projectId, recording.name)) return false;
    this.#recordings.set(recording.recordingId, { ...recording });
    return true;
  }

  close(recordingId: string, end: { state: 'completed' | 'failed'; durationMs: number }): void {
    const recording = this.#recordings.get(recordingId);
    if (recording) Object.assign(recording, end);
  }

  find(recordingId: string): KeptRecording | undefined {
    const recording = this.#recordings.get(recordingId);
    return recording && { ...recording };
  }

  olderThan(beforeMs: number, most: number): KeptRecording[] {
    return [...this.#recordings.values()]
      .filter(({ state, createdMs }) => state !== 'open' && createdMs < beforeMs)
      .sort((one, other) => one.createdMs - other.createdMs)
      .slice(0, most)
      .map((recording) => ({ ...recording }));
  }

  remove(recordingId: string): void {
    this.#recordings.delete(recordingId);
  }

  unfinished(): KeptRecording[] {
    const open = [...this.#recordings.values()].filter(({ state }) => state === 'open');
    return open.map((recording) => ({ ...recording }));
  }

  #isTaken(projectId: string, name: string): boolean {
    for (const one of this.#recordings.values()) {
      if (one.projectId === projectId && one.name === name && one.state !== 'failed') return true;
    }
    return false;
  }
}
