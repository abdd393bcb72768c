/**
 * Conferences and queues as seen by the calls of this node: a call enters, sends and leaves in the same way, whichever
 * node owns the venue. Neighbours: `homes.ts` finds the owner node, `venue-host.ts` is the peer there,
 * `linked-mixes.ts` carries the audio.
 *
 * Invariants
 *  - A member is at one owner node at a time; messages from another are dropped.
 *  - Commands of a member arrive in order, and none after its exit.
 *  - A member whose owner node is lost or does not answer enters again with its remembered state, for at most
 *    `GIVE_UP_MS`: after that the venue has ended for this member.
 */
import type { Clock } from '../../core/clock.ts';
import { defined, type Json, type JsonObject } from '../../core/json.ts';
import type { LifeId } from '../../core/ownership.ts';
import type { VenueKind } from '../../core/venue-kind.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { Channels } from './channels.ts';
import type { FoundHome, Homes } from './homes.ts';
import type { LinkedMixes } from './linked-mixes.ts';
import { passEvent, passWord } from './stay-memory.ts';

export type HomedKind = Extract<VenueKind, 'conference' | 'queue'>;

export interface HomedVenuesParts {
  clock: Clock;
  homes: Pick<Homes, 'find'>;
  channels: Pick<Channels, 'to' | 'find'>;
  mixes: LinkedMixes;
  /** Local venues of this node. */
  local: Readonly<Record<HomedKind, Venue>>;
  /** Key of the venue that this member enters. */
  placeOf(kind: HomedKind, member: VenueMember): Promise<string>;
}

interface Stay {
  readonly kind: HomedKind;
  readonly member: VenueMember;
  readonly enteredMs: number;
  place: string | undefined;
  /** `undefined` while no owner node is known. */
  at: 'here' | LifeId | undefined;
  /** Time since which no owner node is known. */
  leftMs: number;
  /** Counts the searches; an older one is abandoned. */
  way: number;
  hasEntered: boolean;
  memory: JsonObject;
  waiting: [name: string, data: Json][];
}

const GIVE_UP_MS = 10_000;
const AGAIN_MS = 100;

export class HomedVenues {
  readonly #parts: HomedVenuesParts;
  readonly #stays = new Map<string, Stay>();

  constructor(parts: HomedVenuesParts) {
    this.#parts = parts;
  }

  venue(kind: HomedKind): Venue {
    return {
      enter: (member) => this.#enter(kind, member),
      tell: (memberId, name, data) => this.#tell(memberId, name, data),
      exit: (memberId) => this.#exit(memberId),
    };
  }

  /** Handles an event from the owner node for a member. */
  receive(node: LifeId, memberId: string, name: string, data: Json): void {
    const stay = this.#stays.get(memberId);
    if (stay?.at === node) this.#emit(stay, name, data);
  }

  /** The owner node has changed. */
  moved(node: LifeId, memberId: string): void {
    const stay = this.#stays.get(memberId);
    if (stay?.at === node) this.#wander(stay);
  }

  /** The channel to a node has closed. */
  nodeGone(node: LifeId): void {
    for (const stay of this.#stays.values()) if (stay.at === node) this.#wander(stay);
  }

  /** This node no longer owns the venue. */
  placeMoved(place: string): void {
    const gone = [...this.#stays].filter(([, stay]) => stay.at === 'here' && stay.place === place);
    // Detach all first: events of the local venue about leaving members must not reach the others.
    for (const [, stay] of gone) stay.at = undefined;
    for (const [memberId, { kind }] of gone) this.#parts.local[kind].exit(memberId);
    for (const [, stay] of gone) this.#wander(stay);
  }

  #enter(kind: HomedKind, member: VenueMember): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const stay: Stay = {
      ...{ kind, member, enteredMs: this.#parts.clock.now(), place: undefined, at: undefined, leftMs: nowMs, way: 0 },
      ...{ hasEntered: false, memory: {}, waiting: [] },
    };
    this.#stays.set(member.memberId, stay);
    void this.#settle(stay);
  }

  #tell(memberId: string, name: string, data: Json): void {
    const stay = this.#stays.get(memberId);
    if (!stay) return;
    passWord(stay.kind, stay.memory, name, data);
    if (stay.at === undefined) stay.waiting.push([name, data]);
    else this.#say(stay, name, data);
  }

