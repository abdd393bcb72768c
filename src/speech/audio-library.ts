/**
 * Where engines get the sound of prompts: files, speech, documents of SSML, silence and tones. What was made once is kept,
 * in memory and, for speech, on disk. Stands between `telephony/audio.ts` (the port) and the synthesizers.
 *
 * Invariants
 *  A1 the same sound is made once, however many calls ask for it at the same time; one caller who leaves does not take it
 *     from the others;
 *  - everything that goes wrong is an `AudioError`, except the abort of the asker's own signal;
 *  - a text is never logged and never part of a file name; what is private is kept nowhere.
 */
import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../core/clock.ts';
import { type Fault, fault } from '../core/fault.ts';
import type { AudioItem } from '../core/leg.ts';
import type { Log } from '../core/log.ts';
import { AudioError, type AudioSource } from '../telephony/audio.ts';
import { audioFileVersion, probeAudioFile, readAudioFile } from './audio-file.ts';
import { createMemoryCache } from './memory-cache.ts';
import type { RemoteSounds } from './remote-sounds.ts';
import { createSharedSounds, type SoundSource } from './shared-sound.ts';
import { createSpeechCache } from './speech-cache.ts';
import { type SpeechText, type SpokenSound, spokenSound } from './spoken-sound.ts';
import { compileSsml, type Segment, type SpokenSegment } from './ssml/compile-ssml.ts';
import type { Synthesizer } from './synthesizer.ts';
import { silence, tone } from './tone.ts';
import { createVoiceRouter } from './voice-router.ts';

export interface AudioLibraryOptions {
  /** In order of preference. */
  synthesizers: readonly Synthesizer[];
  /** For synthesised speech; made when needed. Absent: speech is kept in memory only. */
  cacheDirectory?: string;
  maxMemoryBytes?: number;
  maxDiskBytes?: number;
  clock?: Clock;
  /** Absent: nothing is fetched. */
  remote?: RemoteSounds;
  log: Log;
}

export interface AudioLibrary extends AudioSource {
  stream(item: AudioItem, signal: AbortSignal, projectId?: string): AsyncIterable<Int16Array>;
  /** Why this item is not available, as far as that is known without making it. */
  refusal(item: AudioItem): Fault | undefined;
  /**
   * Begins to make it, once for all who play it meanwhile or later: resolves with its first sound, or with why there is
   * none. What is left of it is made though nobody listens.
   */
  prepare(item: AudioItem, projectId?: string): Promise<Fault | undefined>;
  /** What is not quite as asked for: another variety of the language, a voice of the other kind. */
  substitution(item: AudioItem): string | undefined;
}

type SpeechItem = Extract<AudioItem, { type: 'speech' }>;
type RemoteItem = Extract<AudioItem, { type: 'remote' }>;
type SsmlItem = Extract<AudioItem, { type: 'ssml' }>;

/** How a sound is made, and the key under which callers share it. */
interface RequestedSound extends SoundSource {
  key: string;
  /** The sound, where it is in memory already. */
  known?: Int16Array | undefined;
}

const DEFAULT_MEMORY_BYTES = 128 * 2 ** 20;
const DEFAULT_DISK_BYTES = 2 ** 30;
/** After this, the preparation of a text that nobody plays is aborted. */
const MAX_PREPARATION_MS = 60_000;
/** A pause goes out in pieces, so that leaving in the middle of one costs nothing. */
const PAUSE_PIECE_MS = 1000;

