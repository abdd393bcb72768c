/**
 * Recordings: creates a file and a unique name for each, and finds it again for its project. A recording that a crash
 * cut off is kept up to the last write. Invariant: only its project finds a recording, and only when it is complete.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../base/core/clock.ts';
import { pathBelow, removeBelow, resolvesBelow } from '../../../base/core/data-path.ts';
import { fault } from '../../../base/core/fault.ts';
import { defined } from '../../../base/core/json.ts';
import type { Log } from '../../../base/core/log.ts';
import { wavHeader } from '../../../base/core/wav-header.ts';
import type { RecoveredRecording } from '../../runtime/open-actions.ts';
import type { RecordingFiles } from '../../runtime/venue.ts';
import { CallError } from '../call-error.ts';
import type { KeptRecording, RecordingStore } from './recording-store.ts';

/** Sample rate of telephony. */
const SAMPLE_RATE_HZ = 8000;
/** Relative to the data directory. */
const FOLDER = 'recordings';

export interface Recordings extends RecordingFiles {
  /** Includes the path of its file. Throws `unknown_recording`. */
  find(projectId: string, recordingId: string): KeptRecording & { path: string };
  /** Finds a recording in any state. */
  kept(recordingId: string): KeptRecording | undefined;
  /** Deletes the file, then its row; readers with an open file are not interrupted. */
  remove(recording: KeptRecording): Promise<void>;
  /**
   * At the start, before lost calls are closed: repairs recordings that were cut off, and returns how many there were.
   */
  recover(): Promise<number>;
  /** Final state of a recording whose end the call's run did not observe. */
  found(recordingId: string): RecoveredRecording;
}

type RecordingEnd = Parameters<RecordingStore['close']>[1];

export interface RecordingParts {
  store: RecordingStore;
  clock: Clock;
  log: Log;
  /** Runs the work now, or when the store is writable (`WriteError`); always now if absent. */
  whenWritable?(work: () => void): void;
  /** Data directory; recordings are in its folder `recordings`. */
  directory: string;
  /** Repairs a file that was cut off. Returns its duration in ms, 0 if it has no audio. */
  repair(file: string): Promise<number>;
}

export function createRecordings({
  store,
  clock,
  log,
  directory,
  repair,
  whenWritable = (work) => work(),
}: RecordingParts): Recordings {
  /** Ends that could not be written yet. */
  const ended = new Map<string, RecordingEnd>();

  const end = (recordingId: string, its: RecordingEnd): void => {
    ended.set(recordingId, its);
    whenWritable(() => {
      store.close(recordingId, its);
      ended.delete(recordingId);
    });
  };

  const kept = (recordingId: string): KeptRecording | undefined => {
    const found = store.find(recordingId);
    return found && { ...found, ...ended.get(recordingId) };
  };

  /** Makes the name available again. */
  const forget = (recordingId: string): void => {
    try {
      store.remove(recordingId);
    } catch (error) {
      log.error('recording.not_kept', { recordingId, error });
    }
  };

  /** Follows neither a path of an older version that leads elsewhere nor a symbolic link. */
  const mended = async (file: string): Promise<number> => {
    const path = pathBelow(directory, file);
    return path !== undefined && (await resolvesBelow(directory, path)) === true ? repair(path) : 0;
  };

  return {
    open({ recordingId, callId, projectId, name }) {
      const file = `${FOLDER}/${recordingId}.wav`;
      try {
        const isKept = store.add(
          defined({ recordingId, projectId, callId, name, file, state: 'open', createdMs: clock.now() }),
        );
        if (!isKept) return { fault: fault('name_taken', `there is a recording named ${name}`) };
      } catch (error) {
        log.error('recording.not_kept', { callId, recordingId, error });
        return { fault: fault('recording_failed', 'the recording could not be written down', { retryable: true }) };
      }
      try {
        openFile(join(directory, file));
        return { file };
      } catch (error) {
        log.error('recording.not_opened', { callId, recordingId, error });
        forget(recordingId);
        return {
          fault: fault('recording_failed', 'the file of the recording could not be opened', { retryable: true }),
        };
      }
    },
    close(recordingId, { durationMs, failed }) {
      try {
        end(recordingId, { state: failed ? 'failed' : 'completed', durationMs });
      } catch (error) {
        log.error('recording.not_kept', { recordingId, error });
      }
    },
    kept,
    async remove({ recordingId, file }) {
      if (!(await removeBelow(directory, file))) log.warn('recording.left_outside', { recordingId, file });
      store.remove(recordingId);
    },
    async recover() {
      const left = store.unfinished();
      for (const { recordingId, callId, file } of left) {
        const durationMs = await mended(file).catch((error: unknown) => {
          log.error('recording.not_repaired', { callId, recordingId, error });
          return 0;
        });
        end(recordingId, { state: durationMs > 0 ? 'completed' : 'failed', durationMs });
        log.warn('recording.recovered', { callId, recordingId, durationMs });
      }
      return left.length;
    },
    found(recordingId) {
      const { state, durationMs = 0 } = kept(recordingId) ?? {};
      if (state === 'completed' && durationMs > 0) return { durationMs, recovered: true };
      return { durationMs: 0, failed: 'the service stopped before anything was recorded' };
    },
    find(projectId, recordingId) {
      const found = kept(recordingId);
      const path = found && pathBelow(directory, found.file);
      if (path === undefined || found?.projectId !== projectId || found.state !== 'completed') {
        throw new CallError('unknown_recording', 'there is no such recording');
      }
      return { ...found, path };
    },
  };
}

/** Writes a header at once, so that a full disk is detected now, and a crash leaves a playable file. */
function openFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, wavHeader(0, SAMPLE_RATE_HZ), { mode: 0o600 });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}
