/**
 * Additional members in the queues, conferences and rooms of a call, for tests that only give their number: they wait
 * or listen. Callers with actions of their own are in `callers`. See also `mock-queues.ts`.
 *
 * Invariant: they have joined the real queue or conference before the call first enters it.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { mapValues } from '../../base/core/json.ts';
import type { Venue, VenueMember } from '../../service/runtime/venue.ts';
import { optionalMs } from './file-values.ts';
import type { ScenarioForm } from './scenario-form.ts';

export interface OtherMembers {
  members: number;
  /** The conference or room ends this long after the call has joined. */
  endsAfterMs?: number;
  /** The caller is removed after this time. */
  removesAfterMs?: number;
}

/** By kind and name. */
export type Others = Readonly<Record<'queue' | 'conference' | 'room', Readonly<Record<string, OtherMembers>>>>;

export const othersOf = ({
  queues = {},
  conferences = {},
  rooms = {},
}: NonNullable<ScenarioForm['others']>): Others => ({
  queue: mapValues(queues, (members) => ({ members })),
  conference: mapValues(conferences, membersOf),
  room: mapValues(rooms, membersOf),
});

type Written = { members?: number; ends_after?: string; removes_after?: string };

const membersOf = ({ members = 1, ends_after: ends, removes_after: removes }: Written): OtherMembers => {
  const [endsAfterMs, removesAfterMs] = [optionalMs(ends), optionalMs(removes)];
  return {
    members,
    ...(endsAfterMs !== undefined && { endsAfterMs }),
    ...(removesAfterMs !== undefined && { removesAfterMs }),
  };
};

export function withOthers(venue: Venue, others: Others[keyof Others], clock: Clock): Venue {
  const entered = new Set<string>();
  const timers = new Map<string, Timer[]>();
  return {
    enter(member) {
      const there = Object.hasOwn(others, member.name) ? others[member.name] : undefined;
      if (!there || member.options['serves'] === true || member.options['looks'] === true) return venue.enter(member);
      if (!entered.has(member.name)) {
        entered.add(member.name);
        for (let index = 1; index <= there.members; index++) venue.enter(otherLike(member, index));
      }
      venue.enter(member);
      const later = (ms: number | undefined, event: string): Timer[] =>
        ms === undefined ? [] : [clock.after(ms, () => member.emit(event, {}))];
      timers.set(member.memberId, [...later(there.endsAfterMs, 'ended'), ...later(there.removesAfterMs, 'removed')]);
    },
    tell: (memberId, name, data) => venue.tell(memberId, name, data),
    exit(memberId) {
      for (const timer of timers.get(memberId) ?? []) timer.cancel();
      timers.delete(memberId);
      venue.exit(memberId);
    },
  };
}

/** A member that joined earlier and only waits: with the same priority in a queue, unmuted in a conference. */
const otherLike = ({ projectId, name, to, options }: VenueMember, index: number): VenueMember => {
  const { max_members, priority = 0, pin } = options;
  const id = `other ${name} ${index}`;
  return {
    ...{ memberId: id, callId: id, legId: id, projectId, name, to, from: `other ${index}` },
    options: {
      waits: true,
      priority,
      ...(max_members !== undefined && { max_members }),
      ...(pin !== undefined && { pin }),
    },
    emit() {},
  };
};
