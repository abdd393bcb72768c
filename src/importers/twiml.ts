/**
 * TwiML (Twilio Programmable Voice): a document is a list of verbs, done one after the other until one of them leads to
 * another document by its URL. Several documents become one flow; a URL leads to the document whose file has its name, and
 * where there is none, to a step that has to be written: the application at that URL decides what comes next.
 *
 * Neighbours: `twiml-parties.ts` (Dial and what connects the caller), `spoken.ts`.
 */
import { defined, type Json, type JsonObject } from '../core/json.ts';
import { errorAt } from '../schema/document.ts';
import { FidelityReport, todoOf, worked } from './fidelity.ts';
import { END, FlowWriter, nameFromText, secondsOf, textOf, wordOf } from './flow-writer.ts';
import type { ImportContext, Imported, ImportedNode, Source } from './imported.ts';
import { elementsOf, readXml, wordsOf, type XmlElement } from './read-xml.ts';
import { localeOf, missingSound, soundNameOf, soundOf, spoken, voiceOf } from './spoken.ts';
import { type PartyContext, partyVerbs } from './twiml-parties.ts';
import { inARow, type Unit, type Unwritten } from './twiml-unit.ts';

export const isTwiml = (text: string): boolean => /<Response[\s>/]/.test(text.slice(0, 10_000));

export function importTwiml(sources: readonly Source[], options: ImportContext): Imported {
  const report = new FidelityReport();
  const flow = new FlowWriter(options.name ?? nameOf(sources[0]!.file));
  const documents: [source: Source, root: XmlElement][] = [];
  const result: Imported = { format: 'twiml', flows: [], nodes: report.nodes, diagnostics: [] };
  for (const source of sources) {
    const read = readXml(source);
    if ('diagnostics' in read) result.diagnostics.push(...read.diagnostics);
    else if (read.root.name === 'Response') documents.push([source, read.root]);
    else
      result.diagnostics.push(
        errorAt(read.root.at, 'not-twiml', `the outermost element is <${read.root.name}>, not <Response>`),
      );
  }
  if (result.diagnostics.length > 0) return result;
  new TwimlImport(flow, report, options).all(documents);
  result.flows.push({ name: flow.name, text: flow.text() });
  return result;
}

/** A document's name as its URL would have it: without folder and endings. */
const nameOf = (path: string): string => soundNameOf(path).replace(/\..*$/s, '');

/** A part of a prompt. */
interface Piece {
  prompt: Json;
  node: ImportedNode;
}

type Verb = (element: XmlElement, node: ImportedNode) => Unit | undefined;

class TwimlImport implements PartyContext {
  readonly flow: FlowWriter;
  readonly #report: FidelityReport;
  readonly #options: ImportContext;
  /** Where each document begins, by its name. */
  readonly #documents = new Map<string, () => string>();
  /** Steps that stand for what an application answers, by URL. */
  readonly #applications = new Map<string, string>();
  /** They stand at the end of the flow. */
  readonly #ofApplications: [name: string, step: JsonObject][] = [];
  /** Where the document begins whose verbs are being written. */
  #current: () => string = () => END;
  /** Documents that are being looked for: those that lead to each other only never end. */
  readonly #looking = new Set<string>();
  readonly #verbs: Readonly<Record<string, Verb>>;

