/** Request bodies: coerced into the documented types, checked against their schemas, and put into our own words. */
import type { CallOrder } from '../calls/place-call.ts';
import type { PlayOrder } from '../calls/play-order.ts';
import type { SteeringAction } from '../calls/steer-call.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Voice } from '../core/leg.ts';
import { documentOf } from '../flow/document.ts';
import { readSchema } from '../flow/schema-files.ts';
import { checkDocument } from '../flow/validate.ts';
import { coerce, type ShapeSchema } from './coercion.ts';
import { Problem } from './problems.ts';

const SCHEMAS = {
  dialOut: readSchema('api/dial-out'),
  play: readSchema('api/play'),
  event: readSchema('api/event'),
  answer: readSchema('api/answer'),
};

const START_TIMEOUT_S = 10;
const RECOGNIZER_TIMEOUT_S = 2;

/** What was asked for, and what of it this version does not do: said in the response, because silence would be a lie. */
export interface Read<T> {
  order: T;
  notes: string[];
}

export type DialOutOrder = Pick<CallOrder, 'from' | 'to' | 'play' | 'flow' | 'input' | 'eventUrl' | 'ownerRef'>;

export function readDialOut(body: Json | undefined): Read<DialOutOrder> {
  const checked = read('dialOut', body, '');
  const action = isObject(checked['action_on_connect']) ? checked['action_on_connect'] : {};
  for (const name of ['connect', 'room', 'stream'])
    if (Object.hasOwn(action, name)) throw notAvailable(`action_on_connect.${name}`);
  const flow = flowOf(checked['flow'] ?? action['flow']);
  const input = checked['input'] ?? action['input'];
  const notes = checked['auto_record'] === true ? ['auto_record: this version does not record whole calls'] : [];

  const order: DialOutOrder = { from: textOf(checked['from']).trim(), to: textOf(checked['to']).trim() };
  if (checked['event_url'] !== undefined) order.eventUrl = textOf(checked['event_url']);
  if (checked['owner_ref'] !== undefined) order.ownerRef = textOf(checked['owner_ref']);
  if (flow !== undefined) {
    if (action['play'] !== undefined) throw badRequest('flow and action_on_connect.play exclude each other');
    order.flow = flow;
    if (isObject(input)) order.input = input;
  } else if (input !== undefined) {
    throw badRequest('input is given without a flow');
  } else if (action['play'] !== undefined) {
    const play = readPlay(action['play'], 'action_on_connect.play');
    order.play = play.order;
    notes.push(...play.notes);
  }
  return { order, notes };
}

/** `where` names the object in messages. */
export function readPlay(body: Json | undefined, where = ''): Read<PlayOrder> {
  const unwrapped = isObject(body) && isObject(body['play']) ? body['play'] : body;
  const checked = read('play', unwrapped, where);
  const dtmf = checked['dtmf'] === true;
  if (checked['asr'] === true && !dtmf) throw notAvailable('speech recognition (asr)');
  const order: PlayOrder = {
    dtmf,
    startTimeoutMs: secondsOf(checked['start_timeout'], START_TIMEOUT_S) * 1000,
    recognizerTimeoutMs: secondsOf(checked['recognizer_timeout'], RECOGNIZER_TIMEOUT_S) * 1000,
  };
  if (checked['prompt_name'] !== undefined) order.promptName = textOf(checked['prompt_name']);
  else if (checked['text'] !== undefined) order.text = textOf(checked['text']);
  else throw badRequest(`${where === '' ? '' : `${where}: `}prompt_name or text is required`);
  if (checked['prompt_ref'] !== undefined) order.promptRef = textOf(checked['prompt_ref']);
  if (checked['voice'] !== undefined) order.voice = checked['voice'] as Voice;
  if (checked['language'] !== undefined) order.language = textOf(checked['language']);
  if (typeof checked['interrupt'] === 'boolean') order.interrupt = checked['interrupt'];
  const notes: string[] = [];
  if (checked['asr'] === true) notes.push('asr: this version hears digits only');
  if (checked['text_to_speech_option'] !== undefined) notes.push('text_to_speech_option: not applied by this version');
  return { order, notes };
}

export function readEvent(body: Json | undefined): { name: string; data: Json } {
  const checked = read('event', body, '');
  return { name: textOf(checked['event']), data: checked['data'] ?? null };
}

/** What a receiver answered to an event: an action, or what is wrong with it. */
export function readAnswer(answer: JsonObject): { action: SteeringAction } | { wrong: string } {
  try {
    const checked = read('answer', answer, '');
    if (checked['play'] !== undefined)
      return { action: { type: 'play', play: readPlay(checked['play'], 'play').order } };
    if (checked['hangup'] !== undefined) return { action: { type: 'hangup' } };
    const flow = flowOf(checked['flow']);
    if (flow !== undefined) {
      return { action: { type: 'flow', flow, input: isObject(checked['input']) ? checked['input'] : {} } };
    }
    if (checked['connect'] !== undefined) return { wrong: notAvailable('connect').message };
    return { wrong: 'an outcome answers a webhook step, not an event' };
  } catch (error) {
    if (error instanceof Problem) return { wrong: error.message };
    throw error;
  }
}

function read(name: keyof typeof SCHEMAS, body: Json | undefined, where: string): JsonObject {
  const schema = SCHEMAS[name];
  const prefix = where === '' ? '' : `${where}: `;
  if (body !== undefined && !isObject(body)) throw badRequest(`${prefix}must be a JSON object`);
  const { document } = documentOf(coerce(body ?? {}, schema as ShapeSchema), 'request');
  if (!document) throw badRequest(`${prefix}has too many values or levels`);
  const [wrong] = checkDocument(document, name, schema);
  if (wrong)
    throw new Problem('bad_request', prefix + wrong.message, wrong.hint === undefined ? {} : { hint: wrong.hint });
  return document.value as JsonObject;
}

const flowOf = (written: Json | undefined): string | JsonObject | undefined =>
  typeof written === 'string' || isObject(written) ? written : undefined;

const textOf = (value: Json | undefined): string => String(value ?? '');

const secondsOf = (value: Json | undefined, fallback: number): number => (typeof value === 'number' ? value : fallback);

const badRequest = (message: string): Problem => new Problem('bad_request', message);

export const notAvailable = (what: string): Problem =>
  new Problem('not_available', `${what} is not part of this version`);
