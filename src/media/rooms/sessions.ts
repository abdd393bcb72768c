/**
 * Sessions of all rooms. A session opens when a participant enters a room that has none, and ends when the last one
 * leaves. `client-link.ts` reads the messages of clients; `session.ts` has the rules of one session,
 * `session-commands.ts` the commands of clients.
 *
 * Invariants
 *  - a room has at most one session;
 *  - participants in the lobby when a session ends wait for the next one; an ad hoc room that ends sends them away.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/core/clock.ts';
import type { Ids } from '../../base/core/ids.ts';
import { defined } from '../../base/core/json.ts';
import type { ServerMessage } from '../../base/core/room-messages.ts';
import { mixOfRoom } from '../../base/core/room-mix.ts';
import type { TokenCheck } from '../../base/core/single-use-tokens.ts';
import type { Recognizer } from '../telephony/recognition.ts';
import { type CallDetail, type CallDetailStore, callDetailOf } from './call-detail.ts';
import { type ClientLink, connectClient, type Entered, errorOf, type First, type LaterMessage } from './client-link.ts';
import { type Departed, Departures } from './departures.ts';
import { EntryRules } from './entry-rules.ts';
import { FeedbackDesk } from './feedback.ts';
import { type IceServerConfig, iceServersFor } from './ice-servers.ts';
import type { Link, Participant } from './participant.ts';
import type { PhoneSound } from './phone-sound.ts';
import { keyOf, shownRoom, typeOf, type VideoRoom } from './room.ts';
import { RoomError } from './room-error.ts';
import { isSpent } from './room-rules.ts';
import type { RoomStore } from './room-store.ts';
import type { IssuedToken, RoomTokens, TokenHolder } from './room-tokens.ts';
import { RoomSession } from './session.ts';
import { type CommandProblem, runCommand } from './session-commands.ts';
import { SessionMedia } from './session-media.ts';
import type { ReportedEvent, SessionEvent, TimelineEvent } from './session-ports.ts';
import { type EngineCommand, type EngineEvent, isAboutLiveStream, type RoomEngine } from './sfu.ts';

export interface SessionsParts {
  clock: Clock;
  ids: Ids;
  store: Pick<RoomStore, 'find' | 'replace' | 'remove'>;
  details: Pick<CallDetailStore, 'add' | 'addFeedback'>;
  tokens: RoomTokens;
  /** True if new sessions may open; default: true. */
  mayOpen?(): boolean;
  engine: RoomEngine;
  iceServers: readonly IceServerConfig[];
  /** Absent: phones hear only each other. */
  sound?: PhoneSound;
  /** Absent: there are no captions. */
  recognizer?: Recognizer | undefined;
  /** Folder of recordings. Absent: recording is not available. */
  recordings?: string;
  /** Events for records, webhooks and the log. */
  onEvent(session: RoomSession, event: ReportedEvent): void;
  /** Returns why the audience cannot watch on this node; undefined if it can. */
  audienceProblem?(): string | undefined;
  /** A participant who is in has a new link. */
  resumed?(session: RoomSession, participant: Participant): void;
  /** Events for the timelines of archives. */
  onTimelineEvent?(session: RoomSession, event: TimelineEvent): void;
}

