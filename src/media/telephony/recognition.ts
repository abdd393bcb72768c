/**
 * Port for speech recognition. Implemented by `speech/` (embedded and external recognisers); the contract suite is
 * `test/contracts/speech/recognizer.ts`.
 *
 * Invariants
 *  - R1 time is counted in written samples, not by a clock: time stops in a session that receives no audio;
 *  - `speech_started` precedes its `utterance`, and no event follows `ended`;
 *  - R3 events are never emitted from inside a call of the session.
 */
import type { Fault } from '../../base/core/fault.ts';
import type { ListenOptions } from '../../base/core/leg.ts';

export interface RecognitionRequest extends ListenOptions {
  /** Requesting project: projects take turns, and each has a share of the sessions of an engine. */
  projectId?: string;
}

export interface Recognizer {
  /** Returns why this request would fail, where that is known in advance: no model, an unknown language, or no session left. */
  refusal(options: RecognitionRequest): Fault | undefined;
  /** Never throws: failures are reported as `failed`. */
  open(options: RecognitionRequest, onEvent: (event: RecognitionEvent) => void): RecognitionSession;
}

export interface RecognitionSession {
  /** Writes 8 kHz linear PCM, in order, in chunks of any length, silence included. The array is not kept. */
  write(pcm: Int16Array): void;
  /** Ends the audio: the result is based on what was written so far. */
  finish(): void;
  /** Cancels the session: no more events follow. */
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
