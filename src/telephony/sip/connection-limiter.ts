/**
 * Limits the connections of one transport. Unknown peers have most of the slots; outgoing connections, and those from
 * the addresses of carriers and registered phones, have a reserve. Unknown peers can make us connect, too (by their
 * Contact), so an outgoing connection yields to those of known peers. `transport-stream.ts` opens and closes
 * connections.
 *
 * Invariants
 *  slots are bounded in all, for unknown peers, and per source;
 *  when there is no room, a newcomer replaces the connection that was silent for longest, but never one of higher
 *  priority than its own;
 *  a source that has used up its own limit is refused.
 */
import type { Clock } from '../../core/clock.ts';
import { sourceKey } from '../../core/source-key.ts';
import { type Peer, peerText, type TransportEvents } from './transport.ts';

export interface ConnectionLimits {
  connections: number;
  /** How many of them unknown peers may have. */
  unknownConnections: number;
  connectionsPerHost: number;
}

export interface LimitedConnection {
  readonly peer: Peer;
  /** Opened by us. */
  readonly outgoing: boolean;
  /** Closes the connection. */
  drop(): void;
}

/** Ascending. `expected`: opened by us, or from the address of a phone but another port than it registered from. */
const PRIORITIES = { unknown: 0, expected: 1, known: 2 } as const;
type ConnectionPriority = (typeof PRIORITIES)[keyof typeof PRIORITIES];

interface ConnectionSlot {
  priority: ConnectionPriority;
  source: string;
}

/** Known peers change: priorities are updated so often, and only when slots are short. */
const UPDATE_MS = 1000;
const REPORT_MS = 60_000;

export class ConnectionLimiter {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #events: TransportEvents;
  /** Longest silent first. */
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

  /** Admits a connection; false: there is no slot. */
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

  /** It sent a valid message. */
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

  /** An unknown peer's source that is full stays full; where phones are, a silent connection yields to a new one. */
  #hasRoomFor(source: string, priority: ConnectionPriority): boolean {
    if ((this.#bySource.get(source) ?? 0) < this.#limits.connectionsPerHost) return true;
    if (priority === PRIORITIES.unknown) return false;
    this.#updatePriorities();
    return this.#evict((slot) => slot.source === source && slot.priority < PRIORITIES.known);
  }

  /** They may use the reserve only. */
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
