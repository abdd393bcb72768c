/**
 * Actions that were accepted on a call and have not ended yet, derived from its journal. Pure, so that the run of a
 * live call, and the next process after a crash, get the same result.
 *
 * Invariants
 *  - A greeted inbound call is announced, and plays of REST, bridges, transfers, recordings, streams and joins have
 *    exactly one end, before the final state of their call: if a part of the call did not write it, `endingsOf` does.
 *  - If a journal is cut between any two commits, the journal and the endings of its open actions write each end once.
 *
 * Neighbours: `call-transaction.ts` applies each entry; `service/calls/recovery/recover-calls.ts` ends actions that a
 * crash left open.
 */
import type { Cause } from '../../base/core/causes.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { forKind, type KindTable } from '../../base/core/kind-table.ts';
import type { CallCommand, NewEntry } from './journal.ts';

type Joinable = 'conference' | 'room';
type EntryOf<Kind extends NewEntry['kind']> = Extract<NewEntry, { kind: Kind }>;

interface OpenBridge {
  from: string;
  to: string;
  /** Undefined for a bridge that was requested and has not begun. */
  state?: EntryOf<'bridge'>['state'];
  /** Step run that is to begin it. */
  visit?: number;
  /** Set if that step run is over and did not. */
  isOver?: true;
}

interface OpenTransfer {
  bridgeId: string;
  from: string;
  to: string;
  /** Set if the conversation in which it was requested is over. */
  isOver?: true;
}

interface OpenJoin {
  venue: Joinable;
  /** Name by which REST knows the venue. */
  name: string;
  /** Step run that is to enter it. */
  visit?: number;
  /** Set if that step run is over and the venue was not joined. */
  isOver?: true;
}

interface OpenMembership {
  venue: Joinable;
  name: string;
  /** Name with which the venue was entered. */
  entered: string;
  /** Id that the venue gave the member on joining. */
  identity?: JsonObject;
  /** Set if the journal contains its end, or the refusal of the member. */
  isReported?: true;
}

/** Final state of a recording whose run died. */
export type RecoveredRecording = { durationMs: number; recovered: true } | { durationMs: 0; failed: string };

export interface EndingOptions {
  cause: Cause;
  recordingOf(recordingId: string): RecoveredRecording;
}

/** Immutable: applying an entry creates new values, so that a rollback restores the old ones. */
export interface OpenActions {
  /** Play id → name given by the application. */
  readonly plays: ReadonlyMap<string, string | undefined>;
  readonly bridges: ReadonlyMap<string, OpenBridge>;
  readonly transfers: ReadonlyMap<string, OpenTransfer>;
  /** Names of the recordings, by recording id. */
  readonly recordings: ReadonlyMap<string, string | undefined>;
  readonly streams: ReadonlyMap<string, true>;
  readonly joins: readonly OpenJoin[];
  /** Memberships by member id. */
  readonly memberships: ReadonlyMap<string, OpenMembership>;
  /** Default `from` of bridges: the call's own number. */
  readonly cli: string;
  /** Latest bridge in the journal. */
  readonly bridgeId: string;
  /** True while the caller hears a greeting and `incomingcall` was not sent. */
  readonly isUnannounced: boolean;
}

/** Verbs during which REST may request a transfer. */
const CONVERSATIONS = new Set(['bridge', 'transfer', 'queue', 'resume']);
/** Flow that begins with the command of the order that created its call. */
const ORDERED = 'rest-control';

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
export const NOTHING_OPEN: OpenActions = {
  plays: NONE,
  bridges: NONE,
  transfers: NONE,
  recordings: NONE,
  streams: NONE,
  joins: [],
  memberships: NONE,
  cli: '',
  bridgeId: '',
  isUnannounced: false,
};

/** Actions that this journal leaves open. */
export function openActionsOf(journal: Iterable<NewEntry>): OpenActions {
  let open = NOTHING_OPEN;
  for (const entry of journal) open = applyEntry(open, entry);
  return open;
}

