/** Converts bodies of the call routes to the orders of use cases. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { CallAction, ConnectOrder, HangupOrder, RoomOrder, StreamOrder } from '../calls/control/call-action.ts';
import type { CallOrder } from '../calls/control/place-call.ts';
import type { PlayOrder } from '../calls/prompts/play-order.ts';
import { ApiError } from './api-error.ts';
import { badRequest, bodyReader } from './body-reader.ts';
import type { BroadcastBody } from './request-bodies/broadcasts.ts';
import type { AnswerBody, ConnectBody, DialOutBody, HangupBody, StreamBody } from './request-bodies/calls.ts';
import { sipHeadersOf } from './sip-headers.ts';

const dialOut = bodyReader('dial-out');
const play = bodyReader('play');
const connect = bodyReader('connect');
const forward = bodyReader('forward');
const transfer = bodyReader('transfer');
const recording = bodyReader('recording');
const stream = bodyReader('stream');
const event = bodyReader('event');
const hangup = bodyReader('hangup');

export type DialOutOrder = Pick<
  CallOrder,
  'from' | 'to' | 'headers' | 'action' | 'autoRecord' | 'eventUrl' | 'ownerRef'
>;

export interface DialOutRequest {
  order: DialOutOrder;
  /** True if the request refuses numbers of the do-not-call list. */
  checksDoNotCall: boolean;
}

export function readDialOut(body: Json | undefined): DialOutRequest {
  const checked = dialOut(body);
  const { from, to, auto_record: autoRecord, check_do_not_call: checksDoNotCall } = checked;
  const headers = sipHeadersOf(checked.sip_headers);
  const action = versioned(actionOnConnect(checked), checked.flow_version);
  return { order: defined({ from, to, headers, action, autoRecord, ...eventsOf(checked) }), checksDoNotCall };
}

function versioned(action: CallAction | undefined, version: string | undefined): CallAction | undefined {
  if (version === undefined) return action;
  if (action?.type === 'flow' && typeof action.flow === 'string') return { ...action, version };
  throw badRequest('flow_version requires the name of a flow');
}

/** Event URL and the owner's reference, which events contain. */
export const eventsOf = ({
  event_url: eventUrl,
  owner_ref: ownerRef,
}: {
  event_url?: string;
  owner_ref?: string;
}): Pick<CallOrder, 'eventUrl' | 'ownerRef'> => defined({ eventUrl, ownerRef });

const ACTIONS = ['play', 'connect', 'room', 'stream', 'flow'] as const;

type ActionBody = Pick<DialOutBody | BroadcastBody, 'action_on_connect' | 'flow' | 'input'>;

export function actionOnConnect({ action_on_connect: written, flow, input }: ActionBody): CallAction | undefined {
  // `input` in `action_on_connect` is undocumented, but has always been accepted.
  const action: NonNullable<ActionBody['action_on_connect']> & { input?: Json } = { ...written };
  if (flow !== undefined) {
    if (action.flow !== undefined) throw badRequest('flow is set twice');
    action.flow = flow;
  }
  const named = ACTIONS.filter((name) => action[name] !== undefined);
  if (named.length > 1) throw badRequest(`${named.join(' and ')} exclude each other: use one of them`);
  const flowInput = input ?? action.input;
  if (flowInput !== undefined && named[0] !== 'flow') throw badRequest('input requires a flow');
  return actionOf({ ...action, input: isObject(flowInput) ? flowInput : {} }, 'action_on_connect.');
}

type NamedAction = Pick<AnswerBody, 'play' | 'connect' | 'room' | 'stream' | 'flow' | 'input'>;

/** Action named by a key of the object; at most one is allowed. `where` is the prefix of messages. */
export function actionOf(
  { play, connect, room, stream, flow, input }: NamedAction,
  where: string,
): CallAction | undefined {
  if (flow !== undefined) return { type: 'flow', flow, input: input ?? {} };
  if (play) return { type: 'play', play: readPlay(play, `${where}play`) };
  if (connect) return { type: 'connect', connect: connectOf(connect, `${where}connect.`) };
  if (room) return { type: 'room', room: roomOf(room) };
  return stream && { type: 'stream', stream: streamOf(stream) };
}

