/** Converts each type of Twilio Studio widget to steps. `studio.ts` resolves names and routes. */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { withoutMarks } from '../../base/core/phone-number.ts';
import { noted, untranslated, worked } from './fidelity.ts';
import { END, type FlowWriter, secondsOf, wordOf } from './flow-writer.ts';
import type { ImportContext, ImportedNode } from './imported.ts';
import { liquidExpression, type ResolveName } from './liquid.ts';
import { callerShown, queueOf } from './parties.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import { caseOf } from './studio-conditions.ts';
import { payArgs } from './twilio-payments.ts';

export interface Widget {
  name: string;
  type: string;
  at: SourceLocation;
  properties: JsonObject;
  transitions: readonly JsonObject[];
}

export interface WidgetContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly names: ResolveName;
  next(widget: Widget, event: string): string;
  stepOf(widget: string): string;
  /** Flow of the source with this id. */
  called(sid: string): FlowWriter | undefined;
  text(written: Json | undefined): string;
  todo(widget: Widget, node: ImportedNode, what: string): void;
}

type WriteWidget = (context: WidgetContext, widget: Widget & { step: string }, node: ImportedNode) => void;

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

const wordsOf = (written: Json | undefined): string | undefined => (typeof written === 'string' ? written : undefined);
const isSet = (written: Json | undefined): boolean => written !== undefined && written !== null && written !== '';
const MAX_LOOPS = 1000;
const ANY_KEY = '1234567890*#';

const sayPlay: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const next = context.next(widget, 'audioComplete');
  const { digits } = properties;
  if (isSet(digits)) return context.flow.step(step, { send_digits: context.text(digits), next });
  const prompt = promptOf(context, widget, node);
  const loop = Number(properties['loop'] ?? 1);
  if (prompt === undefined) untranslated('it says nothing');
  const repeat = loop > 1 ? Math.min(loop, MAX_LOOPS) : loop === 0 ? MAX_LOOPS : undefined;
  const play = repeat === undefined ? prompt : { prompt, repeat };
  context.flow.step(step, { play, next }, node.notes);
};