export function createAudioLibrary(options: AudioLibraryOptions): AudioLibrary {
  const { log, clock = systemClock } = options;
  const router = createVoiceRouter(options.synthesizers, clock);
  const memory = createMemoryCache(options.maxMemoryBytes ?? DEFAULT_MEMORY_BYTES);
  const disk =
    options.cacheDirectory === undefined
      ? undefined
      : createSpeechCache(options.cacheDirectory, options.maxDiskBytes ?? DEFAULT_DISK_BYTES);
  const sounds = createSharedSounds();
  const warnedOf = new Set<string>();

  const speak = (wanted: SpeechText): SpokenSound => {
    const sound = spokenSound(wanted, { router, memory, disk, log });
    const { otherLanguage, language } = sound.choice;
    if (otherLanguage) warnOnce(wanted.language, language);
    return sound;
  };

  const warnOnce = (asked: string, served: string) => {
    // Tags come from outside: their number must not grow without bound.
    if (warnedOf.has(asked) || warnedOf.size >= 100) return;
    warnedOf.add(asked);
    log.warn('speech.language_substituted', { language: asked.slice(0, 40), served });
  };

  const speech = (item: SpeechItem, projectId?: string): RequestedSound => {
    const { text, language, voice, voices, rate, pitch } = item;
    const isPrivate = item.private ?? false;
    const sound = speak({ text, language, voice, voices, rate, pitch, isPrivate, projectId });
    // A request for the same text that is not private must not share this sound: it would not be kept.
    if (isPrivate) return { ...sound, key: `private:${sound.key}` };
    return { ...sound, known: memory.get(sound.key) };
  };

  /** Each text of a document is kept by itself, so that a sentence that comes in many documents is made once. */
  const ssml = (item: SsmlItem, projectId?: string): RequestedSound => {
    const { segments, whole } = documentOf(item, projectId);
    if (whole) return { key: whole.key, make: whole.make, keep: whole.keep };
    const spoken = segments.map((segment) => ({
      segment,
      sound: segment.type === 'speech' ? speakSegment(segment, item, projectId) : undefined,
    }));
    const isPrivate = item.private ?? false;
    const parts = spoken.map(({ segment, sound }) =>
      segment.type === 'pause' ? segment.durationMs : [sound?.key, sound?.gain],
    );
    const key = `${isPrivate ? 'private' : 'document'}:${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
    return {
      key,
      known: isPrivate ? undefined : memory.get(key),
      async *make(signal) {
        for (const { segment, sound } of spoken) {
          if (segment.type === 'pause') yield* pause(segment.durationMs);
          else if (sound)
            yield* atGain(sounds.pieces(isPrivate ? `private:${sound.key}` : sound.key, signal, sound), sound.gain);
        }
      },
      keep: (whole) => (isPrivate ? undefined : memory.set(key, whole)),
    };
  };

  const speakSegment = (segment: SpokenSegment, item: SsmlItem, projectId?: string): SpokenSound =>
    speak({
      ...segment,
      // A document that names another kind of voice is spoken by that.
      voices: segment.voice === item.voice ? item.voices : undefined,
      isPrivate: item.private ?? false,
      projectId,
    });

  /** `whole`: the engine that speaks it takes documents as they are. */
  const documentOf = (item: SsmlItem, projectId?: string): { segments: Segment[]; whole?: SpokenSound } => {
    const { language, voice, voices } = item;
    const isPrivate = item.private ?? false;
    const { segments, problems } = compileSsml(item.ssml, { language, voice });
    if (!segments) {
      const [first] = problems;
      const place = first ? ` (line ${first.line}, column ${first.column})` : '';
      throw new AudioError(fault('ssml_invalid', `the SSML is not valid: ${first?.message ?? 'unknown'}${place}`));
    }
    const text = segments.map((segment) => (segment.type === 'speech' ? segment.text : '')).join(' ');
    const [best] = router.choices(language, item);
    const isOne = segments.every((segment) => segment.type === 'pause' || segment.language === language);
    if (!best?.synthesizer.capabilities.ssml || !isOne) return { segments };
    const whole = speak({ text, language, voice, voices, ssml: item.ssml, isPrivate, projectId });
    return { segments, whole: withFallback(whole, segments, (segment) => speakSegment(segment, item, projectId)) };
  };

  /** An engine that takes documents may fail; the others have the document in pieces. */
  const withFallback = (
    whole: SpokenSound,
    segments: readonly Segment[],
    speakOne: (segment: SpokenSegment) => SpokenSound,
  ): SpokenSound => ({
    ...whole,
    async *make(signal) {
      let heard = false;
      try {
        for await (const piece of whole.make(signal)) {
          heard = true;
          yield piece;
        }
      } catch (error) {
        if (signal.aborted || heard) throw error;
        for (const segment of segments) {
          if (segment.type === 'pause') yield* pause(segment.durationMs);
          else {
            const sound = speakOne(segment);
            yield* atGain(sound.make(signal), sound.gain);
          }
        }
      }
    },
  });

  const file = (path: string): RequestedSound => {
    // A file that is known and unchanged needs no probe; for one that is not available the probe gives the reason.
    const keyOf = (version: string): string => `file:${version}:${path}`;
    const version = audioFileVersion(path);
    const known = version === undefined ? undefined : memory.get(keyOf(version));
    const key = known && version !== undefined ? keyOf(version) : keyOf(probeAudioFile(path).version);
    return {
      key,
      known,
      async *make(signal) {
        yield await readAudioFile(path, signal);
      },
      keep: (whole) => memory.set(key, whole),
    };
  };

  /** The file may be another one each time: it is kept under its version, as files are. */
  const remote = ({ url, otherwise }: RemoteItem, projectId?: string): RequestedSound => ({
    key: `remote:${url} ${JSON.stringify(otherwise ?? null)}`,
    async *make(signal) {
      try {
        if (!options.remote) throw new AudioError(fault('audio_unavailable', 'nothing is fetched here'));
        yield* heard(file(await options.remote.fileOf(url)), signal);
      } catch (error) {
        if (!otherwise || signal.aborted || !(error instanceof AudioError)) throw error;
        log.warn('audio.not_fetched', { code: error.fault.code, why: error.fault.message });
        yield* heard(wantedOf(otherwise, projectId), signal);
      }
    },
    keep: () => {},
  });

  const heard = async function* (wanted: RequestedSound, signal: AbortSignal): AsyncGenerator<Int16Array> {
    if (wanted.known) yield wanted.known;
    else yield* sounds.pieces(wanted.key, signal, wanted);
  };

  const made = (key: string, make: () => Int16Array): RequestedSound => {
    const known = memory.get(key) ?? make();
    memory.set(key, known);
    return { key, known, make: async function* () {}, keep: () => {} };
  };

  const wantedOf = (item: AudioItem, projectId?: string): RequestedSound => {
    switch (item.type) {
      case 'speech':
        return speech(item, projectId);
      case 'ssml':
        return ssml(item, projectId);
      case 'file':
        return file(item.file);
      case 'remote':
        return remote(item, projectId);
      case 'silence':
        return made(`silence:${item.durationMs}`, () => silence(item.durationMs));
      case 'tone':
        return made(`tone:${item.frequencyHz}:${item.durationMs}`, () => tone(item.frequencyHz, item.durationMs));
      default:
        throw new AudioError(fault('audio_invalid', 'there is no such kind of audio'));
    }
  };

  return {
    async load(item, signal, projectId) {
      signal.throwIfAborted();
      const wanted = wantedOf(item, projectId);
      return wanted.known ?? sounds.whole(wanted.key, signal, wanted);
    },
    async *stream(item, signal, projectId) {
      if (signal.aborted) return;
      const wanted = wantedOf(item, projectId);
      try {
        yield* heard(wanted, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    durationMs(item) {
      try {
        if (item.type === 'file') return probeAudioFile(item.file).durationMs;
        if (item.type === 'silence' || item.type === 'tone') return item.durationMs;
        // Nobody knows before it is fetched.
        if (item.type === 'remote') return 0;
        if (item.type === 'speech') return speak({ ...item, isPrivate: item.private ?? false }).durationMs();
        return documentOf(item).segments.reduce(
          (sum, segment) =>
            sum + (segment.type === 'pause' ? segment.durationMs : speakSegment(segment, item).durationMs()),
          0,
        );
      } catch (error) {
        // What cannot be had lasts no time; `load` says why.
        if (error instanceof AudioError) return 0;
        throw error;
      }
    },
    refusal(item) {
      try {
        if (item.type === 'file') probeAudioFile(item.file);
        if (item.type === 'speech') speak({ ...item, isPrivate: true });
        if (item.type === 'ssml') ssml(item);
        return undefined;
      } catch (error) {
        return faultOf(error);
      }
    },
    async prepare(item, projectId) {
      if (item.type !== 'speech' && item.type !== 'ssml') return undefined;
      const giveUp = new AbortController();
      try {
        const wanted = wantedOf(item, projectId);
        if (wanted.known) return undefined;
        const timer = clock.after(MAX_PREPARATION_MS, () => giveUp.abort());
        const pieces = sounds.pieces(wanted.key, giveUp.signal, wanted);
        const first = pieces.next();
        void first
          .then(() => toEnd(pieces))
          .catch(() => {})
          .finally(() => timer.cancel());
        await first;
        return undefined;
      } catch (error) {
        return giveUp.signal.aborted ? undefined : faultOf(error);
      }
    },
    substitution(item) {
      if (item.type !== 'speech' && item.type !== 'ssml') return undefined;
      const [choice] = router.choices(item.language, item);
      if (!choice) return undefined;
      const { language, voice, voices = [] } = item;
      const notes: string[] = [];
      if (voices[0] !== undefined && choice.asked !== voices[0]) {
        const heard = choice.asked ?? `a ${choice.voice} one`;
        notes.push(`no voice ${voices[0]} speaks ${language}: ${heard} is heard`);
      }
      if (choice.otherVoice) notes.push(`no ${voice} voice speaks ${language}: a ${choice.voice} one is heard`);
      if (choice.otherLanguage) notes.push(`no voice speaks ${language}: ${choice.language} is heard`);
      return notes.length === 0 ? undefined : notes.join('; ');
    },
  };
}

/** Why there is no sound; what else went wrong goes on its way. */
function faultOf(error: unknown): Fault {
  if (error instanceof AudioError) return error.fault;
  throw error;
}

async function toEnd(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

function* pause(durationMs: number): Generator<Int16Array> {
  for (let leftMs = durationMs; leftMs > 0; leftMs -= PAUSE_PIECE_MS) yield silence(Math.min(leftMs, PAUSE_PIECE_MS));
}

async function* atGain(pieces: AsyncIterable<Int16Array>, gain: number): AsyncGenerator<Int16Array> {
  for await (const piece of pieces) yield gain === 1 ? piece : louder(piece, gain);
}

/** Pieces are shared: the louder one is a new one. */
const louder = (piece: Int16Array, gain: number): Int16Array =>
  Int16Array.from(piece, (sample) => Math.max(-32768, Math.min(32767, Math.round(sample * gain))));
