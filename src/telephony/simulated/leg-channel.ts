/** What the parts of a simulated leg share: the time, and the two directions in which things are told. */
import type { Clock } from '../../core/clock.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { Notice } from './far-end.ts';

export interface LegChannel {
  readonly clock: Clock;
  /** Tells our side, through the clock. */
  emit(event: LegEvent): void;
  /** Tells the party, at once. */
  notice(notice: Notice): void;
}

/** Something said, from its beginning to its end, which is known beforehand. */
export interface Utterance {
  fromMs: number;
  toMs: number;
  /** Absent: words that nobody understands. */
  text?: string;
  confidence: number;
}