  constructor(flow: FlowWriter, report: FidelityReport, options: ImportContext) {
    this.flow = flow;
    this.#report = report;
    this.#options = options;
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

  all(documents: readonly [Source, XmlElement][]): void {
    const planned = documents.map(([source, root]) => {
      const units = this.#plan(elementsOf(root));
      const begin = (): string => units[0]?.entry() ?? END;
      this.#documents.set(nameOf(source.file), begin);
      return { units, begin };
    });
    for (const { units, begin } of planned) {
      this.#current = begin;
      for (const [index, unit] of units.entries()) unit.write(units[index + 1]?.entry() ?? END);
    }
    for (const [name, step] of this.#ofApplications) this.flow.step(name, step);
    const names = documents.map(([{ file }]) => nameOf(file));
    this.flow.begin(planned[0]!.begin(), `Imported from TwiML: ${names.join(', ')}.`);
  }

  /** Verbs as steps; what is said in a row is said by one. */
  #plan(elements: readonly XmlElement[]): Unit[] {
    const units: Unit[] = [];
    let pieces: Piece[] = [];
    const say = (): void => {
      if (pieces.length > 0) units.push(this.#sayUnit(pieces));
      pieces = [];
    };
    for (const element of elements) {
      const node = this.#report.node(element.name, element.at);
      const piece = this.piece(element, node);
      if (piece !== undefined && (element.attributes['loop'] ?? '1') === '1') {
        pieces.push({ prompt: piece, node });
        continue;
      }
      say();
      const unit = piece === undefined ? this.#unitOf(element, node) : this.#loop(element, node, piece);
      if (unit) units.push(unit);
    }
    say();
    return units;
  }

  #unitOf(element: XmlElement, node: ImportedNode): Unit | undefined {
    const { name, attributes } = element;
    if (name === 'Play') return this.#playUnit(element, node);
    if (name === 'Pause')
      return this.unit('pause', node, (next) => ({ pause: secondsOf(attributes['length']) ?? '1s', next }));
    const verb = Object.hasOwn(this.#verbs, name) ? this.#verbs[name]! : undefined;
    return verb ? verb(element, node) : this.todo(element, node, `do what <${name}> does`);
  }

  /** A step with one verb; `make` gives it without its name. What is left to write of nodes within it stands before it. */
  unit(
    wanted: string,
    node: ImportedNode,
    make: (next: string) => JsonObject,
    within: readonly Unwritten[] = [],
  ): Unit {
    const before = within.map(({ element, node: inner, what }) => this.todo(element, inner, what));
    const name = this.flow.reserve(wanted);
    node.steps.push(name);
    const own = { entry: () => name, write: (next: string) => this.flow.step(name, make(next), notesOf(node)) };
    return inARow([...before, own]);
  }

  todo({ name, source }: XmlElement, node: ImportedNode, what: string): Unit {
    return this.unit(wordOf(name.toLowerCase(), 'todo'), node, (next) => ({
      ...todoOf(node, what, { source: textOf(source.slice(0, LONGEST_SOURCE)) }),
      next,
    }));
  }

  nodeOf({ name, at }: XmlElement): ImportedNode {
    return this.#report.node(name, at);
  }

  /** What the application at a URL of the source would answer; no URL is that of the document that is being written. */
  target(url: string | undefined, node: ImportedNode): string {
    const key = url === undefined || url === '' ? '' : nameOf(url);
    const begin = key === '' ? this.#current : this.#documents.get(key);
    if (begin !== undefined) {
      if (this.#looking.has(key)) return END;
      this.#looking.add(key);
      const there = begin();
      this.#looking.delete(key);
      return there;
    }
    const known = this.#applications.get(url!);
    if (known !== undefined) return known;
    const name = this.flow.reserve(`ask_${wordOf(nameOf(url!), 'application')}`);
    this.#applications.set(url!, name);
    const what = `do what ${url!.slice(0, 300)} answers: it decides what comes next`;
    this.#ofApplications.push([name, { ...todoOf(node, what), next: END }]);
    node.steps.push(name);
    return name;
  }

  #sayUnit(pieces: readonly Piece[]): Unit {
    const prompts = pieces.map(({ prompt }) => prompt);
    const isSilent = prompts.every((prompt) => typeof prompt === 'object' && prompt !== null && 'silence' in prompt);
    const name = this.flow.reserve(isSilent ? 'pause' : `say_${nameOfPrompt(prompts)}`);
    for (const { node } of pieces) node.steps.push(name);
    const notes = [...new Set(pieces.flatMap(({ node }) => node.notes))];
    const play = prompts.length === 1 ? prompts[0]! : prompts;
    return { entry: () => name, write: (next) => this.flow.step(name, { play, next }, notes) };
  }

  /** What is said again and again. */
  #loop({ attributes }: XmlElement, node: ImportedNode, prompt: Json): Unit {
    const written = Number(attributes['loop']);
    if (written === 0) worked(node, `it is said ${MOST_LOOPS} times, not until the caller hangs up`);
    const repeat = written >= 1 ? Math.min(written, MOST_LOOPS) : MOST_LOOPS;
    return this.unit(`say_${nameOfPrompt([prompt])}`, node, (next) => ({ play: { prompt, repeat }, next }));
  }

  /** A part of a prompt, where the element is one. */
  piece({ name, attributes, children, source }: XmlElement, node: ImportedNode): Json | undefined {
    if (name === 'Pause') return { silence: secondsOf(attributes['length']) ?? '1s' };
    if (name === 'Play')
      return attributes['digits'] === undefined ? soundOf(wordsIn(children), this.#options.sounds) : undefined;
    if (name !== 'Say') return undefined;
    const voice = voiceOf(attributes['voice'], node);
    const language = localeOf(attributes['language']);
    if (children.every((child) => typeof child === 'string')) {
      return spoken(textOf(wordsIn(children)), voice, language);
    }
    const inner = source.replace(/^<Say[^>]*>/s, '').replace(/<\/Say>$/, '');
    return defined<JsonObject>({ ssml: `<speak>${textOf(inner.trim())}</speak>`, voice, language });
  }

  #playUnit(element: XmlElement, node: ImportedNode): Unit {
    const { digits } = element.attributes;
    if (digits !== undefined) {
      return this.unit('press_keys', node, (next) => ({
        send_digits: digits.toLowerCase().replaceAll(/[^0-9a-d*#w]/g, ''),
        next,
      }));
    }
    return this.todo(element, node, missingSound(wordsOf(element)));
  }

  #gather(element: XmlElement, node: ImportedNode): Unit {
    const { attributes } = element;
    const { prompts, within } = this.#promptsIn(element);
    const input = attributes['input'] ?? 'dtmf';
    const timeout = secondsOf(attributes['timeout']) ?? '5s';
    const most = Number(attributes['numDigits']);
    const terminator = attributes['finishOnKey'];
    const language = localeOf(attributes['language']);
    const digits = defined<JsonObject>({
      max: most >= 1 ? Math.min(most, MOST_DIGITS) : undefined,
      terminator: terminator === undefined || terminator === '#' ? undefined : terminator.slice(0, 1),
    });
    const hints = (attributes['hints'] ?? '')
      .split(',')
      .map((hint) => textOf(hint.trim()))
      .filter(Boolean);
    const speech = defined<JsonObject>({ hints: hints.length > 0 ? hints : undefined, language });
    if (terminator === '') worked(node, 'no key ends the input in the source; here # does');
    if (attributes['partialResultCallback'] !== undefined) worked(node, 'no event tells of words while they are said');
    const silence = secondsOf(attributes['speechTimeout']);
    const prompt = prompts.length === 1 ? prompts[0] : prompts.length > 1 ? prompts : undefined;
    const make = (next: string): JsonObject => {
      const answered = this.target(attributes['action'], node);
      const exhausted = attributes['actionOnEmptyResult'] === 'true' ? answered : next;
      return {
        collect: defined<JsonObject>({
          prompt,
          digits: /dtmf/.test(input) ? digits : undefined,
          speech: /speech/.test(input) ? speech : undefined,
          attempts: 1,
          start_timeout: timeout,
          inter_digit_timeout: /dtmf/.test(input) ? timeout : undefined,
          recognizer_timeout: /speech/.test(input) ? silence : undefined,
          barge_in: attributes['bargeIn'] === 'false' ? false : undefined,
        }),
        exits: { collected: answered, exhausted },
      };
    };
    return this.unit(`ask_${nameOfPrompt(prompts)}`, node, make, within);
  }

  /** What is said in a `Gather`. */
  #promptsIn(element: XmlElement): { prompts: Json[]; within: Unwritten[] } {
    const within: Unwritten[] = [];
    const prompts = elementsOf(element).flatMap((inner) => {
      const node = this.nodeOf(inner);
      const piece = this.piece(inner, node);
      const times = Math.min(Number(inner.attributes['loop'] ?? 1) || 1, MOST_PIECES);
      if (piece !== undefined) return Array<Json>(times).fill(piece);
      const what = inner.name === 'Play' ? missingSound(wordsOf(inner)) : `<${inner.name}> has no place in a question`;
      within.push({ element: inner, node, what });
      return [];
    });
    return { prompts, within };
  }

  #record({ attributes }: XmlElement, node: ImportedNode): Unit {
    const keys = attributes['finishOnKey'];
    if (keys === undefined || keys.length > 1) worked(node, 'only # ends the recording, not any key');
    if (attributes['transcribe'] === 'true') worked(node, 'the recording is not written down');
    const length = Math.min(Number(attributes['maxLength'] ?? 3600) || 3600, 3600);
    return this.unit('record', node, (next) => ({
      record: defined<JsonObject>({
        max_length: `${length}s`,
        end_silence: secondsOf(attributes['timeout']) ?? '5s',
        terminator: keys?.length === 1 ? keys : undefined,
        beep: attributes['playBeep'] === 'false' ? false : undefined,
      }),
      exits: { recorded: this.target(attributes['action'], node), silence: next },
    }));
  }

  /** Not a step: what comes before leads on. */
  #redirect(element: XmlElement, node: ImportedNode): Unit {
    const url = wordsOf(element);
    return { entry: () => this.target(url, node), write: () => this.target(url, node) };
  }
}

/** What is to be written stands in its step. */
const notesOf = ({ fidelity, notes }: ImportedNode): string[] => (fidelity === 'todo' ? [] : notes);

const MOST_LOOPS = 1000;
const MOST_PIECES = 20;
const MOST_DIGITS = 100;
const LONGEST_SOURCE = 2000;

const wordsIn = (children: readonly (XmlElement | string)[]): string =>
  children
    .filter((child) => typeof child === 'string')
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

/** By the first words that are said. */
function nameOfPrompt(prompts: readonly Json[]): string {
  for (const prompt of prompts) {
    const said = typeof prompt === 'string' ? prompt : JSON.stringify(Object.values(prompt ?? {})[0] ?? '');
    const name = nameFromText(said.replaceAll(/<[^>]*>/g, ' '));
    if (name !== '' && !/^_?\d+m?s$/.test(name)) return name;
  }
  return 'something';
}
