/** Orders, queries and results of the use cases of broadcasts (`create-broadcasts.ts`), and their dependencies. */
import type { Delivery } from '../../../base/core/delivery.ts';
import type { CallParts } from '../call-parts.ts';
import type { Broadcast, BroadcastOrder, Counts, NumberRow, Result } from './broadcast.ts';
import type { BroadcastStore } from './broadcast-store.ts';
import type { DialGate } from './dial-gate.ts';

/** The API may supply the id, because it withholds the broadcast's events until its response is sent. */
export type NewBroadcast = Omit<BroadcastOrder, 'broadcastId'> & { broadcastId?: string };

export interface CreatedBroadcast {
  broadcast: Broadcast;
  duplicates: number;
}

/** Counts of a broadcast, with `calling` split by the state of the call. */
export interface BroadcastCounts extends Counts {
  ringing: number;
  connected: number;
}

/** States of numbers in the API. A number whose call does not ring yet is `queued`. */
export type NumberStatus = 'queued' | 'ringing' | 'connected' | 'disconnected';

export interface NumberQuery {
  limit: number;
  /** `next` of the previous page. */
  cursor?: string;
  state?: NumberStatus;
  code?: Result['code'];
  reason?: string;
  phone?: string;
}

export interface NumberPage {
  rows: (NumberRow & { status: NumberStatus })[];
  next?: string;
}

/** `broadcasts` of the configuration. */
export interface BroadcastLimits {
  /** Rate limit of all broadcasts together. */
  callsPerSecond: number;
  maxConcurrent: number;
  /** Shared by the broadcasts of a project that set no pace of their own. */
  projectCallsPerSecond: number;
  projectMaxConcurrent: number;
  /** Maximum unfinished broadcasts of a project: their orders are in memory. */
  projectBroadcasts: number;
  /** Maximum numbers of one broadcast. */
  numbers: number;
}

/** Assembled in `app/calls.ts`. */
export interface BroadcastParts extends CallParts {
  store: BroadcastStore;
  limits: BroadcastLimits;
  /** Present if several nodes call the numbers of each broadcast. */
  gate?: DialGate;
  /** True if the node is permanently lost, so that its pending calls must be settled. Default: false. */
  isLost?(node: string): boolean;
  /** True if entries of this call's journal are not written yet. Default: false. */
  isBuffered?(callId: string): boolean;
  /** Events of the broadcast, written in the same transaction as the change that they report. */
  eventsOf(broadcast: Broadcast, what: BroadcastEvent, counts: Counts): Delivery[];
}

export type BroadcastEvent = 'initiated' | 'complete' | 'failed';
