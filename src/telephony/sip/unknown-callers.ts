/**
 * How many calls strangers have from each source: at once, and of those that nobody acknowledged yet (ringing, heard
 * early, or answered without an ACK). Carriers and proved users are not counted.
 * Invariants: what is not there is not remembered; who forges datagrams uses up the places of datagrams alone, never those
 * of connections from the same address.
 */
import { type Peer, rateLimitKey } from './transport.ts';

export interface UnknownCallerLimits {
  /** From one source. */
  calls: number;
  unansweredCalls: number;
  /** How long a call may be without any packet of sound or report; 0: for ever. */
  silenceMs: number;
}

/** A stranger's call, as long as it is there. */
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

  /** Undefined: the source has all that it may have. */
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
