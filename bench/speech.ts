/**
 * Cost of speech: CPU seconds per second of audio, time to first audio, and the effect of caches. One JSON line for
 * each figure. Run: `npm run bench -- speech`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AudioItem } from '../src/base/core/leg.ts';
import { silentLog } from '../src/base/core/silent-log.ts';
import { readAudioFile } from '../src/media/speech/audio-file.ts';
import { createAudioLibrary } from '../src/media/speech/audio-library.ts';
import { createFlite } from '../src/media/speech/flite/flite.ts';
import { createPico } from '../src/media/speech/pico/pico.ts';
import { SYSTEM_VOICES_DIRECTORY, voicesDirectory } from '../src/media/speech/pico/voice-data.ts';
import { wavBytes } from '../src/media/speech/wav.ts';
import { median, report } from './figure.ts';

const PROMPTS = [
  'Welcome to Callweave. Please press one for billing, or two for support.',
  'I am sorry, I did not understand that. Please try again.',
  'Your appointment is on March 4, 2026 at 10:30 am. To confirm, press one. To change it, press two.',
  'All our lines are busy at the moment. You are number 3 in the queue. Thank you for your patience!',
];
const never = new AbortController().signal;

const seconds = (since: number): number => (performance.now() - since) / 1000;
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

for (const voice of ['female', 'male'] as const) {
  const flite = createFlite();
  const firstAudioMs: number[] = [];
  let audioSeconds = 0;
  let wallSeconds = 0;
  let warmCpu = cpuSeconds();
  for (let round = 0; round < 6; round++) {
    for (const text of PROMPTS) {
      const startedMs = performance.now();
      let first = true;
      for await (const chunk of flite.synthesize({ text, language: 'en-US', voice, rate: 1, pitch: 1 }, never)) {
        if (first) firstAudioMs.push(performance.now() - startedMs);
        first = false;
        audioSeconds += chunk.length / 8000;
      }
      wallSeconds += seconds(startedMs);
    }
    if (round === 0) {
      report(`speech.${voice}.first_audio.cold`, firstAudioMs[0] ?? 0, 'ms');
      firstAudioMs.length = 0;
      audioSeconds = 0;
      wallSeconds = 0;
      warmCpu = cpuSeconds();
    }
  }
  report(`speech.${voice}.first_audio.warm_median`, median(firstAudioMs), 'ms');
  report(`speech.${voice}.first_audio.warm_max`, Math.max(...firstAudioMs), 'ms');
  report(`speech.${voice}.rtf_cpu`, (cpuSeconds() - warmCpu) / audioSeconds, 'cpu_s/audio_s');
  report(`speech.${voice}.rtf_wall`, wallSeconds / audioSeconds, 's/audio_s');
  await flite.stop();
}
/** Ten words that are not cached: the goal is below 300 ms. */
const TEN_WORDS: Readonly<Record<string, (round: number) => string>> = {
  'en-US': (round) => `Thank you for calling, your ticket has the number ${round}.`,
  'en-GB': (round) => `Thank you for calling, your ticket has the number ${round}.`,
  'de-DE': (round) => `Danke für Ihren Anruf, Ihr Vorgang hat die Nummer ${round}.`,
  'es-ES': (round) => `Gracias por llamar, su caso tiene ahora el número ${round}.`,
  'fr-FR': (round) => `Merci pour votre appel, votre dossier porte le numéro ${round}.`,
  'it-IT': (round) => `Grazie per aver chiamato, la sua pratica ha numero ${round}.`,
};
const engines = [
  createFlite(),
  createPico({ directories: [voicesDirectory(join(import.meta.dirname, '../data')), SYSTEM_VOICES_DIRECTORY] }),
];
for (const { language } of [{ language: 'en-US' }, ...engines[1]!.capabilities.voices.slice(0, 5)]) {
  const library = createAudioLibrary({ synthesizers: engines, log: silentLog });
  const firstMs: number[] = [];
  for (let round = 0; round < 12; round++) {
    const text = TEN_WORDS[language]!(100 + round);
    const startedMs = performance.now();
    for await (const _ of library.stream({ type: 'speech', text, language, voice: 'female' }, never)) {
      firstMs.push(performance.now() - startedMs);
      break;
    }
  }
  report(`speech.ten_words.${language}.first_audio.cold`, firstMs[0] ?? 0, 'ms');
  report(`speech.ten_words.${language}.first_audio.warm_median`, median(firstMs.slice(1)), 'ms');
  report(`speech.ten_words.${language}.first_audio.warm_max`, Math.max(...firstMs.slice(1)), 'ms');
}
for (const engine of engines) await engine.stop();

report('speech.rss', process.memoryUsage().rss / 2 ** 20, 'MiB');

const directory = mkdtempSync(join(tmpdir(), 'bench-speech-'));
try {
  const flite = createFlite();
  const item: AudioItem = { type: 'speech', text: PROMPTS[2] ?? '', language: 'en-US', voice: 'female' };
  const cacheDirectory = join(directory, 'cache');
  const timed = async (run: () => Promise<unknown>): Promise<number> => {
    const startedMs = performance.now();
    await run();
    return performance.now() - startedMs;
  };
  const makeLibrary = () => createAudioLibrary({ synthesizers: [flite], cacheDirectory, log: silentLog });
  const library = makeLibrary();
  report('library.speech.made', await timed(() => library.load(item, never)), 'ms');
  const rounds = Array.from({ length: 200 });
  const fromMemory: number[] = [];
  for (const _ of rounds) fromMemory.push(await timed(() => library.load(item, never)));
  report('library.speech.from_memory', median(fromMemory), 'ms');
  const fromDisk: number[] = [];
  for (const _ of rounds) fromDisk.push(await timed(() => makeLibrary().load(item, never)));
  report('library.speech.from_disk', median(fromDisk), 'ms');
  await flite.stop();

  const file = join(directory, 'minute.wav');
  const samples = Int16Array.from({ length: 44_100 * 60 }, (_, index) => 8000 * Math.sin(index / 20));
  writeFileSync(file, wavBytes(samples, 44_100));
  report('file.decode.44100_hz_minute', await timed(() => readAudioFile(file, never)), 'ms');
} finally {
  rmSync(directory, { recursive: true });
}
