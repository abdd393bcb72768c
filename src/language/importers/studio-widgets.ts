/** Converts each type of Twilio Studio widget to steps. `studio.ts` resolves names and routes. */
import { defined, isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts';
import { withoutMarks } from '../../base/core/phone-number.ts';
import { noted, untranslated, worked } from './fidelity.ts';
import { END, wordOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { liquidExpression } from './liquid.ts';
import { callerShown } from './parties.ts';
import { countAt, limitAt, silenceAt, timeAt } from './source-numbers.ts';
import { passOver } from './source-views.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import { caseOf } from './studio-conditions.ts';
import {
  isOn,
  isSet,
  onHangup,
  shown,
  type Widget,
  type WidgetContext,
  type WriteWidget,
  wordsOf,
} from './studio-context.ts';
import { enqueue, forkStream, outgoingCall, payments, sendMessage, subflow, toFlex } from './studio-services.ts';

/** Prompt of a widget. Undefined if it has none. */
function promptOf(context: WidgetContext, { properties }: Widget, node: ImportedNode): Json | undefined {
  const { say, play, voice, language } = properties;
  if (typeof say === 'string' && say !== '') {
    const text = context.text(say);
    if (/^\s*<speak[\s>]/.test(say)) return { ssml: text };
    return spoken(text, voiceOf(wordsOf(voice), node), localeOf(wordsOf(language)));
  }
  if (typeof play !== 'string' || play === '') return undefined;
  return soundOf(play, context.options.sounds) ?? untranslated(missingSound(play));
}

const MAX_LOOPS = 1000;
const MAX_RECORDING_S = 3600;
const ANY_KEY = '1234567890*#';

const sayPlay: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const next = context.next(widget, 'audioComplete');
  const { digits } = properties;
  // A widget has the keys of all its kinds: those of the other kind mean nothing.
  if (isSet(digits)) passOver(properties, ['say', 'play', 'voice', 'language', 'loop']);
  if (isSet(digits)) return context.flow.step(step, { send_digits: context.text(digits), next });
  const prompt = promptOf(context, widget, node);
  if (prompt === undefined) untranslated('it has no text or sound to play');
  const isEndless = isSet(properties['loop']) && Number(properties['loop']) === 0;
  if (isEndless) worked(node, `it is said ${MAX_LOOPS} times, not until the caller hangs up`);
  const count = isEndless ? MAX_LOOPS : countAt(node, properties, 'loop', { most: MAX_LOOPS, otherwise: 1 });
  const repeat = count === 1 ? undefined : count!;
  const play = repeat === undefined ? prompt : { prompt, repeat };
  context.flow.step(step, { play, next }, node.notes);
};

const gather: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const one = promptOf(context, widget, node);
  const loop = countAt(node, properties, 'loop', { most: 10, otherwise: 1 });
  const key = properties['finish_on_key'];
  const timeout = timeAt(node, properties, 'timeout', { otherwise: '5s' });
  // `stop_gather` says whether `finish_on_key` ends the input.
  passOver(properties, ['stop_gather', 'speech_model']);
  if (isOn(properties['profanity_filter']) === false) noted(node, 'your recogniser decides whether it masks words');
  const spokenTo = context.next(widget, 'speech');
  const pressed = context.next(widget, 'keypress');
  const takesSpeech = spokenTo !== END || isSet(properties['hints']) || isSet(properties['speech_timeout']);
  const hints = String(properties['hints'] ?? '')
    .split(',')
    .map((hint) => hint.trim())
    .filter(Boolean);
  const language = localeOf(wordsOf(properties['gather_language']));
  const collect = defined<JsonObject>({
    prompt: one !== undefined && loop > 1 ? Array<Json>(loop).fill(one) : one,
    digits: defined<JsonObject>({
      max: countAt(node, properties, 'number_of_digits', { most: 100 }),
      terminator: typeof key === 'string' && key !== '#' ? key.slice(0, 1) : undefined,
    }),
    speech: takesSpeech ? defined<JsonObject>({ hints: hints.length > 0 ? hints : undefined, language }) : undefined,
    attempts: 1,
    start_timeout: timeout,
    inter_digit_timeout: timeout,
    recognizer_timeout: takesSpeech ? silenceAt(node, properties, 'speech_timeout') : undefined,
  });
  const exhausted = context.next(widget, 'timeout');
  const isSorted = takesSpeech && spokenTo !== pressed;
  const taken: JsonObject = isSorted ? { digits: pressed, speech: spokenTo } : { collected: pressed };
  context.flow.step(step, { collect, exits: { ...taken, exhausted } }, node.notes);
};

