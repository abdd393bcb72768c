/**
 * What was accepted on a call and has no end yet, as its journal tells: pure, so that the run of a live call, and the
 * next life of the service that finds the call dead, come to the same.
 *
 * Invariants
 *  O1 a call that came in is told of, and plays of REST, bridges, transfers, recordings, streams and joins are told exactly
 *     one end, before the final state of their call: where a part of the call did not tell it, `endings` does;
 *  O2 cut anywhere between two decisions, a journal and the endings of what it leaves open tell each end once.
 *
 * Neighbours: `ledger.ts` shows it each entry, `call.ts` tells what is left, `calls/recover-calls.ts` does over a crash.
 */
import type { Cause } from '../core/causes.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CallCommand, NewEntry } from './journal.ts';

type Joinable = 'conference' | 'room';
type EntryOf<Kind extends NewEntry['kind']> = Extract<NewEntry, { kind: Kind }>;

interface OpenBridge {
  from: string;
  to: string;
  /** Of one that was asked for and has not begun it is not known yet. */
  state?: EntryOf<'bridge'>['state'];
  /** The visit that is to begin it. */
  visit?: number;
  /** That visit is over, and did not. */
  isOver?: true;
}

interface OpenTransfer {
  bridgeId: string;
  from: string;
  to: string;
  /** The conversation in which it was asked for is over. */
  isOver?: true;
}

interface OpenJoin {
  venue: Joinable;
  /** By which REST knows the place. */
  name: string;
  /** The visit that is to go there. */
  visit?: number;
  /** That visit is over, and nobody was let in. */
  isOver?: true;
}

interface OpenMembership {
  venue: Joinable;
  name: string;
  /** The name with which the place was entered. */
  entered: string;
  /** What the place called itself to who was let in. */
  identity?: JsonObject;
  /** That it is over, or that nobody is let in, was told. */
  isTold?: true;
}

/** What became of a recording that no run looks after any more. */
export type RecoveredRecording = { durationMs: number; recovered: true } | { durationMs: 0; failed: string };

export interface EndingOptions {
  cause: Cause;
  recordingOf(recordingId: string): RecoveredRecording;
}

/** Verbs in whose course REST may ask for a transfer. */
const CONVERSATIONS = new Set(['bridge', 'transfer', 'queue', 'resume']);
/** The flow that does first what it is given with the order of its call. */
const ORDERED = 'rest-control';

export class OpenActions {
  /** With what the application calls them. */
  #plays = new Map<string, string | undefined>();
  #bridges = new Map<string, OpenBridge>();
  #transfers = new Map<string, OpenTransfer>();
  #recordings = new Map<string, string | undefined>();
  #streams = new Set<string>();
  #joins: OpenJoin[] = [];
  #stays = new Map<string, OpenMembership>();
  /** Bridges are shown as calling from the call's own number, unless told otherwise. */
  #cli = '';
  /** The bridge of which was told last. */
  #bridgeId = '';
  /** The caller hears a greeting, and nobody was told that the call came in. */
  #isUntold = false;

  /** All that this journal leaves open. */
  static of(journal: Iterable<NewEntry>): OpenActions {
    const open = new OpenActions();
    for (const entry of journal) open.apply(entry);
    return open;
  }

  get isEmpty(): boolean {
    return (
      !this.#isUntold &&
      this.#plays.size + this.#bridges.size + this.#transfers.size + this.#recordings.size === 0 &&
      this.#streams.size + this.#joins.length + this.#stays.size === 0
    );
  }

  /** The room that the call is in. */
  get roomId(): string | undefined {
    for (const { identity, isTold } of this.#stays.values()) {
      if (!isTold && typeof identity?.['room_id'] === 'string') return identity['room_id'];
    }
    return undefined;
  }

  copy(): OpenActions {
    const made = new OpenActions();
    made.#plays = new Map(this.#plays);
    made.#bridges = new Map([...this.#bridges].map(([id, bridge]) => [id, { ...bridge }]));
    made.#transfers = new Map([...this.#transfers].map(([id, transfer]) => [id, { ...transfer }]));
    made.#recordings = new Map(this.#recordings);
    made.#streams = new Set(this.#streams);
    made.#joins = this.#joins.map((join) => ({ ...join }));
    made.#stays = new Map([...this.#stays].map(([ticket, stay]) => [ticket, { ...stay }]));
    made.#cli = this.#cli;
    made.#bridgeId = this.#bridgeId;
    made.#isUntold = this.#isUntold;
    return made;
  }

