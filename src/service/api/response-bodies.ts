/** Response bodies of the voice API. Schemas are in `schemas/api/responses/`. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { snakeCased } from '../../base/core/key-case.ts';
import { meaningOf, type NotReady, remedyOf } from '../../base/core/not-ready.ts';
import type { Callbacks } from '../calls/callbacks/callbacks.ts';
import type { Callback } from '../calls/conferences/callback.ts';
import type { Conference, ConferenceParticipant } from '../calls/conferences/conferences.ts';
import type { QueueReport } from '../calls/conferences/queue-callers.ts';
import type { ConnectionResult } from '../calls/control/connect-call.ts';
import type { ConferenceCall } from '../calls/control/control-conference.ts';
import type { CallAnalysis } from '../calls/views/analyze-call.ts';
import type { CallRecord } from '../runtime/journal.ts';

/** Fields of every response about a call, in addition to `timestamp`. */
const aboutBody = ({ from, to, ownerRef }: CallRecord): JsonObject => defined({ from, to, owner_ref: ownerRef });

/** Body for an action that has started (`initiated`) or is complete (`success`). */
export const actionBody = (record: CallRecord, state: 'initiated' | 'success', more: JsonObject = {}): JsonObject => ({
  voice_id: record.callId,
  state,
  status: state,
  ...aboutBody(record),
  ...more,
});

export const playBody = (record: CallRecord, playId: string, promptRef: string | undefined): JsonObject =>
  defined({
    ...actionBody(record, 'initiated'),
    play_id: playId,
    playstate: 'initiated',
    prompt_ref: promptRef,
    msg: '',
  });

/** The parties are those of the new connection. */
export const connectedBody = (
  { record, id, from, to }: ConnectionResult,
  idKey: 'bridge_id' | 'channel_id',
  state: 'initiated' | 'success',
): JsonObject => actionBody(record, state, { [idKey]: id, from, to });

/** Response to `connect`. Clients read either `state` or `status`. */
export const bridgeBody = (connected: ConnectionResult): JsonObject => ({
  ...connectedBody(connected, 'bridge_id', 'initiated'),
  status: 'success',
});

export const analysisBody = ({ record, state, flow, step }: CallAnalysis): JsonObject =>
  defined({
    voice_id: record.callId,
    state,
    direction: directionBody(record),
    flow,
    step,
    ...aboutBody(record),
  });

export const directionBody = ({ direction }: CallRecord): string => (direction === 'inbound' ? 'Inbound' : 'Outbound');

/** A call that is being connected to a conference. */
export const conferenceCallBody = ({ conference, record }: ConferenceCall): JsonObject => ({
  conference_id: conference.conferenceId,
  name: conference.name,
  ...actionBody(record, 'initiated'),
});

export const conferenceBody = (conference: Conference): JsonObject =>
  defined({
    ...aboutConference(conference),
    status: 'success',
    ended: optionalIso(conference.endedMs),
    participants: conference.participants.map(participantBody),
  });

/** Lists contain only current participants. */
export const listedConferenceBody = (conference: Conference): JsonObject => ({
  ...aboutConference(conference),
  participants: conference.participants.filter(({ state }) => state !== 'left').map(participantBody),
});

const aboutConference = ({ conferenceId, name, state, createdMs, recording }: Conference): JsonObject => ({
  ...{ conference_id: conferenceId, name, state, created: iso(createdMs), recording },
});

export const queueBody = (
  { name, callers, callbackIds }: QueueReport,
  callbacks: Pick<Callbacks, 'find'>,
): JsonObject => ({
  name,
  waiting: callers.filter(({ state }) => state !== 'talking').length,
  callers: callers.map(({ callId, from, to, state, agent, enteredMs }) =>
    defined<JsonObject>({ voice_id: callId, from, to, state, agent: agent?.name, since: iso(enteredMs) }),
  ),
  callbacks: callbackIds.flatMap((id) => {
    const found = callbacks.find(id);
    return found ? [callbackBody(found)] : [];
  }),
});

const callbackBody = ({ callback, isCalling }: { callback: Callback; isCalling: boolean }): JsonObject => ({
  callback_id: callback.callbackId,
  voice_id: callback.callId,
  ...snakeCased(callback, ['from', 'to', 'attempts']),
  state: isCalling ? 'calling' : 'waiting',
  since: iso(callback.enteredMs),
  until: iso(callback.untilMs),
});

const participantBody = (participant: ConferenceParticipant): JsonObject => ({
  voice_id: participant.callId,
  ...snakeCased(participant, ['from', 'to', 'state', 'muted', 'hold', 'moderator']),
  joined: iso(participant.joinedMs),
});

export const iso = (atMs: number): string => new Date(atMs).toISOString();

/** Reason why a node refuses new calls. */
export const notReadyBody = (notReady: NotReady) => ({
  why: notReady.why,
  since: iso(notReady.sinceMs),
  means: meaningOf(notReady),
  remedy: remedyOf(notReady),
});

export const optionalIso = (atMs: number | undefined): string | undefined =>
  atMs === undefined ? undefined : iso(atMs);

export const tenths = (value: number): number => Math.round(value * 10) / 10;
