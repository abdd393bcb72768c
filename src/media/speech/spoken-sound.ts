/**
 * Cached text to speech: returns the audio of a text from the caches or from the first engine that can make it.
 *
 * Invariants
 * - private texts are cached neither in memory nor on disk;
 * - if an engine fails before its first audio, the next one is tried; never after that, so that a listener does not
 * hear a text start twice.
 */
import type { Voice } from '../../base/core/leg.ts';
import type { Log } from '../../base/core/log.ts';
import { presetOf } from '../../language/ssml/styles.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../telephony/audio.ts';
import type { MemoryCache } from './memory-cache.ts';
import type { SoundSource } from './shared-sound.ts';
import { type SpeechCache, speechKey } from './speech-cache.ts';
import { clampFactor, noVoice, type SpeechRequest, synthesisFailed, textTooLong } from './synthesizer.ts';
import type { VoiceChoice, VoiceRouter } from './voice-router.ts';

export interface SpeechText {
  text: string;
  language: string;
  voice: Voice;
  /** Voice names, tried before `voice`. */
  voices?: readonly string[] | undefined;
  rate?: number | undefined;
  pitch?: number | undefined;
  /** Amplitude factor. Default: 1. */
  gain?: number;
  style?: string;
  ssml?: string;
  isPrivate: boolean;
  /** Project that requests it. */
  projectId?: string | undefined;
}

export interface SpokenSound extends SoundSource {
  /** Cache key for the first choice. Gain is not part of it. */
  key: string;
  gain: number;
  choice: VoiceChoice;
  /** Exact or estimated. */
  durationMs(): number;
}

export interface SpokenSoundParts {
  router: VoiceRouter;
  memory: MemoryCache;
  disk: SpeechCache | undefined;
  log: Log;
}

/** Measured over prompts of all voices. Used only for texts that are not cached. */
const CHARACTERS_PER_SECOND = 14;
const PAUSE_MS = 300;

/** Throws an `AudioError` if no engine can speak the text. */
export function spokenSound(wanted: SpeechText, { router, memory, disk, log }: SpokenSoundParts): SpokenSound {
  const { text, language, voice, voices, style, isPrivate } = wanted;
  const ranked = router.choices(language, { voice, ...(voices && { voices: [...voices] }) }, style);
  // Other engines would read the markup as text; the library splits the document for them.
  const choices =
    wanted.ssml === undefined ? ranked : ranked.filter(({ synthesizer }) => synthesizer.capabilities.ssml);
  const first = choices[0];
  if (!first) throw new AudioError(noVoice(language));
  const length = textTooLong(text);
  if (length) throw new AudioError(length);

  const requestTo = ({
    synthesizer,
    language,
    voice,
    voiceName,
  }: VoiceChoice): { request: SpeechRequest; gain: number } => {
    const hasStyle = style !== undefined && (synthesizer.capabilities.styles ?? []).includes(style);
    const preset = presetOf(hasStyle ? undefined : style);
    const request: SpeechRequest = {
      text,
      language,
      voice,
      ...(voiceName === undefined ? {} : { voiceName }),
      rate: clampFactor(clampFactor(wanted.rate) * preset.rate),
      pitch: clampFactor(clampFactor(wanted.pitch) * preset.pitch),
      ...(hasStyle ? { style } : {}),
      ...(wanted.projectId === undefined ? {} : { projectId: wanted.projectId }),
      ...(wanted.ssml !== undefined && synthesizer.capabilities.ssml ? { ssml: wanted.ssml } : {}),
    };
    return { request, gain: (wanted.gain ?? 1) * preset.gain };
  };

  const { request: firstRequest, gain } = requestTo(first);
  const keyOf = (choice: VoiceChoice) => speechKey(choice.synthesizer, requestTo(choice).request);
  let made: { key: string; isNew: boolean } | undefined;

  async function* make(signal: AbortSignal): AsyncGenerator<Int16Array, void> {
    let problem: unknown;
    for (const choice of choices) {
      const { request } = requestTo(choice);
      const key = keyOf(choice);
      const known = isPrivate ? undefined : (memory.get(key) ?? (await disk?.read(key)));
      made = { key, isNew: known === undefined };
      if (known) {
        yield known;
        return;
      }
      let heard = false;
      try {
        for await (const piece of choice.synthesizer.synthesize(request, signal)) {
          heard = true;
          yield piece;
        }
        router.succeeded(choice.synthesizer);
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        made = undefined;
        problem =
          error instanceof AudioError ? error : synthesisFailed(error instanceof Error ? error.message : 'unknown');
        router.failed(choice.synthesizer);
        if (heard) break;
        if (choices.length > 1)
          log.warn('speech.engine_failed', { engine: choice.synthesizer.name, problem: (problem as Error).message });
      }
    }
    throw problem;
  }

  return {
    key: firstRequest.ssml === undefined ? keyOf(first) : `document:${keyOf(first)}`,
    gain,
    choice: first,
    make,
    async keep(whole) {
      if (isPrivate || !made || whole.length === 0) return;
      memory.set(made.key, whole);
      if (made.isNew)
        await disk?.write(made.key, whole).catch((error) => log.warn('speech.cache_write_failed', { error }));
    },
    durationMs() {
      const known = memory.peek(keyOf(first));
      if (known) return (known.length * 1000) / SAMPLE_RATE_HZ;
      const estimateMs = (text.length * 1000) / CHARACTERS_PER_SECOND / firstRequest.rate + PAUSE_MS;
      return disk?.durationMs(keyOf(first)) ?? Math.round(estimateMs);
    },
  };
}
