/**
 * Limits the connections of one transport. Unknown peers share most of the slots; outgoing connections, and those from
 * the addresses of carriers and registered phones, have a reserve. Unknown peers can also cause outgoing connections
 * (by their Contact), so that an outgoing connection yields to those of known peers. `transport-stream.ts` opens and
 * closes connections.
 *
 * Invariants
 *  - slots are limited in total, for unknown peers, and by source;
 *  - if all slots are used, a new connection replaces the one that was silent for longest, but never one of higher
 *    priority;
 *  - a source that has used up its own limit is refused.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { sourceKey } from '../../../base/core/source-key.ts';
import { type Peer, peerText, type TransportEvents } from './transport.ts';

export interface ConnectionLimits {
  connections: number;
  /** Maximum number of connections of unknown peers. */
  unknownConnections: number;
  connectionsPerHost: number;
}

export interface LimitedConnection {
  readonly peer: Peer;
  /** True if it was opened from here. */
  readonly outgoing: boolean;
  /** Closes the connection. */
  drop(): void;
}

/**
 * In ascending order. `expected`: opened from here, or from the address of a phone but another port than it registered
 * from.
 */
const PRIORITIES = { unknown: 0, expected: 1, known: 2 } as const;
type ConnectionPriority = (typeof PRIORITIES)[keyof typeof PRIORITIES];

interface ConnectionSlot {
  priority: ConnectionPriority;
  source: string;
}

/** Interval at which priorities are updated, because known peers change; only when slots are short. */
const UPDATE_MS = 1000;
const REPORT_MS = 60_000;

export class ConnectionLimiter {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #events: TransportEvents;
  /** In order of activity, the longest silent first. */
  readonly #slots = new Map<LimitedConnection, ConnectionSlot>();
  readonly #bySource = new Map<string, number>();
  #unknown = 0;
  #updatedMs = Number.NEGATIVE_INFINITY;
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(limits: ConnectionLimits, clock: Clock, events: TransportEvents) {
    this.#limits = limits;
    this.#clock = clock;
    this.#events = events;
  }

  /** Admits a connection; false if there is no slot. */
  admit(occupant: LimitedConnection): boolean {
    const priority = this.#priorityOf(occupant);
    const source = `${occupant.outgoing ? 'to' : 'from'} ${sourceKey(occupant.peer.host)}`;
    if (!this.#hasRoomFor(source, priority)) return false;
    if (occupant.outgoing && priority < PRIORITIES.known) this.#endOldestOfOurs();
    if (priority === PRIORITIES.unknown && this.#unknown >= this.#limits.unknownConnections) this.#updatePriorities();
    const tooMany = priority === PRIORITIES.unknown && this.#unknown >= this.#limits.unknownConnections;
    if ((tooMany || this.#slots.size >= this.#limits.connections) && !this.#makeRoom(priority)) return false;
    this.#slots.set(occupant, { priority, source });
    this.#bySource.set(source, (this.#bySource.get(source) ?? 0) + 1);
    if (priority === PRIORITIES.unknown) this.#unknown++;
    return true;
  }

  /** Records a valid message on the connection. */
  touch(occupant: LimitedConnection): void {
    const slot = this.#slots.get(occupant);
    if (!slot) return;
    this.#slots.delete(occupant);
    this.#slots.set(occupant, slot);
  }

  release(occupant: LimitedConnection): void {
    const slot = this.#slots.get(occupant);
    if (!slot) return;
    this.#slots.delete(occupant);
    if (slot.priority === PRIORITIES.unknown) this.#unknown--;
    const left = this.#bySource.get(slot.source)! - 1;
    if (left > 0) this.#bySource.set(slot.source, left);
    else this.#bySource.delete(slot.source);
  }

  /**
   * A source of unknown peers at its limit is refused; at a phone's address, a silent connection yields to a new one.
   */
  #hasRoomFor(source: string, priority: ConnectionPriority): boolean {
    if ((this.#bySource.get(source) ?? 0) < this.#limits.connectionsPerHost) return true;
    if (priority === PRIORITIES.unknown) return false;
    this.#updatePriorities();
    return this.#evict((slot) => slot.source === source && slot.priority < PRIORITIES.known);
  }

  /** Closes an outgoing connection to an unknown peer if such connections exceed the reserve. */
  #endOldestOfOurs(): void {
    const { connections, unknownConnections } = this.#limits;
    const mayGo = ({ outgoing }: LimitedConnection, { priority }: ConnectionSlot) =>
      outgoing && priority < PRIORITIES.known;
    let room = connections - unknownConnections;
    for (const [occupant, slot] of this.#slots) if (mayGo(occupant, slot)) room--;
    if (room > 0) return;
    this.#updatePriorities();
    this.#evict((slot, occupant) => mayGo(occupant, slot));
  }

  #makeRoom(priority: ConnectionPriority): boolean {
    this.#updatePriorities();
    this.#reportFull();
    if (this.#evict((slot) => slot.priority === PRIORITIES.unknown)) return true;
    return priority > PRIORITIES.unknown && this.#evict((slot) => slot.priority < PRIORITIES.known);
  }

  #evict(mayGo: (slot: ConnectionSlot, occupant: LimitedConnection) => boolean): boolean {
    for (const [occupant, slot] of this.#slots) {
      if (!mayGo(slot, occupant)) continue;
      this.release(occupant);
      occupant.drop();
      return true;
    }
    return false;
  }

  #priorityOf({ outgoing, peer }: LimitedConnection): ConnectionPriority {
    if (this.#events.knows(peer)) return PRIORITIES.known;
    return outgoing || this.#events.expects(peer.host) ? PRIORITIES.expected : PRIORITIES.unknown;
  }

  #updatePriorities(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#updatedMs < UPDATE_MS) return;
    this.#updatedMs = nowMs;
    this.#unknown = 0;
    for (const [occupant, slot] of this.#slots) {
      slot.priority = this.#priorityOf(occupant);
      if (slot.priority === PRIORITIES.unknown) this.#unknown++;
    }
  }

  #reportFull(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#reportedMs < REPORT_MS) return;
    this.#reportedMs = nowMs;
    const [longestSilent] = this.#slots.keys();
    const source = longestSilent && peerText(longestSilent.peer);
    this.#events.warn('sip.connections_full', { connections: this.#slots.size, longestSilent: source });
  }
}
