/**
 * Conferences: meetings of a project's calls. A conference tracks its members and who may speak; the steps join the mix
 * that it names, whose id is the conference's id.
 *
 * A member gives `conference_id` for an existing conference, or else a name: if there is none of this name, it is
 * created. Further options: `muted`, `moderator`, `wait_for_moderator`, `end_on_exit`, `max_members`, `record`. It
 * receives `joined` ({conference_id, name, mix_id, members}), or `waiting` ({conference_id, name, members}) until a
 * moderator joins, then `joined` and `started`; `full`; `members` ({members}) when others join or leave; `muted`
 * ({muted}), `held` ({hold}) and `ended`. It may send `mute` ({muted}).
 *
 * If the conference spans several nodes, this is its owner node (`service/cluster/venues`). A member with `resumed` was
 * in it when the owner node, or the link to it, was lost: the conference is recreated with its old id, and the member's
 * state is restored ({conference_id, name, muted, hold, joined}).
 *
 * Invariants
 *  - A conference ends with its last member, or when all calls that were placed for it are over before any has joined.
 *  - A bounded number of ended conferences is kept for a while, so that clients can still read them.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import { type GroupMember, Members } from './members.ts';

export interface Conference {
  readonly conferenceId: string;
  readonly projectId: string;
  readonly name: string;
  state: 'initiated' | 'active' | 'ended';
  readonly createdMs: number;
  endedMs: number | undefined;
  /** True if a member requested recording. */
  recording: boolean;
  /** URL for the events of calls that REST places for it. */
  readonly eventUrl: string | undefined;
  readonly maxMembers: number;
  /** Calls brought by REST that end with the conference, with the function that hangs up each. */
  readonly brought: Map<string, HangUpCall>;
  /** Brought calls that have not joined yet. */
  readonly expected: Set<string>;
  /** Participants in the order in which they joined, including those that left. */
  readonly participants: ConferenceParticipant[];
}

export interface ConferenceParticipant {
  callId: string;
  from: string;
  to: string;
  state: 'joined' | 'waiting' | 'held' | 'left';
  muted: boolean;
  hold: boolean;
  moderator: boolean;
  joinedMs: number;
}

export type HangUpCall = () => Promise<unknown>;

/** A call that will join a conference. `gone` settles when the call is over, whether it joined or not. */
export interface BroughtCall {
  callId: string;
  gone: Promise<unknown>;
  /** Absent if the call continues after the conference. */
  hangUp?: HangUpCall;
}

/** Retention of ended conferences: time and count. */
const KEPT_MS = 3_600_000;
const MAX_KEPT = 1000;
/** Maximum participants who left; older ones are dropped. */
const MAX_LEFT = 200;
const MAX_MEMBERS = 1000;

interface Member extends ConferenceParticipant, GroupMember {
  conference: Conference;
  waitsForModerator: boolean;
  endsOnExit: boolean;
}

export interface NewConference {
  projectId: string;
  /** Default: a new id. */
  conferenceId?: string;
  name?: string;
  eventUrl?: string;
  maxMembers?: number;
}

export class Conferences implements Venue {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #members: Members<Member>;
  /** Oldest first, including ended ones. */
  readonly #conferences = new Map<string, Conference>();
  readonly #ended: Conference[] = [];
  readonly #opened: ((conference: Conference) => void) | undefined;
  /** Conferences ended by request or by `end_on_exit`: they are not recreated. */
  readonly #closed = new WeakSet<Conference>();

  /** `opened` is called for each conference created here. */
  constructor({ clock, ids, opened }: { clock: Clock; ids: Ids; opened?: (conference: Conference) => void }) {
    this.#clock = clock;
    this.#ids = ids;
    this.#opened = opened;
    this.#members = new Members(clock);
  }

  // Interface of REST

  /** Creates a conference without members. */
  open({
    projectId,
    conferenceId = this.#ids.next('conference'),
    name,
    eventUrl,
    maxMembers,
  }: NewConference): Conference {
    this.#sweep();
    const conference: Conference = {
      conferenceId,
      projectId,
      name: name ?? conferenceId,
      state: 'initiated',
      createdMs: this.#clock.now(),
      endedMs: undefined,
      recording: false,
      eventUrl,
      maxMembers: Math.min(maxMembers ?? MAX_MEMBERS, MAX_MEMBERS),
      brought: new Map(),
      expected: new Set(),
      participants: [],
    };
    this.#conferences.set(conferenceId, conference);
    this.#opened?.(conference);
    return conference;
  }

