/**
 * Conferences and queues as seen by the calls of this node: a call enters, sends and leaves in the same way, whichever
 * node owns the venue. Neighbours: `venue-ownership.ts` finds the owner node, `venue-host.ts` is the peer there,
 * `linked-mixes.ts` carries the audio.
 *
 * Invariants
 *  - A member is at one owner node at a time; messages from another are dropped.
 *  - Commands of a member arrive in order, and none after its exit.
 *  - A member whose owner node is lost or does not answer enters again with its remembered state, for at most
 *    `GIVE_UP_MS`: after that the venue has ended for this member.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { defined, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { VenueKind } from '../../../base/core/venue-kind.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { Channels } from './channels.ts';
import type { LinkedMixes } from './linked-mixes.ts';
import { recordCommand, recordEvent } from './membership-state.ts';
import type { FoundOwner, VenueOwnership } from './venue-ownership.ts';

export type OwnedKind = Extract<VenueKind, 'conference' | 'queue'>;

export interface OwnedVenuesParts {
  clock: Clock;
  ownership: Pick<VenueOwnership, 'find'>;
  channels: Pick<Channels, 'to' | 'find'>;
  mixes: LinkedMixes;
  /** Local venues of this node. */
  local: Readonly<Record<OwnedKind, Venue>>;
  /** Key of the venue that this member enters. */
  venueOf(kind: OwnedKind, member: VenueMember): Promise<string>;
}

interface MembershipState {
  readonly kind: OwnedKind;
  readonly member: VenueMember;
  readonly enteredMs: number;
  venue: string | undefined;
  /** `undefined` while no owner node is known. */
  at: 'here' | NodeEpoch | undefined;
  /** Time since which no owner node is known. */
  leftMs: number;
  /** Counts the searches; an older one is abandoned. */
  search: number;
  hasEntered: boolean;
  memory: JsonObject;
  waiting: [name: string, data: Json][];
}

const GIVE_UP_MS = 10_000;
const AGAIN_MS = 100;

export class OwnedVenues {
  readonly #parts: OwnedVenuesParts;
  readonly #memberships = new Map<string, MembershipState>();

  constructor(parts: OwnedVenuesParts) {
    this.#parts = parts;
  }

  venue(kind: OwnedKind): Venue {
    return {
      enter: (member) => this.#enter(kind, member),
      tell: (memberId, name, data) => this.#tell(memberId, name, data),
      exit: (memberId) => this.#exit(memberId),
    };
  }

  /** Handles an event from the owner node for a member. */
  receive(node: NodeEpoch, memberId: string, name: string, data: Json): void {
    const membership = this.#memberships.get(memberId);
    if (membership?.at === node) this.#emit(membership, name, data);
  }

  /** The owner node has changed. */
  moved(node: NodeEpoch, memberId: string): void {
    const membership = this.#memberships.get(memberId);
    if (membership?.at === node) this.#relocate(membership);
  }