const split: WriteWidget = (context, widget) => {
  const input = liquidExpression(String(widget.properties['input'] ?? ''), context.names);
  if ('problem' in input) untranslated(input.problem);
  const cases: Json[] = widget.transitions
    .filter(({ event }) => event === 'match')
    .map(({ conditions, next }) => {
      const [condition] = Array.isArray(conditions) ? conditions.filter(isObject) : [];
      const when = condition && caseOf(condition, input.expression, context.names);
      if (when === undefined) untranslated('it has a transition without a condition');
      if ('problem' in when) untranslated(when.problem);
      return { when: when.expression, next: typeof next === 'string' ? context.stepOf(next) : END };
    });
  cases.push({ else: context.next(widget, 'noMatch') });
  context.flow.step(widget.step, { branch: cases });
};

const connectCall: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const noun = String(properties['noun'] ?? 'number');
  const to = String(properties['to'] ?? '');
  for (const key of ['sip_username', 'sip_password']) {
    if (isSet(properties[key])) worked(node, `${key} is not kept: the configuration has the trunk and its account`);
  }
  const caller = properties['caller_id'];
  const after = context.next(widget, 'callCompleted');
  if (noun === 'conference') {
    passOver(properties, ['caller_id', 'timeout', 'record', 'sip_endpoint']);
    const name = context.text(to) || 'conference';
    return context.flow.step(step, { conference: name, exits: { left: after, ended: after, full: after } });
  }
  const parties = to
    .split(noun === 'number-multi' ? ',' : '\n')
    .map((one) => partyOf(context, noun, one, properties))
    .filter((one) => one !== '');
  if (parties.length === 0) untranslated('it has no party to call');
  if (noun !== 'sip') passOver(properties, ['sip_endpoint']);
  const bridge = defined<JsonObject>({
    to: parties.length === 1 ? parties[0]! : [parties],
    from: callerShown(node, isSet(caller) ? context.text(caller) : ''),
    ring_timeout: timeAt(node, properties, 'timeout'),
    record: properties['record'] === true ? true : undefined,
  });
  context.flow.step(
    step,
    { bridge, exits: { completed: after, failed: after, ...onHangup(context, widget) } },
    node.notes,
  );
};

