/**
 * One session of a room: participants, lobby and permissions. It decides, notifies the clients, and commands the
 * engine. `session-commands.ts` has the commands of clients; `sessions.ts` opens and ends sessions.
 *
 * Invariants
 *  - a participant is admitted to the engine only when it is `in`; while waiting it sees only its own state;
 *  - permissions are decided here, by role, and enforced by the engine: a client cannot bypass them;
 *  - a participant receives `ended`, `dropped` or `denied` once, and no message after it.
 */
import type { ServerMessage, ServerMessages } from '../../base/core/room-messages.ts';
import { ActiveSpeakers } from './active-speakers.ts';
import { Captions } from './captions.ts';
import { Invitations } from './invitations.ts';
import { recordMediaEvent } from './media-events.ts';
import {
  grantsOf,
  isInside,
  type Link,
  newParticipant,
  type Participant,
  permissionsOf,
  shown,
  toggle,
} from './participant.ts';
import { Polls } from './polls.ts';
import { AWAY_MS, GONE_MS, ReconnectGrace } from './reconnect-grace.ts';
import type { VideoRoom } from './room.ts';
import { placeMissing } from './room-rules.ts';
import type { TokenHolder } from './room-tokens.ts';
import { SessionClients } from './session-clients.ts';
import type { AdmissionResult, LeaveReason, Moderation, SessionPorts } from './session-ports.ts';
import { SessionRecording } from './session-recording.ts';
import type { EngineCommand, EngineEvent, LiveStreamEvent, TrackSource } from './sfu.ts';
import { welcomeOf } from './welcome.ts';

export class RoomSession {
  readonly confNum: string;
  readonly room: VideoRoom;
  readonly #ports: SessionPorts;
  readonly #people = new Map<string, Participant>();
  readonly #clients = new SessionClients(() => this.inside);
  readonly #absences: ReconnectGrace;
  readonly #talkers: ActiveSpeakers;
  readonly recording: SessionRecording;
  readonly invitations: Invitations;
  readonly captions: Captions;
  readonly polls: Polls;
  /** True once a participant was in; `activeSinceMs` is the time of the first. */
  wasActive = false;
  activeSinceMs = 0;
  #hadModerator = false;
  #ended = false;
  /** Participant whom a moderator shows large to all. */
  #spotlight: Participant | undefined;

  constructor(ports: SessionPorts) {
    this.confNum = ports.confNum;
    this.room = ports.room;
    this.#ports = ports;
    this.#absences = new ReconnectGrace(ports.clock);
    this.#talkers = new ActiveSpeakers(ports.room.settings.max_active_talkers);
    const tell = (one: Participant, message: ServerMessage): void => this.#clients.tell(one, message);
    const tellAll = (message: ServerMessage): void => this.#clients.tellAll(message);
    this.recording = new SessionRecording({ ...ports, tellAll, inside: () => this.inside });
    this.invitations = new Invitations({ ...ports, tell });
    this.captions = new Captions({ ...ports, tell, tellAll });
    this.polls = new Polls({ ...ports, tell, inside: () => this.inside });
  }

  /** Participants who are in, or whose link is down for a moment. */
  get inside(): Participant[] {
    return [...this.#people.values()].filter(isInside);
  }

  get #talking(): string[] {
    return this.inside.filter((one) => one.talking).map(({ id }) => id);
  }

