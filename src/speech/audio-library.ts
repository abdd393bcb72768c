/**
 * Where engines get the sound of prompts: files, speech, silence and tones. What was made once is kept, in memory and, for
 * speech, on disk. Stands between `telephony/audio.ts` (the port) and the synthesizers.
 *
 * Invariants
 *  A1 the same sound is made once, however many calls ask for it at the same time; one caller who leaves does not take it
 *     from the others;
 *  A2 everything that goes wrong is an `AudioError`, except the abort of the asker's own signal;
 *  A3 a text is never logged and never part of a file name.
 */
import { type Fault, fault } from '../core/fault.ts';
import type { AudioItem } from '../core/leg.ts';
import type { Log } from '../core/log.ts';
import { AudioError, type AudioSource, SAMPLE_RATE_HZ } from '../telephony/audio.ts';
import { audioFileVersion, probeAudioFile, readAudioFile } from './audio-file.ts';
import { createMemoryCache } from './memory-cache.ts';
import { createSharedWork } from './shared-work.ts';
import { createSpeechCache, speechKey } from './speech-cache.ts';
import {
  chooseVoice,
  factorOf,
  noVoice,
  type SpeechRequest,
  type Synthesizer,
  synthesisFailed,
  tooLong,
} from './synthesizer.ts';
import { silence, tone } from './tone.ts';

export interface AudioLibraryOptions {
  /** In order of preference. */
  synthesizers: readonly Synthesizer[];
  /** For synthesised speech; made when needed. Absent: speech is kept in memory only. */
  cacheDirectory?: string;
  maxMemoryBytes?: number;
  maxDiskBytes?: number;
  log: Log;
}

export interface AudioLibrary extends AudioSource {
  /** Why this item cannot be had, as far as that can be told without making it. */
  refusal(item: AudioItem): Fault | undefined;
}

type SpeechItem = Extract<AudioItem, { type: 'speech' }>;

const DEFAULT_MEMORY_BYTES = 128 * 2 ** 20;
const DEFAULT_DISK_BYTES = 2 ** 30;
/** Measured over prompts of both voices; only for what was not made yet. */
const CHARACTERS_PER_SECOND = 14;
const PAUSE_MS = 300;

export function createAudioLibrary(options: AudioLibraryOptions): AudioLibrary {
  const { synthesizers, log } = options;
  const memory = createMemoryCache(options.maxMemoryBytes ?? DEFAULT_MEMORY_BYTES);
  const disk =
    options.cacheDirectory === undefined
      ? undefined
      : createSpeechCache(options.cacheDirectory, options.maxDiskBytes ?? DEFAULT_DISK_BYTES);
  const work = createSharedWork<Int16Array>();
  const warnedOf = new Set<string>();

  const plan = (item: SpeechItem): { synthesizer: Synthesizer; request: SpeechRequest; key: string } => {
    const choice = chooseVoice(synthesizers, item.language, item.voice);
    if (!choice) throw new AudioError(noVoice(item.language, item.voice));
    const length = tooLong(item.text);
    if (length) throw new AudioError(length);
    if (choice.substituted) warnOnce(item.language, choice.language);
    const { synthesizer, language, voice } = choice;
    const request = { text: item.text, language, voice, rate: factorOf(item.rate), pitch: factorOf(item.pitch) };
    return { synthesizer, request, key: speechKey(synthesizer, request) };
  };

  const warnOnce = (asked: string, served: string) => {
    // Tags come from outside: their number must not grow without bound.
    if (warnedOf.has(asked) || warnedOf.size >= 100) return;
    warnedOf.add(asked);
    log.warn('speech.language_substituted', { language: asked.slice(0, 40), served });
  };

  const speech = async (item: SpeechItem, signal: AbortSignal): Promise<Int16Array> => {
    const { synthesizer, request, key } = plan(item);
    const known = memory.get(key);
    if (known) return known;
    return work.run(key, signal, async (shared) => {
      const sound = (await disk?.read(key)) ?? (await synthesise(synthesizer, request, key, shared));
      memory.set(key, sound);
      return sound;
    });
  };

  const synthesise = async (
    synthesizer: Synthesizer,
    request: SpeechRequest,
    key: string,
    signal: AbortSignal,
  ): Promise<Int16Array> => {
    const chunks: Int16Array[] = [];
    try {
      for await (const chunk of synthesizer.synthesize(request, signal)) chunks.push(chunk);
    } catch (error) {
      if (error instanceof AudioError || signal.aborted) throw error;
      throw synthesisFailed(error instanceof Error ? error.message : 'unknown');
    }
    const sound = joined(chunks);
    if (sound.length > 0) {
      await disk?.write(key, sound).catch((error) => log.warn('speech.cache_write_failed', { error }));
    }
    return sound;
  };

  const file = async (path: string, signal: AbortSignal): Promise<Int16Array> => {
    // A file that is known and unchanged needs no probe; one that cannot be had is told by the probe in full.
    const keyOf = (version: string): string => `file:${version}:${path}`;
    const version = audioFileVersion(path);
    const known = version === undefined ? undefined : memory.get(keyOf(version));
    if (known) return known;
    const key = keyOf(probeAudioFile(path).version);
    return work.run(key, signal, async (shared) => {
      const sound = await readAudioFile(path, shared);
      memory.set(key, sound);
      return sound;
    });
  };

  const made = (key: string, make: () => Int16Array): Int16Array => {
    const known = memory.get(key);
    if (known) return known;
    const sound = make();
    memory.set(key, sound);
    return sound;
  };

  return {
    async load(item, signal) {
      signal.throwIfAborted();
      switch (item.type) {
        case 'speech':
          return speech(item, signal);
        case 'file':
          return file(item.file, signal);
        case 'silence':
          return made(`silence:${item.durationMs}`, () => silence(item.durationMs));
        case 'tone':
          return made(`tone:${item.frequencyHz}:${item.durationMs}`, () => tone(item.frequencyHz, item.durationMs));
        default:
          throw new AudioError(fault('audio_invalid', 'there is no such kind of audio'));
      }
    },
    durationMs(item) {
      try {
        if (item.type === 'file') return probeAudioFile(item.file).durationMs;
        if (item.type !== 'speech') return item.durationMs;
        const { request, key } = plan(item);
        const known = memory.peek(key);
        if (known) return (known.length * 1000) / SAMPLE_RATE_HZ;
        const estimate = (item.text.length * 1000) / CHARACTERS_PER_SECOND / request.rate + PAUSE_MS;
        return disk?.durationMs(key) ?? Math.round(estimate);
      } catch (error) {
        // What cannot be had lasts no time; `load` says why.
        if (error instanceof AudioError) return 0;
        throw error;
      }
    },
    refusal(item) {
      try {
        if (item.type === 'file') probeAudioFile(item.file);
        if (item.type === 'speech') plan(item);
        return undefined;
      } catch (error) {
        if (error instanceof AudioError) return error.fault;
        throw error;
      }
    },
  };
}

function joined(chunks: readonly Int16Array[]): Int16Array {
  const sound = new Int16Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    sound.set(chunk, at);
    at += chunk.length;
  }
  return sound;
}
