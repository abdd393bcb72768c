/**
 * Bodies of the broadcast routes, in our own words. What clients call the same thing is one thing here: the table of
 * aliases is `ALIASES`, `NUMBER_KEYS` and `PARAMETER_ALIASES`.
 */
import type {
  Callee,
  DetectionOrder,
  NegativeOutcome,
  Pacing,
  RetryPolicy,
  RetryRule,
} from '../calls/broadcast/broadcast.ts';
import type { NewBroadcast } from '../calls/broadcast/broadcasts.ts';
import { defined, isObject, type Json, type JsonObject } from '../core/json.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { ApiError } from './api-error.ts';
import { badRequest, bodyReader, given, textOf } from './body-reader.ts';
import { actionOnConnect, eventsOf, readPlay, renameStreamAliases } from './call-bodies.ts';
import { readNumberList, singleKeyOf } from './number-list.ts';
import { readQuery, STOP_OPTIONS } from './query-parameters.ts';
import { unknownKeysIn } from './unknown-keys.ts';

export const MOST_NUMBERS = 100_000;

/** The documented name first. */
const NUMBER_KEYS = ['broadcast_numbers_array', 'broadcast_numbers_json', 'broadcastnumbersjson', 'broadcast_numbers'];
const ALIASES = { name: 'application_name', applicationName: 'application_name', callhandler_url: 'call_handler_url' };
const PARAMETER_ALIASES: Readonly<Record<string, string>> = {
  IntervalBetweenRetries: 'interval_between_retries',
  intervalBetweenRetries: 'interval_between_retries',
  NumberOfRetries: 'number_of_retries',
  numberOfRetries: 'number_of_retries',
};

const INTERVAL_S = 5;
const RETRIES = 3;
/** From here on an interval is taken for milliseconds: clients write both. */
const LEAST_MILLISECONDS = 1000;
const RING_TIMEOUT_S = 60;
const IDLE_TIMEOUT_S = 10;
const DETECTION_TIMEOUT_S = 5;
const AWAIT_BEEP_S = 30;

const broadcast = bodyReader('broadcast', ALIASES);
const schedule = bodyReader('admin/schedule');
const stop = bodyReader('broadcast-stop');

export interface BroadcastBody {
  order: Omit<NewBroadcast, 'projectId'>;
  callees: Callee[];
  /** What was written and is not used, in words; empty: nothing. A pace that is misspelt would be noticed too late. */
  note: string;
}

export function readBroadcast(body: Json | undefined): BroadcastBody {
  const { key, written, rest } = withoutNumbers(body);
  const checked = broadcast(renamed(rest));
  if (key === undefined) throw noNumbers();
  const { callees, keys } = readNumberList(written, key, MOST_NUMBERS);
  if (callees.length === 0) throw noNumbers();
  const order = orderOf(checked);
  const unknownKeys = unknownKeysIn(checked, 'broadcast');
  const isUsed = keys.length === 0 || takesInput(order);
  const notes = [
    ...(unknownKeys.length === 0 ? [] : [`not known, and not used: ${unknownKeys.join(', ')}`]),
    ...(isUsed ? [] : [`not used, because there is no flow: ${keys.join(', ')}`]),
  ];
  return { order, callees: isUsed ? callees : callees.map(({ phone }) => ({ phone })), note: notes.join('; ') };
}

const noNumbers = (): ApiError =>
  new ApiError('bad_request', 'there are no numbers', { hint: `give ${NUMBER_KEYS[0]}: a list of numbers` });

function withoutNumbers(body: Json | undefined): { key?: string; written: Json; rest: Json | undefined } {
  if (!isObject(body)) return { written: null, rest: body };
  const key = singleKeyOf(body, NUMBER_KEYS);
  const rest: JsonObject = { ...body };
  for (const name of NUMBER_KEYS) delete rest[name];
  return key === undefined ? { written: null, rest } : { key, written: body[key]!, rest };
}

function renamed(body: Json | undefined): Json | undefined {
  const streamed = renameStreamAliases(body);
  if (!isObject(streamed)) return streamed;
  const made = { ...streamed };
  const { call_param: parameters, answering_machine_detection: detection } = made;
  if (isObject(parameters)) {
    const named: JsonObject = {};
    for (const [key, value] of Object.entries(parameters)) {
      const name = Object.hasOwn(PARAMETER_ALIASES, key) ? PARAMETER_ALIASES[key] : undefined;
      if (name === undefined) named[key] = value;
      else if (!Object.hasOwn(parameters, name)) named[name] = value;
    }
    made['call_param'] = named;
  }
  if (isObject(detection)) {
    delete made['answering_machine_detection'];
    made['amd'] ??= detection;
  }
  return made;
}

function orderOf(checked: JsonObject): Omit<NewBroadcast, 'projectId'> {
  const parameters = isObject(checked['call_param']) ? checked['call_param'] : {};
  const action = actionOnConnect(checked);
  const detection = detectionOf(checked);
  const { window } = parameters;
  const handler = checked['call_handler_url'];
  return defined({
    name: textOf(checked['application_name']),
    from: textOf(checked['from']),
    ...eventsOf(checked),
    callHandlerUrl: handler === undefined ? undefined : textOf(handler),
    action,
    autoRecord: checked['auto_record'] === true,
    detection,
    pacing: pacingOf(parameters),
    retry: retryOf(parameters),
    window: window === undefined ? undefined : windowOf(window),
    ringTimeoutMs: msOf(parameters['ring_timeout'], RING_TIMEOUT_S),
    idleTimeoutMs: msOf(parameters['idle_timeout'], IDLE_TIMEOUT_S),
    redialLost: parameters['redial_lost'] === true,
  });
}

