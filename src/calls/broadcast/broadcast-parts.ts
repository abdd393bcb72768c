/** What broadcasts are carried out with; put together in `app.ts`. */
import type { Delivery } from '../../core/delivery.ts';
import type { CallParts } from '../call-parts.ts';
import type { Broadcast, Counts } from './broadcast.ts';
import type { BroadcastStore } from './broadcast-store.ts';
import type { BroadcastLimits } from './broadcasts.ts';

export interface BroadcastParts extends CallParts {
  store: BroadcastStore;
  limits: BroadcastLimits;
  /** Whether something that this call decided is not written yet; no when not said. */
  isBuffered?(callId: string): boolean;
  /** What the receiver of the broadcast's events is told: written together with what it tells of. */
  eventsOf(broadcast: Broadcast, what: BroadcastEvent, counts: Counts): Delivery[];
}

export type BroadcastEvent = 'initiated' | 'complete' | 'failed';
