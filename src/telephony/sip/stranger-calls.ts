/**
 * How many calls strangers have from each source: at once, and of those that nobody acknowledged yet (ringing, heard
 * early, or answered without an ACK). Carriers and proved users are not counted.
 * Invariants: what is not there is not remembered; who forges datagrams uses up the places of datagrams alone, never those
 * of connections from the same address.
 */
import { type Peer, sourceKey } from './transport.ts';

export interface StrangerLimits {
  /** From one source. */
  calls: number;
  unansweredCalls: number;
  /** How long a call may be without any packet of sound or report; 0: for ever. */
  silenceMs: number;
}

/** A stranger's call, as long as it is there. */
export interface StrangerCall {
  acknowledged(): void;
  over(): void;
}

interface Source {
  calls: number;
  unanswered: number;
}

export class StrangerCalls {
  readonly #limits: StrangerLimits;
  readonly #sources = new Map<string, Source>();

  constructor(limits: StrangerLimits) {
    this.#limits = limits;
  }

  /** Undefined: the source has all that it may have. */
  take(peer: Peer): StrangerCall | undefined {
    const key = sourceKey(peer);
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
      over: () => {
        acknowledged();
        if (state === 'over') return;
        state = 'over';
        source.calls--;
        if (source.calls === 0) this.#sources.delete(key);
      },
    };
  }
}
