/**
 * The port for text to speech. Engines make sound of text and know nothing of calls, caches or files; the audio library
 * (`audio-library.ts`) stands before them. Every engine is proved by `synthesizer-contract.ts`.
 */
import { type Fault, fault } from '../core/fault.ts';
import type { Voice } from '../core/leg.ts';
import { AudioError } from '../telephony/audio.ts';

export interface SpeechRequest {
  text: string;
  /** A language of the engine's capabilities; `router.ts` finds the one that serves a written tag. */
  language: string;
  voice: Voice;
  /** What the engine calls the voice, where one was asked for by its name. */
  voiceName?: string;
  /** Speed as a factor: 1 is the voice's own, 2 twice as fast. */
  rate: number;
  /** Pitch as a factor: 1 is the voice's own. */
  pitch: number;
  /** A manner of speaking, one of the engine's capabilities. */
  style?: string;
  /** The same as a whole `<speak>` document, for engines that take it; rate, pitch and style are then in it. */
  ssml?: string;
  /** The project that asks, for engines in which projects take turns; not part of the sound. */
  projectId?: string;
}

export interface SynthesizerVoice {
  /** BCP 47, e.g. `en-US`. */
  language: string;
  voice: Voice;
}

/** A voice that flows may ask for by name. */
export interface NamedVoice {
  /** As flows write it, with or without the engine's name before it. */
  name: string;
  /** What the engine calls it. */
  own: string;
}

export interface SynthesizerCapabilities {
  voices: readonly SynthesizerVoice[];
  /** In all of its languages. */
  named?: readonly NamedVoice[];
  /** Manners of speaking that it has itself. */
  styles?: readonly string[];
  /** Takes whole documents. */
  ssml?: boolean;
}

export interface Synthesizer {
  readonly name: string;
  /** Part of every cache key: it changes whenever the same request would sound different. */
  readonly version: string;
  readonly capabilities: SynthesizerCapabilities;
  /**
   * The text as 8 kHz linear PCM, sentence by sentence; a text without anything to say gives no chunk. Throws an
   * `AudioError` (`language_not_supported`, `text_too_long`, `synthesis_failed`), or the signal's reason once aborted.
   */
  synthesize(request: SpeechRequest, signal: AbortSignal): AsyncIterable<Int16Array>;
  /** Frees threads and memory; what is being synthesised fails. */
  stop(): Promise<void>;
}

export const MAX_TEXT_LENGTH = 5000;
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 2;

/** Why this text cannot be spoken by this engine, before anything is tried. */
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

/** A factor within what voices can do; nonsense counts as 1. */
export function clampFactor(written: number | undefined): number {
  if (written === undefined || !Number.isFinite(written) || written <= 0) return 1;
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, written));
}
