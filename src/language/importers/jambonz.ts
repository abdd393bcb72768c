/**
 * jambonz importer. A document is a JSON list of verbs. `actionHook` leads to another document, which replaces the
 * remaining verbs; `config` sets defaults for the verbs after it.
 *
 * Related: `verb-list.ts` (links between documents), `jambonz-parties.ts` (dial and background settings),
 * `jambonz-gather.ts`, `json-verbs.ts`.
 */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { type FidelityReport, lost, worked } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { FlowWriter, nameOfFlow, textOf } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Imported, ImportedNode, SourceFile } from './imported.ts';
import { assistantUnit } from './jambonz-assistant.ts';
import { asideHooks, headersAt, hookAt, type JambonzContext } from './jambonz-context.ts';
import { gatherUnit } from './jambonz-gather.ts';
import { besideUnit, conferenceOf, dialUnit, listenUnit, referUnit } from './jambonz-parties.ts';
import { dequeueUnit, enqueueUnit, LEFT, leaveUnit } from './jambonz-queues.ts';
import { importJsonList, type JsonVerb, JsonVerbList, listAt, objectAt, wordsAt } from './json-verbs.ts';
import { numberOf } from './parties.ts';
import { countAt, isLongSilence, timeAt } from './source-numbers.ts';
import { passOver, unviewed, whole } from './source-views.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import type { SentAlong } from './url-answers.ts';
import { nameOfPrompt, promptOf } from './verb-list.ts';
import { inARow, type Unit } from './verb-unit.ts';

/** Names of verbs, for documents in the short form `{ "say": { … } }`. */
const NAMES =
  'answer|config|conference|dequeue|dial|dialogflow|dtmf|dub|enqueue|gather|hangup|leave|lex|listen|llm|message|pause|play|rasa|redirect|say|sip:decline|sip:refer|sip:request|stream|tag|transcribe';
const SHORT = new RegExp(`^\\s*(\\[\\s*)?\\{\\s*"(${NAMES})"\\s*:\\s*\\{`);
const NAME = new RegExp(`^(${NAMES})$`);

