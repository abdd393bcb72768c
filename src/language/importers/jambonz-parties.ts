/**
 * jambonz verbs that connect the caller with other parties, and settings that run in the background. Used by
 * `jambonz.ts`.
 */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, noted, worked } from './fidelity.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { headersAt, hookAt, type JambonzContext } from './jambonz-context.ts';
import { type JsonVerb, objectAt, wordsAt } from './json-verbs.ts';
import { callNameOf, conferenceUnit, MAX_MEMBERS, numberOf, programUnit, sipOf, userOf } from './parties.ts';
import { countAt, limitAt, timeAt } from './source-numbers.ts';
import { passOver, whole } from './source-views.ts';
import { soundOf } from './spoken.ts';
import { dialStatus } from './studio-names.ts';
import { promptOf } from './verb-list.ts';
import { inARow, type Unit, type Unwritten } from './verb-unit.ts';

export function dialUnit(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const written = fields['target'];
  const targets = (Array.isArray(written) ? written : [written]).filter(isObject);
  const parties = targets.map(partyOf).filter((party) => party !== undefined);
  if (parties.length === 0 || parties.length < targets.length) {
    const types = targets.map((target) => wordsAt(target, 'type') ?? 'something').join(', ');
    return list.todo(
      verb,
      node,
      `connect the caller with ${types || 'a party that the source does not name'}`.slice(0, 200),
    );
  }
  reportLosses(fields, targets, node);
  const music = wordsAt(fields, 'dialMusic');
  const ringback = music === undefined ? undefined : soundOf(music, list.sounds);
  if (music !== undefined && ringback === undefined) worked(node, 'the caller hears the usual ringing tone');
  const bridge = defined<JsonObject>({
    to: parties.length === 1 ? parties[0]! : ([parties] as Json),
    from: escapedAt(fields, 'callerId'),
    from_name: escapedAt(fields, 'callerName'),
    ring_timeout: timeAt(node, fields, 'timeout', { otherwise: '60s' }),
    ringback,
    max_duration: limitAt(node, fields, 'timeLimit'),
    headers: headersAt({
      headers: Object.assign({}, ...[fields, ...targets].map((each) => objectAt(each, 'headers'))),
    }),
    whisper: whisperOf(list, node, fields, targets),
  });
  const before = ['listen', 'transcribe'].filter((key) => isObject(fields[key]));
  const beside = before.flatMap((key) => besideUnit(list, key, verb, node) ?? []);
  const make = (next: string, own: string): JsonObject => {
    const there = list.after(fields, node, { dial_call_status: dialStatus(`steps.${own}`) })(next);
    return { bridge, exits: { completed: there, failed: there } };
  };
  const within = confirmationsOf(list, verb, node, bridge['whisper'] !== undefined, [fields, ...targets]);
  return inARow([...beside, list.unit(callNameOf(parties[0]!), node, make, within)]);
}

const escapedAt = (fields: JsonObject, key: string): string | undefined => {
  const words = wordsAt(fields, key);
  return words === undefined ? undefined : textOf(words);
};

function partyOf(target: JsonObject): string | undefined {
  const [key, partyOfWords] = PARTIES[wordsAt(target, 'type') ?? ''] ?? [];
  const words = key === undefined ? undefined : wordsAt(target, key);
  return words === undefined ? undefined : partyOfWords?.(words);
}

const PARTIES: Readonly<Record<string, [key: string, partyOfWords: (words: string) => string]>> = {
  phone: ['number', numberOf],
  user: ['name', (name) => userOf(name.replace(/@.*/s, ''))],
  sip: ['sipUri', sipOf],
};

function reportLosses(fields: JsonObject, targets: readonly JsonObject[], node: ImportedNode): void {
  lost(node, fields, 'dtmfHook', 'keys that are pressed in the conversation are not reported');
  passOver(fields, ['dtmfCapture', 'anchorMedia', 'exitMediaPath']);
  lost(node, fields, 'referHook', 'the other side transfers the call without your application');
  lost(node, fields, 'amd', 'the result of the machine detection is not reported');
  lost(node, fields, 'dub', 'nothing is played beneath the conversation');
  lost(node, fields, 'proxy', 'the routes of your configuration decide how calls are routed');
  if (fields['answerOnBridge'] === true) noted(node, 'the call of the caller is answered when the other side answers');
  for (const target of targets) {
    for (const key of ['auth', 'trunk', 'overrideTo', 'proxy', 'from', 'tenant']) {
      lost(
        node,
        target,
        key,
        `${key} of a target is not kept: the routes of your configuration decide how calls are routed`,
      );
    }
    passOver(target, ['method', 'vmail']);
  }
}

/** Whisper for the callee before the two are connected. Undefined unless all targets have the same one. */
function whisperOf(
  list: JambonzContext,
  node: ImportedNode,
  fields: JsonObject,
  targets: readonly JsonObject[],
): Json | undefined {
  const urls = new Set(targets.map((target) => hookAt(target, 'confirmHook') ?? hookAt(fields, 'confirmHook')));
  const [url] = urls;
  const said = urls.size === 1 && url !== undefined ? list.saidAt(url, node) : undefined;
  return said && promptOf(said);
}

/** Confirmation documents that must be written by hand, because they do more than play prompts to the callee. */
function confirmationsOf(
  list: JambonzContext,
  { placeOf }: JsonVerb,
  dial: ImportedNode,
  isSaid: boolean,
  asking: readonly JsonObject[],
): Unwritten<JsonVerb>[] {
  return asking.flatMap((fields) => {
    const url = hookAt(fields, 'confirmHook');
    if (url === undefined) return [];
    const element = { name: 'confirmHook', at: placeOf('confirmHook'), fields, placeOf };
    const node = list.nodeOf(element);
    const what = `ask the one who is called what ${url.slice(0, 200)} answers (\`screen\` of \`bridge\`)`;
    if (!isSaid) return [{ element, node, what }];
    node.steps = dial.steps;
    return [];
  });
}

