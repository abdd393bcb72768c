/**
 * Members of the conferences, rooms or queues of one kind, and the delivery of events to them.
 *
 * Invariants
 *  - No event is sent synchronously within a member's own operation, and none after the member has left.
 *  - Events of one member arrive in the order in which they occurred.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { Json } from '../../../base/core/json.ts';
import type { VenueMember } from '../../runtime/venue.ts';

export interface GroupMember {
  readonly memberId: string;
  /** Conference, room or queue; `count` counts the members of one group. */
  readonly group: string;
}

/** Qualifies a name by its project. */
export const groupOf = (projectId: string, name: string): string => `${projectId} ${name}`;

export class Members<Member extends GroupMember> {
  readonly #clock: Clock;
  readonly #present = new Map<string, { emit: VenueMember['emit']; member: Member | undefined }>();
  /** Members by group, in the order of arrival. */
  readonly #groups = new Map<string, Set<Member>>();
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ memberId, emit }: Pick<VenueMember, 'memberId' | 'emit'>, member: Member): void {
    this.#present.set(memberId, { emit, member });
    const group = this.#groups.get(member.group) ?? new Set();
    this.#groups.set(member.group, group.add(member));
  }

  /** Rejects a call with a single event that gives the reason. */
  turnAway(member: VenueMember, name: string, data: Json): void {
    this.sendBefore(member, name, data);
  }

  /** Sends an event to a call that is not a member, or not yet. */
  sendBefore({ memberId, emit }: VenueMember, name: string, data: Json): void {
    this.#present.set(memberId, { emit, member: undefined });
    this.send(memberId, name, data);
  }

  find(memberId: string): Member | undefined {
    return this.#present.get(memberId)?.member;
  }

  all(): Member[] {
    return [...this.#groups.values()].flatMap((members) => [...members]);
  }

  in(group: string): Member[] {
    return [...(this.#groups.get(group) ?? [])];
  }

  count(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  send(memberId: string, name: string, data: Json): void {
    if (this.#waiting.length === 0) this.#clock.after(0, () => this.sendAll());
    this.#waiting.push(() => this.#present.get(memberId)?.emit(name, data));
  }

  /** Sends the pending events immediately. */
  sendAll(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (const send of all) send();
  }

  /** Sends the number of members to the others of the group. */
  sendCount({ group, memberId: mover }: Member): void {
    const members = this.count(group);
    for (const { memberId } of this.in(group)) if (memberId !== mover) this.send(memberId, 'members', { members });
  }

  /** Returns the member, if the call was one. */
  remove(memberId: string): Member | undefined {
    const member = this.letGo(memberId);
    this.#present.delete(memberId);
    return member;
  }

  /** Removes the member from its group; it still receives events until it leaves. */
  letGo(memberId: string): Member | undefined {
    const present = this.#present.get(memberId);
    const member = present?.member;
    if (present) present.member = undefined;
    const group = member && this.#groups.get(member.group);
    if (group?.delete(member!) && group.size === 0) this.#groups.delete(member!.group);
    return member;
  }

  /** Removes an ended group whose members have not left yet. */
  dissolve(group: string): void {
    this.#groups.delete(group);
  }
}