  #exit(memberId: string): void {
    const stay = this.#stays.get(memberId);
    if (!stay) return;
    this.#stays.delete(memberId);
    this.#parts.mixes.leave(memberId);
    const { at, kind } = stay;
    stay.at = undefined;
    if (at === 'here') this.#parts.local[kind].exit(memberId);
    else if (at !== undefined) this.#parts.channels.find(at)?.send({ type: 'exit', kind, memberId });
  }

  #say({ kind, member: { memberId }, at }: Stay, name: string, data: Json): void {
    if (at === 'here') this.#parts.local[kind].tell(memberId, name, data);
    else this.#parts.channels.find(at!)?.send({ type: 'tell', kind, memberId, name, data });
  }

  /** Detaches the member, and searches for the owner node again. */
  #wander(stay: Stay): void {
    const { clock, mixes } = this.#parts;
    stay.at = undefined;
    stay.leftMs = clock.monotonicMs();
    mixes.leave(stay.member.memberId);
    const way = ++stay.way;
    clock.after(AGAIN_MS, () => stay.way === way && void this.#settle(stay));
  }

  async #settle(stay: Stay): Promise<void> {
    const { clock, homes, channels, placeOf } = this.#parts;
    const way = ++stay.way;
    const isWanted = (): boolean =>
      this.#stays.get(stay.member.memberId) === stay &&
      stay.way === way &&
      // An agent who called in waits for callers in any case.
      (stay.member.options['serves'] === true || clock.monotonicMs() - stay.leftMs < GIVE_UP_MS);
    const again = (): Promise<void> => new Promise((resolve) => void clock.after(AGAIN_MS, resolve));
    while (isWanted()) {
      stay.place ??= await placeOf(stay.kind, stay.member).catch(() => undefined);
      const found = stay.place === undefined ? undefined : await homes.find(stay.place, isWanted);
      if (found && !found.node) return this.#enterHere(stay);
      // The channel to a node that has just died may close before the node counts as lost.
      const channel = found?.node && (await channels.to(found.node).catch(() => undefined));
      if (!isWanted()) break;
      if (channel && found && channels.find(channel.node) === channel) return this.#enterThere(stay, found);
      await again();
    }
    if (this.#stays.get(stay.member.memberId) === stay && stay.way === way) this.#giveUp(stay);
  }

  #enterHere(stay: Stay): void {
    const { kind, member } = stay;
    stay.at = 'here';
    const emit = (name: string, data: Json): void => {
      if (stay.at === 'here') this.#emit(stay, name, data);
    };
    this.#parts.local[kind].enter(
      defined<VenueMember>({ ...member, emit, enteredMs: stay.enteredMs, resumed: this.#resumed(stay) }),
    );
    this.#sayAll(stay);
  }

  #enterThere(stay: Stay, { home }: FoundHome): void {
    const { kind, place, memory } = stay;
    const { emit: _, ...member } = stay.member;
    stay.at = home.node;
    const entering = defined<JsonObject>({ ...member, enteredMs: stay.enteredMs, resumed: this.#resumed(stay) });
    this.#parts.channels
      .find(home.node)!
      .send({ type: 'enter', kind, place: place!, fence: home.fence, member: entering });
    // Rejoins an established conversation without prompts.
    if (kind === 'queue' && typeof memory['mix_id'] === 'string') {
      this.#parts.mixes.join(member.memberId, home.node, memory['mix_id']);
    }
    this.#sayAll(stay);
  }

  #sayAll(stay: Stay): void {
    stay.hasEntered = true;
    for (const [name, data] of stay.waiting.splice(0)) this.#say(stay, name, data);
  }

  #resumed({ hasEntered, memory }: Stay): JsonObject | undefined {
    return hasEntered ? memory : undefined;
  }

  #emit(stay: Stay, name: string, data: Json): void {
    const { kind, member, memory, at } = stay;
    const { event, mixId } = passEvent(kind, memory, name, data);
    if (mixId === null) this.#parts.mixes.leave(member.memberId);
    else if (mixId !== undefined && at !== 'here' && at !== undefined)
      this.#parts.mixes.join(member.memberId, at, mixId);
    if (event) member.emit(event.name, event.data);
  }

  #giveUp({ kind, member, memory }: Stay): void {
    if (kind === 'conference') member.emit('ended', { conference_id: memory['conference_id'] ?? member.name });
    else if (memory['mix_id'] === undefined) member.emit('full', { waiting: 0 });
    else member.emit('parted', {});
  }
}
