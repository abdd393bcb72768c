/**
 * The shelf of recordings: gives each a file and a name of its own, and finds it again for who may hear it.
 * Invariant: nobody but its project finds a recording, and nobody before it is complete.
 */
import type { Clock } from '../core/clock.ts';
import { pathBelow } from '../core/data-path.ts';
import { fault } from '../core/fault.ts';
import type { Log } from '../core/log.ts';
import type { RecordingShelf } from '../runtime/venue.ts';
import { CallError } from './call-error.ts';
import type { KeptRecording, RecordingStore } from './recording-store.ts';

/** Below the data directory. */
const FOLDER = 'recordings';

export interface Recordings extends RecordingShelf {
  /** With the path of its file. Throws `unknown_recording`. */
  find(projectId: string, recordingId: string): KeptRecording & { path: string };
}

export interface RecordingParts {
  store: RecordingStore;
  clock: Clock;
  log: Log;
  /** Where the data are: recordings are in its folder `recordings`. */
  directory: string;
}

export function createRecordings({ store, clock, log, directory }: RecordingParts): Recordings {
  return {
    open({ recordingId, callId, projectId, name }) {
      const file = `${FOLDER}/${recordingId}.wav`;
      try {
        const kept = store.add({
          recordingId,
          projectId,
          callId,
          ...(name === undefined ? {} : { name }),
          file,
          state: 'open',
          createdMs: clock.now(),
        });
        return kept ? { file } : { fault: fault('name_taken', `there is a recording named ${name}`) };
      } catch (error) {
        log.error('recording.not_kept', { callId, recordingId, error });
        return { fault: fault('recording_failed', 'the recording could not be written down', { retryable: true }) };
      }
    },
    close(recordingId, { durationMs, failed }) {
      try {
        store.close(recordingId, { state: failed ? 'failed' : 'completed', durationMs });
      } catch (error) {
        log.error('recording.not_kept', { recordingId, error });
      }
    },
    find(projectId, recordingId) {
      const found = store.find(recordingId);
      const path = found && pathBelow(directory, found.file);
      if (path === undefined || found?.projectId !== projectId || found.state !== 'completed') {
        throw new CallError('unknown_recording', 'there is no such recording');
      }
      return { ...found, path };
    },
  };
}
