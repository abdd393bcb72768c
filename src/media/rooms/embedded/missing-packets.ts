/**
 * Missing packets of a stream, and when to request them (NACK): after a moment, because late packets arrive without a
 * request, and repeatedly until one arrives.
 *
 * Invariants
 *  - lateness and response time are learnt from the packets that arrive;
 *  - a packet that is too old to be of use is given up; before that a key frame is requested for a video frame that
 *    waits for it, once for each hole.
 */
import type { MediaKind } from './sdp.ts';

const FIRST_WAIT_MS = { least: 10, most: 50 } as const;
const ANSWER_MS = { least: 40, most: 250 } as const;
/**
 * Number of requests within one response time, because requests may be lost as well. Senders answer at most one of them
 * in that time.
 */
const REQUESTS = 3;
const LEAST_REPEAT_MS = 20;
/** Round trip before the first response. */
const ROUND_TRIP_MS = 60;
/** Decay of the lateness, from one late packet to the next. */
const FORGETTING = 0.9;
/** Age at which audio has been played anyway, and video has restarted with a key frame. */
const USELESS_MS: Readonly<Record<MediaKind, number>> = { audio: 500, video: 1500 };
/** Number of requests above which the response is not used to learn the response time. */
const MAX_TELLING = 3 * REQUESTS;
/** Age at which video is frozen and a key frame is quicker. */
const STALE_MS = 350;

interface Hole {
  sinceMs: number;
  /** Times of the first request and of the next one. */
  askedMs: number;
  nextMs: number;
  tries: number;
  isStale: boolean;
}

export interface Due {
  asked: number[];
  /** True if a hole has delayed a video frame for long, or is given up. */
  isStale: boolean;
}

export class MissingPackets {
  readonly #kind: MediaKind;
  readonly #holes = new Map<number, Hole>();
  #roundTripMs = ROUND_TRIP_MS;
  #variationMs = ROUND_TRIP_MS / 2;
  /** Lateness of packets that arrive without a request. */
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

  /** Records the arrival of a packet. False if it was not missing. */
  arrived(sequence: number, nowMs: number): boolean {
    const hole = this.#holes.get(sequence);
    if (!hole) return false;
    this.#holes.delete(sequence);
    if (hole.tries === 0) this.#latenessMs = Math.max(nowMs - hole.sinceMs, this.#latenessMs * FORGETTING);
    // It is not known which request was answered. Measures from the first one: from a later one, the estimate would
    // stay too short forever.
    if (hole.tries > 0 && hole.tries <= MAX_TELLING) this.#learn(nowMs - hole.askedMs);
    return true;
  }

  #learn(tookMs: number): void {
    this.#variationMs += (Math.abs(tookMs - this.#roundTripMs) - this.#variationMs) / 4;
    this.#roundTripMs += (tookMs - this.#roundTripMs) / 8;
  }

  /**
   * Returns the sequence numbers to request now. `isOut`: true for packets that senders have dropped from their
   * history.
   */
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
