/** Converts each SWML method to steps. `swml.ts` resolves sections and labels, `swml-names.ts` resolves names. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { untranslated, worked } from './fidelity.ts';
import { secondsOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { listAt, numberAt, objectAt, wordsAt } from './json-verbs.ts';
import { conferenceUnit } from './parties.ts';
import { localeOf } from './spoken.ts';
import { choose, cond, goTo } from './swml-branches.ts';
import type { Method, SwmlContext, SwmlVerb } from './swml-context.ts';
import { swmlText } from './swml-names.ts';
import { leavingUnit } from './swml-outputs.ts';
import { connect, request, sendSms } from './swml-parties.ts';
import { pay } from './swml-pay.ts';
import { comeBack, execute, transfer } from './swml-sections.ts';
import { piecesOf } from './swml-words.ts';
import { nameOfPrompt, promptOf } from './verb-list.ts';

const prompt: Method = (context, verb, node) => {
  const { fields } = verb;
  const prompts = piecesOf(context, verb, node);
  const has = (...keys: string[]): boolean => keys.some((key) => fields[key] !== undefined);
  const takesSpeech = has('speech_timeout', 'speech_end_timeout', 'speech_language', 'speech_hints');
  const takesKeys = !takesSpeech || has('max_digits', 'terminators', 'digit_timeout', 'initial_timeout');
  if (has('speech_timeout')) worked(node, 'the caller may speak as long as he or she likes');
  const most = Math.max(1, Math.min(Math.round(numberAt(fields, 'max_digits') ?? 1), 100));
  const hints = listAt(fields, 'speech_hints').map((hint) => swmlText(context, hint));
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
  const isEither = takesKeys && takesSpeech;
  const value = isEither
    ? '${ $exists(result.digits) ? result.digits : result.speech }'
    : `\${ result.${takesKeys ? 'digits' : 'speech'} }`;
  const how = isEither
    ? "${ $exists(result.digits) ? 'match_digits' : 'match_speech' }"
    : `match_${takesKeys ? 'digits' : 'speech'}`;
  // Clears the value of an earlier prompt.
  const failed: Record<string, JsonObject> = context.mentions('prompt_result')
    ? {
        'exhausted.no_input': { prompt_value: '', prompt_result: 'no_input' },
        'exhausted.no_match': { prompt_value: '', prompt_result: 'no_match' },
      }
    : { exhausted: { prompt_value: '' } };
  const left = { collected: { prompt_value: value, prompt_result: how }, ...failed };
  return leavingUnit(context, node, `ask_${nameOfPrompt(prompts)}`, { collect }, left, ['prompt_value']);
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
    terminator: wordsAt(fields, 'terminators')
      ?.replaceAll(/[^0-9*#]/g, '')
      .slice(0, 16),
    beep: fields['beep'] === true ? undefined : false,
  });
  return context.unit('record', node, (next) => ({ record: made, exits: { recorded: next, silence: next } }));
};

const set: Method = (context, { fields }, node) => {
  const made = Object.entries(fields).map(([name, value]): [string, Json] => {
    if (isObject(value) || Array.isArray(value)) untranslated(`set ${name.slice(0, 60)} to a list or a map`);
    return [context.flow.variable(name), typeof value === 'string' ? swmlText(context, value) : value];
  });
  if (made.length === 0) untranslated('it sets nothing');
  return context.unit('set', node, (next) => ({ set: Object.fromEntries(made), next }));
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
  pay,
  set,
  cond,
  transfer,
  execute,
  return: comeBack,
  send_sms: sendSms,
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
  tap: beside('start_stream', 'started', (context, { fields }) => {
    const url = wordsAt(fields, 'uri') ?? '';
    if (!/^wss?:/.test(url)) untranslated(`send the sound of the call to ${url.slice(0, 200) || 'a program'}`);
    const tracks = { listen: 'outbound', both: 'both' }[wordsAt(fields, 'direction') ?? ''] ?? 'inbound';
    return { stream: { action: 'start', url: swmlText(context, url), tracks } };
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
  ai: (context, { fields }, node) => {
    const instructions = wordsAt(objectAt(fields, 'prompt'), 'text');
    if (instructions === undefined || fields['SWAIG'] !== undefined)
      untranslated('connect the caller with the assistant');
    worked(node, 'the first agent of your configuration talks, with these instructions');
    const assistant = { instructions: swmlText(context, instructions), limits: { duration: '1h' } };
    const make = (next: string): JsonObject => ({ assistant, exits: { done: next, limit: next, error: next } });
    return context.unit('assistant', node, make);
  },
  sip_refer: (context, { fields }, node) => {
    const to = wordsAt(fields, 'to_uri');
    if (to === undefined) untranslated('transfer the caller');
    const made = { to: swmlText(context, to), mode: 'refer' };
    return context.unit('refer', node, (next) => ({
      transfer: made,
      exits: { transferred: next, returned: next, failed: next },
    }));
  },
};

const WHAT: Readonly<Record<string, string>> = {
  ai: 'connect the caller with the assistant',
  amazon_bedrock: 'connect the caller with the assistant',
  send_fax: 'send the fax',
  receive_fax: 'receive the fax',
};

export const withoutCounterpart = ({ name }: SwmlVerb): string =>
  Object.hasOwn(WHAT, name) ? WHAT[name]! : `do what the method ${name.slice(0, 60)} does`;
