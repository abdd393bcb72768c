/** Converts each SWML method to steps. `swml.ts` resolves sections and labels, `swml-names.ts` resolves names. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, noted, untranslated, worked } from './fidelity.ts';
import type { ImportedNode } from './imported.ts';
import { listAt, numberAt, objectAt, wordsAt } from './json-verbs.ts';
import { conferenceUnit, MAX_MEMBERS, queueUnit } from './parties.ts';
import { countAt, limitAt, timeAt } from './source-numbers.ts';
import { passOver, unviewed, whole } from './source-views.ts';
import { localeOf } from './spoken.ts';
import { choose, cond, goTo } from './swml-branches.ts';
import type { Method, SwmlContext, SwmlVerb } from './swml-context.ts';
import { swmlText, swmlValue } from './swml-names.ts';
import { leavingUnit } from './swml-outputs.ts';
import { connect, request, sendSms, withResult } from './swml-parties.ts';
import { pay } from './swml-pay.ts';
import { comeBack, execute, transfer } from './swml-sections.ts';
import { piecesOf } from './swml-words.ts';
import { nameOfPrompt, promptOf } from './verb-list.ts';

const MAX_RECORDING_S = 3600;

const prompt: Method = (context, verb, node) => {
  const { fields } = verb;
  const prompts = piecesOf(context, verb, node);
  const has = (...keys: string[]): boolean => keys.some((key) => fields[key] !== undefined);
  const takesSpeech = has('speech_timeout', 'speech_end_timeout', 'speech_language', 'speech_hints');
  const takesKeys = !takesSpeech || has('max_digits', 'terminators', 'digit_timeout', 'initial_timeout');
  lost(node, fields, 'speech_timeout', 'the caller may speak as long as he or she likes');
  const hints = listAt(fields, 'speech_hints').map((hint) => swmlText(context, hint));
  const collect = defined<JsonObject>({
    prompt: promptOf(prompts),
    digits: takesKeys
      ? {
          max: countAt(node, fields, 'max_digits', { most: 100, otherwise: 1 }),
          terminator: terminatorOf(fields, node),
        }
      : undefined,
    speech: takesSpeech
      ? defined<JsonObject>({
          hints: hints.length > 0 ? hints : undefined,
          language: localeOf(wordsAt(fields, 'speech_language')),
        })
      : undefined,
    attempts: 1,
    start_timeout: timeAt(node, fields, 'initial_timeout', { otherwise: '5s' }),
    inter_digit_timeout: takesKeys ? timeAt(node, fields, 'digit_timeout', { otherwise: '5s' }) : undefined,
    recognizer_timeout: takesSpeech ? timeAt(node, fields, 'speech_end_timeout') : undefined,
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

/** Settings of recordings that have no counterpart. */
function aboutRecording(fields: JsonObject, node: ImportedNode): void {
  if (!/^wav$/i.test(wordsAt(fields, 'format') ?? 'wav')) worked(node, 'the recording is a WAV file');
  // A recording of the call has a channel for each side.
  passOver(fields, ['stereo']);
  const direction = wordsAt(fields, 'direction');
  if (direction !== undefined && direction !== 'both') {
    worked(node, 'both directions are recorded, not one of them alone');
  }
  lost(node, fields, 'input_sensitivity', 'the service decides how quiet silence is');
}