  apply(entry: NewEntry): void {
    switch (entry.kind) {
      case 'started':
        this.#started(entry);
        return;
      case 'notified':
        if (entry.event === 'incomingcall') this.#isUntold = false;
        return;
      case 'state':
        if (entry.state === 'incomingcall') this.#isUntold = false;
        return;
      case 'in':
        if (entry.input.type === 'command') this.#accepted(entry.input.command);
        return;
      case 'rendered':
        this.#rendered(entry);
        return;
      case 'left':
        this.#left(entry);
        return;
      case 'unplayed':
        this.#plays.delete(entry.playId);
        return;
      case 'bridge':
        this.#bridgeMoved(entry);
        return;
      case 'transferred':
      case 'untransferred':
        this.#transfers.delete(entry.channelId);
        return;
      case 'recording':
        if (entry.state === 'started') this.#recordings.set(entry.recordingId, entry.name);
        else if (entry.state === 'completed' || entry.state === 'failed') this.#recordings.delete(entry.recordingId);
        return;
      case 'stream':
        if (entry.state === 'stream_initiated') this.#streams.add(entry.streamId);
        else if (entry.state !== 'stream_started') this.#streams.delete(entry.streamId);
        return;
      case 'venue':
        this.#placeTold(entry);
        return;
      case 'unjoined':
        this.#unjoined(entry);
        return;
      default:
    }
  }

