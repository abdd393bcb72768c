/** What each method of SWML becomes. Neighbours: `swml.ts`, which knows sections and labels, and `swml-names.ts`. */
import { defined, isObject, type Json, type JsonObject } from '../core/json.ts';
import { untranslated, worked } from './fidelity.ts';
import { secondsOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { type JsonVerb, listAt, numberAt, wordsAt } from './json-verbs.ts';
import { callNameOf, conferenceUnit } from './parties.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import { swmlCondition, swmlText } from './swml-names.ts';
import { nameOfPrompt, promptOf } from './verb-list.ts';
import type { Unit, UnitMaker } from './verb-unit.ts';

export interface SwmlVerb extends JsonVerb {
  /** A list of methods in its arguments, behind these keys. */
  within(nested: Json, ...keys: (string | number)[]): SwmlVerb[];
}

export interface SwmlContext extends UnitMaker<SwmlVerb> {
  readonly sounds: ReadonlySet<string>;
  plan(verbs: readonly SwmlVerb[]): Unit[];
  hasLabel(name: string): boolean;
  labelled(name: string): string;
}

type Method = (context: SwmlContext, verb: SwmlVerb, node: ImportedNode) => Unit;

/** What is said or played by `play` and `prompt`. */
export function piecesOf(context: SwmlContext, { fields }: SwmlVerb, node: ImportedNode): Json[] {
  const urls = ['value', 'url', 'urls', 'play'].flatMap((key) => listAt(fields, key));
  if (urls.length === 0) untranslated('it says nothing');
  if ((numberAt(fields, 'volume') ?? 0) !== 0) worked(node, 'it is as loud as the others');
  const language = localeOf(wordsAt(fields, 'say_language'));
  return urls.map((url): Json => {
    const [, kind, rest = ''] = /^(say|silence|ring):\s*(.*)$/s.exec(url.trim()) ?? [];
    if (kind === 'silence') return { silence: secondsOf(rest.trim()) ?? untranslated(`wait for ${rest.slice(0, 40)}`) };
    if (kind === 'ring') untranslated(`play the ringing tone ${rest.slice(0, 40)}`);
    if (kind === undefined) return soundOf(url, context.sounds) ?? untranslated(missingSound(url));
    const voice = voiceOf(wordsAt(fields, 'say_voice') ?? wordsAt(fields, 'say_gender'), node);
    return spoken(swmlText(context.flow, rest.trim()), voice, language);
  });
}

const prompt: Method = (context, verb, node) => {
  const { fields } = verb;
  const prompts = piecesOf(context, verb, node);
  const has = (...keys: string[]): boolean => keys.some((key) => fields[key] !== undefined);
  const takesSpeech = has('speech_timeout', 'speech_end_timeout', 'speech_language', 'speech_hints');
  const takesKeys = !takesSpeech || has('max_digits', 'terminators', 'digit_timeout', 'initial_timeout');
  if (has('speech_timeout')) worked(node, 'the caller may speak as long as he or she likes');
  const most = Math.max(1, Math.min(Math.round(numberAt(fields, 'max_digits') ?? 1), 100));
  const hints = listAt(fields, 'speech_hints').map((hint) => swmlText(context.flow, hint));
  const collect = defined<JsonObject>({
    prompt: promptOf(prompts),
    digits: takesKeys ? { max: most, terminator: terminatorOf(fields, node) } : undefined,
    speech: takesSpeech
      ? defined<JsonObject>({
          hints: hints.length > 0 ? hints : undefined,
          language: localeOf(wordsAt(fields, 'speech_language')),
        })
      : undefined,
    attempts: 1,
    start_timeout: secondsOf(wordsAt(fields, 'initial_timeout')) ?? '5s',
    inter_digit_timeout: takesKeys ? (secondsOf(wordsAt(fields, 'digit_timeout')) ?? '5s') : undefined,
    recognizer_timeout: takesSpeech ? secondsOf(wordsAt(fields, 'speech_end_timeout')) : undefined,
  });
  const name = context.flow.variable('prompt_value');
  const value = "${ $exists(result.digits) ? result.digits : $exists(result.speech) ? result.speech : '' }";
  return context.unit(`ask_${nameOfPrompt(prompts)}`, node, (next) => ({
    collect,
    set: { [name]: value },
    exits: { collected: next, exhausted: next },
  }));
};

function terminatorOf(fields: JsonObject, node: ImportedNode): string {
  const keys = wordsAt(fields, 'terminators') ?? '';
  if (keys.length > 1) worked(node, `only ${keys.slice(0, 1)} ends the input`);
  return keys.slice(0, 1);
}

const record: Method = (context, { fields }, node) => {
  const most = Math.max(1, Math.min(Math.round(numberAt(fields, 'max_length') ?? 3600), 3600));
  if (fields['initial_timeout'] !== undefined)
    worked(node, 'silence before the caller speaks ends it as later silence does');
  const made = defined<JsonObject>({
    max_length: `${most}s`,
    end_silence: secondsOf(wordsAt(fields, 'end_silence_timeout')) ?? '5s',
    terminator: fields['terminators'] === undefined ? undefined : terminatorOf(fields, node),
    beep: fields['beep'] === true ? undefined : false,
  });
  return context.unit('record', node, (next) => ({ record: made, exits: { recorded: next, silence: next } }));
};

const connect: Method = (context, { fields }, node) => {
  if (fields['result'] !== undefined) untranslated('connect the caller, and go on by the result');
  if (fields['confirm'] !== undefined) untranslated('connect the caller when the one who is called agrees (`screen`)');
  if (fields['headers'] !== undefined) worked(node, 'SIP headers are not sent');
  if (fields['ringback'] !== undefined) worked(node, 'the caller hears the usual ringing tone');
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
    from: from === undefined ? undefined : swmlText(context.flow, from),
    ring_timeout: secondsOf(wordsAt(fields, 'timeout')) ?? '60s',
    max_duration: secondsOf(wordsAt(fields, 'max_duration')),
  });
  const first = String([to[0]].flat()[0]);
  return context.unit(callNameOf(first), node, (next) => ({ bridge, exits: { completed: next, failed: next } }));
};

