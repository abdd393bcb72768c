/**
 * The other side of a simulated line, as a script sees it: what the party can do, and what it notices. A terminal, a
 * scenario or a rehearsal holds one of these per call.
 */
import type { Cause } from '../../core/causes.ts';
import type { AudioItem } from '../../core/leg.ts';

export interface FarEnd {
  readonly legId: string;
  readonly from: string;
  readonly to: string;
  readonly state: 'ringing' | 'connected' | 'ended';
  /** Whether something is played to the party now. */
  readonly hears: boolean;
  /** Whether the party is being recorded now. */
  readonly isRecorded: boolean;
  /** All that was played to the party, oldest first. */
  readonly heard: readonly Heard[];
  /** Digits that were sent to the party. */
  readonly received: string;
  /** Presses keys one after the other, the first at once; each is reported at the moment it goes down. */
  press(digits: string, timing?: PressTiming): void;
  /** Speaks from now on for this long. */
  speak(durationMs: number): void;
  /** A callee who rings picks up, whatever the plan said. */
  answer(): void;
  /** Puts the phone down (by default Q.850 16), or gives up calling. */
  hangUp(causeCode?: number): void;
  /** The line breaks: the network ends the call (by default Q.850 41). */
  lose(causeCode?: number): void;
  /** Tells everything the party notices; returns how to stop listening. */
  observe(listener: (notice: Notice) => void): () => void;
}

export interface PressTiming {
  toneMs?: number;
  gapMs?: number;
}

export const DEFAULT_PRESS: Required<PressTiming> = { toneMs: 100, gapMs: 100 };

/** From the first key down until the last key is up. */
export function pressDurationMs(digits: string, timing: PressTiming = {}): number {
  const { toneMs, gapMs } = { ...DEFAULT_PRESS, ...timing };
  return digits.length === 0 ? 0 : digits.length * toneMs + (digits.length - 1) * gapMs;
}

export interface Heard {
  playId: string;
  item: AudioItem;
  fromMs: number;
  /** Absent while it is being played. */
  toMs?: number;
}

export type Notice =
  | { type: 'ringing' }
  | { type: 'answered' }
  /** An item of a prompt begins; `heard` is the same object as in `FarEnd.heard`. */
  | { type: 'hears'; heard: Heard }
  /** A prompt has come to its end, or to the end of one round of a repeated one. */
  | { type: 'round_over'; playId: string }
  /** Nothing is played any more. */
  | { type: 'quiet' }
  /** A recording of the party begins. */
  | { type: 'recorded' }
  | { type: 'digit'; digit: string }
  | { type: 'ended'; cause: Cause; by: 'far' | 'near' | 'network' };

/** What a party who is dialled does. */
export type CalleePlan =
  /** Rings from `ringsAfterMs` (0) on, answers `afterMs` (0) after the dialling, and hangs up after talking `talkMs`. */
  | { does: 'answer'; ringsAfterMs?: number; afterMs?: number; talkMs?: number }
  | { does: 'no_answer'; ringsAfterMs?: number }
  | { does: 'busy' | 'declined' | 'unreachable'; afterMs?: number }
  /** Any other final response. */
  | { does: 'fail'; sipStatus: number; afterMs?: number };