  /** Finds an active or a recently ended conference. */
  find(projectId: string, conferenceId: string): Conference | undefined {
    this.#sweep();
    const conference = this.#conferences.get(conferenceId);
    return conference?.projectId === projectId ? conference : undefined;
  }

  /** Active conferences, newest first. */
  list(projectId: string, limit: number): Conference[] {
    const live = [...this.#conferences.values()].filter((one) => one.projectId === projectId && one.state !== 'ended');
    return live.slice(-limit).reverse();
  }

  expect(conferenceId: string, { callId, gone, hangUp }: BroughtCall): void {
    const conference = this.#live(conferenceId);
    if (!conference) return;
    if (hangUp) conference.brought.set(callId, hangUp);
    conference.expected.add(callId);
    void gone.then(() => {
      conference.expected.delete(callId);
      conference.brought.delete(callId);
      if (conference.state === 'initiated' && conference.expected.size === 0) this.#end(conference);
    });
  }

  /** False if the call is not a member. */
  change(conferenceId: string, callId: string, { muted, hold }: { muted?: boolean; hold?: boolean }): boolean {
    const member = this.#members.in(conferenceId).find((one) => one.callId === callId);
    if (!member) return false;
    if (muted !== undefined && muted !== member.muted) {
      member.muted = muted;
      this.#members.send(member.memberId, 'muted', { muted });
    }
    if (hold !== undefined && hold !== member.hold) {
      member.hold = hold;
      if (member.state !== 'waiting') member.state = hold ? 'held' : 'joined';
      this.#members.send(member.memberId, 'held', { hold });
    }
    // Send the state to the members' nodes before acknowledging: if this node dies, they continue with it.
    this.#members.sendAll();
    return true;
  }

  end(conferenceId: string): void {
    const conference = this.#live(conferenceId);
    if (conference) this.#close(conference);
  }

  /** Active conferences of all projects. */
  live(): Conference[] {
    return [...this.#conferences.values()].filter(({ state }) => state !== 'ended');
  }

  // Interface of calls

  enter(request: VenueMember): void {
    const { memberId, callId, from, to, options, resumed } = request;
    const conference = resumed?.['conference_id'] === undefined ? this.#conferenceFor(request) : this.#again(request);
    const group = conference?.conferenceId ?? request.name;
    const isFull = conference && this.#members.count(group) >= Math.min(conference.maxMembers, limitOf(options));
    if (!conference || (isFull && !resumed)) {
      this.#members.turnAway(request, conference ? 'full' : 'ended', { conference_id: group });
      return;
    }
    const member: Member = {
      ...{ memberId, group, conference, callId, from, to },
      state: 'joined',
      muted: (resumed?.['muted'] ?? options['muted']) === true,
      hold: resumed?.['hold'] === true,
      moderator: options['moderator'] === true,
      joinedMs: this.#clock.now(),
      waitsForModerator: options['wait_for_moderator'] === true && resumed?.['joined'] !== true,
      endsOnExit: options['end_on_exit'] === true,
    };
    const waits = member.waitsForModerator && !member.moderator && !this.#hasModerator(conference);
    this.#members.add(request, member);
    conference.participants.push(member);
    conference.expected.delete(callId);
    conference.state = 'active';
    if (options['record'] === true || isObject(options['record'])) conference.recording = true;
    if (waits) {
      member.state = 'waiting';
      this.#members.send(memberId, 'waiting', this.#summary(conference));
    } else {
      if (member.hold) member.state = 'held';
      this.#sendJoined(member);
    }
    this.#members.sendCount(member);
    if (member.moderator) this.#start(conference);
  }

  tell(memberId: string, name: string, data: Json): void {
    const member = this.#members.find(memberId);
    if (member && name === 'mute' && isObject(data)) member.muted = data['muted'] === true;
  }

  exit(memberId: string): void {
    const member = this.#members.remove(memberId);
    if (!member) return;
    const { conference, group } = member;
    // The call left, so that the end of the conference must not hang it up.
    conference.brought.delete(member.callId);
    leave(member);
    if (conference.state === 'ended') return;
    if (member.endsOnExit) this.#close(conference);
    else if (this.#members.count(group) === 0) this.#end(conference);
    else this.#members.sendCount(member);
  }

  /** Undefined if the conference requested by id has ended or never existed. */
  #conferenceFor({ projectId, name, options }: VenueMember): Conference | undefined {
    const asked = options['conference_id'];
    const byId = this.#conferences.get(typeof asked === 'string' ? asked : name);
    if (byId?.projectId === projectId) return byId.state === 'ended' ? undefined : byId;
    if (typeof asked === 'string') return undefined;
    return this.#named(projectId, name) ?? this.open({ projectId, name, maxMembers: limitOf(options) });
  }

  #named(projectId: string, name: string): Conference | undefined {
    for (const conference of this.#conferences.values()) {
      if (conference.projectId === projectId && conference.name === name && conference.state !== 'ended')
        return conference;
    }
    return undefined;
  }

  /**
   * Finds or recreates the conference of a resumed member. Undefined if it was ended meanwhile. If another conference
   * of the same name was created before the old members returned, they join that one, unless they requested theirs by
   * id.
   */
  #again({ projectId, resumed, options }: VenueMember): Conference | undefined {
    const conferenceId = String(resumed?.['conference_id']);
    const known = this.#conferences.get(conferenceId);
    if (known && known.state !== 'ended') return known.projectId === projectId ? known : undefined;
    if (known && (known.projectId !== projectId || this.#closed.has(known))) return undefined;
    const name = String(resumed?.['name']);
    const other = typeof options['conference_id'] === 'string' ? undefined : this.#named(projectId, name);
    if (other) return other;
    if (known) this.#ended.splice(this.#ended.indexOf(known), 1);
    return this.open({ projectId, conferenceId, name, maxMembers: limitOf(options) });
  }

  #hasModerator({ conferenceId }: Conference): boolean {
    return this.#members.in(conferenceId).some(({ moderator }) => moderator);
  }

  /** A moderator is present: lets the waiting members join. */
  #start({ conferenceId }: Conference): void {
    for (const member of this.#members.in(conferenceId)) {
      if (member.state !== 'waiting') continue;
      member.state = member.hold ? 'held' : 'joined';
      this.#sendJoined(member);
      this.#members.send(member.memberId, 'started', { conference_id: conferenceId });
    }
  }

