/**
 * Where engines take what a party says to be understood. Implemented by `speech/` (embedded and external recognisers);
 * the contract suite is `contracts/speech/recognizer.ts`.
 *
 * Invariants
 *  R1 time is counted in the samples that were written, not on a clock: a session that gets no sound does not age;
 *  R2 a session tells `speech_started` before the `utterance` it belongs to, and nothing after `ended`;
 *  R3 events never come from inside a call of the session.
 */
import type { Fault } from '../core/fault.ts';
import type { ListenOptions } from '../core/leg.ts';

export interface Recognizer {
  /** Why this cannot be had, as far as that can be told beforehand: no model, language not known. */
  refusal(options: ListenOptions): Fault | undefined;
  /** Never throws: what goes wrong is told as `failed`. */
  open(options: ListenOptions, onEvent: (event: RecognitionEvent) => void): RecognitionSession;
}

export interface RecognitionSession {
  /** 8 kHz linear PCM, in order, in pieces of any length; silence is written too. The array is not kept. */
  write(pcm: Int16Array): void;
  /** No more sound comes: what was said so far is the result. */
  finish(): void;
  /** Nobody is interested any more: nothing follows. */
  abort(): void;
}

export type RecognitionEvent =
  | { type: 'speech_started'; atMs: number }
  | { type: 'partial'; text: string }
  /** One utterance, ended by silence; the last one unless the listening is `continuous`. */
  | { type: 'utterance'; text: string; confidence: number; fromMs: number; toMs: number }
  | {
      type: 'ended';
      reason: 'recognized' | 'no_match' | 'no_input' | 'failed';
      text?: string;
      confidence?: number;
      fault?: Fault;
    };
