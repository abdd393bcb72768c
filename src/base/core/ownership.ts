/**
 * Ownership of calls. Each epoch (run of a node process) has an id that is never reused, so that a restarted node is
 * not mistaken for the one that died. An adoption increments the fence of the call, and the store refuses a write with
 * a lower fence.
 */

/** Id of an epoch of a node: `HOST-PID-RANDOM`. */
export type NodeEpoch = string;

export interface Ownership {
  owner: NodeEpoch;
  /** Starts at 1; each adoption adds 1. */
  fence: number;
}

/** The fence of a call that was never adopted. */
export const FIRST_FENCE = 1;

/** The write was refused because another epoch has adopted the call. */
export class Fenced extends Error {
  readonly callId: string;

  constructor(callId: string, { owner, fence }: Ownership) {
    super(`call ${callId}: ${owner} does not own it under fence ${fence} any more`);
    this.callId = callId;
  }
}