const record: Method = (context, { fields }, node) => {
  const most = countAt(node, fields, 'max_length', { most: MAX_RECORDING_S, otherwise: MAX_RECORDING_S });
  lost(node, fields, 'initial_timeout', 'silence before the caller speaks ends it as later silence does');
  aboutRecording(fields, node);
  const made = defined<JsonObject>({
    max_length: `${most}s`,
    end_silence: timeAt(node, fields, 'end_silence_timeout', { otherwise: '5s' }),
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

type MakeBeside = (context: SwmlContext, verb: SwmlVerb, node: ImportedNode) => JsonObject;

const beside =
  (wanted: string, outcome: 'started' | 'done', make: MakeBeside): Method =>
  (context, verb, node) => {
    const made = make(context, verb, node);
    return context.unit(wanted, node, (next) => ({ ...made, exits: { [outcome]: next, failed: next } }));
  };

/** Noise is not taken from the sound of a call. */
function withoutNoise(_context: SwmlContext, _verb: SwmlVerb, node: ImportedNode): undefined {
  worked(node, 'the noise around the caller stays');
}

/** Fields of methods that need no step: names for later methods, codecs, and URLs that events are sent to. */
export function passOverFields({ fields }: SwmlVerb, node: ImportedNode): void {
  passOver(fields, ['control_id', 'codecs', 'webrtc_media', 'auto_answer', 'region', 'tags', 'meta']);
  passOver(fields, [
    'call_state_events',
    'status_callback_event',
    'status_callback_method',
    'status_callback_event_type',
  ]);
  for (const key of ['status_url', 'call_state_url', 'status_callback']) {
    if (unviewed(fields)[key] === undefined) continue;
    passOver(fields, [key]);
    noted(node, `your project’s webhook is informed of it, not \`${key}\``);
  }
}

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
    const key = numberAt(fields, 'duration') === undefined ? 'value' : 'duration';
    const milliseconds = numberAt(fields, key);
    if (milliseconds === undefined || milliseconds < 0) untranslated('wait for a time that is not a number');
    const pause = timeAt(node, fields, key, { unitMs: 1 })!;
    return context.unit('pause', node, (next) => ({ pause, next }));
  },
  send_digits: (context, { fields }, node) => {
    const keys = (wordsAt(fields, 'digits') ?? '').toLowerCase().replaceAll(/[^0-9a-d*#w]/g, '');
    if (keys === '') untranslated('press keys: it names none');
    return context.unit('press_keys', node, (next) => ({ send_digits: keys, next }));
  },
  record_call: beside('start_recording', 'started', (_context, { fields }, node) => {
    aboutRecording(fields, node);
    for (const key of ['terminators', 'end_silence_timeout', 'initial_timeout']) {
      lost(node, fields, key, `${key} does not end the recording`);
    }
    if (fields['beep'] === true) worked(node, 'no tone says that it begins');
    const most = limitAt(node, fields, 'max_length');
    return { recording: most === undefined ? 'start' : { action: 'start', max_length: most } };
  }),
  stop_record_call: beside('stop_recording', 'done', () => ({ recording: 'stop' })),
  stop_tap: beside('stop_stream', 'done', () => ({ stream: 'stop' })),
  tap: beside('start_stream', 'started', (context, { fields }, node) => {
    for (const key of ['codec', 'rtp_ptime']) lost(node, fields, key, 'the program receives the format of `stream`');
    const url = wordsAt(fields, 'uri') ?? '';
    if (!/^wss?:/.test(url)) untranslated(`send the sound of the call to ${url.slice(0, 200) || 'a program'}`);
    const tracks = { listen: 'outbound', both: 'both' }[wordsAt(fields, 'direction') ?? ''] ?? 'inbound';
    return { stream: { action: 'start', url: swmlText(context, url), tracks } };
  }),
  join_conference: (context, { fields }, node) => {
    const name = wordsAt(fields, 'name') ?? wordsAt(fields, 'value');
    if (name === undefined) untranslated('meet others in a conference without a name');
    lost(node, fields, 'wait_url', 'members who wait hear a melody');
    lost(node, fields, 'coach', 'the member who coaches hears and speaks like others');
    const meeting = {
      name,
      waits: fields['start_on_enter'] === false,
      endsWithMember: fields['end_on_exit'] === true,
      most: countAt(node, fields, 'max_participants', { most: MAX_MEMBERS }),
      more: defined<JsonObject>({
        muted: fields['muted'] === true ? true : undefined,
        record: /^record/.test(wordsAt(fields, 'record') ?? '') ? true : undefined,
        join_sound: /^(true|onEnter)$/.test(String(fields['beep'])) ? { tone: 440 } : undefined,
      }),
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
  sip_refer: (context, verb, node) => {
    const to = wordsAt(verb.fields, 'to_uri');
    if (to === undefined) untranslated('transfer the caller');
    const transfer = { to: swmlText(context, to), mode: 'refer' };
    const went = (result: string): JsonObject => ({
      sip_refer_to: transfer.to,
      sip_refer_result: result,
      return_value: result,
    });
    const left = { transferred: went('success'), returned: went('failed'), failed: went('failed') };
    return withResult(context, verb, node, leavingUnit(context, node, 'refer', { transfer }, left));
  },
  detect_machine: (context, verb, node) => {
    const timeout = timeAt(node, verb.fields, 'timeout');
    const went = (result: string): JsonObject => ({ detect_result: result, return_value: result });
    const left = {
      human: went('human'),
      machine: went('machine'),
      beep: went('machine'),
      fax: went('fax'),
      unknown: went('unknown'),
    };
    for (const key of Object.keys(verb.fields)) {
      if (/^(detectors|wait|tone|initial_timeout|end_silence_timeout|machine_\w+|detect_\w+)$/.test(key))
        lost(node, verb.fields, key, 'the service decides how it tells a machine from a person');
    }
    const step = { detect_machine: defined<JsonObject>({ timeout }) };
    return withResult(context, verb, node, leavingUnit(context, node, 'detect_machine', step, left));
  },
  enter_queue: (context, { fields }, node) => {
    const name = wordsAt(fields, 'queue_name') ?? wordsAt(fields, 'value');
    if (name === undefined) untranslated('put the caller into a queue without a name');
    lost(node, fields, 'wait_url', 'the caller hears our music while it waits');
    const timeout = limitAt(node, fields, 'wait_time');
    return queueUnit(context, node, name, (next) => next, defined<JsonObject>({ timeout }));
  },
  unset: (context, { fields }, node) => {
    const names = listAt(fields, 'value').concat(listAt(fields, 'vars'));
    if (names.length === 0) untranslated('unset variables: it names none');
    const made = Object.fromEntries(names.map((name) => [context.flow.variable(name.replace(/^vars\./, '')), null]));
    return context.unit('unset', node, (next) => ({ set: made, next }));
  },
  user_event: (context, { fields }, node) =>
    context.unit('notify', node, (next) => ({
      notify: { event: 'user_event', body: swmlValue(context, whole(fields['event'] ?? null)) },
      next,
    })),
  denoise: withoutNoise,
  stop_denoise: withoutNoise,
};

const WHAT: Readonly<Record<string, string>> = {
  ai: 'connect the caller with the assistant',
  amazon_bedrock: 'connect the caller with the assistant',
  send_fax: 'send the fax',
  receive_fax: 'receive the fax',
};

export const withoutCounterpart = ({ name }: SwmlVerb): string =>
  Object.hasOwn(WHAT, name) ? WHAT[name]! : `do what the method ${name.slice(0, 60)} does`;
