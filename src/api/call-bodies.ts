/** Bodies of the routes of single calls, in our own words. */
import type { CallAction, ConnectOrder, StreamOrder } from '../calls/call-action.ts';
import type { CallOrder } from '../calls/place-call.ts';
import type { PlayOrder } from '../calls/play-order.ts';
import { defined, isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Voice } from '../core/leg.ts';
import { ApiError } from './api-error.ts';
import { badRequest, bodyReader, textOf } from './body-reader.ts';

const STREAM_ALIASES = { wss_host: 'stream_dest', url: 'stream_dest' };

const dialOut = bodyReader('dial-out');
const play = bodyReader('play');
const connect = bodyReader('connect');
const transfer = bodyReader('transfer', { to: 'transfer_to' });
const forward = bodyReader('forward', { transfer_to: 'to' });
const hold = bodyReader('hold');
const recording = bodyReader('recording');
const stream = bodyReader('stream', STREAM_ALIASES);
const event = bodyReader('event');

const START_TIMEOUT_S = 10;
const RECOGNIZER_TIMEOUT_S = 2;

export type DialOutOrder = Pick<CallOrder, 'from' | 'to' | 'action' | 'autoRecord' | 'eventUrl' | 'ownerRef'>;

export function readDialOut(body: Json | undefined): DialOutOrder {
  const checked = dialOut(renameStreamAliases(body));
  const order: DialOutOrder = { from: textOf(checked['from']), to: textOf(checked['to']) };
  const action = actionOnConnect(checked);
  if (action) order.action = action;
  if (checked['auto_record'] === true) order.autoRecord = true;
  return { ...order, ...eventsOf(checked) };
}

/** Where the events go, and what they carry along. */
export function eventsOf(checked: JsonObject): Pick<CallOrder, 'eventUrl' | 'ownerRef'> {
  return defined({
    eventUrl: checked['event_url'] === undefined ? undefined : textOf(checked['event_url']),
    ownerRef: checked['owner_ref'] === undefined ? undefined : String(checked['owner_ref']),
  });
}

/** The aliases of a stream's target, where the stream is one of several actions. */
export function renameStreamAliases(body: Json | undefined): Json | undefined {
  const actions = isObject(body) ? body['action_on_connect'] : undefined;
  if (!isObject(body) || !isObject(actions) || !isObject(actions['stream'])) return body;
  const { wss_host: host, url, ...rest } = actions['stream'];
  const target = rest['stream_dest'] ?? host ?? url;
  const renamed = target === undefined ? rest : { ...rest, stream_dest: target };
  return { ...body, action_on_connect: { ...actions, stream: renamed } };
}

const ACTIONS = ['play', 'connect', 'room', 'stream', 'flow'] as const;

export function actionOnConnect(checked: JsonObject): CallAction | undefined {
  const action = isObject(checked['action_on_connect']) ? checked['action_on_connect'] : {};
  const all: JsonObject = { ...action };
  if (checked['flow'] !== undefined) {
    if (all['flow'] !== undefined) throw badRequest('flow is given twice');
    all['flow'] = checked['flow'];
  }
  const named = ACTIONS.filter((name) => all[name] !== undefined);
  if (named.length > 1) throw badRequest(`${named.join(' and ')} exclude each other: give one of them`);
  const input = checked['input'] ?? action['input'];
  if (input !== undefined && named[0] !== 'flow') throw badRequest('input is given without a flow');
  const order = named[0] === undefined ? undefined : all[named[0]];
  switch (named[0]) {
    case undefined:
      return undefined;
    case 'flow':
      return { type: 'flow', flow: order as string | JsonObject, input: isObject(input) ? input : {} };
    case 'play':
      return { type: 'play', play: readPlay(order, 'action_on_connect.play') };
    case 'connect':
      return { type: 'connect', connect: connectOf(order as JsonObject) };
    case 'room':
      return { type: 'room', room: roomOf(order as JsonObject) };
    case 'stream':
      return { type: 'stream', stream: streamOf(order as JsonObject) };
  }
}