/** Room of the call. */
export function roomIdOf({ memberships }: OpenActions): string | undefined {
  for (const { identity, isReported } of memberships.values()) {
    if (!isReported && typeof identity?.['room_id'] === 'string') return identity['room_id'];
  }
  return undefined;
}

export const applyEntry = (open: OpenActions, entry: NewEntry): OpenActions =>
  forKind(CHANGES, entry)?.(entry, open) ?? open;

/** Changes by kind of entry; undefined: none. */
const CHANGES: KindTable<NewEntry, [OpenActions], OpenActions | undefined> = {
  started,
  notified: ({ event }, open) => (event === 'incomingcall' ? announced(open) : undefined),
  state: ({ state }, open) => (state === 'incomingcall' ? announced(open) : undefined),
  in: ({ input }, open) => (input.type === 'command' ? accepted(open, input.command) : undefined),
  rendered,
  left,
  unplayed: ({ playId }, open) => ({ ...open, plays: without(open.plays, playId) }),
  bridge: bridgeMoved,
  transferred: transferEnded,
  untransferred: transferEnded,
  recording({ recordingId: id, state, name }, open) {
    if (state === 'started') return { ...open, recordings: withEntry(open.recordings, id, name) };
    const isOver = state === 'completed' || state === 'failed';
    return isOver ? { ...open, recordings: without(open.recordings, id) } : open;
  },
  stream({ streamId: id, state }, open) {
    if (state === 'stream_initiated') return { ...open, streams: withEntry(open.streams, id, true) };
    return state === 'stream_started' ? open : { ...open, streams: without(open.streams, id) };
  },
  venue: venueEvent,
  unjoined,
};

function announced(open: OpenActions): OpenActions {
  return open.isUnannounced ? { ...open, isUnannounced: false } : open;
}

function transferEnded({ channelId }: { channelId: string }, open: OpenActions): OpenActions {
  return { ...open, transfers: without(open.transfers, channelId) };
}

/** Ends of actions whose step or conversation is over without a recorded end. */
export function overdueOf({ transfers, bridges, joins }: OpenActions, cause: Cause): NewEntry[] {
  if (transfers.size + bridges.size + joins.length === 0) return [];
  const isOver = ([, action]: [string, { isOver?: true }]): boolean => action.isOver === true;
  return [
    ...transferEnds([...transfers].filter(isOver), cause),
    ...bridgeEnds([...bridges].filter(isOver), cause),
    ...joinEnds(joins.filter((join) => join.isOver)),
  ];
}

/** Ends of all open actions. */
export function endingsOf(open: OpenActions, { cause, recordingOf }: EndingOptions): NewEntry[] {
  return [
    ...(open.isUnannounced ? [{ kind: 'state', state: 'incomingcall' } as const] : []),
    ...transferEnds(open.transfers, cause),
    ...bridgeEnds(open.bridges, cause),
    ...[...open.recordings].map(([id, name]) => recordingEnd(id, name, recordingOf(id))),
    ...[...open.streams.keys()].map((streamId): NewEntry => ({ kind: 'stream', streamId, state: 'stream_stopped' })),
    ...[...open.memberships].flatMap(([memberId, membership]) => membershipEnds(memberId, membership)),
    ...joinEnds(open.joins),
    ...[...open.plays].map(
      ([playId, promptRef]): NewEntry => ({
        kind: 'unplayed',
        playId,
        ...(promptRef === undefined ? {} : { promptRef }),
      }),
    ),
  ];
}

/** Joins of the order that placed the call. */
function orderedJoins({ conference, join_room: room }: JsonObject): OpenJoin[] {
  const joins: OpenJoin[] = [];
  if (isObject(conference)) joins.push({ venue: 'conference', name: venueName(conference) });
  if (isObject(room)) joins.push({ venue: 'room', name: venueName(room) });
  return joins;
}

function started({ direction, from, to, flow, input, announce }: EntryOf<'started'>, open: OpenActions): OpenActions {
  const joins = flow === ORDERED ? orderedJoins(input) : open.joins;
  return { ...open, joins, isUnannounced: announce === 'later', cli: direction === 'outbound' ? from : to };
}

