/**
 * Limits the calls of unknown callers by source: concurrent ones, those not acknowledged yet (ringing, early media, or
 * answered without an ACK), and answers to a source that has not proved that it receives. Carriers and authenticated
 * users are not counted; edge proxies, which forward calls of many callers, are not limited.
 *
 * Invariants
 *  - an answer over UDP is repeated until its ACK (RFC 3261 §13.3.1.4), many times the bytes of its INVITE: a source
 *    whose address may be forged gets at most `UNPROVED_ANSWERS` of them at once, and others wait. An ACK or a PRACK of
 *    one of its calls has the tag that was sent to it, and proves the source as long as it has calls;
 *  - sources without calls are forgotten;
 *  - forged datagrams use up only the limits of datagrams, never those of connections from the same address.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { T2_MS } from './transaction-tables.ts';
import { type Peer, rateLimitKey } from './transport.ts';

export interface UnknownCallerLimits {
  /** Concurrent calls per source. */
  calls: number;
  unansweredCalls: number;
  /** Time after which a call without any RTP or RTCP packet is ended; 0: never. */
  silenceMs: number;
}

/** Slot of an unknown caller's call, until it is released. */
export interface UnknownCallerSlot {
  /**
   * Calls one of them, once: `answer` as soon as the source may get an answer, `refuse` if that takes too long. Neither
   * is called if the call is released before.
   */
  beforeAnswer(calls: { answer(): void; refuse(): void }): void;
  /** The caller has received a response. */
  proved(): void;
  /** The caller has received the answer. */
  acknowledged(): void;
  /** The call has ended. */
  release(): void;
  /** No more messages of the call are sent before the next request of the caller. */
  silent(): void;
}

interface SourceCalls {
  calls: number;
  unanswered: number;
  isProved: boolean;
  /** Answers that are retransmitted, or followed by a BYE that is. */
  openAnswers: number;
  waiting: Set<() => void>;
}

/** A burst of calls waits for the first ACK; without one, phones and scanners have given up. */
export const UNPROVED_ANSWERS = 10;
const MAX_WAIT_MS = T2_MS;

export class UnknownCallers {
  readonly #limits: UnknownCallerLimits;
  readonly #clock: Clock;
  readonly #isEdge: (host: string) => boolean;
  readonly #sources = new Map<string, SourceCalls>();

  /** `isEdge` returns true for an edge proxy. */
  constructor(limits: UnknownCallerLimits, clock: Clock, isEdge: (host: string) => boolean) {
    this.#limits = limits;
    this.#clock = clock;
    this.#isEdge = isEdge;
  }

  /** Undefined if the source is at its limit. */
  acquire(peer: Peer): UnknownCallerSlot | undefined {
    const key = rateLimitKey(peer);
    const isEdge = this.#isEdge(peer.host);
    const source = this.#sources.get(key) ?? newSource(isEdge || peer.transport !== 'udp');
    const { calls, unansweredCalls } = this.#limits;
    if (!isEdge && (source.calls >= calls || source.unanswered >= unansweredCalls)) return undefined;
    this.#sources.set(key, source);
    source.calls++;
    source.unanswered++;
    const forget = (): void => {
      if (source.calls === 0 && source.openAnswers === 0) this.#sources.delete(key);
    };
    return new Slot(source, this.#clock, forget);
  }
}

/** A connection proves its source. */
const newSource = (isProved: boolean): SourceCalls => ({
  ...{ calls: 0, unanswered: 0, isProved, openAnswers: 0, waiting: new Set() },
});

class Slot implements UnknownCallerSlot {
  readonly #source: SourceCalls;
  readonly #clock: Clock;
  readonly #forget: () => void;
  #isUnanswered = true;
  #isOver = false;
  #isOpen = false;
  #wait: { go: () => void; timer: Timer } | undefined;

  constructor(source: SourceCalls, clock: Clock, forget: () => void) {
    this.#source = source;
    this.#clock = clock;
    this.#forget = forget;
  }

  beforeAnswer({ answer, refuse }: { answer(): void; refuse(): void }): void {
    const go = (): void => {
      this.#stopWaiting();
      this.#isOpen = true;
      this.#source.openAnswers++;
      answer();
    };
    if (this.#hasRoom) {
      go();
      return;
    }
    const timer = this.#clock.after(MAX_WAIT_MS, () => {
      this.#stopWaiting();
      refuse();
    });
    this.#wait = { go, timer };
    this.#source.waiting.add(go);
  }

  get #hasRoom(): boolean {
    return this.#source.isProved || this.#source.openAnswers < UNPROVED_ANSWERS;
  }

  proved(): void {
    this.#source.isProved = true;
    this.#nextAnswers();
  }

  acknowledged(): void {
    this.#answered();
    this.#source.isProved = true;
    this.silent();
    this.#nextAnswers();
  }

  release(): void {
    this.#stopWaiting();
    this.#answered();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.calls--;
    this.#forget();
  }

  silent(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#source.openAnswers--;
    this.#nextAnswers();
    this.#forget();
  }

  #answered(): void {
    if (this.#isUnanswered) this.#source.unanswered--;
    this.#isUnanswered = false;
  }

  #nextAnswers(): void {
    for (const go of [...this.#source.waiting]) if (this.#hasRoom) go();
  }

  #stopWaiting(): void {
    if (!this.#wait) return;
    this.#wait.timer.cancel();
    this.#source.waiting.delete(this.#wait.go);
    this.#wait = undefined;
  }
}
