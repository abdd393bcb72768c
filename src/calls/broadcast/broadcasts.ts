/** Orders, queries and results of the use cases of broadcasts (`create-broadcasts.ts`), and what these work with. */
import type { Delivery } from '../../core/delivery.ts';
import type { CallParts } from '../call-parts.ts';
import type { Broadcast, BroadcastOrder, Counts, NumberRow, Result } from './broadcast.ts';
import type { BroadcastStore } from './broadcast-store.ts';
import type { DialGate } from './dial-gate.ts';

/** The API makes the id, because it holds back the broadcast's events until its answer has left. */
export type NewBroadcast = Omit<BroadcastOrder, 'broadcastId'> & { broadcastId?: string };

export interface CreatedBroadcast {
  broadcast: Broadcast;
  duplicates: number;
}

/** `calling`, divided by the state of the call. */
export interface BroadcastCounts extends Counts {
  ringing: number;
  connected: number;
}

/** States of numbers in the API. A number that is called and does not ring yet is `queued`. */
export type NumberStatus = 'queued' | 'ringing' | 'connected' | 'disconnected';

export interface NumberQuery {
  limit: number;
  /** `next` of the page before. */
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
  /** Of all broadcasts together. */
  callsPerSecond: number;
  maxConcurrent: number;
  /** Shared by those broadcasts of a project that set no pace of their own. */
  projectCallsPerSecond: number;
  projectMaxConcurrent: number;
  /** Of a project that are not over: their orders are in memory. */
  projectBroadcasts: number;
  /** Numbers of one broadcast. */
  numbers: number;
}

/** Put together in `app/calls.ts`. */
export interface BroadcastParts extends CallParts {
  store: BroadcastStore;
  limits: BroadcastLimits;
  /** Where several nodes call the numbers of each broadcast. */
  gate?: DialGate;
  /** Whether this node is gone for good, so that what it was calling is lost; default: none is. */
  isLost?(node: string): boolean;
  /** Whether decisions of this call are not written yet; default no. */
  isBuffered?(callId: string): boolean;
  /** Events of the broadcast, written in the same transaction as what they report. */
  eventsOf(broadcast: Broadcast, what: BroadcastEvent, counts: Counts): Delivery[];
}

export type BroadcastEvent = 'initiated' | 'complete' | 'failed';
