/**
 * Voices of SVOX Pico, compiled to WebAssembly: British and American English, German, Spanish, French and Italian, female.
 * Their data is installed apart (`voice-data.ts`): without it, this engine has no voices.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../core/clock.ts';
import { AudioError } from '../../telephony/audio.ts';
import { createSentenceWorker } from '../sentence-worker.ts';
import { splitSentences } from '../sentences.ts';
import { clampFactor, refusalOf, type Synthesizer, synthesisFailed } from '../synthesizer.ts';
import { picoText } from './pico-text.ts';
import { installedVoices } from './voice-data.ts';
import type { PicoJob } from './worker.ts';

/** Counts changes of our own processing, because it is heard as much as the engine's. */
const PROCESSING = 1;
const SENTENCE_TIMEOUT_MS = 30_000;
const PACKAGE = '@echogarden/svoxpico-wasm';

export interface PicoOptions {
  /** Where voices may be, in order of preference. */
  directories: readonly string[];
  clock?: Clock;
  sentenceTimeoutMs?: number;
}

export function createPico(options: PicoOptions): Synthesizer {
  const voices = installedVoices(options.directories);
  const worker = createSentenceWorker<PicoJob>({
    program: new URL('./worker.ts', import.meta.url),
    workerData: {},
    clock: options.clock ?? systemClock,
    timeoutMs: options.sentenceTimeoutMs ?? SENTENCE_TIMEOUT_MS,
  });
  const pico: Synthesizer = {
    name: 'pico',
    version: `${packageVersion()}-${PROCESSING}`,
    capabilities: { voices: voices.map(({ language }) => ({ language, voice: 'female' })) },
    async *synthesize(request, signal) {
      const refusal = refusalOf(pico, request);
      if (refusal) throw new AudioError(refusal);
      signal.throwIfAborted();
      const { directory, analysisFile, signalFile } = voices.find(({ language }) => language === request.language)!;
      const speed = Math.round(100 * clampFactor(request.rate));
      const pitch = Math.round(100 * clampFactor(request.pitch));
      for (const sentence of splitSentences(request.text, request.language)) {
        const text = picoText(sentence, request.language);
        if (text === '') continue;
        const pcm = await worker.speak({ directory, analysisFile, signalFile, text, speed, pitch }, signal);
        if (pcm.length === 0) throw synthesisFailed('the engine made no sound');
        yield pcm;
      }
    },
    stop: () => worker.stop(),
  };
  return pico;
}

function packageVersion(): string {
  const file = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), 'package.json');
  const description: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return description.version;
}
