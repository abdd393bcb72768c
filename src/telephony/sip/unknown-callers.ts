/**
 * Limits the calls of unknown callers per source: concurrent ones, and those not acknowledged yet (ringing, early
 * media, or answered without an ACK). Carriers and authenticated users are not counted.
 * Sources without calls are forgotten. Forged datagrams use up the limits of datagrams only, never those of connections
 * from the same address.
 */
import { type Peer, rateLimitKey } from './transport.ts';

export interface UnknownCallerLimits {
  /** Per source. */
  calls: number;
  unansweredCalls: number;
  /** How long a call may be without any RTP or RTCP packet; 0: for ever. */
  silenceMs: number;
}

/** An unknown caller's call, until it is released. */
export interface UnknownCallerSlot {
  acknowledged(): void;
  release(): void;
}

interface SourceCalls {
  calls: number;
  unanswered: number;
}

export class UnknownCallers {
  readonly #limits: UnknownCallerLimits;
  readonly #sources = new Map<string, SourceCalls>();

  constructor(limits: UnknownCallerLimits) {
    this.#limits = limits;
  }

  /** Undefined: the source is at its limit. */
  acquire(peer: Peer): UnknownCallerSlot | undefined {
    const key = rateLimitKey(peer);
    const source = this.#sources.get(key) ?? { calls: 0, unanswered: 0 };
    const { calls, unansweredCalls } = this.#limits;
    if (source.calls >= calls || source.unanswered >= unansweredCalls) return undefined;
    this.#sources.set(key, source);
    source.calls++;
    source.unanswered++;
    let state: 'unanswered' | 'answered' | 'over' = 'unanswered';
    const acknowledged = (): void => {
      if (state !== 'unanswered') return;
      state = 'answered';
      source.unanswered--;
    };
    return {
      acknowledged,
      release: () => {
        acknowledged();
        if (state === 'over') return;
        state = 'over';
        source.calls--;
        if (source.calls === 0) this.#sources.delete(key);
      },
    };
  }
}
