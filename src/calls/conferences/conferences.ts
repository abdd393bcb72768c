/**
 * Conferences: where the callers of one project meet. The place knows who is there and who may speak; the steps join the
 * mix that it names, whose id is the conference's.
 *
 * A visitor gives `conference_id` for one that must be there, else the name of the place, which is made where there is
 * none; further options: `muted`, `moderator`, `wait_for_moderator`, `end_on_exit`, `max_members`, `record`.
 * It is told `joined` ({conference_id, name, mix_id, members}), `waiting` ({conference_id, name, members}) until a
 * moderator comes, then `joined` and `started`; `full`; `members` ({members}) when others come and go; `muted`
 * ({muted}), `held` ({hold}) and `ended`. It may tell `mute` ({muted}).
 *
 * Invariants
 *  C1 a conference ends with its last member, or when all who were called for it are gone before any of them came;
 *  C2 of a conference that has ended its picture is kept for a while, a bounded number of them.
 */
import type { Clock } from '../../core/clock.ts';
import type { Ids } from '../../core/ids.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import { Visitors } from './members.ts';

export type ConferenceState = 'initiated' | 'active' | 'ended';

export interface Conference {
  readonly conferenceId: string;
  readonly projectId: string;
  readonly name: string;
  readonly state: ConferenceState;
  readonly createdMs: number;
  readonly endedMs: number | undefined;
  /** A member asked to be recorded. */
  readonly recording: boolean;
  /** Where the events of calls go that REST makes for it. */
  readonly eventUrl: string | undefined;
  /** Calls that REST brought: they are for the conference, and end with it. */
  readonly brought: ReadonlySet<string>;
  /** In the order in which they came; those that left included. */
  readonly participants: readonly Participant[];
}

export interface Participant {
  callId: string;
  from: string;
  to: string;
  state: 'joined' | 'waiting' | 'held' | 'left';
  muted: boolean;
  hold: boolean;
  moderator: boolean;
  joinedMs: number;
}

export interface Conferences extends Venue {
  /** One that REST makes before anybody is there. */
  open(order: { projectId: string; name?: string; eventUrl?: string; maxMembers?: number }): Conference;
  /** Also one that has ended, for a while. */
  find(projectId: string, conferenceId: string): Conference | undefined;
  /** A call is on its way to it; `gone` when it is over, whether it came or not. */
  expect(conferenceId: string, callId: string, gone: Promise<unknown>): void;
  /** False: no such member. */
  change(conferenceId: string, callId: string, change: { muted?: boolean; hold?: boolean }): boolean;
  end(conferenceId: string): void;
}

/** How long the picture of a conference that has ended is kept, and of how many. */
const KEPT_MS = 3_600_000;
const MOST_KEPT = 1000;
/** Those who left longer ago are forgotten. */
const MOST_LEFT = 200;
const MOST_MEMBERS = 1000;

interface Member extends Participant {
  memberId: string;
  waitsForModerator: boolean;
  endsOnExit: boolean;
}

interface Hall extends Conference {
  state: ConferenceState;
  endedMs: number | undefined;
  recording: boolean;
  maxMembers: number;
  brought: Set<string>;
  /** Calls that REST brought and that are not there yet. */
  expected: Set<string>;
  members: Map<string, Member>;
  participants: Participant[];
}

interface Stay {
  hall: Hall;
  member: Member;
}

export function createConferences({ clock, ids }: { clock: Clock; ids: Ids }): Conferences {
  return new ConferenceHalls(clock, ids);
}

class ConferenceHalls implements Conferences {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #visitors: Visitors<Stay>;
  /** The oldest first; those that have ended included. */
  readonly #halls = new Map<string, Hall>();
  readonly #ended: Hall[] = [];

  constructor(clock: Clock, ids: Ids) {
    this.#clock = clock;
    this.#ids = ids;
    this.#visitors = new Visitors(clock);
  }

  // What REST asks

  open({ projectId, name, eventUrl, maxMembers }: Parameters<Conferences['open']>[0]): Conference {
    this.#sweep();
    const conferenceId = this.#ids.next('conference');
    const hall: Hall = {
      conferenceId,
      projectId,
      name: name ?? conferenceId,
      state: 'initiated',
      createdMs: this.#clock.now(),
      endedMs: undefined,
      recording: false,
      eventUrl,
      maxMembers: Math.min(maxMembers ?? MOST_MEMBERS, MOST_MEMBERS),
      brought: new Set(),
      expected: new Set(),
      members: new Map(),
      participants: [],
    };
    this.#halls.set(conferenceId, hall);
    return hall;
  }

  find(projectId: string, conferenceId: string): Conference | undefined {
    this.#sweep();
    const hall = this.#halls.get(conferenceId);
    return hall?.projectId === projectId ? hall : undefined;
  }

  expect(conferenceId: string, callId: string, gone: Promise<unknown>): void {
    const hall = this.#live(conferenceId);
    if (!hall) return;
    hall.brought.add(callId);
    hall.expected.add(callId);
    void gone.then(() => {
      hall.expected.delete(callId);
      hall.brought.delete(callId);
      if (hall.state === 'initiated' && hall.expected.size === 0) this.#end(hall);
    });
  }

  change(conferenceId: string, callId: string, { muted, hold }: { muted?: boolean; hold?: boolean }): boolean {
    const hall = this.#live(conferenceId);
    const member = [...(hall?.members.values() ?? [])].find((one) => one.callId === callId);
    if (!member) return false;
    if (muted !== undefined && muted !== member.muted) {
      member.muted = muted;
      this.#visitors.tell(member.memberId, 'muted', { muted });
    }
    if (hold !== undefined && hold !== member.hold) {
      member.hold = hold;
      if (member.state !== 'waiting') member.state = hold ? 'held' : 'joined';
      this.#visitors.tell(member.memberId, 'held', { hold });
    }
    return true;
  }

