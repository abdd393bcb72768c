/**
 * Port of engines that transcribe consecutive utterances: the embedded one, or one over HTTP. `listening.ts` detects
 * utterances, `grammar.ts` interprets their words.
 */
import type { Fault } from '../../../base/core/fault.ts';
import type { RecognitionRequest } from '../../telephony/recognition.ts';

/** An entry of `speech.asr`. */
export interface RecognizerConfig {
  readonly engine: 'vosk' | 'http' | 'openai';
  /** URL to which utterances are posted. */
  readonly url?: string;
  readonly key?: string;
  /** Name for `openai`, folder for `vosk`. */
  readonly model?: string;
  /** For `vosk`: a custom build of the library. */
  readonly library?: string;
  readonly languages?: readonly string[];
  /** Maximum number of concurrent listenings. */
  readonly maxSessions?: number;
  /** For `vosk`: number of threads. */
  readonly threads?: number;
  /** For `vosk`: loads the model at start instead of on first use. */
  readonly preload?: boolean;
  /** For external engines: timeout for one utterance, from the start of its request. */
  readonly timeoutMs?: number;
  /** For external engines: maximum number of concurrent requests. */
  readonly maxRequests?: number;
}

/** Default limit of one engine. */
export const DEFAULT_SESSIONS = 64;

export interface Transcriber {
  readonly name: string;
  /** Language tags. `en` includes every variety of English. */
  readonly languages: readonly string[];
  /** Reason why the engine is unavailable, for a project if one is given, where known in advance. */
  refusal(projectId?: string): Fault | undefined;
  /** Never throws: errors are reported to the listener. */
  open(request: TranscriptionRequest, listener: TranscriptionListener): Transcription;
  /** Listeners receive a fault. */
  stop(): Promise<void>;
}

export interface TranscriptionRequest extends RecognitionRequest {
  /**
   * All expected phrases in plain words. Undefined: any words. A hint for the engine, which may recognise other words.
   */
  phrases: readonly string[] | undefined;
  /** Words that may surround the phrases. */
  fillerPhrases: readonly string[];
}

export interface TranscriptionListener {
  /** Words so far of the current utterance. */
  partial(text: string): void;
  /**
   * Number of further processed samples, whose words `partial` has reported. Not called by engines without partial
   * results.
   */
  taken?(samples: number): void;
  /** The engine has failed; there are no further results. Never called synchronously from a method. */
  failed(fault: Fault): void;
}

export interface Transcription {
  /** Audio of the utterance, 8 kHz linear PCM. The array is not retained. */
  write(pcm: Int16Array): void;
  /** Ends the utterance; further audio belongs to the next. Rejects with an error that has a `fault`. */
  end(): Promise<RecognizedUtterance>;
  close(): void;
}

export interface RecognizedUtterance {
  /** In spoken order. */
  words: readonly RecognizedWord[];
}

export interface RecognizedWord {
  /** Undefined for audio that matches no word. */
  word: string | undefined;
  /** 0 to 1. */
  confidence: number;
}

/** Words of a text with a single confidence. */
export function recognizedText(text: string, confidence: number): RecognizedUtterance {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return { words: words.map((word) => ({ word, confidence })) };
}
