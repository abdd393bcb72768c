/**
 * What is missing of a stream, and when it is asked for: after a moment, because packets that are only late come by
 * themselves, and again as long as no answer has come.
 *
 * Invariants
 *  - how late packets come, and how long answers take, is learnt from those that come;
 *  - what is too old to be of use is given up; a picture that waits for it is asked for anew before, once for each hole.
 */
import type { MediaKind } from './sdp.ts';

const FIRST_WAIT_MS = { least: 10, most: 50 } as const;
const ANSWER_MS = { least: 40, most: 250 } as const;
/**
 * So often a packet is asked for while its answer would be on the way, because what asks for it may be lost as well. Those who
 * send answer once in that time.
 */
const REQUESTS = 3;
const LEAST_REPEAT_MS = 20;
/** Before any answer has come. */
const ROUND_TRIP_MS = 60;
/** Of lateness, from one that was late to the next. */
const FORGETTING = 0.9;
/** Sound that is played long since, and pictures that have begun anew. */
const USELESS_MS: Readonly<Record<MediaKind, number>> = { audio: 500, video: 1500 };
/** An answer after more tries than that says nothing of how long answers take. */
const MOST_TELLING = 3 * REQUESTS;
/** A picture stands still: a new one is quicker. */
const STALE_MS = 350;

interface Hole {
  sinceMs: number;
  /** For the first time, and when again. */
  askedMs: number;
  nextMs: number;
  tries: number;
  isStale: boolean;
}

export interface Due {
  asked: number[];
  /** Some hold up a picture for long, or are given up. */
  isStale: boolean;
}

export class MissingPackets {
  readonly #kind: MediaKind;
  readonly #holes = new Map<number, Hole>();
  #roundTripMs = ROUND_TRIP_MS;
  #variationMs = ROUND_TRIP_MS / 2;
  /** How late packets come that were not asked for. */
  #latenessMs = 0;

  constructor(kind: MediaKind) {
    this.#kind = kind;
  }

  get size(): number {
    return this.#holes.size;
  }

  add(sequence: number, nowMs: number): void {
    this.#holes.set(sequence, { sinceMs: nowMs, askedMs: 0, nextMs: 0, tries: 0, isStale: false });
  }

  clear(): void {
    this.#holes.clear();
  }

  /** False: it was not missing. */
  arrived(sequence: number, nowMs: number): boolean {
    const hole = this.#holes.get(sequence);
    if (!hole) return false;
    this.#holes.delete(sequence);
    if (hole.tries === 0) this.#latenessMs = Math.max(nowMs - hole.sinceMs, this.#latenessMs * FORGETTING);
    // Which of several tries it answers is not known: the first, or our guess stays too short for ever.
    if (hole.tries > 0 && hole.tries <= MOST_TELLING) this.#learn(nowMs - hole.askedMs);
    return true;
  }

  #learn(tookMs: number): void {
    this.#variationMs += (Math.abs(tookMs - this.#roundTripMs) - this.#variationMs) / 4;
    this.#roundTripMs += (tookMs - this.#roundTripMs) / 8;
  }

  /** `isOut`: nobody who sends keeps it any more. */
  due(nowMs: number, isOut: (sequence: number) => boolean): Due {
    const asked: number[] = [];
    let isStale = false;
    const firstMs = within(this.#latenessMs * 1.5, FIRST_WAIT_MS);
    const answerMs = within(this.#roundTripMs + this.#variationMs, ANSWER_MS);
    const repeatMs = Math.max(LEAST_REPEAT_MS, answerMs / REQUESTS);
    for (const [sequence, hole] of this.#holes) {
      const ageMs = nowMs - hole.sinceMs;
      if (ageMs > Math.max(STALE_MS, 2 * answerMs) && !hole.isStale) {
        hole.isStale = true;
        isStale = true;
      }
      if (ageMs > USELESS_MS[this.#kind] || isOut(sequence)) this.#holes.delete(sequence);
      else if (hole.tries === 0 ? ageMs >= firstMs : nowMs >= hole.nextMs) {
        if (hole.tries === 0) hole.askedMs = nowMs;
        hole.nextMs = nowMs + repeatMs;
        hole.tries++;
        asked.push(sequence);
      }
    }
    return { asked, isStale };
  }
}

const within = (ms: number, { least, most }: { least: number; most: number }): number =>
  Math.min(most, Math.max(least, ms));