export class RoomSessions {
  readonly #parts: SessionsParts;
  /** Sessions by project and room. */
  readonly #byRoom = new Map<string, RoomSession>();
  readonly #byConf = new Map<string, RoomSession>();
  readonly #media = new Map<RoomSession, SessionMedia>();
  /** Callbacks that wait for the last session to end. */
  readonly #waiting: (() => void)[] = [];
  readonly #byResumeKey = new Map<string, Entered>();
  readonly #departures: Departures;
  readonly #entry: EntryRules;
  readonly #feedback: FeedbackDesk;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#departures = new Departures(parts.clock);
    this.#entry = new EntryRules({ ...parts, find: (projectId, roomId) => this.find(projectId, roomId) });
    this.#feedback = new FeedbackDesk({
      clock: parts.clock,
      addFeedback: parts.details.addFeedback,
      given: (session, participant, feedback) => parts.onEvent(session, { type: 'feedback', participant, ...feedback }),
    });
  }

  /** Passes an event of the engine to its session. */
  event(confNum: string, event: EngineEvent): void {
    if (!isAboutLiveStream(event)) this.#byConf.get(confNum)?.engineEvent(event);
  }

  /** Sends a command about a session to the engine. */
  command(confNum: string, command: EngineCommand): void {
    const session = this.#byConf.get(confNum);
    if (session) this.#media.get(session)?.send(command);
  }

  /** The engine restarted after a crash, without the sessions in `lost`; default: all. */
  engineRestarted(lost?: readonly string[]): void {
    for (const session of this.#byConf.values()) {
      if (lost?.includes(session.confNum) === false) continue;
      if (!this.#media.get(session)?.reopen()) continue;
      session.engineRestarted();
      if (session.wasActive) this.#parts.onEvent(session, { type: 'media_restarted' });
    }
  }

  /** Resolves when no session is active. */
  whenEmpty(): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get count(): number {
    return this.#byConf.size;
  }

  all(): Iterable<RoomSession> {
    return this.#byConf.values();
  }

  find(projectId: string, roomId: string): RoomSession | undefined {
    return this.#byRoom.get(keyOf({ projectId, roomId }));
  }

  isActive = (projectId: string, roomId: string): boolean => (this.find(projectId, roomId)?.inside.length ?? 0) > 0;

  /** Participants who are in; undefined if no session is active. */
  usersIn(projectId: string, roomId: string): Participant[] | undefined {
    const inside = this.find(projectId, roomId)?.inside ?? [];
    return inside.length === 0 ? undefined : inside;
  }

  /** Throws a `RoomError` if the room cannot be entered now. */
  issueToken(projectId: string, holder: TokenHolder): string {
    const room = this.#parts.store.find(projectId, holder.roomId);
    if (!room) throw new RoomError('room_unknown', `there is no room ${holder.roomId.slice(0, 64)}`);
    this.#entry.checkRole(room, holder.role);
    return this.#parts.tokens.issue(projectId, holder);
  }

  #invite({ projectId, roomId }: VideoRoom, holder: Omit<TokenHolder, 'roomId'>): IssuedToken {
    const token = this.issueToken(projectId, { ...holder, roomId });
    const read = this.#parts.tokens.read(token);
    if ('refused' in read) throw new Error(`a new token is ${read.refused}`);
    return { token, expiresMs: read.expiresMs };
  }

  /**
   * True if this is a valid room token, used or not, or the resume key of a participant who is in or may join again.
   * The token is not consumed.
   */
  vouches(pass: string): boolean {
    return this.#mayReturn(pass) || !('refused' in this.#parts.tokens.read(pass));
  }

  /** Connects the new link of a client, before its first message. */
  connect(link: Link): ClientLink {
    return connectClient(link, this.#parts.clock, {
      look: ({ token, room_id: roomId }, done) =>
        this.#parts.tokens.look(token, (check) => done(this.#invitation(check)), isForRoom(roomId)),
      hold: (message) => this.#hold(message),
      feedback: ({ resume_key: key, rating, text }) =>
        this.#feedback.give(key, defined({ rating, text })) ? { type: 'thanks' } : errorOf('not_known'),
      redeem: ({ token, room_id: roomId }, done) => this.#parts.tokens.redeem(token, done, isForRoom(roomId)),
      join: (check) => this.#join(check, link),
      resume: (message) => this.#resume(message, link),
      command: (participant, message) => this.#command(participant, message),
      linkDown: (participant, isGone) => this.#sessionOf(participant)?.linkDown(participant, link, isGone),
    });
  }

  /** The participant may have been moved to a later session while waiting. */
  #sessionOf(participant: Participant): RoomSession | undefined {
    const known = this.#byResumeKey.get(participant.resumeKey)?.session;
    return known?.find(participant.id) ? known : undefined;
  }

  #command(participant: Participant, message: LaterMessage) {
    const session = this.#sessionOf(participant);
    return session ? runCommand(session, participant, message) : ('not_in' satisfies CommandProblem);
  }

  /** Describes the invitation of a token. */
  #invitation(checked: TokenCheck<TokenHolder>): ServerMessage {
    if ('refused' in checked) return errorOf(`token_${checked.refused}`);
    const { holder, expiresMs } = checked;
    const room = this.#parts.store.find(holder.projectId, holder.roomId);
    if (!room) return errorOf('room_unknown');
    return { type: 'invited', name: holder.name, role: holder.role, expires_at: expiresMs, room: shownRoom(room) };
  }

  #join(checked: TokenCheck<TokenHolder>, link: Link): Entered | { code: string } {
    if ('refused' in checked) return { code: `token_${checked.refused}` };
    return this.#admit(checked.holder, link);
  }

  #admit({ projectId, ...holder }: Departed, link: Link): Entered | { code: string } {
    if (this.#entry.problemFor(holder.role) !== undefined) return { code: 'room_audience_unavailable' };
    return this.enter(projectId, holder, link);
  }

  /** Returns the participant with this resume key who is in. */
  #known(key: string) {
    const known = this.#byResumeKey.get(key);
    return known?.session.inside.includes(known.participant) ? known : undefined;
  }

  #mayReturn = (key: string): boolean => (this.#known(key) ?? this.#departures.find(key)) !== undefined;

  #hold({ resume_key: key }: First<'hold'>): ServerMessage {
    const known = this.#known(key);
    known?.session.hold(known.participant);
    return this.#mayReturn(key) ? { type: 'held' } : errorOf('not_known');
  }

  #resume({ resume_key: key }: First<'resume'>, link: Link): Entered | { code: string } {
    const known = this.#known(key);
    if (!known) return this.#joinAgain(key, link);
    known.session.resume(known.participant, link);
    this.#parts.resumed?.(known.session, known.participant);
    return known;
  }

  /** A refusal, such as that of a full room, keeps the key valid. */
  #joinAgain(key: string, link: Link): Entered | { code: string } {
    const departed = this.#departures.find(key);
    if (!departed) return { code: 'not_known' };
    const entered = this.#admit(departed, link);
    if (!('code' in entered)) this.#departures.forget(key);
    return entered;
  }

  /** Admits an authorised participant: with a valid token, or a phone with the PIN of the room. */
  enter(projectId: string, holder: TokenHolder, link: Link, isPhone = false): Entered | { code: string } {
    const room = this.#parts.store.find(projectId, holder.roomId);
    if (!room) return { code: 'room_unknown' };
    try {
      this.#entry.checkOpen(room);
      // The call of the phone is already active.
      if (!isPhone) this.#entry.checkMayOpen(room);
    } catch (error) {
      if (error instanceof RoomError) return { code: error.code };
      throw error;
    }
    const session = this.find(projectId, holder.roomId) ?? this.#open(room);
    const admission = session.enter(holder, link, isPhone);
    if ('refused' in admission) {
      if (session.isEmpty) this.#close(session);
      return { code: `room_${admission.refused}` };
    }
    const entered = { session, participant: admission.participant };
    this.#byResumeKey.set(admission.participant.resumeKey, entered);
    return entered;
  }

  /** Executes a command of a participant without a client, such as a phone's keys. */
  ask(participant: Participant, message: LaterMessage): CommandProblem | undefined {
    return this.#command(participant, message);
  }

  /** The phone hung up, or its call moved to another step. */
  leave(participant: Participant): void {
    this.#sessionOf(participant)?.leave(participant, 'left');
  }

  #open(room: VideoRoom): RoomSession {
    const { clock, ids, engine, sound, recordings } = this.#parts;
    const confNum = ids.next('session');
    const media = new SessionMedia({
      ...{ engine, sound },
      spec: defined({
        confNum,
        project: room.projectId,
        quality: room.settings.quality,
        recordings: recordings && join(recordings, confNum),
      }),
      mixId: mixOfRoom(room),
      legOf: (participant) => session.find(participant)?.link?.legId,
      talking: (participant, on) => session.engineEvent({ type: 'talking', participant, on }),
    });
    const session: RoomSession = new RoomSession({
      clock,
      confNum,
      room,
      canRecord: engine.capabilities.recording,
      send: (command) => media.send(command),
      nextId: (kind) => ids.next(kind),
      recognizer: this.#parts.recognizer,
      canListen: engine.capabilities.speech === true,
      tokens: {
        issue: (holder) => this.#invite(room, holder),
        revoke: (token, done) => this.#parts.tokens.revoke(token, done),
      },
      iceServers: (participant) => iceServersFor(this.#parts.iceServers, { participant, nowMs: clock.now() }),
      onEvent: (event) => this.#onEvent(session, event),
      onTimelineEvent: (event) => this.#parts.onTimelineEvent?.(session, event),
      onEmpty: () => this.#onEmpty(session),
    });
    this.#byRoom.set(keyOf(room), session);
    this.#byConf.set(confNum, session);
    this.#media.set(session, media);
    return session;
  }

  #onEvent(session: RoomSession, event: SessionEvent): void {
    const { onEvent } = this.#parts;
    if (event.type === 'joined' && !session.wasActive) {
      session.wasActive = true;
      session.activeSinceMs = this.#parts.clock.now();
      this.#recordFirstSession(session.room);
      onEvent(session, { type: 'active' });
    }
    onEvent(session, event);
    if (event.type === 'left') this.#onLeft(session, event);
  }

  #onLeft(session: RoomSession, { participant, reason }: Extract<SessionEvent, { type: 'left' }>): void {
    const detail = this.#writeDetail(session, participant);
    this.#feedback.left({ session, participant, detail }, reason);
    this.#byResumeKey.delete(participant.resumeKey);
    if (reason === 'left' || reason === 'lost') this.#departures.add(participant, session.room);
  }

  #writeDetail({ room, confNum }: RoomSession, participant: Participant): CallDetail {
    const { details, ids, clock } = this.#parts;
    // Derived from the monotonic clock, because the wall clock may have been set since.
    const atMs = participant.joinedMs + Math.round(clock.monotonicMs() - participant.joinedMonotonicMs);
    const detail = callDetailOf(participant, { room, confNum, cdrId: ids.next('cdr'), atMs });
    details.add(detail);
    return detail;
  }

  /** Records the first session of an ad hoc room, from which its duration is counted. */
  #recordFirstSession(room: VideoRoom): void {
    if (typeOf(room.settings) !== 'adhoc' || room.firstSessionMs !== undefined) return;
    const { store, clock } = this.#parts;
    const now = store.find(room.projectId, room.roomId);
    if (now) store.replace({ ...now, firstSessionMs: clock.now() });
  }

  /** The last participant left. */
  #onEmpty(session: RoomSession): void {
    const waiting = session.wasActive ? session.moveLobby() : [];
    if (!session.wasActive && !session.isEmpty) return;
    this.#close(session);
    const { projectId, roomId } = session.room;
    const isGone = this.#removeAdhoc(projectId, roomId);
    const room = isGone ? undefined : this.#parts.store.find(projectId, roomId);
    if (!room) {
      for (const one of waiting) {
        one.link?.send({ type: 'ended', reason: 'room_over' });
        one.link?.close();
      }
      return;
    }
    if (waiting.length === 0) return;
    const next = this.#open(room);
    for (const one of waiting) {
      this.#byResumeKey.set(one.resumeKey, { session: next, participant: one });
      next.takeWaiting(one);
    }
  }

  #close(session: RoomSession, reason: 'ended' | 'room_over' = 'ended'): void {
    if (!this.#byConf.delete(session.confNum)) return;
    const { projectId, roomId } = session.room;
    this.#byRoom.delete(keyOf({ projectId, roomId }));
    session.end(reason);
    this.#media.delete(session);
    if (session.wasActive) this.#parts.onEvent(session, { type: 'over' });
    if (this.count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Removes an ad hoc room whose session or duration has ended. True if it was removed. */
  #removeAdhoc(projectId: string, roomId: string): boolean {
    const { store, clock } = this.#parts;
    const room = store.find(projectId, roomId);
    return room !== undefined && isSpent(room, clock.now()) && store.remove(projectId, roomId);
  }

  /** Ends the session of a room, if there is one. */
  end(projectId: string, roomId: string, reason: 'ended' | 'room_over' = 'ended'): void {
    const session = this.find(projectId, roomId);
    if (session) this.#close(session, reason);
  }

  /** Ends all sessions, when the service stops. */
  close(): void {
    for (const session of [...this.#byConf.values()]) this.#close(session);
  }
}

/** A client that names a room is admitted only by a token of that room. */
const isForRoom = (named: string | undefined) =>
  named === undefined ? undefined : ({ roomId }: TokenHolder) => roomId === named;
