/**
 * TwiML importer (Twilio Programmable Voice). A document is an XML list of verbs.
 *
 * Related: `verb-list.ts` (links between documents), `twiml-parties.ts` (Dial and other connections of the caller),
 * `spoken.ts`.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { errorAt } from '../../base/schema/document.ts';
import { type FidelityReport, lost, noted, todoOf, worked } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { FlowWriter, textOf } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Imported, ImportedNode, SourceFile } from './imported.ts';
import { elementsOf, readXml, wordsOf, type XmlElement } from './read-xml.ts';
import { countAt, isLongSilence, MAX_SILENCE_S, silenceAt, timeAt } from './source-numbers.ts';
import { passOver, whole } from './source-views.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import { passOverAttributes } from './twiml-attributes.ts';
import { partyVerbs } from './twiml-parties.ts';
import { answeredBy } from './url-answers.ts';
import { nameOfPrompt, promptOf, VerbList } from './verb-list.ts';
import type { Unit, Unwritten } from './verb-unit.ts';
import {
  type BeforeTalk,
  partition,
  screenOf,
  type TwimlContext,
  type TwimlDocument,
  unwrittenOf,
} from './whisper-documents.ts';

export const isTwiml = (text: string): boolean => /<Response[\s>/]/.test(text.slice(0, 10_000));

export function importTwiml(sources: readonly SourceFile[], options: ImportContext): Imported {
  const { report } = options;
  const flow = new FlowWriter(options.name ?? documentNameOf(sources[0]!.file));
  const documents: TwimlDocument[] = [];
  const result: Imported = { format: 'twiml', flows: [], nodes: report.nodes, diagnostics: [] };
  for (const source of sources) {
    const read = readXml(source);
    if ('diagnostics' in read) result.diagnostics.push(...read.diagnostics);
    else if (read.root.name === 'Response') {
      const { account } = read.root;
      if (account !== undefined) report.document('<Response>', account);
      leaveText(report, '<Response>', read.root);
      documents.push([source.file, elementsOf(read.root)]);
    } else
      result.diagnostics.push(
        errorAt(read.root.at, 'not-twiml', `the outermost element is <${read.root.name}>, not <Response>`),
      );
  }
  if (result.diagnostics.length > 0) return result;
  const { own, whispers } = partition(documents);
  new TwimlImport(flow, report, options, whispers).all('TwiML', own);
  result.flows.push(flow.made());
  return result;
}

/** Elements whose children are parts of their text. */
const SPEAKING = ['Say', 'Body', 'Task'];
/** Elements that have a text or parts, such as numbers. */
const TEXT_OR_PARTS = ['Dial', 'Message', 'Sms'];
/** Other elements are containers or have no content. */
const WITH_TEXT = [
  ...TEXT_OR_PARTS,
  ...['Play', 'Redirect', 'Number', 'Sip', 'Client', 'Queue', 'Conference', 'Enqueue', 'Sim', 'ReferSip', 'Media'],
];

/** Reports a text directly within a container, which callers do not hear: `<Gather>Press 1.</Gather>`. */
function leaveText(report: FidelityReport, of: ImportedNode | string, { children, at }: XmlElement): void {
  const words = wordsIn(children);
  if (words !== '') report.leave(of, words.slice(0, MAX_WORDS), at);
}

const MAX_WORDS = 60;

type Verb = (element: XmlElement, node: ImportedNode) => Unit | undefined;

class TwimlImport extends VerbList<XmlElement> implements TwimlContext {
  readonly #verbs: Readonly<Record<string, Verb>>;
  readonly #whispers: ReadonlyMap<string, readonly TwimlDocument[]>;
  readonly #heard = new Map<string, Json[] | undefined>();
  readonly #nodes = new Map<XmlElement, ImportedNode>();
  readonly #covered = new Set<XmlElement>();

