/**
 * Provides engines with the audio of prompts: files, speech, SSML documents, silence and tones. Results are cached in
 * memory, speech also on disk. Implements the port `media/telephony/audio.ts` with the synthesizers.
 *
 * Invariants
 * A1 the same audio is made once, however many calls request it at the same time; a caller who leaves does not affect
 * the others;
 * - every failure is an `AudioError`, except the abort of the requester's own signal;
 * - texts are never logged and never part of a file name; private texts are not cached.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type Clock, systemClock } from '../../base/core/clock.ts';
import { type Fault, fault } from '../../base/core/fault.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import type { Log } from '../../base/core/log.ts';
import { AudioError, type AudioSource } from '../telephony/audio.ts';
import { audioFileVersion, type ProbedAudioFile, probeAudioFile, readAudioFile } from './audio-file.ts';
import { compileSsml, type Segment, type SpokenSegment } from './compile-ssml.ts';
import { createMemoryCache } from './memory-cache.ts';
import type { RemoteSounds } from './remote-sounds.ts';
import { createSharedSounds, type SoundSource } from './shared-sound.ts';
import { createSpeechCache } from './speech-cache.ts';
import { type SpeechText, type SpokenSound, spokenSound } from './spoken-sound.ts';
import type { Synthesizer } from './synthesizer.ts';
import { silence, tone } from './tone.ts';
import { createVoiceRouter } from './voice-router.ts';

export interface AudioLibraryOptions {
  /** In order of preference. */
  synthesizers: readonly Synthesizer[];
  /** Cache folder for synthesised speech, created on first use. Absent: speech is cached in memory only. */
  cacheDirectory?: string;
  maxMemoryBytes?: number;
  maxDiskBytes?: number;
  clock?: Clock;
  /** Absent: URLs are not fetched. */
  remote?: RemoteSounds;
  log: Log;
}

export interface AudioLibrary extends AudioSource {
  stream(item: AudioItem, signal: AbortSignal, projectId?: string): AsyncIterable<Int16Array>;
  /** Reason why this item is unavailable, where known without making it. */
  refusal(item: AudioItem): Fault | undefined;
  /**
   * Starts making the audio, once for all concurrent and later listeners. Resolves with its first part, or with the
   * fault. The rest is made even without listeners.
   */
  prepare(item: AudioItem, projectId?: string): Promise<Fault | undefined>;
  /** Describes a substitution: another variety of the language, or a voice of the other gender. */
  substitution(item: AudioItem): string | undefined;
}

type SpeechItem = Extract<AudioItem, { type: 'speech' }>;
type RemoteItem = Extract<AudioItem, { type: 'remote' }>;
type SsmlItem = Extract<AudioItem, { type: 'ssml' }>;

/** Function that makes the audio, and the key under which callers share it. */
interface RequestedSound extends SoundSource {
  key: string;
  /** The audio, if it is in memory. */
  known?: Int16Array | undefined;
}

const DEFAULT_MEMORY_BYTES = 128 * 2 ** 20;
const DEFAULT_DISK_BYTES = 2 ** 30;
/** Timeout for preparing a text that no call plays. */
const MAX_PREPARATION_MS = 60_000;
/** Silence is delivered in pieces, so that a listener can leave in the middle. */
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
    // Language tags come from outside, so the set of logged ones is limited.
    if (warnedOf.has(asked) || warnedOf.size >= 100) return;
    warnedOf.add(asked);
    log.warn('speech.language_substituted', { language: asked.slice(0, 40), served });
  };

  const speech = (item: SpeechItem, projectId?: string): RequestedSound => {
    const { text, language, voice, voices, rate, pitch } = item;
    const isPrivate = item.private ?? false;
    const sound = speak({ text, language, voice, voices, rate, pitch, isPrivate, projectId });
    // A separate key: a request that is not private must not share this audio, because it would not be cached.
    if (isPrivate) return { ...sound, key: `private:${sound.key}` };
    return { ...sound, known: memory.get(sound.key) };
  };

  /** Each text of a document is cached separately, so that a sentence used in many documents is made once. */
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
      // A document that names another voice gender is spoken by that.
      voices: segment.voice === item.voice ? item.voices : undefined,
      isPrivate: item.private ?? false,
      projectId,
    });

  /** `whole` is set if the engine accepts SSML documents. */
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

  /** If an engine for whole documents fails, the others speak the document in segments. */
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
    // A known and unchanged file needs no probe. For an unavailable file, the probe gives the reason.
    const keyOf = (version: string): string => `file:${version}:${path}`;
    const version = audioFileVersion(path);
    const known = version === undefined ? undefined : memory.get(keyOf(version));
    const probed: Partial<ProbedAudioFile> = known ? { version: version! } : probeAudioFile(path);
    const key = keyOf(probed.version!);
    return {
      key,
      known,
      async *make(signal) {
        const { truncation: why } = probed;
        if (why !== undefined) log.warn('audio.truncated', { file: basename(path), why });
        yield await readAudioFile(path, signal);
      },
      keep: (whole) => memory.set(key, whole),
    };
  };

  /** The content of a URL can change: it is cached under its version, like files. */
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
        // Unknown until it is fetched.
        if (item.type === 'remote') return 0;
        if (item.type === 'speech') return speak({ ...item, isPrivate: item.private ?? false }).durationMs();
        return documentOf(item).segments.reduce(
          (sum, segment) =>
            sum + (segment.type === 'pause' ? segment.durationMs : speakSegment(segment, item).durationMs()),
          0,
        );
      } catch (error) {
        // Unavailable items have no duration; `load` reports the reason.
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

/** Returns the fault; other errors are thrown. */
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

/** Returns a copy, because pieces are shared. */
const louder = (piece: Int16Array, gain: number): Int16Array =>
  Int16Array.from(piece, (sample) => Math.max(-32768, Math.min(32767, Math.round(sample * gain))));