  /** Participants in the lobby. */
  get lobby(): Participant[] {
    return [...this.#people.values()].filter((one) => !isInside(one));
  }

  get isEmpty(): boolean {
    return this.#people.size === 0;
  }

  find(id: string): Participant | undefined {
    return this.#people.get(id);
  }

  /** Adds a participant with a valid token, or a phone. */
  enter({ roomId: _, ...holder }: TokenHolder, link: Link, isPhone = false): AdmissionResult {
    if (this.#ended) return { refused: 'ended' };
    const full = this.fullFor(holder.role);
    if (full) return { refused: full };
    const { nextId, clock } = this.#ports;
    const ids = { id: nextId('participant'), resumeKey: nextId('resume') };
    const participant = newParticipant({ ...holder, ...ids, isPhone, joinedMs: clock.now() }, link);
    this.takeWaiting(participant);
    return { participant };
  }

  /** Adds a new participant, or one who waited while the previous session ended. */
  takeWaiting(participant: Participant): void {
    participant.presence = 'waiting';
    this.#people.set(participant.id, participant);
    this.#admitOrHold(participant);
  }

  /** Removes the participants of the lobby, to move them to the next session. */
  moveLobby(): Participant[] {
    const waiting = this.lobby;
    for (const { id } of waiting) this.#people.delete(id);
    return waiting;
  }

  /** Returns why one more participant of this role does not fit; undefined if it does. */
  fullFor(role: TokenHolder['role']): 'full' | 'moderators_full' | undefined {
    return placeMissing(role, [...this.#people.values()], this.room.settings, this.#hasModerator());
  }

  /** Admits the participant, or tells it what it waits for. */
  #admitOrHold(participant: Participant): void {
    const { knock, wait_for_moderator: waits } = this.room.settings;
    const isModerator = participant.role === 'moderator';
    if (!isModerator && waits && !this.#hadModerator) {
      this.#clients.tell(participant, { type: 'waiting', for: 'moderator' });
    } else if (!isModerator && knock) {
      participant.presence = 'knocking';
      this.#clients.tell(participant, { type: 'waiting', for: 'admission' });
      this.#clients.tellModerators({ type: 'knocking', participants: this.#knocking() });
    } else this.admit(participant);
  }

  #hasModerator(): boolean {
    return this.inside.some(({ role }) => role === 'moderator');
  }

  #knocking(): ServerMessages['knocking']['participants'] {
    return this.lobby
      .filter(({ presence }) => presence === 'knocking')
      .map(({ id, name, role }) => ({ id, name, role }));
  }

  /** Admits a waiting participant. */
  admit(participant: Participant): void {
    if (isInside(participant)) return;
    const knocked = participant.presence === 'knocking';
    participant.presence = 'in';
    participant.joinedMs = this.#ports.clock.now();
    participant.joinedMonotonicMs = this.#ports.clock.monotonicMs();
    this.#welcome(participant);
    this.#clients.tellOthers(participant, { type: 'joined', participant: shown(participant) });
    if (this.#talkers.add(participant.id)) this.#sendAudible();
    if (knocked) this.#clients.tellModerators({ type: 'knocking', participants: this.#knocking() });
    this.#ports.onEvent({ type: 'joined', participant });
    this.#publishPhone(participant);
    if (participant.role !== 'moderator') return;
    this.#hadModerator = true;
    for (const one of this.lobby) if (one.presence === 'waiting') this.#admitOrHold(one);
  }

  /** A phone publishes its audio at once, if it may. */
  #publishPhone(participant: Participant): void {
    const { publish } = permissionsOf(participant, this.room.settings.mode);
    if (participant.isPhone && publish) this.#setPublished(participant, 'audio', true);
  }

  #welcome(participant: Participant): void {
    this.#sendAdmit(participant);
    const welcome = welcomeOf(participant, this.#ports, {
      participants: this.inside.filter((one) => one !== participant).map(shown),
      ...(this.#spotlight ? { spotlight: this.#spotlight.id } : {}),
      recording: this.recording.isOn,
      captions: this.captions.isOn,
      talking: this.#talking,
    });
    this.#clients.tell(participant, welcome);
    this.polls.welcome(participant);
    if (participant.role === 'moderator') {
      this.#clients.tell(participant, { type: 'knocking', participants: this.#knocking() });
    }
  }

