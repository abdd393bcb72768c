/**
 * A leg is one party's line: what may be asked of it (commands), what it tells (events), and the audio it is sent.
 * Plain data, because the journal keeps both and a replay compares them.
 */
import type { Cause } from './causes.ts';
import type { Fault } from './fault.ts';

/** One piece of a prompt, after resolution of key and locale. `name` is the prompt key, for traces and tests. */
export type AudioItem =
  | { type: 'file'; file: string; name?: string }
  | { type: 'speech'; text: string; language: string; voice: Voice; rate?: number; pitch?: number; name?: string }
  | { type: 'silence'; durationMs: number; name?: string }
  | { type: 'tone'; frequencyHz: number; durationMs: number; name?: string };

export type Voice = 'female' | 'male';

export type LegCommand =
  /** Inbound, not answered: 180 Ringing. */
  | { type: 'ring' }
  /** Inbound, not answered: 183 Session Progress with SDP, so that prompts are heard as early media. */
  | { type: 'progress' }
  | { type: 'answer' }
  /** Inbound, not answered: a final SIP status 300–699 refuses the call. */
  | { type: 'reject'; sipStatus: number }
  /** Ends the leg in whatever state it is: BYE, CANCEL or a final response. The answer is `ended`. */
  | { type: 'hangup'; cause: number }
  /** Plays the items one after the other; `repeat` starts again until stopped. The answer is one `play_ended`. */
  | { type: 'play'; playId: string; audio: AudioItem[]; repeat?: boolean }
  | { type: 'stop_play'; playId: string }
  /**
   * Records what the party says to a WAV file (8 kHz, 16 bit, mono), until the limit, `endSilenceMs` of silence after
   * speech began (0: never), a digit of `terminators`, a stop, or the end of the leg. The answer is one `record_ended`.
   */
  | {
      type: 'record';
      recordId: string;
      file: string;
      maxLengthMs: number;
      endSilenceMs: number;
      terminators: string;
    }
  | { type: 'stop_record'; recordId: string }
  /** Sends `digits` (`0-9*#A-D`, `w` pauses half a second) as RFC 4733 events or SIP INFO. Answer: `digits_sent`. */
  | { type: 'send_digits'; sendId: string; digits: string; toneMs: number; gapMs: number };

export type LegEvent =
  /** Outbound: the far end rings (180, or 183 with early media). At most once. */
  | { type: 'ringing' }
  /** Inbound: our answer was acknowledged. Outbound: the far end answered. At most once. */
  | { type: 'answered' }
  /** The last event of every leg, exactly once. */
  | { type: 'ended'; cause: Cause; by: 'far' | 'near' | 'network'; sipStatus?: number }
  | { type: 'digit'; digit: string; durationMs: number }
  | { type: 'play_ended'; playId: string; reason: 'finished' | 'stopped' | 'failed'; playedMs: number; fault?: Fault }
  | {
      type: 'record_ended';
      recordId: string;
      reason: 'max_length' | 'end_silence' | 'terminator' | 'stopped' | 'hangup' | 'failed';
      file: string;
      durationMs: number;
      /** Milliseconds in which the party was louder than the silence threshold. */
      speechMs: number;
      fault?: Fault;
    }
  | { type: 'digits_sent'; sendId: string };
