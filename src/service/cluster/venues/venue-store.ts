/**
 * Port: owner nodes of venues (conferences and queues). Implemented in `service/store/redis/`.
 *
 * Invariants
 *  - A venue has one owner node at a time. Each change of the owner raises the fence, until the record expires.
 *  - Repeated requests get the same reply.
 */
import { createHash } from 'node:crypto';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { VenueKind } from '../../../base/core/venue-kind.ts';

export interface VenueOwner {
  readonly node: NodeEpoch;
  /** Starts at 1; each new owner adds 1. */
  readonly fence: number;
}

/** Port: ownership of venues, as seen by one node. */
export interface VenueStore {
  /** Claims the venue. Returns its owner: this node, if the venue had none or still that in `lost`. */
  claim(venue: string, lost?: VenueOwner): Promise<VenueOwner>;
  /** Confirms periodically that this node still serves the venue. Returns the current owner. */
  keep(venue: string, owner: VenueOwner): Promise<VenueOwner>;
  /** Releases an empty venue. No effect if another node owns it. */
  release(venue: string, owner: VenueOwner): Promise<void>;
  /** Records for a while that this id belongs to that venue. */
  point(id: string, venue: string): Promise<void>;
  venueOf(id: string): Promise<string | undefined>;
}

/** Hashed, because names may be long, and may contain phone numbers. */
export const venueKey = (kind: VenueKind, ...names: readonly string[]): string =>
  `${kind}:${createHash('sha256').update(names.join('\n')).digest('base64url')}`;