export const isJambonz = (text: string): boolean =>
  SHORT.test(text) || (/^\s*[[{]/.test(text) && /"verb"\s*:\s*"/.test(text));

/** Node-RED keeps its nodes in a list, with the wires between them. Nodes of jambonz have the names of verbs. */
export const isNodeRed = (text: string): boolean =>
  /^\s*\[/.test(text) &&
  /"wires"\s*:/.test(text) &&
  new RegExp(`"type"\\s*:\\s*"(jambonz[\\w -]*|${NAMES}|create-call|webhook[_ -]in|webhook[_ -]out)"`).test(text);

export const importJambonz = (sources: readonly SourceFile[], options: ImportContext): Imported =>
  importJsonList(sources, options, {
    format: 'jambonz',
    title: 'jambonz',
    key: 'verb',
    shortForm: (value) => {
      const [[name, fields] = [], more] = Object.entries(value);
      return name !== undefined && more === undefined && NAME.test(name) && isObject(fields)
        ? [name, fields]
        : undefined;
    },
    make: (flow, report, context) => new JambonzImport(flow, report, context),
  });

const ASSISTANT = /^(llm|agent|pipeline|lex|dialogflow|rasa|cognigy|s2s|\w+_s2s)$/;

class JambonzImport extends JsonVerbList implements JambonzContext {
  /** Current defaults from `config`. */
  #synthesizer: Synthesizer = {};
  #recognizer: JsonObject = {};

  readonly isHeardInQueue: boolean;

  constructor(flow: FlowWriter, report: FidelityReport, options: ImportContext, isHeardInQueue = false) {
    super(flow, report, options);
    this.isHeardInQueue = isHeardInQueue;
  }

  get sounds(): ReadonlySet<string> {
    return this.options.sounds;
  }

  languageOf(fields: JsonObject): string | undefined {
    const own = objectAt(fields, 'recognizer');
    passOver(own, ENGINES);
    return localeOf(wordsAt(own, 'language')) ?? localeOf(wordsAt(this.#recognizer, 'language'));
  }

  protected override leadsTo({ fields }: JsonVerb): string[] {
    return [hookAt(unviewed(fields)) ?? []].flat();
  }

  protected override asidesOf(verb: JsonVerb): string[] {
    return asideHooks(verb);
  }

  waitingFlow(url: string): { flow: string; outcomes: readonly string[] } | undefined {
    const names = [...this.reached([url])];
    if (names.length === 0) return undefined;
    const documents = names.map((name): [string, readonly JsonVerb[]] => [name, this.documentAt(name)!]);
    const wanted = `${this.flow.name}-${documentNameOf(url)}`;
    if (!this.called.some(({ name }) => name === nameOfFlow(wanted))) {
      const flow = new FlowWriter(wanted);
      new JambonzImport(flow, this.report, this.options, true).all('jambonz', documents);
      this.called.push(flow);
    }
    const leaves = documents.some(([, verbs]) => verbs.some(({ name }) => name === 'leave'));
    return { flow: nameOfFlow(wanted), outcomes: leaves ? [LEFT] : [] };
  }

  after(fields: JsonObject, node: ImportedNode, sent: SentAlong = {}): (next: string) => string {
    const url = hookAt(fields);
    return (next) => (url === undefined ? next : this.target(url, node, sent, next));
  }

  protected promptsOf(verb: JsonVerb, node: ImportedNode): Json[] | undefined {
    const { name, fields } = verb;
    passOver(fields, ['id']);
    if (name === 'pause') {
      if (isLongSilence(fields['length'])) return undefined;
      return [{ silence: timeAt(node, fields, 'length', { otherwise: '1s' }) }];
    }
    const isOnce = (wordsAt(fields, 'loop') ?? '1') === '1';
    const isAlone = fields['earlyMedia'] === true || hookAt(fields) !== undefined;
    return isOnce && !isAlone ? this.piecesOf(verb, node) : undefined;
  }

  piecesOf({ name, fields }: JsonVerb, node: ImportedNode): Json[] | undefined {
    if (name === 'play') {
      lost(node, fields, 'seekOffset', 'it is played from its beginning');
      lost(node, fields, 'timeoutSecs', 'it is played to its end');
      const sounds = listAt(fields, 'url').map((url) => soundOf(url, this.sounds));
      const known = sounds.filter((sound) => sound !== undefined);
      return known.length === 0 || known.length < sounds.length ? undefined : known;
    }
    if (name !== 'say') return undefined;
    passOver(fields, ['disableTtsCache', 'stream', 'closeStreamOnEmpty']);
    const texts = listAt(fields, 'text');
    const [text] = texts;
    if (text === undefined) return undefined;
    if (texts.length > 1) worked(node, 'the first of its texts is said, not any of them');
    const synthesizer = { ...this.#synthesizer, ...synthesizerAt(fields) };
    const voice = voiceOf(synthesizer.voice ?? synthesizer.gender?.toLowerCase(), node);
    const language = localeOf(synthesizer.language);
    if (/^\s*<speak[\s>]/.test(text)) return [defined<JsonObject>({ ssml: textOf(text.trim()), voice, language })];
    return [spoken(textOf(text), voice, language)];
  }

  protected unitOf(verb: JsonVerb, node: ImportedNode): Unit | undefined {
    const { name, fields } = verb;
    const prompts = this.piecesOf(verb, node);
    if (prompts !== undefined) return this.#playUnit(verb, node, prompts);
    if (Object.hasOwn(VERBS, name)) return VERBS[name]!(this, verb, node);
    if (name === 'config') return this.#config(verb, node);
    if (name === 'redirect' && hookAt(fields) !== undefined) {
      const there = (): string => this.target(hookAt(fields), node);
      return { entry: there, write: there };
    }
    if (ASSISTANT.test(name)) return assistantUnit(this, verb, node);
    return this.todo(verb, node, WHAT[name]?.(fields) ?? `do what the verb ${name.slice(0, 60)} does`);
  }

  #playUnit({ fields }: JsonVerb, node: ImportedNode, prompts: readonly Json[]): Unit {
    const prompt = promptOf(prompts)!;
    const loop = wordsAt(fields, 'loop') ?? '1';
    const isEarly = fields['earlyMedia'] === true;
    if (!isEarly && hookAt(fields) === undefined) return this.loop(node, prompt, fields);
    if (loop !== '1') worked(node, 'it is said once');
    const play = isEarly ? { prompt, early: true } : prompt;
    return this.unit(`say_${nameOfPrompt(prompts)}`, node, (next) => ({ play, next: this.after(fields, node)(next) }));
  }

  /** Sets voice and language for the following verbs. These settings need no step. */
  #config(verb: JsonVerb, node: ImportedNode): Unit | undefined {
    const { fields } = verb;
    for (const setting of listAt(fields, 'reset')) {
      if (setting === 'synthesizer') this.#synthesizer = {};
      if (setting === 'recognizer') this.#recognizer = {};
    }
    this.#synthesizer = { ...this.#synthesizer, ...synthesizerAt(fields) };
    const recognizer = objectAt(fields, 'recognizer');
    passOver(recognizer, ENGINES);
    this.#recognizer = defined<JsonObject>({
      ...this.#recognizer,
      language: wordsAt(recognizer, 'language') ?? this.#recognizer['language'],
    });
    passOver(fields, ['notifyEvents']);
    const units: Unit[] = [];
    for (const key of Object.keys(fields)) {
      if (SETTINGS.includes(key)) continue;
      const unit = BESIDE.test(key) ? besideUnit(this, key, verb, node) : undefined;
      if (unit !== undefined) units.push(unit);
      else if (objectAt(unviewed(fields), key)['enable'] === false) passOver(fields, [key]);
      else if (OTHERS.test(key)) lost(node, fields, key, `the setting ${key} is not kept`);
    }
    return units.length === 0 ? undefined : inARow(units);
  }
}

interface Synthesizer {
  voice?: string;
  gender?: string;
  language?: string;
}

/** Voice settings of a verb. Engines and their fallbacks are settings of the service here. */
function synthesizerAt(fields: JsonObject): Synthesizer {
  const written = objectAt(fields, 'synthesizer');
  passOver(written, [...ENGINES, 'engine']);
  const [voice, gender, language] = ['voice', 'gender', 'language'].map((key) => wordsAt(written, key));
  return defined<Synthesizer>({ voice, gender, language });
}

/** Names of engines, which the configuration of the service chooses. */
const ENGINES = ['vendor', 'label', 'fallbackVendor', 'fallbackLabel', 'fallbackLanguage', 'fallbackVoice'];
/** Settings of `config` that run in the background. */
const BESIDE = /^(record|listen|stream|transcribe|bargeIn)$/;
/** Settings of `config` without a counterpart. */
const OTHERS =
  /^(actionHookDelayAction|amd|autoStreamTts|bargeIn|boostAudioSignal|disableTtsCache|fillerNoise|listen|notifyEvents|onHoldMusic|record|referHook|sipRequestWithinDialogHook|stream|transcribe|transferHook|ttsStream|vad)$/;
/** Settings of `config` that its importer reads itself. */
const SETTINGS = ['verb', 'id', 'reset', 'synthesizer', 'recognizer', 'notifyEvents'];

/** Sends a message through a provider of the configuration. */
function messageUnit(list: JambonzImport, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const [to, text] = [wordsAt(fields, 'to'), wordsAt(fields, 'text')];
  passOver(fields, ['carrier', 'account_sid', 'message_sid']);
  if (to === undefined || text === undefined || fields['media'] !== undefined) {
    return list.todo(
      verb,
      node,
      `send the message “${text?.slice(0, 200) ?? ''}”${text === undefined ? '' : ' with its pictures'}`,
    );
  }
  const from = wordsAt(fields, 'from');
  const message = defined<JsonObject>({ to: numberOf(to), text: textOf(text), from: from && numberOf(from) });
  return list.unit('send_message', node, (next) => {
    const there = list.after(fields, node)(next);
    return { message, exits: { sent: there, refused: there } };
  });
}

type MakeUnit = (list: JambonzImport, verb: JsonVerb, node: ImportedNode) => Unit;

const VERBS: Readonly<Record<string, MakeUnit>> = {
  gather: gatherUnit,
  dial: dialUnit,
  conference: conferenceOf,
  enqueue: enqueueUnit,
  dequeue: dequeueUnit,
  leave: leaveUnit,
  message: messageUnit,
  listen: listenUnit,
  stream: listenUnit,
  transcribe: (list, verb, node) =>
    besideUnit(list, 'transcribe', { ...verb, fields: { transcribe: verb.fields } }, node)!,
  'sip:refer': referUnit,
  'sip:decline': (list, { fields }, node) => {
    const status = countAt(node, fields, 'status', { least: 300, most: 699, otherwise: 603 });
    lost(node, fields, 'reason', 'the reason is that of the status');
    const headers = headersAt(fields);
    return list.unit('reject', node, () => ({ reject: defined<JsonObject>({ status, headers }) }));
  },
  hangup: (list, { fields }, node) => {
    const headers = headersAt(fields);
    return list.unit('hang_up', node, () => ({
      hangup: headers === undefined ? 'normal' : { cause: 'normal', headers },
    }));
  },
  pause: (list, { fields }, node) =>
    list.unit('pause', node, (next) => ({ pause: timeAt(node, fields, 'length', { otherwise: '1s' }), next })),
  answer: (list, _verb, node) => list.unit('answer', node, (next) => ({ answer: {}, next })),
  dtmf: (list, verb, node) => {
    const digits = (wordsAt(verb.fields, 'dtmf') ?? '').toLowerCase().replaceAll(/[^0-9a-d*#w]/g, '');
    const tone = timeAt(node, verb.fields, 'duration', { unitMs: 1 });
    if (digits === '') return list.todo(verb, node, 'press keys: it names none');
    const keys = tone === undefined ? digits : { digits, tone };
    return list.unit('press_keys', node, (next) => ({ send_digits: keys, next }));
  },
  tag: (list, verb, node) => {
    const data = Object.entries(whole(objectAt(verb.fields, 'data')));
    if (data.length === 0) return list.todo(verb, node, 'tag the call: it has no data');
    worked(node, 'what the call is tagged with are variables of the flow');
    const set = Object.fromEntries(
      data.map(([key, value]) => [list.flow.variable(key), typeof value === 'string' ? textOf(value) : value]),
    );
    return list.unit('tag', node, (next) => ({ set, next }));
  },
};

/** Descriptions of verbs without a counterpart. */
const WHAT: Readonly<Record<string, (fields: JsonObject) => string>> = {
  say: () => 'it has no text or sound to play',
  play: (fields) => missingSound(listAt(fields, 'url')[0] ?? 'a sound'),
  dub: () => 'play a track beneath the call',
  'sip:request': (fields) => `send the SIP request ${wordsAt(fields, 'method')?.slice(0, 40) ?? ''}`,
  redirect: () => 'go to another document: it names none',
};
