/**
 * Port for text to speech. Engines convert text to audio and do not depend on calls, caches or files; the audio library
 * (`audio-library.ts`) uses them. Every engine is tested by `synthesizer-contract.ts`.
 */
import { type Fault, fault } from '../../base/core/fault.ts';
import type { Voice } from '../../base/core/leg.ts';
import { AudioError } from '../telephony/audio.ts';

export interface SpeechRequest {
  text: string;
  /** A language of the engine's capabilities. `voice-router.ts` maps requested tags to it. */
  language: string;
  voice: Voice;
  /** The engine's name of the voice, if a named voice was requested. */
  voiceName?: string;
  /** Speed factor: 1 is the voice's default, 2 is twice as fast. */
  rate: number;
  /** Pitch factor: 1 is the voice's default. */
  pitch: number;
  /** Speaking style from the engine's capabilities. */
  style?: string;
  /** The text as a whole `<speak>` document, for engines that support it. It contains rate, pitch and style. */
  ssml?: string;
  /** Requesting project, for engines in which projects take turns. Does not affect the sound. */
  projectId?: string;
}

export interface SynthesizerVoice {
  /** BCP 47, e.g. `en-US`. */
  language: string;
  voice: Voice;
}

/** A voice that flows can request by name. */
export interface NamedVoice {
  /** Name in flows, with or without the engine's name as a prefix. */
  name: string;
  /** The engine's name of the voice. */
  own: string;
}

export interface SynthesizerCapabilities {
  voices: readonly SynthesizerVoice[];
  /** Available in all languages of the engine. */
  named?: readonly NamedVoice[];
  /** Speaking styles that the engine supports itself. */
  styles?: readonly string[];
  /** True if the engine accepts whole documents. */
  ssml?: boolean;
}

export interface Synthesizer {
  readonly name: string;
  /** Part of every cache key. Changes whenever the same request would sound different. */
  readonly version: string;
  readonly capabilities: SynthesizerCapabilities;
  /**
   * Yields the text as 8 kHz linear PCM, sentence by sentence; nothing if the text has no words. Throws an `AudioError`
   * (`language_not_supported`, `text_too_long`, `synthesis_failed`), or the signal's reason once aborted.
   */
  synthesize(request: SpeechRequest, signal: AbortSignal): AsyncIterable<Int16Array>;
  /** Frees threads and memory. Running synthesis fails. */
  stop(): Promise<void>;
}

export const MAX_TEXT_LENGTH = 5000;
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 2;

/** Reason why the engine cannot speak this text, without trying. */
export function refusalOf(synthesizer: Synthesizer, request: SpeechRequest): Fault | undefined {
  const spoken = synthesizer.capabilities.voices.some(
    (offered) => offered.language === request.language && offered.voice === request.voice,
  );
  return spoken ? textTooLong(request.text) : noVoice(request.language);
}

export const noVoice = (language: string): Fault =>
  fault('language_not_supported', `no voice speaks ${language.slice(0, 40)}`);

export const textTooLong = (text: string): Fault | undefined =>
  text.length <= MAX_TEXT_LENGTH
    ? undefined
    : fault('text_too_long', `a text of ${text.length} characters is longer than ${MAX_TEXT_LENGTH}`);

export const synthesisFailed = (why: string): AudioError =>
  new AudioError(fault('synthesis_failed', `text to speech failed: ${why}`, { retryable: true }));

/** Clamps a factor to the range of voices. Invalid values count as 1. */
export function clampFactor(written: number | undefined): number {
  if (written === undefined || !Number.isFinite(written) || written <= 0) return 1;
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, written));
}
