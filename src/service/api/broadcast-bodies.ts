/** Converts bodies of the broadcast routes to the orders of use cases. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { isTimeZone } from '../../base/core/time-zone.ts';
import type { Callee, DetectionOrder, RetryPolicy, RetryRule } from '../calls/broadcast/broadcast.ts';
import type { NewBroadcast } from '../calls/broadcast/broadcasts.ts';
import { ApiError } from './api-error.ts';
import { badRequest, bodyReader, givenReader } from './body-reader.ts';
import { actionOnConnect, eventsOf, readPlay } from './call-bodies.ts';
import { readNumberList, singleKeyOf } from './number-list.ts';
import { readQuery, STOP_OPTIONS } from './query-parameters.ts';
import type { BroadcastBody } from './request-bodies/broadcasts.ts';
import { sipHeadersOf } from './sip-headers.ts';
import { unknownKeysIn } from './unknown-keys.ts';

export const MAX_NUMBERS = 100_000;

/** The documented name comes first. */
export const NUMBER_KEYS: readonly string[] = [
  'broadcast_numbers_array',
  'broadcast_numbers_json',
  'broadcastnumbersjson',
  'broadcast_numbers',
];
/** Intervals from this value on are in milliseconds, smaller ones in seconds: clients send both. */
const MIN_MILLISECONDS = 1000;

const broadcast = bodyReader('broadcast');
const schedule = givenReader('admin/schedule');
const stop = bodyReader('broadcast-stop');

export interface BroadcastRequest {
  order: Omit<NewBroadcast, 'projectId'>;
  callees: Callee[];
  /** Names ignored keys; empty if there are none. A misspelt rate would be noticed too late. */
  note: string;
}

export function readBroadcast(body: Json | undefined): BroadcastRequest {
  const { key, written, rest } = withoutNumbers(body);
  const checked = broadcast(rest);
  if (key === undefined) throw noNumbers();
  const { callees, keys } = readNumberList(written, key, MAX_NUMBERS);
  if (callees.length === 0) throw noNumbers();
  const order = orderOf(checked);
  const unknownKeys = unknownKeysIn(checked as JsonObject, 'broadcast');
  const isUsed = keys.length === 0 || takesInput(order);
  const notes = [
    ...(unknownKeys.length === 0 ? [] : [`unknown keys, ignored: ${unknownKeys.join(', ')}`]),
    ...(isUsed ? [] : [`ignored without a flow: ${keys.join(', ')}`]),
  ];
  return { order, callees: isUsed ? callees : callees.map(({ phone }) => ({ phone })), note: notes.join('; ') };
}

const noNumbers = (): ApiError =>
  new ApiError('bad_request', 'the list of numbers is empty or missing', {
    hint: `send ${NUMBER_KEYS[0]}: a list of numbers`,
  });

function withoutNumbers(body: Json | undefined): { key?: string; written: Json; rest: Json | undefined } {
  if (!isObject(body)) return { written: null, rest: body };
  const key = singleKeyOf(body, NUMBER_KEYS);
  const rest = withDetection(body);
  for (const name of NUMBER_KEYS) delete rest[name];
  return key === undefined ? { written: null, rest } : { key, written: body[key]!, rest };
}

/** Copies the older key to the newer one; `true` becomes the defaults of the schema. */
function withDetection({ answering_machine_detection: older = null, ...rest }: JsonObject): JsonObject {
  const { amd = null } = rest;
  const asked = amd === null || amd === '' ? older : amd;
  if (isTrue(asked)) return { ...rest, amd: {} };
  if (isObject(asked)) {
    const { await_beep: beep = null, ...detection } = asked;
    return { ...rest, amd: isTrue(beep) ? detection : asked };
  }
  return { ...rest, answering_machine_detection: older };
}

const isTrue = (value: Json): boolean =>
  value === true || (typeof value === 'string' && value.trim().toLowerCase() === 'true');

function orderOf(checked: BroadcastBody): Omit<NewBroadcast, 'projectId'> {
  const { call_param: parameters } = checked;
  const { window } = parameters;
  return defined({
    name: checked.application_name ?? '',
    from: checked.from,
    headers: sipHeadersOf(checked.sip_headers),
    ...eventsOf(checked),
    callHandlerUrl: checked.call_handler_url,
    action: actionOnConnect(checked),
    autoRecord: checked.auto_record,
    detection: isObject(checked.amd) ? detectionOf(checked.amd) : undefined,
    pacing: defined({ callsPerSecond: parameters.calls_per_second, maxConcurrent: parameters.max_concurrent }),
    retry: retryOf(parameters),
    window: window === undefined ? undefined : windowOf(window),
    ringTimeoutMs: msOf(parameters.ring_timeout),
    idleTimeoutMs: msOf(parameters.idle_timeout),
    redialLost: parameters.redial_lost,
  });
}

