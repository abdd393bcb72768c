/**
 * Who is in the conferences, rooms or queues of one kind, and the events that these members receive. All three share it.
 *
 * Invariants
 *  - no event is sent from inside what a member does, and none after it has left;
 *  - events of one member arrive in the order in which they happened.
 */
import type { Clock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import type { VenueMember } from '../../runtime/venue.ts';

export interface GroupMember {
  readonly memberId: string;
  /** The conference, room or queue: members of one group are counted together. */
  readonly group: string;
}

/** What is called so in a project, unlike what is called so in another. */
export const groupOf = (projectId: string, name: string): string => `${projectId} ${name}`;

export class Members<Member extends GroupMember> {
  readonly #clock: Clock;
  readonly #present = new Map<string, { emit: VenueMember['emit']; member: Member | undefined }>();
  /** In the order in which they came. */
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

  /** Sends the one event that says why this call may not enter; then it leaves. */
  turnAway(visitor: VenueMember, name: string, data: Json): void {
    this.sendBefore(visitor, name, data);
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

  /** Now, and not soon. */
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

  /** The member, if this was one. */
  remove(memberId: string): Member | undefined {
    const member = this.letGo(memberId);
    this.#present.delete(memberId);
    return member;
  }

  /** It belongs to the group no more; events still reach it until it leaves. */
  letGo(memberId: string): Member | undefined {
    const present = this.#present.get(memberId);
    const member = present?.member;
    if (present) present.member = undefined;
    const group = member && this.#groups.get(member.group);
    if (group?.delete(member!) && group.size === 0) this.#groups.delete(member!.group);
    return member;
  }

  /** The group has ended; its members have not left yet. */
  dissolve(group: string): void {
    this.#groups.delete(group);
  }
}
