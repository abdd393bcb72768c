/** Counters of a media thread, updated for each packet; the main thread requests them when figures are read. */
import { Distribution, type DistributionReading } from '../../../base/core/figures.ts';

/** Packets of one leg. */
export interface LegCounts {
  sent: number;
  received: number;
  /** Packets that were not sent by the negotiated peer. */
  strange: number;
  /** Packets from the peer that are not RTP, have a payload type that was not negotiated, or fail authentication. */
  malformed: number;
  /** Packets that arrived after their turn, while a tap reads them in addition to a relay. */
  late: number;
}

export interface ThreadFigures {
  packets: Pick<LegCounts, 'strange' | 'malformed' | 'late'>;
  /** Delay of its timer in seconds: packets are sent late by the same time. */
  timerLag: DistributionReading;
}

const LAG_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];

export class ThreadCounter {
  /** Counts of closed legs. */
  readonly #past = { strange: 0, malformed: 0, late: 0 };
  readonly #timerLag = new Distribution(LAG_SECONDS);

  timerFired(lateMs: number): void {
    this.#timerLag.add(Math.max(0, lateMs) / 1000);
  }

  closed(leg: LegCounts): void {
    add(this.#past, leg);
  }

  /** Includes the counts of open legs. */
  read(open: Iterable<LegCounts>): ThreadFigures {
    const packets = { ...this.#past };
    for (const leg of open) add(packets, leg);
    return { packets, timerLag: this.#timerLag };
  }
}

export function add(sum: ThreadFigures['packets'], more: ThreadFigures['packets']): void {
  sum.strange += more.strange;
  sum.malformed += more.malformed;
  sum.late += more.late;
}
