/**
 * Thread that runs flite, one sentence at a time. Each sentence gets a new instance (copying 17 MB of voices takes
 * about 10 ms), so that a text cannot affect the next.
 */
import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { WAV_HEADER_BYTES } from '../../../base/core/wav-header.ts';
import type { SoundBlock } from '../../toolbox/audio/resample.ts';
import { serveSentences } from '../sentence-thread.ts';
import { compileProgram, type Program, runProgram } from './wasi.ts';

export interface FliteJob {
  /** ASCII, without control characters. */
  text: string;
  voice: 'slt' | 'rms';
  durationStretch: number;
  /** Only the voice slt uses it. */
  f0Hz?: number;
  /** Playback speed relative to the generated speech. */
  speedUp: number;
}

let compiled: Program | undefined;

serveSentences(speak);

function speak(job: FliteJob): SoundBlock {
  compiled ??= compileProgram(readFileSync(workerData.wasmFile as string));
  const pitch = job.f0Hz === undefined ? [] : ['--setf', `int_f0_target_mean=${job.f0Hz}`];
  const { output, exitCode, complaint } = runProgram(compiled, [
    'flite',
    ...['-voice', job.voice, '--setf', `duration_stretch=${job.durationStretch}`],
    ...pitch,
    ...['-t', job.text, '-o', 'out'],
  ]);
  if (exitCode !== 0) throw new Error(`flite ended with ${exitCode}: ${complaint}`);
  if (output.length < WAV_HEADER_BYTES) throw new Error('flite made no sound');
  const header = new DataView(output.buffer, output.byteOffset, WAV_HEADER_BYTES);
  const sampleRateHz = Math.round(header.getUint32(24, true) * job.speedUp);
  const made = Float32Array.from(
    new Int16Array(output.buffer, WAV_HEADER_BYTES, (output.length - WAV_HEADER_BYTES) >> 1),
  );
  return { samples: made, sampleRateHz };
}