/** `where` names the object in messages. */
export function readPlay(body: Json | undefined, where = ''): PlayOrder {
  const checked = play(isObject(body) && isObject(body['play']) ? body['play'] : body, where);
  const order: PlayOrder = {
    dtmf: checked['dtmf'] === true,
    asr: checked['asr'] === true,
    startTimeoutMs: secondsOf(checked['start_timeout'], START_TIMEOUT_S) * 1000,
    recognizerTimeoutMs: secondsOf(checked['recognizer_timeout'], RECOGNIZER_TIMEOUT_S) * 1000,
  };
  if (checked['prompt_name'] !== undefined) order.promptName = String(checked['prompt_name']);
  else if (checked['text'] !== undefined) order.text = String(checked['text']);
  // Its own text may stand for the one beside it.
  else if (!isObject(checked['text_to_speech_option']))
    throw badRequest(`${where === '' ? '' : `${where}: `}prompt_name or text is required`);
  if (checked['prompt_ref'] !== undefined) order.promptRef = String(checked['prompt_ref']);
  if (checked['voice'] !== undefined) order.voice = checked['voice'] as Voice;
  if (checked['language'] !== undefined) order.language = String(checked['language']);
  if (checked['typeahead'] === true) order.typeahead = true;
  if (typeof checked['interrupt'] === 'boolean') order.interrupt = checked['interrupt'];
  if (isObject(checked['text_to_speech_option'])) order.option = checked['text_to_speech_option'];
  return order;
}

export const readConnect = (body: Json | undefined): ConnectOrder =>
  connectOf(connect(isObject(body) && isObject(body['connect']) ? body['connect'] : body));

export function readTransfer(body: Json | undefined): ConnectOrder {
  const checked = transfer(body);
  return connectOf({ ...checked, to: checked['transfer_to']! });
}

export const readForward = (body: Json | undefined): ConnectOrder => connectOf(forward(body));

export function readHold(body: Json | undefined): { hold: boolean; promptName?: string } {
  const checked = hold(body);
  const name = checked['prompt_name'];
  return { hold: checked['hold'] === true, ...(name === undefined ? {} : { promptName: String(name) }) };
}

export function readRecording(body: Json | undefined): {
  action: 'start' | 'stop' | 'pause' | 'resume';
  name?: string;
} {
  const { start, stop, pause, recording_name: name } = recording(body);
  if (typeof pause === 'boolean') {
    if (start !== undefined || stop !== undefined) throw badRequest('pause excludes start and stop');
    return { action: pause ? 'pause' : 'resume' };
  }
  if (start === true && stop === true) throw badRequest('a recording is either started or stopped');
  if (start === false && stop === false) throw badRequest('neither start nor stop is true');
  if (stop === true || start === false) return { action: 'stop' };
  return { action: 'start', ...(name === undefined ? {} : { name: textOf(name) }) };
}

export const readStream = (body: Json | undefined): StreamOrder => streamOf(stream(body));

export function readEvent(body: Json | undefined): { name: string; data: Json } {
  const checked = event(body);
  return { name: textOf(checked['event']), data: checked['data'] ?? null };
}

export const connectOf = ({ from, to }: JsonObject): ConnectOrder => ({
  to: textOf(to),
  ...(from === undefined ? {} : { from: textOf(from) }),
});

export const roomOf = ({ room_id: id, display_name: name }: JsonObject) => ({
  roomId: textOf(id),
  ...(name === undefined ? {} : { displayName: textOf(name) }),
});

/** Host and port alone are a web socket without TLS. */
export function streamOf({ stream_dest: target, tracks, bidirectional }: JsonObject): StreamOrder {
  const written = textOf(target);
  const url = /^wss?:\/\//i.test(written) ? written : `ws://${written}`;
  if (!URL.canParse(url)) throw new ApiError('bad_request', 'stream_dest: is no address of a web socket');
  return {
    url,
    tracks: tracks === 'both' ? ['inbound', 'outbound'] : [tracks === 'outbound' ? 'outbound' : 'inbound'],
    bidirectional: bidirectional === true,
  };
}

const secondsOf = (value: Json | undefined, fallback: number): number => (typeof value === 'number' ? value : fallback);
