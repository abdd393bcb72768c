/**
 * Voices of SVOX Pico, compiled to WebAssembly: British and American English, German, Spanish, French and Italian,
 * female. Without the separately installed voice data (`voice-data.ts`), the engine has no voices.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../base/core/clock.ts';
import { moduleBeside } from '../../../base/core/module-beside.ts';
import { createEmbeddedVoice } from '../embedded-voice.ts';
import { clampFactor, type Synthesizer } from '../synthesizer.ts';
import { picoText } from './pico-text.ts';
import { installedVoices } from './voice-data.ts';
import type { PicoJob } from './worker.ts';

const PACKAGE = '@echogarden/svoxpico-wasm';

export interface PicoOptions {
  /** Folders with voice data, in order of preference. */
  directories: readonly string[];
  clock?: Clock;
  sentenceTimeoutMs?: number;
}

export function createPico(options: PicoOptions): Synthesizer {
  const voices = installedVoices(options.directories);
  return createEmbeddedVoice<PicoJob>({
    name: 'pico',
    packageFile: join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), 'package.json'),
    processing: 1,
    voices: voices.map(({ language }) => ({ language, voice: 'female' })),
    program: moduleBeside(import.meta.url, 'worker'),
    workerData: {},
    clock: options.clock,
    sentenceTimeoutMs: options.sentenceTimeoutMs,
    jobOf(sentence, { language, rate, pitch }) {
      const text = picoText(sentence, language);
      if (text === '') return undefined;
      const { directory, analysisFile, signalFile } = voices.find((voice) => voice.language === language)!;
      const percent = (factor: number): number => Math.round(100 * clampFactor(factor));
      return { directory, analysisFile, signalFile, text, speed: percent(rate), pitch: percent(pitch) };
    },
  });
}
