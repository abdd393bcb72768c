/** What the parts of a simulated leg share: the clock, and the two directions. */
import type { Clock } from '../../core/clock.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { Notice } from './far-end.ts';

export interface LegChannel {
  readonly clock: Clock;
  /** For our side, through the clock. */
  emit(event: LegEvent): void;
  /** For the party, at once. */
  notice(notice: Notice): void;
}

/** Speech from its beginning to its end, which is known in advance. */
export interface Utterance {
  fromMs: number;
  toMs: number;
  /** Absent: speech without intelligible words. */
  text?: string;
  confidence: number;
}
