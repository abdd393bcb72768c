/**
 * Who owns a call. Each life of a node has an id of its own that is never used again: a node that starts anew must not pass
 * for the one that died. Whoever takes a call over raises its fence by one, and a write under a lower fence is refused.
 */

/** Names a life of a node: `HOST-PID-RANDOM`. */
export type LifeId = string;

export interface Ownership {
  owner: LifeId;
  /** Begins at 1; each adoption adds 1. */
  fence: number;
}

/** The fence of a call that was never adopted. */
export const FIRST_FENCE = 1;

/** The write is refused: another life has adopted the call. */
export class Fenced extends Error {
  readonly callId: string;

  constructor(callId: string, { owner, fence }: Ownership) {
    super(`call ${callId}: ${owner} does not own it under fence ${fence} any more`);
    this.callId = callId;
  }
}