  /** The ends of those that had their turn, which is over without one. */
  overdue(cause: Cause): NewEntry[] {
    return [
      ...transfersOf(
        [...this.#transfers].filter(([, { isOver }]) => isOver),
        cause,
      ),
      ...bridgesOf(
        [...this.#bridges].filter(([, { isOver }]) => isOver),
        cause,
      ),
      ...joinsOf(this.#joins.filter(({ isOver }) => isOver)),
    ];
  }

  /** The ends of all that is open. */
  endings({ cause, recordingOf }: EndingOptions): NewEntry[] {
    return [
      ...(this.#isUntold ? [{ kind: 'state', state: 'incomingcall' } as const] : []),
      ...transfersOf(this.#transfers, cause),
      ...bridgesOf(this.#bridges, cause),
      ...[...this.#recordings].map(([id, name]) => recordingEnd(id, name, recordingOf(id))),
      ...[...this.#streams].map((streamId): NewEntry => ({ kind: 'stream', streamId, state: 'stream_stopped' })),
      ...[...this.#stays].flatMap(([ticket, stay]) => membershipEnds(ticket, stay)),
      ...joinsOf(this.#joins),
      ...[...this.#plays].map(
        ([playId, promptRef]): NewEntry => ({
          kind: 'unplayed',
          playId,
          ...(promptRef === undefined ? {} : { promptRef }),
        }),
      ),
    ];
  }

  #started({ direction, from, to, flow, input, announce }: EntryOf<'started'>): void {
    this.#isUntold = announce === 'later';
    this.#cli = direction === 'outbound' ? from : to;
    if (flow !== ORDERED) return;
    const { conference, join_room: room } = input;
    if (isObject(conference)) this.#joins.push({ venue: 'conference', name: venueName(conference) });
    if (isObject(room)) this.#joins.push({ venue: 'room', name: venueName(room) });
  }

  #accepted(command: CallCommand): void {
    switch (command.type) {
      case 'play':
        this.#plays.set(command.playId, command.promptRef);
        return;
      case 'bridge': {
        const { from, to } = command.args;
        this.#bridges.set(command.bridgeId, { from: textOf(from, this.#cli), to: textOf(to) });
        return;
      }
      case 'transfer': {
        const { from, to } = command.args;
        const own = this.#bridges.get(this.#bridgeId)?.from ?? this.#cli;
        const transfer = { bridgeId: this.#bridgeId, from: textOf(from, own), to: textOf(to) };
        this.#transfers.set(command.channelId, transfer);
        return;
      }
      case 'conference':
        this.#joins.push({ venue: 'conference', name: venueName(command.args) });
        return;
      case 'join_room':
        this.#joins.push({ venue: 'room', name: venueName(command.args) });
        return;
      default:
    }
  }

  /** Which visit does what was asked for. */
  #rendered({ visit, input }: EntryOf<'rendered'>): void {
    if (!isObject(input)) return;
    const { play_id: playId, bridge_id: bridgeId, prompt_ref: promptRef } = input;
    if (typeof playId === 'string') this.#plays.set(playId, typeof promptRef === 'string' ? promptRef : undefined);
    const bridge = typeof bridgeId === 'string' ? this.#bridges.get(bridgeId) : undefined;
    if (bridge && bridge.state === undefined) bridge.visit = visit;
    if (this.#joins.length === 0) return;
    const name = venueName(input);
    const join = this.#joins.find((each) => each.name === name && each.visit === undefined);
    if (join) join.visit = visit;
  }

  #left({ visit, verb, playId }: EntryOf<'left'>): void {
    if (playId !== undefined) this.#plays.delete(playId);
    for (const bridge of this.#bridges.values()) {
      if (bridge.visit === visit && bridge.state === undefined) bridge.isOver = true;
    }
    for (const join of this.#joins) if (join.visit === visit) join.isOver = true;
    if (CONVERSATIONS.has(verb)) for (const transfer of this.#transfers.values()) transfer.isOver = true;
  }

  #bridgeMoved({ bridgeId, state, from, to }: EntryOf<'bridge'>): void {
    this.#bridgeId = bridgeId;
    if (state === 'failed' || state === 'bridge_disconnected') this.#bridges.delete(bridgeId);
    else this.#bridges.set(bridgeId, { from, to, state });
  }

  #placeTold({ venue, ticket, name, event, data }: EntryOf<'venue'>): void {
    if (venue === 'queue') return;
    const stay = this.#stays.get(ticket);
    if (event === 'entered') {
      const found = this.#joins.findIndex((join) => join.venue === venue && join.name === name);
      if (found >= 0) this.#joins.splice(found, 1);
      this.#stays.set(ticket, { venue, name, entered: name });
    } else if (!stay) {
      return;
    } else if (event === 'left') {
      this.#stays.delete(ticket);
      if (isUnjoined(stay)) this.#joins.push({ venue: stay.venue, name: stay.name, isOver: true });
    } else if (event === 'joined' || event === 'waiting') {
      stay.identity ??= identityIn(data);
    } else if (REFUSALS.has(event)) {
      stay.isTold = true;
    }
  }

  #unjoined({ venue, name }: EntryOf<'unjoined'>): void {
    const alike = (join: OpenJoin): boolean => join.venue === venue && join.name === name;
    const over = this.#joins.findIndex((join) => alike(join) && join.isOver);
    const found = over >= 0 ? over : this.#joins.findIndex(alike);
    if (found >= 0) this.#joins.splice(found, 1);
    for (const stay of this.#stays.values()) if (stay.venue === venue && stay.name === name) stay.isTold = true;
  }
}

/** What a place tells to whom it does not let in, or lets in no longer. */
const REFUSALS = new Set(['full', 'denied', 'ended']);

const isUnjoined = ({ identity, isTold }: OpenMembership): boolean => identity === undefined && !isTold;

const textOf = (value: Json | undefined, fallback = ''): string =>
  typeof value === 'string' ? value : value === undefined ? fallback : JSON.stringify(value);

/** As the steps that go there name it. */
const venueName = ({ name, conference_id: conferenceId, room_id: roomId }: JsonObject): string =>
  textOf(name, textOf(conferenceId, textOf(roomId)));

function identityIn(data: Json): JsonObject {
  if (!isObject(data)) return {};
  const { conference_id: conferenceId, room_id: roomId } = data;
  if (conferenceId !== undefined) return { conference_id: conferenceId };
  return roomId === undefined ? {} : { room_id: roomId };
}

function recordingEnd(recordingId: string, name: string | undefined, found: RecoveredRecording): NewEntry {
  const about = { kind: 'recording', recordingId, ...(name === undefined ? {} : { name }) } as const;
  if ('failed' in found) return { ...about, state: 'failed', durationMs: 0, description: found.failed };
  return { ...about, state: 'completed', ...found };
}

const transfersOf = (transfers: Iterable<[string, OpenTransfer]>, cause: Cause): NewEntry[] =>
  [...transfers].map(([channelId, { bridgeId, from, to }]) => ({
    kind: 'untransferred',
    channelId,
    bridgeId,
    from,
    to,
    cause,
  }));

const bridgesOf = (bridges: Iterable<[string, OpenBridge]>, cause: Cause): NewEntry[] =>
  [...bridges].map(([bridgeId, { from, to, state }]) => ({
    kind: 'bridge',
    bridgeId,
    state: state === 'bridged' ? 'bridge_disconnected' : 'failed',
    from,
    to,
    cause,
  }));

const joinsOf = (joins: readonly OpenJoin[]): NewEntry[] =>
  joins.map(({ venue, name }) => ({ kind: 'unjoined', venue, name }));

function membershipEnds(ticket: string, stay: OpenMembership): NewEntry[] {
  const { venue, name, entered, identity = {} } = stay;
  const left: NewEntry = { kind: 'venue', venue, ticket, name: entered, event: 'left', data: identity };
  return isUnjoined(stay) ? [{ kind: 'unjoined', venue, name }, left] : [left];
}