function accepted(open: OpenActions, command: CallCommand): OpenActions {
  switch (command.type) {
    case 'play':
      return { ...open, plays: withEntry(open.plays, command.playId, command.promptRef) };
    case 'bridge': {
      const { from, to } = command.args;
      const bridge = { from: textOf(from, open.cli), to: textOf(to) };
      return { ...open, bridges: withEntry(open.bridges, command.bridgeId, bridge) };
    }
    case 'transfer': {
      const { from, to } = command.args;
      const { bridgeId, bridges, cli } = open;
      const transfer = { bridgeId, from: textOf(from, bridges.get(bridgeId)?.from ?? cli), to: textOf(to) };
      return { ...open, transfers: withEntry(open.transfers, command.channelId, transfer) };
    }
    case 'conference':
      return { ...open, joins: [...open.joins, { venue: 'conference', name: venueName(command.args) }] };
    case 'join_room':
      return { ...open, joins: [...open.joins, { venue: 'room', name: venueName(command.args) }] };
    default:
      return open;
  }
}

/** Assigns requested actions to the step run that carries them out. */
function rendered({ visit, input }: EntryOf<'rendered'>, before: OpenActions): OpenActions {
  if (!isObject(input)) return before;
  let open = before;
  const { play_id: playId, bridge_id: bridgeId, prompt_ref: promptRef } = input;
  if (typeof playId === 'string') {
    open = { ...open, plays: withEntry(open.plays, playId, typeof promptRef === 'string' ? promptRef : undefined) };
  }
  const bridge = typeof bridgeId === 'string' ? open.bridges.get(bridgeId) : undefined;
  if (bridge && bridge.state === undefined) {
    open = { ...open, bridges: withEntry(open.bridges, bridgeId as string, { ...bridge, visit }) };
  }
  if (open.joins.length === 0) return open;
  const name = venueName(input);
  const index = open.joins.findIndex((each) => each.name === name && each.visit === undefined);
  return index < 0 ? open : { ...open, joins: open.joins.with(index, { ...open.joins[index]!, visit }) };
}

function left({ visit, verb, playId }: EntryOf<'left'>, before: OpenActions): OpenActions {
  let open = before;
  if (playId !== undefined) open = { ...open, plays: without(open.plays, playId) };
  for (const [id, bridge] of open.bridges) {
    if (bridge.visit !== visit || bridge.state !== undefined) continue;
    open = { ...open, bridges: withEntry(open.bridges, id, { ...bridge, isOver: true }) };
  }
  if (open.joins.some((join) => join.visit === visit)) {
    open = { ...open, joins: open.joins.map((join) => (join.visit === visit ? { ...join, isOver: true } : join)) };
  }
  if (open.transfers.size === 0 || !CONVERSATIONS.has(verb)) return open;
  const over = [...open.transfers].map(([id, transfer]) => [id, { ...transfer, isOver: true }] as const);
  return { ...open, transfers: new Map(over) };
}

function bridgeMoved({ bridgeId, state, from, to }: EntryOf<'bridge'>, open: OpenActions): OpenActions {
  const isOver = state === 'failed' || state === 'bridge_disconnected';
  const bridges = isOver ? without(open.bridges, bridgeId) : withEntry(open.bridges, bridgeId, { from, to, state });
  return { ...open, bridgeId, bridges };
}

function venueEvent({ venue, ticket: memberId, name, event, data }: EntryOf<'venue'>, open: OpenActions): OpenActions {
  if (venue === 'queue') return open;
  const { memberships, joins } = open;
  if (event === 'entered') {
    const found = joins.findIndex((join) => join.venue === venue && join.name === name);
    const entered = withEntry(memberships, memberId, { venue, name, entered: name });
    return { ...open, joins: removed(joins, found), memberships: entered };
  }
  const membership = memberships.get(memberId);
  if (!membership) return open;
  if (event === 'left') {
    const unused: OpenJoin[] = isUnjoined(membership)
      ? [{ venue: membership.venue, name: membership.name, isOver: true }]
      : [];
    return { ...open, memberships: without(memberships, memberId), joins: [...joins, ...unused] };
  }
  if (event === 'joined' || event === 'waiting') {
    const identity = membership.identity ?? identityIn(data);
    return { ...open, memberships: withEntry(memberships, memberId, { ...membership, identity }) };
  }
  if (!REFUSALS.has(event)) return open;
  return { ...open, memberships: withEntry(memberships, memberId, { ...membership, isReported: true }) };
}

