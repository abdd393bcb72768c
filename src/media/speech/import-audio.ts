/**
 * Converts an uploaded WAV or MP3 file to the WAV format of stored prompts: 8 kHz, 16 bit, mono. Runs in a worker
 * thread with limited memory and time, so that a malicious file does not affect calls.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../../base/core/clock.ts';
import { type Fault, fault } from '../../base/core/fault.ts';
import type { Log } from '../../base/core/log.ts';
import { moduleBeside } from '../../base/core/module-beside.ts';
import type { ImportReply } from './import-worker.ts';

export type ImportedAudio = { wav: Buffer; durationMs: number; fault?: undefined } | { wav?: undefined; fault: Fault };

export const MAX_UPLOAD_BYTES = 20 * 2 ** 20;
const TIMEOUT_MS = 15_000;
/** Half an hour at 48 kHz is processed in blocks; the result has 29 MB. */
const MAX_HEAP_MIB = 128;
const DECODER = 'minimp3-wasm/dist/decoder.opt.wasm';

export interface ImportAudioOptions {
  clock?: Clock;
  log?: Pick<Log, 'warn'>;
}

/** Uses the existing sound of a truncated file, and logs a warning. */
export async function importAudio(bytes: Uint8Array, options: ImportAudioOptions = {}): Promise<ImportedAudio> {
  if (bytes.length === 0) return { fault: malformed('it is empty') };
  if (bytes.length > MAX_UPLOAD_BYTES)
    return { fault: malformed(`it is larger than ${MAX_UPLOAD_BYTES / 2 ** 20} MiB`) };
  const reply = await inThread(bytes, options.clock ?? systemClock);
  if (reply.problem !== undefined) return { fault: malformed(reply.problem) };
  if (reply.truncation !== undefined) options.log?.warn('audio.truncated', { why: reply.truncation });
  return { wav: Buffer.from(reply.wav.buffer), durationMs: reply.durationMs };
}

const malformed = (why: string): Fault => fault('audio_malformed', `the sound cannot be used: ${why}`);

function inThread(bytes: Uint8Array, clock: Clock): Promise<ImportReply> {
  return new Promise((resolve) => {
    const copy = Uint8Array.from(bytes);
    const worker = new Worker(moduleBeside(import.meta.url, 'import-worker'), {
      workerData: { bytes: copy, decoderFile: createRequire(import.meta.url).resolve(DECODER) },
      transferList: [copy.buffer],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    const end = (reply: ImportReply) => {
      watchdog.cancel();
      resolve(reply);
      void worker.terminate();
    };
    const watchdog = clock.after(TIMEOUT_MS, () => end({ problem: 'reading it takes too long' }));
    worker.once('message', end);
    worker.once('error', () => end({ problem: 'it cannot be read' }));
    worker.once('exit', () => end({ problem: 'it cannot be read' }));
  });
}
