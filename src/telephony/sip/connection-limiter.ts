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
import { sourceKey } from '../../core/source-key.ts';
import { type Peer, peerText, type TransportEvents } from './transport.ts';

export interface ConnectionLimits {
  connections: number;
  /** Of those, strangers' at most. */
  unknownConnections: number;
  connectionsPerHost: number;
}

export interface LimitedConnection {
  readonly peer: Peer;
  /** Made by us. */
  readonly outgoing: boolean;
  /** Gives its place up. */
  drop(): void;
}

/** In the order of their right to stay. `expected`: of ours, or from the address of a phone, by another port than it registered from. */
const PRIORITIES = { stranger: 0, expected: 1, known: 2 } as const;
type ConnectionPriority = (typeof PRIORITIES)[keyof typeof PRIORITIES];

interface ConnectionSlot {
  priority: ConnectionPriority;
  source: string;
}

/** Who is known changes: looked at again so often, and only where room is short. */
const LOOK_MS = 1000;
const TELL_MS = 60_000;

export class ConnectionLimiter {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #events: TransportEvents;
  /** Who has been silent for longest comes first. */
  readonly #places = new Map<LimitedConnection, ConnectionSlot>();
  readonly #bySource = new Map<string, number>();
  #strangers = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(limits: ConnectionLimits, clock: Clock, events: TransportEvents) {
    this.#limits = limits;
    this.#clock = clock;
    this.#events = events;
  }

  /** Gives a newcomer a place; false: there is none. */
  admit(occupant: LimitedConnection): boolean {
    const priority = this.#rightOf(occupant);
    const source = `${occupant.outgoing ? 'to' : 'from'} ${sourceKey(occupant.peer.host)}`;
    if (!this.#hasRoomFor(source, priority)) return false;
    if (occupant.outgoing && priority < PRIORITIES.known) this.#endOldestOfOurs();
    if (priority === PRIORITIES.stranger && this.#strangers >= this.#limits.unknownConnections) this.#look();
    const tooMany = priority === PRIORITIES.stranger && this.#strangers >= this.#limits.unknownConnections;
    if ((tooMany || this.#places.size >= this.#limits.connections) && !this.#makeRoom(priority)) return false;
    this.#places.set(occupant, { priority, source });
    this.#bySource.set(source, (this.#bySource.get(source) ?? 0) + 1);
    if (priority === PRIORITIES.stranger) this.#strangers++;
    return true;
  }

  /** Said something that makes sense. */
  touch(occupant: LimitedConnection): void {
    const place = this.#places.get(occupant);
    if (!place) return;
    this.#places.delete(occupant);
    this.#places.set(occupant, place);
  }

  release(occupant: LimitedConnection): void {
    const place = this.#places.get(occupant);
    if (!place) return;
    this.#places.delete(occupant);
    if (place.priority === PRIORITIES.stranger) this.#strangers--;
    const left = this.#bySource.get(place.source)! - 1;
    if (left > 0) this.#bySource.set(place.source, left);
    else this.#bySource.delete(place.source);
  }

  /** A stranger's source that is full stays so; where phones are, one that is silent goes for one that comes. */
  #hasRoomFor(source: string, right: ConnectionPriority): boolean {
    if ((this.#bySource.get(source) ?? 0) < this.#limits.connectionsPerHost) return true;
    if (right === PRIORITIES.stranger) return false;
    this.#look();
    return this.#evict((place) => place.source === source && place.priority < PRIORITIES.known);
  }

  /** They have no more than the reserve. */
  #endOldestOfOurs(): void {
    const { connections, unknownConnections } = this.#limits;
    const mayGo = ({ outgoing }: LimitedConnection, { priority }: ConnectionSlot) =>
      outgoing && priority < PRIORITIES.known;
    let room = connections - unknownConnections;
    for (const [occupant, place] of this.#places) if (mayGo(occupant, place)) room--;
    if (room > 0) return;
    this.#look();
    this.#evict((place, occupant) => mayGo(occupant, place));
  }

  #makeRoom(right: ConnectionPriority): boolean {
    this.#look();
    this.#tell();
    if (this.#evict((place) => place.priority === PRIORITIES.stranger)) return true;
    return right > PRIORITIES.stranger && this.#evict((place) => place.priority < PRIORITIES.known);
  }

  #evict(mayGo: (place: ConnectionSlot, occupant: LimitedConnection) => boolean): boolean {
    for (const [occupant, place] of this.#places) {
      if (!mayGo(place, occupant)) continue;
      this.release(occupant);
      occupant.drop();
      return true;
    }
    return false;
  }

  #rightOf({ outgoing, peer }: LimitedConnection): ConnectionPriority {
    if (this.#events.knows(peer)) return PRIORITIES.known;
    return outgoing || this.#events.expects(peer.host) ? PRIORITIES.expected : PRIORITIES.stranger;
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    this.#strangers = 0;
    for (const [occupant, place] of this.#places) {
      place.priority = this.#rightOf(occupant);
      if (place.priority === PRIORITIES.stranger) this.#strangers++;
    }
  }

  #tell(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#toldMs < TELL_MS) return;
    this.#toldMs = nowMs;
    const [longestSilent] = this.#places.keys();
    const source = longestSilent && peerText(longestSilent.peer);
    this.#events.warn('sip.connections_full', { connections: this.#places.size, longestSilent: source });
  }
}