function unjoined({ venue, name }: EntryOf<'unjoined'>, open: OpenActions): OpenActions {
  const isSame = (action: { venue: Joinable; name: string }): boolean => action.venue === venue && action.name === name;
  const over = open.joins.findIndex((join) => isSame(join) && join.isOver);
  const found = over >= 0 ? over : open.joins.findIndex(isSame);
  const memberships = [...open.memberships].map(
    ([memberId, membership]) =>
      [memberId, isSame(membership) ? { ...membership, isReported: true as const } : membership] as const,
  );
  return { ...open, joins: removed(open.joins, found), memberships: new Map(memberships) };
}

const withEntry = <Value>(map: ReadonlyMap<string, Value>, key: string, value: Value): ReadonlyMap<string, Value> =>
  new Map(map).set(key, value);

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

const removed = <Value>(list: readonly Value[], index: number): readonly Value[] =>
  index < 0 ? list : list.toSpliced(index, 1);

/** Venue events by which a member is refused or removed. */
const REFUSALS = new Set(['full', 'denied', 'ended']);

const isUnjoined = ({ identity, isReported }: OpenMembership): boolean => identity === undefined && !isReported;

const textOf = (value: Json | undefined, fallback = ''): string =>
  typeof value === 'string' ? value : value === undefined ? fallback : JSON.stringify(value);

/** Name under which the steps enter it. */
const venueName = ({ name, conference_id: conferenceId, room_id: roomId }: JsonObject): string =>
  textOf(name, textOf(conferenceId, textOf(roomId)));

/** Id that a venue gives a member on joining. */
export function identityIn(data: Json): JsonObject {
  if (!isObject(data)) return {};
  const { conference_id: conferenceId, room_id: roomId } = data;
  if (conferenceId !== undefined) return { conference_id: conferenceId };
  if (roomId === undefined) return {};
  // Rooms of earlier versions sent less data, and their calls left without a name: a replay must reproduce that.
  const isNamed = data['may_talk'] !== undefined && typeof data['name'] === 'string';
  return { room_id: roomId, ...(isNamed && { name: data['name']! }) };
}

function recordingEnd(recordingId: string, name: string | undefined, found: RecoveredRecording): NewEntry {
  const about = { kind: 'recording', recordingId, ...(name === undefined ? {} : { name }) } as const;
  if ('failed' in found) return { ...about, state: 'failed', durationMs: 0, description: found.failed };
  return { ...about, state: 'completed', ...found };
}

const transferEnds = (transfers: Iterable<[string, OpenTransfer]>, cause: Cause): NewEntry[] =>
  [...transfers].map(([channelId, { bridgeId, from, to }]) => ({
    kind: 'untransferred',
    channelId,
    bridgeId,
    from,
    to,
    cause,
  }));

const bridgeEnds = (bridges: Iterable<[string, OpenBridge]>, cause: Cause): NewEntry[] =>
  [...bridges].map(([bridgeId, { from, to, state }]) => ({
    kind: 'bridge',
    bridgeId,
    state: state === 'bridged' ? 'bridge_disconnected' : 'failed',
    from,
    to,
    cause,
  }));

const joinEnds = (joins: readonly OpenJoin[]): NewEntry[] =>
  joins.map(({ venue, name }) => ({ kind: 'unjoined', venue, name }));

function membershipEnds(memberId: string, membership: OpenMembership): NewEntry[] {
  const { venue, name, entered, identity = {} } = membership;
  const left: NewEntry = { kind: 'venue', venue, ticket: memberId, name: entered, event: 'left', data: identity };
  return isUnjoined(membership) ? [{ kind: 'unjoined', venue, name }, left] : [left];
}