  #sendJoined({ memberId, conference, group }: Member): void {
    this.#members.send(memberId, 'joined', { ...this.#summary(conference), mix_id: group });
  }

  #summary({ conferenceId, name }: Conference): JsonObject {
    return { conference_id: conferenceId, name, members: this.#members.count(conferenceId) };
  }

  /** Ends the conference by request, so that it is not recreated. */
  #close(conference: Conference): void {
    this.#closed.add(conference);
    this.#end(conference);
  }

  #end(conference: Conference): void {
    const { conferenceId } = conference;
    if (conference.state === 'ended') return;
    conference.state = 'ended';
    conference.endedMs = this.#clock.now();
    for (const member of this.#members.in(conferenceId)) {
      this.#members.send(member.memberId, 'ended', { conference_id: conferenceId });
      leave(member);
    }
    this.#members.dissolve(conferenceId);
    this.#ended.push(conference);
    this.#sweep();
  }

  #live(conferenceId: string): Conference | undefined {
    const conference = this.#conferences.get(conferenceId);
    return conference?.state === 'ended' ? undefined : conference;
  }

  #sweep(): void {
    const untilMs = this.#clock.now() - KEPT_MS;
    while (this.#ended.length > MAX_KEPT || (this.#ended[0]?.endedMs ?? Number.POSITIVE_INFINITY) <= untilMs) {
      this.#conferences.delete(this.#ended.shift()!.conferenceId);
    }
  }
}

function leave(member: Member): void {
  const { participants } = member.conference;
  member.state = 'left';
  const left = participants.filter(({ state }) => state === 'left');
  if (left.length > MAX_LEFT) participants.splice(participants.indexOf(left[0]!), 1);
}

function limitOf(options: JsonObject): number {
  const limit = options['max_members'];
  return typeof limit === 'number' && limit >= 1 ? limit : MAX_MEMBERS;
}
