/**
 * Who has a place among the connections of one transport. Strangers have most of the places; outgoing connections, and
 * those from the addresses of carriers and registered phones, have a reserve that strangers do not get. Strangers can have
 * us connect as well (their Contact says where), so that such a connection goes before those of whom we know.
 * Neighbours: `transport-stream.ts`, which opens and closes them.
 * Invariants: places are bounded in number, in all, of strangers, and per source; a newcomer who finds no room takes the
 * place of the connection that has been silent for longest, and never one of more right than its own; whoever fills the
 * room of one source is refused there.
 */
import type { Clock } from '../../core/clock.ts';
import { householdOf } from '../../core/household.ts';
import { type Peer, peerText, type TransportEvents } from './transport.ts';

export interface RoomLimits {
  connections: number;
  /** Of those, strangers' at most. */
  strangers: number;
  connectionsPerHost: number;
}

export interface Occupant {
  readonly peer: Peer;
  /** Made by us. */
  readonly outgoing: boolean;
  /** Gives its place up. */
  drop(): void;
}

/** In the order of their right to stay. `expected`: of ours, or from the address of a phone, by another port than it registered from. */
const RIGHTS = { stranger: 0, expected: 1, known: 2 } as const;
type Right = (typeof RIGHTS)[keyof typeof RIGHTS];

interface Place {
  right: Right;
  source: string;
}

/** Who is known changes: looked at again so often, and only where room is short. */
const LOOK_MS = 1000;
const TELL_MS = 60_000;

export class ConnectionRoom {
  readonly #limits: RoomLimits;
  readonly #clock: Clock;
  readonly #events: TransportEvents;
  /** Who has been silent for longest comes first. */
  readonly #places = new Map<Occupant, Place>();
  readonly #bySource = new Map<string, number>();
  #strangers = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(limits: RoomLimits, clock: Clock, events: TransportEvents) {
    this.#limits = limits;
    this.#clock = clock;
    this.#events = events;
  }

  /** Gives a newcomer a place; false: there is none. */
  enter(occupant: Occupant): boolean {
    const right = this.#rightOf(occupant);
    const source = `${occupant.outgoing ? 'to' : 'from'} ${householdOf(occupant.peer.host)}`;
    if (!this.#hasRoomFor(source, right)) return false;
    if (occupant.outgoing && right < RIGHTS.known) this.#endOldestOfOurs();
    if (right === RIGHTS.stranger && this.#strangers >= this.#limits.strangers) this.#look();
    const tooMany = right === RIGHTS.stranger && this.#strangers >= this.#limits.strangers;
    if ((tooMany || this.#places.size >= this.#limits.connections) && !this.#makeRoom(right)) return false;
    this.#places.set(occupant, { right, source });
    this.#bySource.set(source, (this.#bySource.get(source) ?? 0) + 1);
    if (right === RIGHTS.stranger) this.#strangers++;
    return true;
  }

  /** Said something that makes sense. */
  spoke(occupant: Occupant): void {
    const place = this.#places.get(occupant);
    if (!place) return;
    this.#places.delete(occupant);
    this.#places.set(occupant, place);
  }

  leave(occupant: Occupant): void {
    const place = this.#places.get(occupant);
    if (!place) return;
    this.#places.delete(occupant);
    if (place.right === RIGHTS.stranger) this.#strangers--;
    const left = this.#bySource.get(place.source)! - 1;
    if (left > 0) this.#bySource.set(place.source, left);
    else this.#bySource.delete(place.source);
  }

  /** A stranger's source that is full stays so; where phones are, one that is silent goes for one that comes. */
  #hasRoomFor(source: string, right: Right): boolean {
    if ((this.#bySource.get(source) ?? 0) < this.#limits.connectionsPerHost) return true;
    if (right === RIGHTS.stranger) return false;
    this.#look();
    return this.#evict((place) => place.source === source && place.right < RIGHTS.known);
  }

  /** They have no more than the reserve. */
  #endOldestOfOurs(): void {
    const { connections, strangers } = this.#limits;
    const mayGo = ({ outgoing }: Occupant, { right }: Place) => outgoing && right < RIGHTS.known;
    let room = connections - strangers;
    for (const [occupant, place] of this.#places) if (mayGo(occupant, place)) room--;
    if (room > 0) return;
    this.#look();
    this.#evict((place, occupant) => mayGo(occupant, place));
  }

  #makeRoom(right: Right): boolean {
    this.#look();
    this.#tell();
    if (this.#evict((place) => place.right === RIGHTS.stranger)) return true;
    return right > RIGHTS.stranger && this.#evict((place) => place.right < RIGHTS.known);
  }

  #evict(mayGo: (place: Place, occupant: Occupant) => boolean): boolean {
    for (const [occupant, place] of this.#places) {
      if (!mayGo(place, occupant)) continue;
      this.leave(occupant);
      occupant.drop();
      return true;
    }
    return false;
  }

  #rightOf({ outgoing, peer }: Occupant): Right {
    if (this.#events.knows(peer)) return RIGHTS.known;
    return outgoing || this.#events.expects(peer.host) ? RIGHTS.expected : RIGHTS.stranger;
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    this.#strangers = 0;
    for (const [occupant, place] of this.#places) {
      place.right = this.#rightOf(occupant);
      if (place.right === RIGHTS.stranger) this.#strangers++;
    }
  }

  #tell(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#toldMs < TELL_MS) return;
    this.#toldMs = nowMs;
    const [longestSilent] = this.#places.keys();
    const source = longestSilent && peerText(longestSilent.peer);
    this.#events.trouble('sip.connections_full', { connections: this.#places.size, longestSilent: source });
  }
}