  /** The channel to a node has closed. */
  nodeGone(node: NodeEpoch): void {
    for (const membership of this.#memberships.values()) if (membership.at === node) this.#relocate(membership);
  }

  /** This node no longer owns the venue. */
  venueMoved(venue: string): void {
    const gone = [...this.#memberships].filter(
      ([, membership]) => membership.at === 'here' && membership.venue === venue,
    );
    // Detach all first: events of the local venue about leaving members must not reach the others.
    for (const [, membership] of gone) membership.at = undefined;
    for (const [memberId, { kind }] of gone) this.#parts.local[kind].exit(memberId);
    for (const [, membership] of gone) this.#relocate(membership);
  }

  #enter(kind: OwnedKind, member: VenueMember): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const membership: MembershipState = {
      ...{
        kind,
        member,
        enteredMs: this.#parts.clock.now(),
        venue: undefined,
        at: undefined,
        leftMs: nowMs,
        search: 0,
      },
      ...{ hasEntered: false, memory: {}, waiting: [] },
    };
    this.#memberships.set(member.memberId, membership);
    void this.#attach(membership);
  }

  #tell(memberId: string, name: string, data: Json): void {
    const membership = this.#memberships.get(memberId);
    if (!membership) return;
    recordCommand(membership.kind, membership.memory, name, data);
    if (membership.at === undefined) membership.waiting.push([name, data]);
    else this.#send(membership, name, data);
  }

  #exit(memberId: string): void {
    const membership = this.#memberships.get(memberId);
    if (!membership) return;
    this.#memberships.delete(memberId);
    this.#parts.mixes.leave(memberId);
    const { at, kind } = membership;
    membership.at = undefined;
    if (at === 'here') this.#parts.local[kind].exit(memberId);
    else if (at !== undefined) this.#parts.channels.find(at)?.send({ type: 'exit', kind, memberId });
  }

  #send({ kind, member: { memberId }, at }: MembershipState, name: string, data: Json): void {
    if (at === 'here') this.#parts.local[kind].tell(memberId, name, data);
    else this.#parts.channels.find(at!)?.send({ type: 'tell', kind, memberId, name, data });
  }

  /** Detaches the member, and searches for the owner node again. */
  #relocate(membership: MembershipState): void {
    const { clock, mixes } = this.#parts;
    membership.at = undefined;
    membership.leftMs = clock.monotonicMs();
    mixes.leave(membership.member.memberId);
    const search = ++membership.search;
    clock.after(AGAIN_MS, () => membership.search === search && void this.#attach(membership));
  }

  async #attach(membership: MembershipState): Promise<void> {
    const { clock, ownership, channels, venueOf } = this.#parts;
    const search = ++membership.search;
    const isWanted = (): boolean =>
      this.#memberships.get(membership.member.memberId) === membership &&
      membership.search === search &&
      // An agent who called in waits for callers in any case.
      (membership.member.options['serves'] === true || clock.monotonicMs() - membership.leftMs < GIVE_UP_MS);
    const again = (): Promise<void> => new Promise((resolve) => void clock.after(AGAIN_MS, resolve));
    while (isWanted()) {
      membership.venue ??= await venueOf(membership.kind, membership.member).catch(() => undefined);
      const found = membership.venue === undefined ? undefined : await ownership.find(membership.venue, isWanted);
      if (found && !found.node) return this.#enterHere(membership);
      // The channel to a node that has just died may close before the node counts as lost.
      const channel = found?.node && (await channels.to(found.node).catch(() => undefined));
      if (!isWanted()) break;
      if (channel && found && channels.find(channel.node) === channel) return this.#enterThere(membership, found);
      await again();
    }
    if (this.#memberships.get(membership.member.memberId) === membership && membership.search === search)
      this.#giveUp(membership);
  }

  #enterHere(membership: MembershipState): void {
    const { kind, member } = membership;
    membership.at = 'here';
    const emit = (name: string, data: Json): void => {
      if (membership.at === 'here') this.#emit(membership, name, data);
    };
    this.#parts.local[kind].enter(
      defined<VenueMember>({ ...member, emit, enteredMs: membership.enteredMs, resumed: this.#resumed(membership) }),
    );
    this.#sendWaiting(membership);
  }

  #enterThere(membership: MembershipState, { owner }: FoundOwner): void {
    const { kind, venue, memory } = membership;
    const { emit: _, ...member } = membership.member;
    membership.at = owner.node;
    const entering = defined<JsonObject>({
      ...member,
      enteredMs: membership.enteredMs,
      resumed: this.#resumed(membership),
    });
    this.#parts.channels
      .find(owner.node)!
      .send({ type: 'enter', kind, place: venue!, fence: owner.fence, member: entering });
    // Rejoins an established conversation without prompts.
    if (kind === 'queue' && typeof memory['mix_id'] === 'string') {
      this.#parts.mixes.join(member.memberId, owner.node, memory['mix_id']);
    }
    this.#sendWaiting(membership);
  }

  #sendWaiting(membership: MembershipState): void {
    membership.hasEntered = true;
    for (const [name, data] of membership.waiting.splice(0)) this.#send(membership, name, data);
  }

  #resumed({ hasEntered, memory }: MembershipState): JsonObject | undefined {
    return hasEntered ? memory : undefined;
  }

  #emit(membership: MembershipState, name: string, data: Json): void {
    const { kind, member, memory, at } = membership;
    const { event, mixId } = recordEvent(kind, memory, name, data);
    if (mixId === null) this.#parts.mixes.leave(member.memberId);
    else if (mixId !== undefined && at !== 'here' && at !== undefined)
      this.#parts.mixes.join(member.memberId, at, mixId);
    if (event) member.emit(event.name, event.data);
  }

  #giveUp({ kind, member, memory }: MembershipState): void {
    if (kind === 'conference') member.emit('ended', { conference_id: memory['conference_id'] ?? member.name });
    else if (memory['mix_id'] === undefined) member.emit('full', { waiting: 0 });
    else member.emit('parted', {});
  }
}