  constructor(
    flow: FlowWriter,
    report: FidelityReport,
    options: ImportContext,
    whispers: ReadonlyMap<string, readonly TwimlDocument[]>,
  ) {
    super(flow, report, options);
    this.#whispers = whispers;
    this.#verbs = {
      Gather: (element, node) => this.#gather(element, node),
      Record: (element, node) => this.#record(element, node),
      Redirect: (element, node) => this.#redirect(element, node),
      Hangup: (_, node) => this.unit('hang_up', node, () => ({ hangup: 'normal' })),
      Reject: ({ attributes }, node) =>
        this.unit('reject', node, () => ({ reject: attributes['reason'] === 'busy' ? 'busy' : 'declined' })),
      ...partyVerbs(this),
    };
  }

  protected promptsOf(element: XmlElement, node: ImportedNode): Json[] | undefined {
    const { name, attributes } = element;
    if (name === 'Pause' && isLongSilence(attributes['length'])) return undefined;
    const piece = (attributes['loop'] ?? '1') === '1' ? this.piece(element, node) : undefined;
    return piece === undefined ? undefined : [piece];
  }

  protected unitOf(element: XmlElement, node: ImportedNode): Unit | undefined {
    const { name, attributes } = element;
    if (name === 'Pause') {
      const pause = timeAt(node, attributes, 'length', { otherwise: '1s' });
      return this.unit('pause', node, (next) => ({ pause, next }));
    }
    const piece = this.piece(element, node);
    if (piece !== undefined) return this.loop(node, piece, attributes);
    if (name === 'Play') return this.#playUnit(element, node);
    const verb = Object.hasOwn(this.#verbs, name) ? this.#verbs[name]! : undefined;
    return verb ? verb(element, node) : this.todo(element, node, `do what <${name}> does`);
  }

  protected sourceOf({ source }: XmlElement): Json {
    return textOf(source);
  }

  override nodeOf(element: XmlElement): ImportedNode {
    const node = super.nodeOf(element);
    if (!this.#nodes.has(element)) this.#nodes.set(element, node);
    passOverAttributes(element, node);
    return node;
  }

  /** The source in a `todo` has all that is within the element. */
  override todo(element: XmlElement, node: ImportedNode, what: string): Unit {
    const cover = (inner: XmlElement): void => {
      this.#covered.add(inner);
      whole(inner.attributes);
      elementsOf(inner).forEach(cover);
    };
    cover(element);
    return super.todo(element, node, what);
  }

  override all(title: string, documents: readonly TwimlDocument[]): void {
    super.all(title, documents);
    // SSML is taken as it is; other elements without a node are not converted.
    for (const [element, node] of this.#nodes) {
      if (SPEAKING.includes(element.name) || this.#covered.has(element)) continue;
      const inner = elementsOf(element);
      for (const child of inner) {
        if (!this.#nodes.has(child)) this.report.leave(node, `<${child.name}>`, child.at);
      }
      const isRead = WITH_TEXT.includes(element.name) && (inner.length === 0 || !TEXT_OR_PARTS.includes(element.name));
      if (!isRead) leaveText(this.report, node, element);
    }
  }

  /** Part of a prompt. Undefined if the element is not one. */
  piece({ name, attributes, children, source }: XmlElement, node: ImportedNode): Json | undefined {
    if (name === 'Pause')
      return { silence: timeAt(node, attributes, 'length', { otherwise: '1s', most: MAX_SILENCE_S }) };
    if (name === 'Play')
      return attributes['digits'] === undefined ? soundOf(wordsIn(children), this.options.sounds) : undefined;
    if (name !== 'Say') return undefined;
    const voice = voiceOf(attributes['voice'], node);
    const language = localeOf(attributes['language']);
    if (children.every((child) => typeof child === 'string')) {
      return spoken(textOf(wordsIn(children)), voice, language);
    }
    const inner = source.replace(/^<Say[^>]*>/s, '').replace(/<\/Say>$/, '');
    return defined<JsonObject>({ ssml: `<speak>${textOf(inner.trim())}</speak>`, voice, language });
  }

  promptsOfAside(url: string): Json[] | undefined {
    const { name } = answeredBy(url);
    const documents = this.#whispers.get(name);
    if (documents === undefined) {
      const sound = soundOf(url, this.options.sounds);
      return sound && [sound];
    }
    if (!this.#heard.has(name)) this.#heard.set(name, this.#wordsOf(documents[0]![1]));
    return this.#heard.get(name);
  }

  /** Prompts of a document that loops them. Other verbs in it must be written by hand. */
  #wordsOf(verbs: readonly XmlElement[]): Json[] | undefined {
    const prompts = verbs.flatMap((verb) => {
      const node = this.nodeOf(verb);
      if (verb.name === 'Redirect') return [];
      const piece = this.piece(verb, node);
      if (piece === undefined) todoOf(node, `say or play what a waiting caller hears of <${verb.name}>`);
      return [piece];
    });
    return prompts.every((prompt) => prompt !== undefined) ? prompts : undefined;
  }

  beforeTalk(nouns: readonly XmlElement[], nodes: readonly ImportedNode[]): BeforeTalk {
    const [first] = nouns;
    const { sendDigits: keys, url } = first?.attributes ?? {};
    const isOfAll = nouns.every((noun) => noun.attributes['sendDigits'] === keys && noun.attributes['url'] === url);
    if (!isOfAll) {
      const what = 'call several parties of which each gets other keys or hears something else';
      return { args: {}, unwritten: [{ element: first!, node: nodes[0]!, what }] };
    }
    const args: JsonObject = keys === undefined ? {} : { send_digits: keysOf(keys) };
    if (url === undefined) return { args, unwritten: [] };
    const before = this.#screen(url) ?? this.promptsOfAside(url);
    if (before === undefined) return { args, unwritten: [unwrittenOf(first!, nodes[0]!, url)] };
    return {
      args: { ...args, ...(Array.isArray(before) ? { whisper: promptOf(before)! } : { screen: before }) },
      unwritten: [],
    };
  }

  #screen(url: string): JsonObject | undefined {
    const [document] = this.#whispers.get(answeredBy(url).name) ?? [];
    if (document === undefined) return undefined;
    const screen = screenOf(document[1], (action) => this.#whispers.get(answeredBy(action).name) ?? []);
    if (screen === undefined) return undefined;
    // `screen` has the question, the key and the time of this document.
    const { accept, gather } = screen;
    let timeout: string | undefined;
    for (const verb of document[1]) {
      const node = this.nodeOf(verb);
      if (verb === gather) timeout = timeAt(node, verb.attributes, 'timeout', { otherwise: '5s' });
      if (verb.name === 'Gather') passOver(verb.attributes, ['action', 'numDigits', 'timeout', 'input', 'finishOnKey']);
    }
    const prompts = screen.words.flatMap((words) => this.piece(words, this.nodeOf(words)) ?? []);
    return { prompt: promptOf(prompts) ?? { silence: '1s' }, accept, timeout: timeout!, attempts: 1 };
  }

  #playUnit(element: XmlElement, node: ImportedNode): Unit {
    const { digits } = element.attributes;
    if (digits !== undefined) {
      return this.unit('press_keys', node, (next) => ({
        send_digits: keysOf(digits),
        next,
      }));
    }
    return this.todo(element, node, missingSound(wordsOf(element)));
  }

  #gather(element: XmlElement, node: ImportedNode): Unit {
    const { attributes } = element;
    const { prompts, within } = this.#promptsIn(element);
    const input = attributes['input'] ?? 'dtmf';
    const timeout = timeAt(node, attributes, 'timeout', { otherwise: '5s' });
    const terminator = attributes['finishOnKey'];
    const language = localeOf(attributes['language']);
    const digits = defined<JsonObject>({
      max: countAt(node, attributes, 'numDigits', { most: MAX_DIGITS }),
      terminator: terminator === undefined || terminator === '#' ? undefined : terminator.slice(0, 1),
    });
    const hints = (attributes['hints'] ?? '')
      .split(',')
      .map((hint) => textOf(hint.trim()))
      .filter(Boolean);
    const speech = defined<JsonObject>({ hints: hints.length > 0 ? hints : undefined, language });
    lost(node, attributes, 'partialResultCallback', 'no event tells of words while they are said');
    lost(node, attributes, 'maxSpeechTime', 'the caller may speak as long as he or she likes');
    if (attributes['profanityFilter'] === 'false') noted(node, 'your recogniser decides whether it masks words');
    if (!/speech/.test(input)) passOver(attributes, ['speechTimeout', 'hints', 'profanityFilter', 'language']);
    const silence = /speech/.test(input) ? silenceAt(node, attributes, 'speechTimeout') : undefined;
    const make = (next: string, own: string): JsonObject => {
      const sent = { Digits: `steps.${own}.digits`, SpeechResult: `steps.${own}.speech` };
      const answered = this.target(attributes['action'], node, sent);
      const exhausted = attributes['actionOnEmptyResult'] === 'true' ? answered : next;
      return {
        collect: defined<JsonObject>({
          prompt: promptOf(prompts),
          digits: /dtmf/.test(input) ? digits : undefined,
          speech: /speech/.test(input) ? speech : undefined,
          attempts: 1,
          start_timeout: timeout,
          inter_digit_timeout: /dtmf/.test(input) ? timeout : undefined,
          recognizer_timeout: silence,
          barge_in: attributes['bargeIn'] === 'false' ? false : undefined,
        }),
        exits: { collected: answered, exhausted },
      };
    };
    return this.unit(`ask_${nameOfPrompt(prompts)}`, node, make, within);
  }

  /** Prompts nested in a `Gather`. */
  #promptsIn(element: XmlElement): { prompts: Json[]; within: Unwritten<XmlElement>[] } {
    const within: Unwritten<XmlElement>[] = [];
    const prompts = elementsOf(element).flatMap((inner) => {
      const node = this.nodeOf(inner);
      const piece = this.piece(inner, node);
      const times = countAt(node, inner.attributes, 'loop', { most: MAX_PIECES, otherwise: 1 });
      if (piece !== undefined) return Array<Json>(times).fill(piece);
      const what = inner.name === 'Play' ? missingSound(wordsOf(inner)) : `<${inner.name}> has no place in a question`;
      within.push({ element: inner, node, what });
      return [];
    });
    return { prompts, within };
  }

  #record({ attributes }: XmlElement, node: ImportedNode): Unit {
    const keys = attributes['finishOnKey'];
    if (attributes['trim'] === 'trim-silence') worked(node, 'silence stays in the recording');
    if (attributes['transcribe'] === 'true') worked(node, 'the recording is not written down');
    const length = countAt(node, attributes, 'maxLength', { most: MAX_RECORDING_S, otherwise: MAX_RECORDING_S });
    return this.unit('record', node, (next) => ({
      record: defined<JsonObject>({
        max_length: `${length}s`,
        end_silence: timeAt(node, attributes, 'timeout', { otherwise: '5s' }),
        terminator: keys?.replaceAll(/[^0-9*#]/g, '') ?? ANY_KEY,
        beep: attributes['playBeep'] === 'false' ? false : undefined,
      }),
      exits: { recorded: this.target(attributes['action'], node), silence: next },
    }));
  }

  /** A redirect needs no step: the step before is routed to its target. */
  #redirect(element: XmlElement, node: ImportedNode): Unit {
    const url = wordsOf(element);
    return { entry: () => this.target(url, node), write: () => this.target(url, node) };
  }
}

/** Other characters, such as dashes, are only for readers. A capital W is twice as long a pause. */
const keysOf = (written: string): string =>
  written
    .replaceAll('W', 'ww')
    .replaceAll(/[a-d]/g, (key) => key.toUpperCase())
    .replaceAll(/[^0-9A-D*#w]/g, '');

const ANY_KEY = '1234567890*#';
const MAX_PIECES = 20;
const MAX_DIGITS = 100;
const MAX_RECORDING_S = 3600;

const wordsIn = (children: readonly (XmlElement | string)[]): string =>
  children
    .filter((child) => typeof child === 'string')
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