function takesInput({ action, detection }: BroadcastRequest['order']): boolean {
  const machine = detection?.onMachine;
  return action?.type === 'flow' || (typeof machine === 'object' && 'flow' in machine);
}

const msOf = (seconds: number): number => Math.round(seconds * 1000);

function retryOf(parameters: BroadcastBody['call_param']): RetryPolicy {
  const { interval_between_retries: common, number_of_retries: count, retry } = parameters;
  const commonMs = common >= MIN_MILLISECONDS ? Math.round(common) : msOf(common);
  const ruleOf = ({ retries, interval }: { retries?: number; interval?: number }): RetryRule => ({
    retries: retries ?? count,
    intervalMs: interval === undefined ? commonMs : msOf(interval),
  });
  return {
    busy: ruleOf(retry.busy),
    no_answer: ruleOf(retry.no_answer),
    declined: ruleOf(retry.declined),
    unreachable: ruleOf(retry.unreachable),
  };
}

/** A single time window is accepted without a list. */
function windowOf(window: Json): string | JsonObject {
  if (!isObject(window)) return String(window).trim();
  const { from, to, days, ...rest } = window;
  const opening = defined<JsonObject>({ from, to, days });
  const isShort = Object.keys(opening).length > 0;
  if (isShort && rest['open'] !== undefined) throw badRequest('call_param.window: from and open exclude each other');
  const hours = isShort ? shortHours({ ...rest, open: [opening] }) : schedule(rest, 'call_param.window');
  const { timezone } = hours;
  if (typeof timezone === 'string' && !isTimeZone(timezone)) {
    throw badRequest(`call_param.window: unknown time zone ${timezone}`);
  }
  return hours;
}

/** Reports errors at the location in the request. */
function shortHours(hours: JsonObject): JsonObject {
  try {
    return schedule(hours, 'call_param.window');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = error.message.replace('at /open/0/', 'at /').replace('at /open/0:', 'at /:');
    const hint = error.hint?.replace('the keys are ', 'the keys are from, to, days, ');
    throw new ApiError(error.code, message, { hint });
  }
}

type DetectionBody = Exclude<NonNullable<BroadcastBody['amd']>, boolean>;

function detectionOf({ timeout, await_beep: beep, on_machine: machine }: DetectionBody): DetectionOrder {
  const onMachine = onMachineOf(machine);
  const waits = onMachine !== 'hang_up' && beep !== false;
  return {
    timeoutMs: msOf(timeout),
    awaitBeepMs: waits ? msOf(Number(beep)) : 0,
    onMachine,
  };
}

function onMachineOf(machine: Json): DetectionOrder['onMachine'] {
  if (isObject(machine)) {
    const { play, flow, input } = machine;
    if (play !== undefined && flow === undefined && input === undefined) {
      return { play: readPlay(play, 'amd.on_machine.play') };
    }
    if (play === undefined && (typeof flow === 'string' || isObject(flow))) {
      return { flow, input: isObject(input) ? input : {} };
    }
  }
  const word = typeof machine === 'string' ? machine.trim().toLowerCase().replace(/[-_ ]/g, '') : '';
  if (word === 'hangup') return 'hang_up';
  if (word === 'same') return 'same';
  throw new ApiError('bad_request', 'amd.on_machine must be "hang_up", "same", a play or a flow', {
    hint: 'one of "hang_up", "same", {"play": {…}}, {"flow": "name", "input": {…}}',
  });
}

/** Also accepts a query parameter, because some clients cannot send a body with DELETE. */
export const readStop = (body: Json | undefined, url: string): { hangUp: boolean } => ({
  hangUp: readQuery<{ hangup?: 'true' | 'false' }>(url, STOP_OPTIONS).hangup === 'true' || stop(body).hangup,
});

/** Id of the call that a command to a broadcast addresses. */
export function readVoiceId(body: Json | undefined): string {
  const voiceId = isObject(body) ? (body['voice_id'] ?? body['voiceId']) : undefined;
  if (typeof voiceId !== 'string' || voiceId.trim() === '')
    throw badRequest('voice_id is required: the ID of the call');
  return voiceId.trim();
}

/** Accepts one number or a list. */
export function readDoNotCall(body: Json | undefined): string[] {
  if (!isObject(body)) throw badRequest('must be a JSON object');
  const key = singleKeyOf(body, ['numbers', 'number', 'phone']);
  if (key === undefined) throw badRequest('number or numbers is required');
  const written = body[key]!;
  const list = key === 'numbers' ? written : [written];
  return readNumberList(list, key, MAX_NUMBERS).callees.map(({ phone }) => phone);
}