/** `where` is the name of the object in messages. */
export function readPlay(body: Json | undefined, where = ''): PlayOrder {
  const checked = play(isObject(body) && isObject(body['play']) ? body['play'] : body, where);
  const { prompt_name: promptName, text, text_to_speech_option: option } = checked;
  // The option may contain the text.
  if (promptName === undefined && text === undefined && option === undefined) {
    throw badRequest(`${where === '' ? '' : `${where}: `}prompt_name or text is required`);
  }
  return defined({
    promptName,
    text: promptName === undefined ? text : undefined,
    promptRef: checked.prompt_ref,
    voice: checked.voice,
    language: checked.language,
    option: option as JsonObject | undefined,
    dtmf: checked.dtmf,
    asr: checked.asr,
    startTimeoutMs: checked.start_timeout * 1000,
    recognizerTimeoutMs: checked.recognizer_timeout * 1000,
    typeahead: checked.typeahead,
    interrupt: checked.interrupt,
  });
}

export const readConnect = (body: Json | undefined): ConnectOrder =>
  connectOf(connect(isObject(body) && isObject(body['connect']) ? body['connect'] : body));

export function readTransfer(body: Json | undefined): ConnectOrder {
  const { from, transfer_to: to, sip_headers } = transfer(body);
  return connectOf({ to, from, sip_headers });
}

export const readForward = (body: Json | undefined): ConnectOrder => connectOf(forward(body));

export const readHold = bodyReader('hold');

export function readRecording(body: Json | undefined): {
  action: 'start' | 'stop' | 'pause' | 'resume';
  name?: string;
} {
  const { start, stop, pause, recording_name: name } = recording(body);
  if (pause !== undefined) {
    if (start !== undefined || stop !== undefined) throw badRequest('pause excludes start and stop');
    return { action: pause ? 'pause' : 'resume' };
  }
  if (start === true && stop === true) throw badRequest('start and stop exclude each other');
  if (start === false && stop === false) throw badRequest('either start or stop must be true');
  if (stop === true || start === false) return { action: 'stop' };
  return defined({ action: 'start', name });
}

export const readStream = (body: Json | undefined): StreamOrder => streamOf(stream(body));

export function readEvent(body: Json | undefined): { name: string; data: Json } {
  const { event: name, data = null } = event(body);
  return { name, data };
}

/** Drops keys that the schema does not define. */
function connectOf({ to, from, sip_headers }: Partial<ConnectBody> & { to: string }, where = ''): ConnectOrder {
  return defined({ to, from, headers: sipHeadersOf(sip_headers, `${where}sip_headers`) });
}

export const readHangup = (body: Json | undefined): HangupOrder => hangupOf(hangup(body));

export const hangupOf = ({ sip_headers }: HangupBody, where = ''): HangupOrder =>
  defined({ headers: sipHeadersOf(sip_headers, `${where}sip_headers`) });

const roomOf = ({ room_id: roomId, display_name: displayName, after }: NonNullable<AnyRoom>): RoomOrder =>
  defined({ roomId, displayName, after });

type AnyRoom = NonNullable<DialOutBody['action_on_connect']>['room'];

/** A host and port without scheme is a WebSocket without TLS. */
function streamOf({ stream_dest: target, tracks, bidirectional }: StreamBody): StreamOrder {
  const url = /^wss?:\/\//i.test(target) ? target : `ws://${target}`;
  if (!URL.canParse(url)) throw new ApiError('bad_request', 'stream_dest: is not a WebSocket URL');
  return { url, tracks: tracks === 'both' ? ['inbound', 'outbound'] : [tracks], bidirectional };
}
