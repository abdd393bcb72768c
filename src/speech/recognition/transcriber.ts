/**
 * The port of engines that turn the sound of one utterance after the other into words: the embedded one, or one behind
 * HTTP. `listening.ts` decides when an utterance begins and ends, `grammar.ts` what its words mean.
 */
import type { Fault } from '../../core/fault.ts';
import type { ListenOptions } from '../../core/leg.ts';

/** One of `speech.asr`. */
export interface RecognizerConfig {
  readonly engine: 'vosk' | 'http' | 'openai';
  /** Where utterances are posted. */
  readonly url?: string;
  readonly key?: string;
  /** Of `openai` its name, of `vosk` its directory. */
  readonly model?: string;
  /** Of `vosk`: a build of one's own. */
  readonly library?: string;
  readonly languages?: readonly string[];
  /** Listenings at one time. */
  readonly maxSessions?: number;
  /** Of `vosk`. */
  readonly threads?: number;
  /** Of `vosk`: the model is loaded at the start, not when it is first needed. */
  readonly preload?: boolean;
  /** Of engines elsewhere: for one utterance. */
  readonly timeoutMs?: number;
}

/** Of one engine. */
export const DEFAULT_SESSIONS = 64;

export interface Transcriber {
  readonly name: string;
  /** Language tags; `en` stands for every kind of English. */
  readonly languages: readonly string[];
  /** Why this is not available, as far as that is known beforehand. */
  refusal(): Fault | undefined;
  /** Never throws: errors are reported to the listener. */
  open(request: TranscriptionRequest, listener: TranscriptionListener): Transcription;
  /** Listeners receive a fault. */
  stop(): Promise<void>;
}

export interface TranscriptionRequest extends ListenOptions {
  /** All that is expected, in plain words; undefined: anything. Help for the engine: it may hear other words. */
  phrases: readonly string[] | undefined;
  /** What may be said around them. */
  fillerPhrases: readonly string[];
}

export interface TranscriptionListener {
  /** What was said so far of the utterance that goes on. */
  partial(text: string): void;
  /** So many more samples were gone through, and `partial` has told their words. Engines without partial results do not call it. */
  taken?(samples: number): void;
  /** It broke down: nothing more can be had. Never from inside a call. */
  failed(fault: Fault): void;
}

export interface Transcription {
  /** Sound of the utterance, 8 kHz linear PCM. The array is not kept. */
  write(pcm: Int16Array): void;
  /** The utterance is over; what is written next belongs to another. Rejects with an error that carries a `fault`. */
  end(): Promise<RecognizedUtterance>;
  close(): void;
}

export interface RecognizedUtterance {
  /** In the order they were said. */
  words: readonly RecognizedWord[];
}

export interface RecognizedWord {
  /** Undefined: a sound that none of the words explains. */
  word: string | undefined;
  /** 0 to 1. */
  confidence: number;
}

/** The words of a text that came with one confidence for all of it. */
export function recognizedText(text: string, confidence: number): RecognizedUtterance {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return { words: words.map((word) => ({ word, confidence })) };
}