  end(conferenceId: string): void {
    const hall = this.#live(conferenceId);
    if (hall) this.#end(hall);
  }

  // What visitors ask

  enter(visitor: VenueMember): void {
    const { memberId, options } = visitor;
    const hall = this.#hallFor(visitor);
    if (!hall || hall.members.size >= Math.min(hall.maxMembers, limitOf(options))) {
      this.#visitors.add(visitor);
      this.#visitors.tell(memberId, hall ? 'full' : 'ended', { conference_id: hall?.conferenceId ?? visitor.name });
      return;
    }
    const member: Member = {
      memberId,
      callId: visitor.callId,
      from: visitor.from,
      to: visitor.to,
      state: 'joined',
      muted: options['muted'] === true,
      hold: false,
      moderator: options['moderator'] === true,
      joinedMs: this.#clock.now(),
      waitsForModerator: options['wait_for_moderator'] === true,
      endsOnExit: options['end_on_exit'] === true,
    };
    this.#visitors.add(visitor, { hall, member });
    hall.members.set(memberId, member);
    hall.participants.push(member);
    hall.expected.delete(visitor.callId);
    hall.state = 'active';
    if (options['record'] === true || isObject(options['record'])) hall.recording = true;
    if (member.waitsForModerator && !member.moderator && !hasModerator(hall)) {
      member.state = 'waiting';
      this.#visitors.tell(memberId, 'waiting', this.#picture(hall));
    } else {
      this.#visitors.tell(memberId, 'joined', { ...this.#picture(hall), mix_id: hall.conferenceId });
    }
    this.#count(hall, member);
    if (member.moderator) this.#start(hall);
  }

  tell(memberId: string, name: string, data: Json): void {
    const stay = this.#visitors.stayOf(memberId);
    if (stay && name === 'mute' && isObject(data)) stay.member.muted = data['muted'] === true;
  }

  exit(memberId: string): void {
    const stay = this.#visitors.stayOf(memberId);
    this.#visitors.remove(memberId);
    if (!stay) return;
    const { hall, member } = stay;
    hall.members.delete(memberId);
    // It went elsewhere: the end of the conference is not its end.
    hall.brought.delete(member.callId);
    leave(hall, member);
    if (hall.state === 'ended') return;
    if (hall.members.size === 0 || member.endsOnExit) this.#end(hall);
    else this.#count(hall, member);
  }

  /** Undefined: the one that is asked for by its id is over, or never was. */
  #hallFor({ projectId, name, options }: VenueMember): Hall | undefined {
    const asked = options['conference_id'];
    const byId = this.#halls.get(typeof asked === 'string' ? asked : name);
    if (byId?.projectId === projectId) return byId.state === 'ended' ? undefined : byId;
    if (typeof asked === 'string') return undefined;
    for (const hall of this.#halls.values()) {
      if (hall.projectId === projectId && hall.name === name && hall.state !== 'ended') return hall;
    }
    const { conferenceId } = this.open({ projectId, name, maxMembers: limitOf(options) });
    return this.#halls.get(conferenceId);
  }

  /** A moderator is there: whoever waited for one comes in. */
  #start(hall: Hall): void {
    for (const member of hall.members.values()) {
      if (member.state !== 'waiting') continue;
      member.state = member.hold ? 'held' : 'joined';
      this.#visitors.tell(member.memberId, 'joined', { ...this.#picture(hall), mix_id: hall.conferenceId });
      this.#visitors.tell(member.memberId, 'started', { conference_id: hall.conferenceId });
    }
  }

  /** Tells all but `mover` how many they are. */
  #count(hall: Hall, mover: Member): void {
    for (const member of hall.members.values()) {
      if (member !== mover) this.#visitors.tell(member.memberId, 'members', { members: hall.members.size });
    }
  }

  #picture({ conferenceId, name, members }: Hall): JsonObject {
    return { conference_id: conferenceId, name, members: members.size };
  }

  #end(hall: Hall): void {
    if (hall.state === 'ended') return;
    hall.state = 'ended';
    hall.endedMs = this.#clock.now();
    for (const member of hall.members.values()) {
      this.#visitors.tell(member.memberId, 'ended', { conference_id: hall.conferenceId });
      leave(hall, member);
    }
    hall.members.clear();
    this.#ended.push(hall);
    this.#sweep();
  }

  #live(conferenceId: string): Hall | undefined {
    const hall = this.#halls.get(conferenceId);
    return hall?.state === 'ended' ? undefined : hall;
  }

  #sweep(): void {
    const untilMs = this.#clock.now() - KEPT_MS;
    while (this.#ended.length > MOST_KEPT || (this.#ended[0]?.endedMs ?? Number.POSITIVE_INFINITY) <= untilMs) {
      this.#halls.delete(this.#ended.shift()!.conferenceId);
    }
  }
}

function leave(hall: Hall, member: Member): void {
  member.state = 'left';
  const left = hall.participants.filter(({ state }) => state === 'left');
  if (left.length > MOST_LEFT) hall.participants.splice(hall.participants.indexOf(left[0]!), 1);
}

const hasModerator = (hall: Hall): boolean => [...hall.members.values()].some(({ moderator }) => moderator);

function limitOf(options: JsonObject): number {
  const limit = options['max_members'];
  return typeof limit === 'number' && limit >= 1 ? limit : MOST_MEMBERS;
}