function partyOf(context: WidgetContext, noun: string, written: string, properties: JsonObject): string {
  if (noun === 'sip') {
    const uri = context.text(properties['sip_endpoint'] ?? written).trim();
    return uri === '' || /^sips?:/i.test(uri) ? uri : `sip:${uri}`;
  }
  const words = context.text(written).trim();
  if (noun === 'client' || noun === 'sim')
    return words === '' ? '' : `user:${/\$\{/.test(words) ? words : wordOf(words, 'client')}`;
  return /\$\{/.test(words) ? words : withoutMarks(words);
}

/** Events of recordings go to the webhook of the project. */
function aboutRecordings(properties: JsonObject, node: ImportedNode): void {
  const urls = ['recording_status_callback', 'recording_status_callback_url', 'transcription_callback_url'];
  if (urls.some((key) => isSet(properties[key]))) noted(node, 'your project’s webhook is informed of the recording');
  passOver(properties, ['recording_status_callback_method', 'recording_status_callback_events']);
  if (properties['trim'] === 'trim-silence') worked(node, 'silence stays in the recording');
}

const voicemail: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const key = wordsOf(properties['finish_on_key']);
  if (isOn(properties['transcribe'])) worked(node, 'the recording is not written down');
  aboutRecordings(properties, node);
  const seconds = countAt(node, properties, 'max_length', { most: MAX_RECORDING_S, otherwise: MAX_RECORDING_S });
  const record = defined<JsonObject>({
    max_length: `${seconds}s`,
    end_silence: timeAt(node, properties, 'timeout', { otherwise: '5s' }),
    terminator: key === undefined ? ANY_KEY : key.replaceAll(/[^0-9*#]/g, ''),
    beep: properties['play_beep'] === 'false' || properties['play_beep'] === false ? false : undefined,
  });
  const exits = {
    recorded: context.next(widget, 'recordingComplete'),
    silence: context.next(widget, 'noAudio'),
    ...onHangup(context, widget),
  };
  context.flow.step(step, { record, exits }, node.notes);
};

const httpRequest: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const isFunction = widget.type === 'run-function';
  // The URL names the function.
  passOver(properties, ['service_sid', 'environment_sid', 'function_sid']);
  if (isOn(properties['add_twilio_auth'])) worked(node, 'the account of Twilio is not sent: add `auth` to the step');
  const method = isFunction ? 'post' : String(properties['method'] ?? 'GET').toLowerCase();
  const parameters = Array.isArray(properties['parameters']) ? properties['parameters'].filter(isObject) : [];
  const type = String(properties['content_type'] ?? '').replace(/;.*/, '');
  let url = context.text(properties['url']);
  let body: Json | undefined;
  let form: JsonObject | undefined;
  for (const parameter of parameters) passOver(parameter, ['index', 'type']);
  if (isSet(properties['body'])) body = bodyOf(context, String(properties['body']), type);
  else if (parameters.length > 0 && method === 'get') url += queryOf(context, parameters, url);
  else if (parameters.length > 0) {
    form = Object.fromEntries(parameters.map(({ key, value }) => [String(key), context.text(value)]));
  }
  if (!/^https?:\/\/|^\$\{/.test(url)) untranslated(`ask ${url || 'a URL'}: it is not an address of the web`);
  if (!['get', 'post', 'put', 'patch', 'delete'].includes(method)) untranslated(`there is no method ${method}`);
  const failed = context.next(widget, isFunction ? 'fail' : 'failed');
  // A text body is sent with the content type of the source.
  const headers = typeof body === 'string' && type !== '' ? { 'Content-Type': type } : undefined;
  const request = defined<JsonObject>({ [method]: url, headers, body, form, timeout: timeoutOf(properties, node) });
  context.flow.step(
    step,
    { request, exits: { ok: context.next(widget, 'success'), not_found: failed, failed } },
    node.notes,
  );
};

/** Older widgets have milliseconds, newer ones seconds. */
const timeoutOf = (properties: JsonObject, node: ImportedNode): string | undefined =>
  limitAt(node, properties, 'timeout', { unitMs: Number(properties['timeout']) >= 1000 ? 1 : 1000 });

/** JSON in the source is written as a structure, for readability. */
function bodyOf(context: WidgetContext, written: string, type: string): Json {
  if (/urlencoded/.test(type)) return context.text(written);
  try {
    return JSON.parse(written, (_key, value: unknown) =>
      typeof value === 'string' ? context.text(value) : value,
    ) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return context.text(written);
  }
}

function queryOf(context: WidgetContext, parameters: readonly JsonObject[], url: string): string {
  const pairs = parameters.map(({ key, value }) => {
    const expression = liquidExpression(String(value ?? ''), context.names);
    if ('problem' in expression) untranslated(expression.problem);
    const isPlain = !/\{[{%]/.test(String(value ?? ''));
    const written = isPlain ? encodeURIComponent(String(value ?? '')) : `\${ ${expression.expression} }`;
    return `${encodeURIComponent(String(key))}=${written}`;
  });
  return (url.includes('?') ? '&' : '?') + pairs.join('&');
}

/** A variable is a text, unless its type says how Studio parses that text. */
function typedValue(context: WidgetContext, value: Json | undefined, type: Json | undefined): Json {
  const text = context.text(value);
  const single = /^\$\{ (.*) \}$/s.exec(text)?.[1];
  if (type === 'number') return single === undefined ? (parseJson(text) ?? text) : `\${ $number(${single}) }`;
  if (type !== 'boolean' && type !== 'object') return text;
  return single === undefined ? (parseJson(text) ?? text) : text;
}

const setVariables: WriteWidget = (context, widget) => {
  const variables = Array.isArray(widget.properties['variables'])
    ? widget.properties['variables'].filter(isObject)
    : [];
  for (const variable of variables) passOver(variable, ['index']);
  const set = Object.fromEntries(
    variables.map(({ key, value, type }) => [context.flow.variable(String(key)), typedValue(context, value, type)]),
  );
  context.flow.step(widget.step, { set, next: context.next(widget, 'next') });
};

const recordCall: WriteWidget = (context, widget, node) => {
  aboutRecordings(widget.properties, node);
  // A recording has a channel for each side.
  passOver(widget.properties, ['recording_channels']);
  const isOn = widget.properties['record_call'] !== false && widget.properties['record_call'] !== 'false';
  const exits = {
    [isOn ? 'started' : 'done']: context.next(widget, 'success'),
    failed: context.next(widget, 'failed'),
  };
  context.flow.step(widget.step, { recording: isOn ? 'start' : 'stop', exits });
};

const todo =
  (say: (context: WidgetContext, properties: JsonObject) => string): WriteWidget =>
  (context, widget, node) =>
    context.todo(widget, node, say(context, widget.properties));

export const WIDGETS: Readonly<Record<string, WriteWidget>> = {
  'say-play': sayPlay,
  'gather-input-on-call': gather,
  'split-based-on': split,
  'connect-call-to': connectCall,
  'record-voicemail': voicemail,
  'record-call': recordCall,
  'make-http-request': httpRequest,
  'run-function': httpRequest,
  'set-variables': setVariables,
  'enqueue-call': enqueue,
  'fork-stream': forkStream,
  'make-outgoing-call': outgoingCall,
  'make-outgoing-call-v2': outgoingCall,
  'send-message': sendMessage,
  'send-and-wait-for-reply': todo((_, { body }) => `send the message “${shown(body)}”, and wait for the reply`),
  'capture-payments': payments,
  'send-to-flex': toFlex,
  'add-twiml-redirect': todo((_, { url }) => `do what ${shown(url)} answers`),
  'run-subflow': subflow,
  'connect-virtual-agent': todo(() => 'connect the caller with the virtual agent'),
};
