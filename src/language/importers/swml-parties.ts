/** SWML methods that reach other parties: calls, programs and messages. Used by `swml-methods.ts`. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { withoutMarks } from '../../base/core/phone-number.ts';
import { lost, noted, untranslated, worked } from './fidelity.ts';
import type { ImportedNode } from './imported.ts';
import { listAt, wordsAt } from './json-verbs.ts';
import { callNameOf } from './parties.ts';
import { limitAt, timeAt } from './source-numbers.ts';
import { passOver } from './source-views.ts';
import { resultUnit } from './swml-branches.ts';
import type { Method, SwmlContext, SwmlVerb } from './swml-context.ts';
import { swmlText, swmlValue } from './swml-names.ts';
import { leavingUnit } from './swml-outputs.ts';
import { piecesOf } from './swml-words.ts';
import { promptOf } from './verb-list.ts';
import { inARow, type Unit } from './verb-unit.ts';

export const connect: Method = (context, verb, node) => {
  const { fields } = verb;
  if (fields['confirm'] !== undefined) untranslated('connect the caller when the one who is called agrees (`screen`)');
  for (const key of [
    'session_timeout',
    'encryption',
    'username',
    'password',
    'transfer_after_bridge',
    'confirm_timeout',
  ]) {
    lost(node, fields, key, `${key} is not kept: the configuration chooses the carrier of calls`);
  }
  if (fields['answer_on_bridge'] === true)
    noted(node, 'the call of the caller is answered when the other side answers');
  const sounds = listAt(fields, 'ringback');
  const ringback = sounds.length === 0 ? undefined : ringbackOf(context, verb, node);
  if (sounds.length > 0 && ringback === undefined) worked(node, 'the caller hears the usual ringing tone');
  const serial = fields['serial'];
  const parallel = fields['parallel'];
  const groups = Array.isArray(serial)
    ? serial
    : Array.isArray(fields['serial_parallel'])
      ? fields['serial_parallel']
      : [];
  const to: Json[] = (Array.isArray(parallel) ? [parallel] : groups.length > 0 ? groups : [fields]).map((group) =>
    Array.isArray(group) ? group.map((one) => partyOf(context, one)) : partyOf(context, group),
  );
  const from = wordsAt(fields, 'from');
  const bridge = defined<JsonObject>({
    to: to.length === 1 && !Array.isArray(to[0]) ? to[0]! : to,
    from: from === undefined ? undefined : swmlText(context, from),
    ring_timeout: timeAt(node, fields, 'timeout', { otherwise: '60s' }),
    max_duration: limitAt(node, fields, 'max_duration'),
    ringback,
    headers: headersOf(context, fields),
  });
  const first = String([to[0]].flat()[0]);
  const left = {
    completed: { connect_result: 'connected', return_value: 'connected' },
    failed: { connect_result: 'failed', return_value: 'failed' },
  };
  return withResult(context, verb, node, leavingUnit(context, node, callNameOf(first), { bridge }, left));
};

/** Converts the list of names and values to SIP headers. */
function headersOf(context: SwmlContext, fields: JsonObject): JsonObject | undefined {
  const list = [fields['headers']].flat().filter(isObject);
  const headers = list.flatMap((header): [string, string][] => {
    const [name, value] = [wordsAt(header, 'name'), wordsAt(header, 'value')];
    return name === undefined || value === undefined ? [] : [[name, swmlText(context, value)]];
  });
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
}

function ringbackOf(context: SwmlContext, verb: SwmlVerb, node: ImportedNode): Json | undefined {
  const fields = { play: verb.fields['ringback']! };
  if (listAt(fields, 'play').some((url) => /^ring:/.test(url))) return undefined;
  return promptOf(piecesOf(context, { ...verb, fields }, node));
}

function partyOf(context: SwmlContext, written: Json): string {
  if (isObject(written)) passOver(written, ['codecs', 'webrtc_media']);
  const to = isObject(written) ? wordsAt(written, 'to') : undefined;
  if (to === undefined) untranslated('connect the caller with a party that the source does not name');
  const isKnown = /^sips?:/i.test(to) || /^[+\d][\d\s().-]*$/.test(to) || /^[$%]\{[^{}]*\}$/.test(to);
  if (!isKnown) untranslated(`connect the caller with ${to.slice(0, 200)}`);
  return /^[+\d]/.test(to) ? withoutMarks(to) : swmlText(context, to);
}

export const request: Method = (context, verb, node) => {
  const { fields } = verb;
  const url = wordsAt(fields, 'url') ?? '';
  const method = (wordsAt(fields, 'method') ?? 'POST').toLowerCase();
  if (!/^https?:\/\//.test(url)) untranslated(`ask ${url.slice(0, 200) || 'a URL'}: it is not an address of the web`);
  if (!['get', 'post', 'put', 'patch', 'delete'].includes(method))
    untranslated(`there is no method ${method.slice(0, 20)}`);
  const made = defined<JsonObject>({
    [method]: swmlText(context, url),
    headers: isObject(fields['headers']) ? swmlValue(context, fields['headers']) : undefined,
    body: fields['body'] === undefined ? undefined : swmlValue(context, fields['body']),
    timeout: limitAt(node, fields, 'timeout'),
  });
  lost(node, fields, 'connect_timeout', 'the time for the connection is part of `timeout`');
  const isKept = fields['save_variables'] === true;
  const answer = '${ $exists(result.body) ? result.body : null }';
  const of = (outcome: 'success' | 'failed', more: JsonObject = {}): JsonObject => ({
    request_result: outcome,
    return_value: outcome,
    ...more,
  });
  const left = {
    ok: of('success', {
      ...(isKept && { request_response: answer }),
      request_response_body: answer,
      request_response_code: '${ result.status }',
    }),
    not_found: of('failed', { request_response_code: 404 }),
    failed: of('failed'),
  };
  const always = isKept ? ['request_response'] : [];
  return withResult(context, verb, node, leavingUnit(context, node, 'request', { request: made }, left, always));
};

/** Sends a message through a provider of the configuration. */
export const sendSms: Method = (context, { fields }, node) => {
  const [to, text] = [wordsAt(fields, 'to_number'), wordsAt(fields, 'body')];
  if (to === undefined || text === undefined) untranslated(`send the message “${text?.slice(0, 200) ?? ''}”`);
  if (listAt(fields, 'media').length > 0) untranslated(`send the message “${text.slice(0, 200)}” with its pictures`);
  const from = wordsAt(fields, 'from_number');
  const message = defined<JsonObject>({
    to: swmlText(context, to),
    text: swmlText(context, text),
    from: from === undefined ? undefined : swmlText(context, from),
  });
  return context.unit('send_message', node, (next) => ({ message, exits: { sent: next, refused: next } }));
};

export function withResult(context: SwmlContext, verb: SwmlVerb, node: ImportedNode, unit: Unit): Unit {
  const result = resultUnit(context, verb, node);
  return result === undefined ? unit : inARow([unit, result]);
}