export function conferenceOf(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const name = wordsAt(fields, 'name');
  if (name === undefined) return list.todo(verb, node, 'meet others in a conference without a name');
  const hook = hookAt(fields, 'waitHook');
  const music = hook === undefined ? undefined : list.saidAt(hook, node);
  if (hook !== undefined && music === undefined) worked(node, 'members who wait hear a melody');
  lost(node, fields, 'enterHook', 'nothing is said to a member who enters');
  if (fields['statusHook'] !== undefined) noted(node, 'your project’s webhook is informed of it, not `statusHook`');
  passOver(fields, ['statusHook', 'statusEvents']);
  const meeting = {
    name,
    waits: fields['startConferenceOnEnter'] === false,
    endsWithMember: fields['endConferenceOnExit'] === true,
    most: countAt(node, fields, 'maxParticipants', { most: MAX_MEMBERS }),
    more: defined<JsonObject>({
      muted: fields['joinMuted'] === true ? true : undefined,
      music: music && promptOf(music),
      join_sound: fields['beep'] === true ? { tone: 440 } : undefined,
      record: whole(fields['record']) === undefined ? undefined : true,
    }),
  };
  return conferenceUnit(list, node, meeting, list.after(fields, node));
}

export function listenUnit(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const url = wordsAt(fields, 'url');
  if (url === undefined) return list.todo(verb, node, 'send the sound of the call to a program: it names none');
  for (const key of ['finishOnKey', 'maxLength', 'timeout', 'metadata', 'wsAuth', 'auth', 'transcribe', 'sampleRate']) {
    lost(node, fields, key, `${key} is not kept`);
  }
  if (!/^mono$/.test(wordsAt(fields, 'mixType') ?? 'mono')) worked(node, 'the program hears the caller alone');
  if (fields['passDtmf'] === true) worked(node, 'the program is not told of keys');
  passOver(fields, ['disableBidirectionalAudio']);
  if (fields['playBeep'] === true) worked(node, 'no tone says that it begins');
  return programUnit(list, node, url, list.after(fields, node));
}

export function referUnit(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const words = wordsAt(fields, 'referTo');
  if (words === undefined) return list.todo(verb, node, 'transfer the caller');
  lost(node, fields, 'referredBy', 'Referred-By is our own address');
  lost(node, fields, 'eventHook', 'your project’s webhook is informed of the transfer, not `eventHook`');
  const to = /^sips?:|@/i.test(words) ? sipOf(words) : numberOf(words);
  const transfer = defined<JsonObject>({ to, mode: 'refer', headers: headersAt(fields) });
  return list.unit('refer', node, (next) => {
    const there = list.after(fields, node)(next);
    return { transfer, exits: { transferred: there, returned: there, failed: there } };
  });
}

const RECORDING: Readonly<Record<string, string>> = {
  startCallRecording: 'start',
  stopCallRecording: 'stop',
  pauseCallRecording: 'pause',
  resumeCallRecording: 'resume',
};
const TRACKS: Readonly<Record<string, string>> = { mono: 'inbound', stereo: 'both', mixed: 'both' };

/** Converts a background setting of `config`. Undefined if it has no counterpart. */
export function besideUnit(list: JambonzContext, key: string, verb: JsonVerb, node: ImportedNode): Unit | undefined {
  const setting = objectAt(verb.fields, key);
  const isOn = setting['enable'] !== false;
  const step = (wanted: string, isStart: boolean, make: JsonObject): Unit =>
    list.unit(wanted, node, (next) => ({ ...make, exits: { [isStart ? 'started' : 'done']: next, failed: next } }));
  if (key === 'record') {
    const action = RECORDING[wordsAt(setting, 'action') ?? ''];
    if (action === undefined) return undefined;
    lost(node, setting, 'siprecServerURL', 'it is recorded here, not by the SIPREC server');
    passOver(setting, ['recordingID']);
    return step(`${action}_recording`, action === 'start', { recording: action });
  }
  if (key === 'listen' || key === 'stream') {
    if (!isOn) return step('stop_stream', false, { stream: 'stop' });
    const url = wordsAt(setting, 'url');
    const tracks = TRACKS[wordsAt(setting, 'mixType') ?? 'mono'] ?? 'inbound';
    for (const other of ['metadata', 'wsAuth', 'auth', 'sampleRate', 'passDtmf']) {
      lost(node, setting, other, `${other} is not kept`);
    }
    if (url === undefined) return undefined;
    return step('start_stream', true, { stream: { action: 'start', url: textOf(url), tracks } });
  }
  if (key === 'transcribe') {
    if (!isOn) return step('stop_transcript', false, { transcribe: 'stop' });
    const tracks = objectAt(setting, 'recognizer')['dualChannel'] === true ? 'both' : undefined;
    if (wordsAt(setting, 'transcriptionHook') !== undefined) {
      noted(node, 'your project’s webhook is informed of what is said, not `transcriptionHook`');
    }
    const transcribe = defined<JsonObject>({ action: 'start', language: list.languageOf(setting), tracks });
    return step('start_transcript', true, { transcribe });
  }
  if (key === 'bargeIn' && isOn) return list.todo(verb, node, 'take input beside the verbs that follow');
  return undefined;
}