const gather: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const one = promptOf(context, widget, node);
  const loop = Math.min(Number(properties['loop'] ?? 1) || 1, 10);
  const most = Number(properties['number_of_digits']);
  const key = properties['finish_on_key'];
  const timeout = secondsOf(properties['timeout']) ?? '5s';
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
      max: most >= 1 ? Math.min(most, 100) : undefined,
      terminator: typeof key === 'string' && key !== '#' ? key.slice(0, 1) : undefined,
    }),
    speech: takesSpeech ? defined<JsonObject>({ hints: hints.length > 0 ? hints : undefined, language }) : undefined,
    attempts: 1,
    start_timeout: timeout,
    inter_digit_timeout: timeout,
    recognizer_timeout: takesSpeech ? secondsOf(properties['speech_timeout']) : undefined,
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
  const caller = properties['caller_id'];
  const after = context.next(widget, 'callCompleted');
  if (noun === 'conference') {
    const name = context.text(to) || 'conference';
    return context.flow.step(step, { conference: name, exits: { left: after, ended: after, full: after } });
  }
  const parties = to
    .split(noun === 'number-multi' ? ',' : '\n')
    .map((one) => partyOf(context, noun, one, properties))
    .filter((one) => one !== '');
  if (parties.length === 0) untranslated('it names nobody to call');
  const bridge = defined<JsonObject>({
    to: parties.length === 1 ? parties[0]! : [parties],
    from: callerShown(node, isSet(caller) ? context.text(caller) : ''),
    ring_timeout: secondsOf(properties['timeout']),
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

/** Without a `hangup` route the flow ends. */
function onHangup(context: WidgetContext, widget: Widget): JsonObject {
  const next = context.next(widget, 'hangup');
  return next === END ? {} : { hangup: next };
}

const voicemail: WriteWidget = (context, widget, node) => {
  const { properties, step } = widget;
  const key = wordsOf(properties['finish_on_key']);
  if (properties['transcribe'] === true) worked(node, 'the recording is not written down');
  const seconds = Math.min(Number(properties['max_length'] ?? 3600) || 3600, 3600);
  const record = defined<JsonObject>({
    max_length: `${seconds}s`,
    end_silence: secondsOf(properties['timeout']) ?? '5s',
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
  const method = isFunction ? 'post' : String(properties['method'] ?? 'GET').toLowerCase();
  const parameters = Array.isArray(properties['parameters']) ? properties['parameters'].filter(isObject) : [];
  const type = String(properties['content_type'] ?? '').replace(/;.*/, '');
  let url = context.text(properties['url']);
  let body: Json | undefined;
  let form: JsonObject | undefined;
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
  const request = defined<JsonObject>({ [method]: url, headers, body, form, timeout: timeoutOf(properties) });
  context.flow.step(
    step,
    { request, exits: { ok: context.next(widget, 'success'), not_found: failed, failed } },
    node.notes,
  );
};

const timeoutOf = ({ timeout }: JsonObject): string | undefined =>
  Number(timeout) > 0 ? secondsOf(Number(timeout) >= 1000 ? Number(timeout) / 1000 : timeout) : undefined;

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

const setVariables: WriteWidget = (context, widget) => {
  const variables = Array.isArray(widget.properties['variables'])
    ? widget.properties['variables'].filter(isObject)
    : [];
  const set = Object.fromEntries(
    variables.map(({ key, value }) => [context.flow.variable(String(key)), context.text(value)]),
  );
  context.flow.step(widget.step, { set, next: context.next(widget, 'next') });
};

const enqueue: WriteWidget = (context, widget, node) => {
  const { queue_name: named, workflow_sid: workflow, wait_url: url } = widget.properties;
  const name = isSet(named) ? context.text(named) : String(workflow ?? '');
  if (name === '') untranslated('put the caller into a queue without a name');
  if (!isSet(named)) sortsCallers(node, name);
  const music = typeof url === 'string' && url !== '' ? soundOf(url, context.options.sounds) : undefined;
  if (isSet(url) && music === undefined) worked(node, `the caller hears our music, not what ${shown(url)} answers`);
  writeQueue(context, widget, node, defined<JsonObject>({ ...queueOf(node, name), music }));
};

/** Connects to a contact centre by a queue, from which agents take calls. */
const toFlex: WriteWidget = (context, widget, node) => {
  const { workflow, priority, timeout } = widget.properties;
  const name = String(workflow ?? 'flex');
  sortsCallers(node, name);
  const importance = Number(priority);
  const queue = defined<JsonObject>({
    ...queueOf(node, name),
    priority: importance > 0 ? Math.min(importance, 1000) : undefined,
    timeout: Number(timeout) > 0 ? secondsOf(timeout) : undefined,
  });
  writeQueue(context, widget, node, queue);
};

const sortsCallers = (node: ImportedNode, name: string): void =>
  worked(node, `the workflow ${name.slice(0, 60)} sorts callers into queues: here it is one queue of its name`);

function writeQueue(
  context: WidgetContext,
  widget: Widget & { step: string },
  node: ImportedNode,
  queue: JsonObject,
): void {
  const full = context.next(widget, 'failedToEnqueue');
  const timeout: JsonObject = queue['timeout'] === undefined ? {} : { timeout: full };
  const exits = { dequeued: context.next(widget, 'callComplete'), full, ...timeout };
  context.flow.step(widget.step, { queue, exits }, node.notes);
}

const recordCall: WriteWidget = (context, widget) => {
  const isOn = widget.properties['record_call'] !== false && widget.properties['record_call'] !== 'false';
  const exits = {
    [isOn ? 'started' : 'done']: context.next(widget, 'success'),
    failed: context.next(widget, 'failed'),
  };
  context.flow.step(widget.step, { recording: isOn ? 'start' : 'stop', exits });
};

const forkStream: WriteWidget = (context, widget) => {
  const { stream_action: action, stream_url: url, stream_track: track } = widget.properties;
  const next = context.next(widget, 'next');
  if (action === 'stop') return context.flow.step(widget.step, { stream: 'stop', exits: { done: next, failed: next } });
  const tracks = { inbound_track: 'inbound', outbound_track: 'outbound', both_tracks: 'both' }[String(track)];
  const stream = defined<JsonObject>({ action: 'start', url: context.text(url), tracks: tracks ?? 'inbound' });
  context.flow.step(widget.step, { stream, exits: { started: next, failed: next } });
};

const outgoingCall: WriteWidget = (context, widget, node) => {
  worked(node, 'REST places the call and names this flow (POST /voice/v1/call); it begins when the call is answered');
  context.flow.step(widget.step, { answer: {}, next: context.next(widget, 'answered') }, node.notes);
};

const sendMessage: WriteWidget = (context, widget, node) => {
  const { body, to, from, media_url: picture } = widget.properties;
  const text = context.text(body);
  if (text === '') untranslated('send a message without a text');
  if (isSet(picture)) worked(node, 'the message is sent without its picture');
  const sender = context.text(from);
  noted(node, 'the configuration names a provider of messages (`messages`)');
  const message = defined<JsonObject>({
    to: isSet(to) ? context.text(to) : '${ call.from }',
    text,
    // The default sender is the number of the flow; the provider resolves it.
    from: sender === '' || sender === '${ call.to }' ? undefined : sender,
  });
  const failed = context.next(widget, 'failed');
  context.flow.step(
    widget.step,
    { message, exits: { sent: context.next(widget, 'sent'), refused: failed, error: failed } },
    node.notes,
  );
};

const subflow: WriteWidget = (context, widget) => {
  const { flow_sid: sid, parameters } = widget.properties;
  const called =
    context.called(String(sid)) ??
    untranslated(`call the flow ${shown(sid)}: import it together with this one, as the file ${shown(sid)}.json`);
  const given = Array.isArray(parameters) ? parameters.filter(isObject) : [];
  const input = Object.fromEntries(given.map(({ key, value }) => [called.input(String(key)), context.text(value)]));
  context.flow.step(widget.step, {
    subflow: given.length === 0 ? called.name : { flow: called.name, input },
    exits: { done: context.next(widget, 'completed'), error: context.next(widget, 'failed') },
  });
};

const payments: WriteWidget = (context, widget, node) => {
  const { properties } = widget;
  const text = (key: string): string | undefined =>
    isSet(properties[key]) ? context.text(properties[key]) : undefined;
  const cards = properties['valid_card_types'];
  const pay = payArgs(
    {
      ...{ method: text('payment_method'), amount: text('payment_amount'), currency: text('currency') },
      ...{ description: text('description'), attempts: text('max_attempts'), timeout: text('timeout') },
      cards: Array.isArray(cards) ? cards.map(String) : undefined,
      securityCode: text('security_code'),
      postalCode: text('postal_code'),
    },
    node,
  );
  const paid = context.next(widget, 'success');
  const failed = context.next(widget, 'providerError');
  const taken = pay['tokenize'] === true ? 'tokenized' : 'paid';
  const exits = {
    [taken]: paid,
    declined: failed,
    failed,
    cancelled: context.next(widget, 'payInterrupted'),
    exhausted: context.next(widget, 'maxFailedAttempts'),
    error: failed,
    ...onHangup(context, widget),
  };
  context.flow.step(widget.step, { pay, exits }, node.notes);
};

const todo =
  (say: (context: WidgetContext, properties: JsonObject) => string): WriteWidget =>
  (context, widget, node) =>
    context.todo(widget, node, say(context, widget.properties));

const shown = (written: Json | undefined): string => String(written ?? '').slice(0, 200);

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