function takesInput({ action, detection }: BroadcastBody['order']): boolean {
  const machine = detection?.onMachine;
  return action?.type === 'flow' || (typeof machine === 'object' && 'flow' in machine);
}

const msOf = (seconds: Json | undefined, fallbackS: number): number =>
  Math.round((typeof seconds === 'number' ? seconds : fallbackS) * 1000);

function pacingOf({ calls_per_second: rate, max_concurrent: most }: JsonObject): Pacing {
  return {
    ...(typeof rate === 'number' ? { callsPerSecond: rate } : {}),
    ...(typeof most === 'number' ? { maxConcurrent: most } : {}),
  };
}

/** Who declines has answered, in a way: only who asks for it calls them again. */
const RETRIED: Readonly<Record<NegativeOutcome, boolean>> = {
  busy: true,
  no_answer: true,
  declined: false,
  unreachable: true,
};

function retryOf(parameters: JsonObject): RetryPolicy {
  const { interval_between_retries: interval, number_of_retries: count, retry } = parameters;
  const common: RetryRule = {
    retries: typeof count === 'number' ? count : RETRIES,
    intervalMs:
      typeof interval === 'number' && interval >= LEAST_MILLISECONDS
        ? Math.round(interval)
        : msOf(interval, INTERVAL_S),
  };
  const ruleOf = (setback: NegativeOutcome): RetryRule => {
    const own = isObject(retry) && isObject(retry[setback]) ? given(retry[setback], 'retries', 'interval') : {};
    return {
      retries: typeof own.retries === 'number' ? own.retries : RETRIED[setback] ? common.retries : 0,
      intervalMs: typeof own.interval === 'number' ? msOf(own.interval, 0) : common.intervalMs,
    };
  };
  return {
    busy: ruleOf('busy'),
    no_answer: ruleOf('no_answer'),
    declined: ruleOf('declined'),
    unreachable: ruleOf('unreachable'),
  };
}

/** One opening may be written without its list. */
function windowOf(window: Json): string | JsonObject {
  if (!isObject(window)) return textOf(window);
  const { from, to, days, ...rest } = window;
  const opening = given({ from: from!, to: to!, days: days! }, 'from', 'to', 'days');
  const isShort = Object.keys(opening).length > 0;
  if (isShort && rest['open'] !== undefined) throw badRequest('call_param.window: from and open exclude each other');
  const hours = isShort ? shortHours({ ...rest, open: [opening as JsonObject] }) : schedule(rest, 'call_param.window');
  const { timezone } = hours;
  if (typeof timezone === 'string' && !isTimeZone(timezone)) {
    throw badRequest(`call_param.window: there is no time zone ${timezone}`);
  }
  return hours;
}

/** Mistakes are told where they were written. */
function shortHours(hours: JsonObject): JsonObject {
  try {
    return schedule(hours, 'call_param.window');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = error.message.replace('at /open/0/', 'at /').replace('at /open/0:', 'at /:');
    const hint = error.hint?.replace('the keys are ', 'the keys are from, to, days, ');
    throw new ApiError(error.code, message, hint === undefined ? {} : { hint });
  }
}

function detectionOf(checked: JsonObject): DetectionOrder | undefined {
  const written = checked['amd'] ?? checked['answering_machine_detection'];
  if (written === undefined || written === false) return undefined;
  const { timeout, await_beep: beep, on_machine: machine } = isObject(written) ? written : ({} as JsonObject);
  const onMachine = onMachineOf(machine);
  const waits = onMachine !== 'hang_up' && beep !== false;
  return {
    timeoutMs: msOf(timeout, DETECTION_TIMEOUT_S),
    awaitBeepMs: waits ? msOf(beep, AWAIT_BEEP_S) : 0,
    onMachine,
  };
}

function onMachineOf(machine: Json | undefined): DetectionOrder['onMachine'] {
  if (machine === undefined) return 'hang_up';
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
  throw new ApiError('bad_request', 'amd.on_machine: is nothing that a machine could get', {
    hint: 'one of "hang_up", "same", {"play": {…}}, {"flow": "name", "input": {…}}',
  });
}

/** Not every client can send a body with DELETE. */
export const readStop = (body: Json | undefined, url: string): { hangUp: boolean } => ({
  hangUp:
    readQuery<{ hangup?: 'true' | 'false' }>(url, STOP_OPTIONS).hangup === 'true' || stop(body)['hangup'] === true,
});

/** Whom a command of a whole broadcast is about. */
export function readVoiceId(body: Json | undefined): string {
  const voiceId = isObject(body) ? (body['voice_id'] ?? body['voiceId']) : undefined;
  if (typeof voiceId !== 'string' || voiceId.trim() === '') throw badRequest('voice_id is required: which call');
  return voiceId.trim();
}

/** One or many. */
export function readDoNotCall(body: Json | undefined): string[] {
  if (!isObject(body)) throw badRequest('must be a JSON object');
  const key = singleKeyOf(body, ['numbers', 'number', 'phone']);
  if (key === undefined) throw badRequest('number or numbers is required');
  const written = body[key]!;
  const list = key === 'numbers' ? written : [written];
  return readNumberList(list, key, MOST_NUMBERS).callees.map(({ phone }) => phone);
}
