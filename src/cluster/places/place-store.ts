/**
 * The port to what the nodes know of places: conferences and queues, each of which has one node as its home. `store/redis/`
 * has it.
 *
 * Invariants
 *  - a place has one home at a time; each change of it raises its fence, as long as anybody remembers the place;
 *  - who asks twice gets the same answer.
 */
import { createHash } from 'node:crypto';
import type { LifeId } from '../../core/ownership.ts';
import type { VenueKind } from '../../core/venue-kind.ts';

export interface PlaceHome {
  readonly node: LifeId;
  /** Begins at 1; each new home adds 1. */
  readonly fence: number;
}

/** As each node has it for itself. */
export interface PlaceStore {
  /** The home of a place: this node from now on where it has none, or still the one that is `lost`. */
  claim(place: string, lost?: PlaceHome): Promise<PlaceHome>;
  /** This node still serves it, which it has to say now and then. The answer is the home as it is. */
  keep(place: string, home: PlaceHome): Promise<PlaceHome>;
  /** Nobody is there any more. Nothing happens where somebody else is its home. */
  release(place: string, home: PlaceHome): Promise<void>;
  /** For a while: what has this id is at that place. */
  point(id: string, place: string): Promise<void>;
  placeOf(id: string): Promise<string | undefined>;
}

/** A digest, because names may be long, and may be numbers of people. */
export const placeKey = (kind: VenueKind, ...names: readonly string[]): string =>
  `${kind}:${createHash('sha256').update(names.join('\n')).digest('base64url')}`;