function partyOf({ flow }: SwmlContext, written: Json): string {
  const to = isObject(written) ? wordsAt(written, 'to') : undefined;
  if (to === undefined) untranslated('connect the caller with nobody');
  const isKnown = /^sips?:/i.test(to) || /^[+\d][\d\s().-]*$/.test(to) || /^[$%]\{[^{}]*\}$/.test(to);
  if (!isKnown) untranslated(`connect the caller with ${to.slice(0, 200)}`);
  return /^[+\d]/.test(to) ? to.replaceAll(/[\s().-]/g, '') : swmlText(flow, to);
}

const request: Method = (context, { fields }, node) => {
  const url = wordsAt(fields, 'url') ?? '';
  const method = (wordsAt(fields, 'method') ?? 'POST').toLowerCase();
  if (fields['result'] !== undefined) untranslated(`ask ${url.slice(0, 200)}, and go on by what it answers`);
  if (!/^https?:\/\//.test(url)) untranslated(`ask ${url.slice(0, 200) || 'a URL'}: it is not an address of the web`);
  if (!['get', 'post', 'put', 'patch', 'delete'].includes(method))
    untranslated(`there is no method ${method.slice(0, 20)}`);
  const texts = (value: Json): Json =>
    JSON.parse(JSON.stringify(value), (_key, each) =>
      typeof each === 'string' ? swmlText(context.flow, each) : each,
    ) as Json;
  const made = defined<JsonObject>({
    [method]: swmlText(context.flow, url),
    headers: isObject(fields['headers']) ? texts(fields['headers']) : undefined,
    body: fields['body'] === undefined ? undefined : texts(fields['body']),
    timeout: secondsOf(wordsAt(fields, 'timeout')),
  });
  const isKept = fields['save_variables'] === true;
  const kept: JsonObject = isKept
    ? { set: { [context.flow.variable('request_response')]: '${ $exists(result.body) ? result.body : null }' } }
    : {};
  return context.unit('request', node, (next) => ({
    request: made,
    ...kept,
    exits: { ok: next, not_found: next, failed: next },
  }));
};

const set: Method = (context, { fields }, node) => {
  const made = Object.entries(fields).map(([name, value]): [string, Json] => {
    if (isObject(value) || Array.isArray(value)) untranslated(`set ${name.slice(0, 60)} to a list or a map`);
    return [context.flow.variable(name), typeof value === 'string' ? swmlText(context.flow, value) : value];
  });
  if (made.length === 0) untranslated('it sets nothing');
  return context.unit('set', node, (next) => ({ set: Object.fromEntries(made), next }));
};

/** A branch whose ways are lists of methods; all of them go on after it. */
function branchUnit(
  context: SwmlContext,
  node: ImportedNode,
  ways: readonly { when?: string; verbs: readonly SwmlVerb[] }[],
): Unit {
  const name = context.flow.reserve('branch');
  node.steps.push(name);
  const planned = ways.map(({ when, verbs }) => ({ when, units: context.plan(verbs) }));
  return {
    entry: () => name,
    write: (next) => {
      const cases = planned.map(({ when, units }): JsonObject => {
        const there = units[0]?.entry() ?? next;
        return when === undefined ? { else: there } : { when, next: there };
      });
      if (planned.every(({ when }) => when !== undefined)) cases.push({ else: next });
      context.flow.step(name, { branch: cases }, node.notes);
      for (const { units } of planned) {
        for (const [index, unit] of units.entries()) unit.write(units[index + 1]?.entry() ?? next);
      }
    },
  };
}

const cond: Method = (context, verb, node) => {
  const written = verb.fields['value'];
  const ways = (Array.isArray(written) ? written : []).filter(isObject).map((way, index) => {
    const when = wordsAt(way, 'when');
    const key = when === undefined ? 'else' : 'then';
    const verbs = verb.within(way[key] ?? [], index, key);
    return when === undefined ? { verbs } : { when: swmlCondition(context.flow, when), verbs };
  });
  if (ways.length === 0) untranslated('it has no conditions');
  return branchUnit(context, node, ways);
};

const choose: Method = (context, verb, node) => {
  const { fields } = verb;
  const variable = wordsAt(fields, 'variable');
  if (variable === undefined || !isObject(fields['case'])) untranslated('it has no variable, or no cases');
  const ways: { when?: string; verbs: readonly SwmlVerb[] }[] = Object.entries(fields['case']).map(([value, list]) => {
    if (/["\\]/.test(value)) untranslated(`compare ${variable.slice(0, 60)} with ${value.slice(0, 60)}`);
    const when = swmlCondition(context.flow, `${variable} == ${/^-?\d{1,15}$/.test(value) ? value : `"${value}"`}`);
    return { when, verbs: verb.within(list, 'case', value) };
  });
  if (fields['default'] !== undefined) ways.push({ verbs: verb.within(fields['default'], 'default') });
  return branchUnit(context, node, ways);
};

/** After so many times it goes on behind it, as the source does. */
const goTo: Method = (context, { fields }, node) => {
  const label = wordsAt(fields, 'label') ?? wordsAt(fields, 'value') ?? '';
  const written = wordsAt(fields, 'when');
  const when = written === undefined ? 'true' : swmlCondition(context.flow, written);
  const most = Math.max(1, Math.min(Math.round(numberAt(fields, 'max') ?? 100), 1000));
  return context.unit('go_to', node, (next) => {
    if (!context.hasLabel(label)) worked(node, `there is no label ${label.slice(0, 60)}: the flow ends here`);
    const branch: Json[] = [{ when, next: context.labelled(label) }, { else: next }];
    return { branch, max_visits: most, exits: { limit: next } };
  });
};

const transfer: Method = (context, { fields }, node) => {
  const dest = wordsAt(fields, 'dest') ?? wordsAt(fields, 'value');
  if (dest === undefined) untranslated('go to another section: it names none');
  if (fields['params'] !== undefined) untranslated(`go to ${dest.slice(0, 200)} with parameters`);
  const there = (): string => context.target(dest, node);
  return { entry: there, write: there };
};

const beside =
  (wanted: string, outcome: 'started' | 'done', make: (context: SwmlContext, verb: SwmlVerb) => JsonObject): Method =>
  (context, verb, node) => {
    const made = make(context, verb);
    return context.unit(wanted, node, (next) => ({ ...made, exits: { [outcome]: next, failed: next } }));
  };

export const METHODS: Readonly<Record<string, Method>> = {
  prompt,
  record,
  connect,
  request,
  set,
  cond,
  transfer,
  switch: choose,
  goto: goTo,
  play: (context, verb, node) => {
    const prompts = piecesOf(context, verb, node);
    return context.unit(`say_${nameOfPrompt(prompts)}`, node, (next) => ({ play: promptOf(prompts)!, next }));
  },
  answer: (context, _verb, node) => context.unit('answer', node, (next) => ({ answer: {}, next })),
  hangup: (context, { fields }, node) => {
    const reason = { busy: 'busy', decline: 'declined' }[wordsAt(fields, 'reason') ?? ''] ?? 'normal';
    return context.unit('hang_up', node, () => ({ hangup: reason }));
  },
  sleep: (context, { fields }, node) => {
    const milliseconds = numberAt(fields, 'duration') ?? numberAt(fields, 'value');
    if (milliseconds === undefined || milliseconds < 0) untranslated('wait for a time that is not a number');
    return context.unit('pause', node, (next) => ({ pause: secondsOf(milliseconds / 1000)!, next }));
  },
  send_digits: (context, { fields }, node) => {
    const keys = (wordsAt(fields, 'digits') ?? '').toLowerCase().replaceAll(/[^0-9a-d*#w]/g, '');
    if (keys === '') untranslated('press keys: it names none');
    return context.unit('press_keys', node, (next) => ({ send_digits: keys, next }));
  },
  record_call: beside('start_recording', 'started', () => ({ recording: 'start' })),
  stop_record_call: beside('stop_recording', 'done', () => ({ recording: 'stop' })),
  stop_tap: beside('stop_stream', 'done', () => ({ stream: 'stop' })),
  tap: beside('start_stream', 'started', ({ flow }, { fields }) => {
    const url = wordsAt(fields, 'uri') ?? '';
    if (!/^wss?:/.test(url)) untranslated(`send the sound of the call to ${url.slice(0, 200) || 'a program'}`);
    const tracks = { listen: 'outbound', both: 'both' }[wordsAt(fields, 'direction') ?? ''] ?? 'inbound';
    return { stream: { action: 'start', url: swmlText(flow, url), tracks } };
  }),
  join_conference: (context, { fields }, node) => {
    const name = wordsAt(fields, 'name') ?? wordsAt(fields, 'value');
    if (name === undefined) untranslated('meet others in a conference without a name');
    const meeting = {
      name,
      waits: fields['start_on_enter'] === false,
      endsWithMember: fields['end_on_exit'] === true,
      most: numberAt(fields, 'max_participants') ?? 0,
      more: defined<JsonObject>({ muted: fields['muted'] === true ? true : undefined }),
    };
    return conferenceUnit(context, node, meeting, (next) => next);
  },
  sip_refer: (context, { fields }, node) => {
    const to = wordsAt(fields, 'to_uri');
    if (to === undefined) untranslated('transfer the caller');
    const made = { to: swmlText(context.flow, to), mode: 'refer' };
    return context.unit('refer', node, (next) => ({
      transfer: made,
      exits: { transferred: next, returned: next, failed: next },
    }));
  },
};

const WHAT: Readonly<Record<string, string>> = {
  ai: 'connect the caller with the assistant',
  amazon_bedrock: 'connect the caller with the assistant',
  pay: 'take the payment',
  send_sms: 'send the SMS',
  send_fax: 'send the fax',
  receive_fax: 'receive the fax',
  execute: 'do what the other section does, and come back',
  return: 'go back to the section that led here',
};

export const withoutCounterpart = ({ name }: SwmlVerb): string =>
  Object.hasOwn(WHAT, name) ? WHAT[name]! : `do what the method ${name.slice(0, 60)} does`;
