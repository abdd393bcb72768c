/**
 * Additional members in the queues, conferences and rooms of a call, for tests that only give their number: they wait
 * or listen. Callers with actions of their own are in `callers`. See also `mock-queues.ts`.
 *
 * Invariant: they have joined the real queue or conference before the call first enters it.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { defined, type JsonObject, mapValues } from '../../base/core/json.ts';
import type { Venue, VenueMember } from '../../service/runtime/venue.ts';
import { optionalMs } from './file-values.ts';
import type { ScenarioForm } from './scenario-form.ts';

export interface OtherMembers {
  members: number;
  /** The conference or room ends this long after the call has joined. */
  endsAfterMs?: number;
  /** The caller is removed after this time. */
  removesAfterMs?: number;
  /** The caller waits for admission, and is denied after this time. */
  deniesAfterMs?: number;
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

type Written = { members?: number; ends_after?: string; removes_after?: string; denies_after?: string };

const membersOf = ({
  members = 1,
  ends_after: ends,
  removes_after: removes,
  denies_after: denies,
}: Written): OtherMembers =>
  defined<OtherMembers>({
    members,
    endsAfterMs: optionalMs(ends),
    removesAfterMs: optionalMs(removes),
    deniesAfterMs: optionalMs(denies),
  });

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
      const later = (ms: number | undefined, event: string, data: JsonObject = {}): Timer[] =>
        ms === undefined ? [] : [clock.after(ms, () => member.emit(event, data))];
      const { endsAfterMs, removesAfterMs, deniesAfterMs } = there;
      // A caller in the lobby is not in the room.
      const ends =
        deniesAfterMs === undefined
          ? later(removesAfterMs, 'removed')
          : [
              ...later(0, 'waiting', { for: 'admission' }),
              ...later(deniesAfterMs, 'denied', { reason: 'by_moderator' }),
            ];
      if (deniesAfterMs === undefined) venue.enter(member);
      timers.set(member.memberId, [...later(endsAfterMs, 'ended'), ...ends]);
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