  /** Admits the participant in the engine, which starts with new connections. */
  #sendAdmit(participant: Participant): void {
    const { id, isPhone, name } = participant;
    const grants = grantsOf(participant, this.room.settings);
    this.#ports.send({ type: 'admit', participant: id, grants, isPhone, name });
    for (const source of participant.muted) this.#sendMute(participant, source, true);
  }

  /**
   * The link is down. A participant in the lobby leaves; another one may reconnect. `isGone`: the page was closed too.
   */
  linkDown(participant: Participant, link: Link, isGone = false): void {
    if (participant.link !== link) return;
    participant.link = undefined;
    if (!isInside(participant)) {
      this.leave(participant, 'left');
      return;
    }
    participant.presence = 'away';
    this.#clients.tellChange(participant);
    if (isGone) this.#awaitReturn(participant, GONE_MS, 'left');
    else this.#awaitReturn(participant, AWAY_MS, 'lost');
  }

  #awaitReturn(participant: Participant, withinMs: number, otherwise: LeaveReason): void {
    this.#absences.start(participant.id, withinMs, () => this.leave(participant, otherwise));
  }

  /** The page was loaded again: keeps the position until the participant presses a button. */
  hold(participant: Participant): void {
    const { link } = participant;
    if (link) this.linkDown(participant, link);
    else this.#awaitReturn(participant, AWAY_MS, 'lost');
    link?.close();
  }

  /** Attaches the new link of a participant who is in, and closes the older one. */
  resume(participant: Participant, link: Link): void {
    const older = participant.link;
    participant.link = link;
    older?.close();
    this.#absences.end(participant.id);
    participant.presence = 'in';
    this.#unpublish(participant);
    this.#welcome(participant);
    this.#clients.tellChange(participant);
  }

  leave(participant: Participant, reason: LeaveReason): void {
    if (!this.#people.delete(participant.id)) return;
    this.#absences.end(participant.id);
    const wasInside = isInside(participant);
    const wasKnocking = participant.presence === 'knocking';
    if (wasInside) this.#ports.send({ type: 'drop', participant: participant.id });
    if (reason === 'dropped' || reason === 'denied') this.#clients.tell(participant, { type: reason });
    participant.link?.close();
    participant.link = undefined;
    if (wasKnocking) this.#clients.tellModerators({ type: 'knocking', participants: this.#knocking() });
    if (wasInside) {
      // At the end of the session each participant receives only `ended`.
      if (!this.#ended) this.#clients.tellAll({ type: 'left', id: participant.id, reason });
      this.setSpotlight(participant, false);
      this.captions.left(participant);
      if (this.#talkers.remove(participant.id) && !this.#ended) this.#sendAudible();
      participant.usage.stop(this.#ports.clock.monotonicMs());
      this.#ports.onEvent({ type: 'left', participant, reason });
    }
    if (!this.#ended && this.inside.length === 0) this.#ports.onEmpty();
  }

  /** Ends the session for all participants. */
  end(reason: 'ended' | 'room_over' = 'ended'): void {
    if (this.#ended) return;
    this.#ended = true;
    this.recording.set(false);
    this.polls.end();
    for (const one of [...this.#people.values()]) {
      this.#clients.tell(one, { type: 'ended', reason });
      this.leave(one, 'ended');
    }
    this.#ports.send({ type: 'end' });
    this.#ports.onEmpty();
  }

  mute(participant: Participant, source: TrackSource, { muted, hard }: { muted: boolean; hard?: boolean }): void {
    if (hard !== undefined) toggle(participant.hardMuted, source, muted && hard);
    toggle(participant.muted, source, muted);
    this.#sendMute(participant, source, muted);
    this.#clients.tellChange(participant);
  }

  #sendMute({ id }: Participant, source: TrackSource, muted: boolean): void {
    this.#ports.send({ type: 'mute', participant: id, source, muted });
  }

  /** Grants or withdraws permission to talk in a lecture. Withdrawing it unpublishes the participant's sources. */
  setFloor(participant: Participant, given: boolean): void {
    if (participant.hasFloor === given) return;
    participant.hasFloor = given;
    participant.hand = false;
    if (!given) this.#unpublish(participant);
    const { settings } = this.room;
    this.#ports.send({ type: 'grant', participant: participant.id, grants: grantsOf(participant, settings) });
    const permissions = permissionsOf(participant, settings.mode, this.canRecord);
    this.#clients.tell(participant, { type: 'floor', given, permissions });
    this.#clients.tellChange(participant);
    this.#publishPhone(participant);
  }

  setHand(participant: Participant, raised: boolean): void {
    participant.hand = raised;
    this.#clients.tellChange(participant);
  }

  setSpotlight(participant: Participant, on: boolean): void {
    if ((this.#spotlight === participant) === on) return;
    this.#spotlight = on ? participant : undefined;
    if (!this.#ended) this.#clients.tellAll({ type: 'spotlight', ...(on ? { participant: participant.id } : {}) });
  }

  react({ id: participant }: Participant, emoji: string): void {
    this.#clients.tellAll({ type: 'reaction', participant, emoji });
  }

  get canRecord(): boolean {
    return this.#ports.canRecord;
  }

  recordModeration(moderation: Moderation): void {
    this.#ports.onEvent({ type: 'moderated', ...moderation });
  }

  chat(from: Participant, text: string, to?: Participant): void {
    const atMs = this.#ports.clock.now();
    const isPrivate = to !== undefined;
    const message = { type: 'chat', from: from.id, name: from.name, text, at: atMs, private: isPrivate } as const;
    if (to) for (const one of new Set([from, to])) this.#clients.tell(one, message);
    else this.#clients.tellAll(message);
    this.#ports.onEvent({ type: 'chat', from, text, atMs, ...(to ? { to } : {}) });
  }

  /** Handles an event of the engine. */
  engineEvent(event: Exclude<EngineEvent, LiveStreamEvent>): void {
    if (event.type === 'failed') {
      this.end();
      return;
    }
    if (event.type === 'speech') {
      this.captions.addSound(event.participant, event.pcm);
      return;
    }
    const participant = this.#people.get(event.participant);
    if (!participant || !isInside(participant)) return;
    if (event.type === 'negotiate') this.#clients.tell(participant, event.message);
    if (event.type === 'published') this.#setPublished(participant, event.source, event.on);
    if (event.type === 'talking') this.#setTalking(participant, event.on);
    recordMediaEvent(participant, event, this.#ports, (id) => this.find(id));
    if (event.type === 'link') {
      participant.poorLink = event.poor;
      this.#clients.tellChange(participant);
    }
  }

  #unpublish(participant: Participant): void {
    participant.published.clear();
    participant.blocked.clear();
    participant.usage.stop(this.#ports.clock.monotonicMs());
  }

  #setPublished(participant: Participant, source: TrackSource, on: boolean): void {
    toggle(participant.published, source, on);
    participant.usage.set(source, on, this.#ports.clock.monotonicMs());
    this.#ports.onTimelineEvent({ type: 'published', participant, source, on });
    this.#clients.tellChange(participant);
    if (!on) return;
    this.recording.published();
  }

  #setTalking(participant: Participant, on: boolean): void {
    participant.talking = on;
    this.#ports.onTimelineEvent({ type: 'talking', participant, on });
    if (this.#talkers.talk(participant.id, on)) this.#sendAudible();
    this.captions.talking(participant, on);
    this.#clients.tellAll({ type: 'talking', participants: this.#talking });
  }

  /** The engine restarted without the session: admits all participants again, and tells their clients to reconnect. */
  engineRestarted(): void {
    for (const one of this.inside) {
      this.#unpublish(one);
      this.#sendAdmit(one);
      this.#clients.tell(one, { type: 'media_restarted' });
      this.#publishPhone(one);
    }
    this.#sendAudible();
    this.recording.restarted();
    if (this.captions.isOn) this.captions.restarted();
  }

  negotiate(participant: Participant, command: EngineCommand): void {
    if (isInside(participant)) this.#ports.send(command);
  }

  #sendAudible(): void {
    this.#ports.send({ type: 'set_audible', participants: [...this.#talkers.audible] });
  }
}
