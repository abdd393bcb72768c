/** What broadcasts work with; put together in `app/calls.ts`. */
import type { Delivery } from '../../core/delivery.ts';
import type { CallParts } from '../call-parts.ts';
import type { Broadcast, Counts } from './broadcast.ts';
import type { BroadcastStore } from './broadcast-store.ts';
import type { BroadcastLimits } from './broadcasts.ts';

export interface BroadcastParts extends CallParts {
  store: BroadcastStore;
  limits: BroadcastLimits;
  /** Whether decisions of this call are not written yet; default no. */
  isBuffered?(callId: string): boolean;
  /** Events of the broadcast, written in the same transaction as what they report. */
  eventsOf(broadcast: Broadcast, what: BroadcastEvent, counts: Counts): Delivery[];
}

export type BroadcastEvent = 'initiated' | 'complete' | 'failed';
