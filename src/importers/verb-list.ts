/**
 * Formats whose documents are lists of verbs (TwiML, NCCO, jambonz, SWML): done one after the other until one of them leads to
 * another document by its URL. Several documents become one flow; a URL leads to the document whose file has its name, or to
 * one of several by what was entered (`url-answers.ts`), and where there is none, to a step that has to be written: the application at that URL decides what comes next.
 *
 * Neighbours: `verb-unit.ts`, `parties.ts`, and a class for each of the formats, which knows its verbs.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { type FidelityReport, todoOf, worked } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { END, type FlowWriter, nameFromText, wordOf } from './flow-writer.ts';
import type { ImportContext, ImportedNode } from './imported.ts';
import { answeredBy, type SentAlong, UrlAnswers } from './url-answers.ts';
import { inARow, type SourceVerb, type Unit, type UnitMaker, type Unwritten, writeUnits } from './verb-unit.ts';

/** What is said by one verb among others that say something. */
export interface Said<V extends SourceVerb> {
  verb: V;
  node: ImportedNode;
  prompts: readonly Json[];
}

export abstract class VerbList<V extends SourceVerb> implements UnitMaker<V> {
  readonly flow: FlowWriter;
  /** Flows that this one calls. */
  readonly called: FlowWriter[] = [];
  protected readonly options: ImportContext;
  protected readonly report: FidelityReport;
  /** The verbs of each document on their way to become steps. */
  protected readonly planned = new Map<string, readonly Unit[]>();
  /** All documents, by their names: where one depends on what was entered, all that it may be. */
  readonly #contents = new Map<string, readonly V[]>();
  /** Those of them that depend on nothing. */
  readonly #always = new Map<string, readonly V[]>();
  readonly #documents = new UrlAnswers();
  /** What documents say that are not for the caller. */
  readonly #said = new Map<readonly V[], { prompts: readonly Json[] | undefined }>();
  /** Steps that stand for what an application answers, by URL. */
  readonly #applications = new Map<string, string>();
  /** They stand at the end of the flow. */
  readonly #ofApplications: [name: string, make: () => JsonObject][] = [];
  /** Where the document begins whose verbs are being written. */
  #current: () => string = () => END;
  /** Documents that are being looked for: those that lead to each other only never end. */
  readonly #looking = new Set<string>();

  constructor(flow: FlowWriter, report: FidelityReport, options: ImportContext) {
    this.flow = flow;
    this.report = report;
    this.options = options;
  }

  /** What a verb says, where it may be said by one step with what stands beside it. */
  protected abstract promptsOf(verb: V, node: ImportedNode): readonly Json[] | undefined;
  /** What a verb becomes that is more than words in a row; `question` is what it asks with. */
  protected abstract unitOf(verb: V, node: ImportedNode, question: readonly Said<V>[]): Unit | undefined;
  /** The verb as it stands in the source, for the one who writes its step. */
  protected abstract sourceOf(verb: V): Json;

  /** Whether what stands before a verb is said by its own step: it is the question. */
  protected asksWithWordsBefore(_verb: V): boolean {
    return false;
  }

  /** Whether what two verbs say may be said by one step. */
  protected areOne(_before: V, _verb: V): boolean {
    return true;
  }

  /** URLs of documents that take the place of the one that a verb is in. */
  protected leadsTo(_verb: V): readonly string[] {
    return [];
  }

  /** URLs of documents that are not for the caller, or not in this place: what is said to the called party, or in a queue. */
  protected asidesOf(_verb: V): readonly string[] {
    return [];
  }

  /** Where it goes on behind the last verb of a document; undefined: the document is written in another place. */
  protected endOf(_name: string): string | undefined {
    return END;
  }

  /** `title`: of the format. */
  all(title: string, documents: readonly [file: string, verbs: readonly V[]][]): void {
    for (const [file, verbs] of documents) {
      const { name, values } = answeredBy(file);
      this.#contents.set(name, [...(this.#contents.get(name) ?? []), ...verbs]);
      if (values.length === 0) this.#always.set(name, verbs);
    }
    const isOwn = this.#ownOf(documents.map(([file]) => answeredBy(file).name));
    const own = documents.filter(([file]) => isOwn(answeredBy(file).name));
    const planned = own.map(([file, verbs]) => {
      const name = documentNameOf(file);
      const units = this.plan(verbs);
      const begin = (): string => units[0]?.entry() ?? END;
      this.#documents.add(file, begin);
      this.planned.set(name, units);
      return { name, units, begin };
    });
    for (const { name, units, begin } of planned) {
      this.#current = begin;
      const end = this.endOf(name);
      if (end !== undefined) writeUnits(units, end);
    }
    // Those that lead on may ask for more of them.
    for (const [name, make] of this.#ofApplications) this.flow.step(name, make());
    const names = new Set(own.map(([file]) => answeredBy(file).name));
    this.flow.begin(planned[0]!.begin(), `Imported from ${title}: ${[...names].join(', ')}.`.slice(0, 1000));
  }

  /** Documents that only others come to are not the caller's. */
  #ownOf([first, ...names]: readonly string[]): (name: string) => boolean {
    const verbs = [...this.#contents.values()].flat();
    const aside = this.reached(verbs.flatMap((verb) => this.asidesOf(verb)));
    const own = this.reached([first!, ...names.filter((name) => !aside.has(name))]);
    return (name) => own.has(name);
  }

  /** The documents at these URLs, and those that they lead to. */
  protected reached(urls: readonly string[]): ReadonlySet<string> {
    const found = new Set<string>();
    const open = urls.map(documentNameOf);
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const verbs = this.#contents.get(name);
      if (verbs === undefined || found.has(name)) continue;
      found.add(name);
      open.push(...verbs.flatMap((verb) => this.leadsTo(verb)).map(documentNameOf));
    }
    return found;
  }

  protected documentAt(url: string): readonly V[] | undefined {
    return this.#always.get(documentNameOf(url));
  }

  saidAt(url: string, by: ImportedNode): readonly Json[] | undefined {
    const verbs = this.documentAt(url);
    if (verbs === undefined || verbs.length === 0) return undefined;
    // Several may lead to one document: its nodes are counted once.
    const known = this.#said.get(verbs);
    if (known !== undefined) return known.prompts;
    const said = verbs.map((verb) => {
      const node = this.nodeOf(verb);
      return { node, prompts: this.promptsOf(verb, node) };
    });
    const all = said.flatMap(({ prompts }) => prompts ?? []);
    const isSaid = said.every(({ prompts }) => prompts !== undefined) && all.length <= MOST_PROMPTS;
    for (const { node } of said) {
      if (isSaid) node.steps = by.steps;
      else todoOf(node, 'do it with the one who is called, before the two talk');
    }
    const prompts = isSaid ? all : undefined;
    this.#said.set(verbs, { prompts });
    return prompts;
  }

  /** Verbs as steps; what is said in a row is said by one. */
  plan(verbs: readonly V[]): Unit[] {
    const units: Unit[] = [];
    let row: Said<V>[] = [];
    const say = (): void => {
      if (row.length > 0) units.push(this.#sayUnit(row));
      row = [];
    };
    for (const verb of verbs) {
      const node = this.nodeOf(verb);
      const prompts = this.promptsOf(verb, node);
      if (prompts !== undefined) {
        const before = row.at(-1);
        if (before !== undefined && !this.areOne(before.verb, verb)) say();
        row.push({ verb, node, prompts });
        continue;
      }
      const question = this.asksWithWordsBefore(verb) ? row : [];
      if (question.length === 0) say();
      row = [];
      const unit = this.unitOf(verb, node, question);
      for (const each of question) each.node.steps.push(...node.steps);
      if (unit) units.push(unit);
    }
    say();
    return units;
  }

  #sayUnit(row: readonly Said<V>[]): Unit {
    const prompts = row.flatMap((said) => said.prompts);
    const isSilent = prompts.every((prompt) => typeof prompt === 'object' && prompt !== null && 'silence' in prompt);
    const name = this.flow.reserve(isSilent ? 'pause' : `say_${nameOfPrompt(prompts)}`);
    for (const { node } of row) node.steps.push(name);
    const notes = [...new Set(row.flatMap(({ node }) => node.notes))];
    return { entry: () => name, write: (next) => this.flow.step(name, { play: promptOf(prompts)!, next }, notes) };
  }

  /** What is said again and again; 0 times: for ever. */
  protected loop(node: ImportedNode, prompt: Json, times: number): Unit {
    if (times === 0) worked(node, `it is said ${MOST_LOOPS} times, not until the caller hangs up`);
    const repeat = times >= 1 ? Math.min(Math.round(times), MOST_LOOPS) : MOST_LOOPS;
    return this.unit(`say_${nameOfPrompt([prompt])}`, node, (next) => ({ play: { prompt, repeat }, next }));
  }

  unit(
    wanted: string,
    node: ImportedNode,
    make: (next: string, own: string) => JsonObject,
    within: readonly Unwritten<V>[] = [],
  ): Unit {
    const before = within.map(({ element, node: inner, what }) => this.todo(element, inner, what));
    const name = this.flow.reserve(wanted);
    node.steps.push(name);
    const own = { entry: () => name, write: (next: string) => this.flow.step(name, make(next, name), notesOf(node)) };
    return inARow([...before, own]);
  }

  todo(verb: V, node: ImportedNode, what: string): Unit {
    return this.unit(wordOf(verb.name.toLowerCase(), 'todo'), node, (next) => ({
      ...todoOf(node, what, { source: this.sourceOf(verb) }),
      next,
    }));
  }

  nodeOf({ name, at }: V): ImportedNode {
    return this.report.node(name, at);
  }

  /** What the application at a URL of the source would answer; no URL is that of the document that is being written. */
  target(url: string | undefined, node: ImportedNode, sent: SentAlong = {}): string {
    const key = url === undefined || url === '' ? '' : documentNameOf(url);
    const cases = this.#documents.cases(key, sent);
    if (cases.length > 0) return this.#choice(key, cases, () => this.#answer(key, url!, node));
    return this.#answer(key, url ?? '', node);
  }

  /** What is answered at a URL that does not look at what is sent along. */
  #answer(key: string, url: string, node: ImportedNode): string {
    const begin = key === '' ? this.#current : this.#documents.always(key);
    if (begin !== undefined) {
      if (this.#looking.has(key)) return END;
      this.#looking.add(key);
      const there = begin();
      this.#looking.delete(key);
      return there;
    }
    return this.application(`ask_${wordOf(documentNameOf(url), 'application')}`, url, node);
  }

  /** A step that leads on by what was sent along. */
  #choice(key: string, cases: readonly { when: string; begin: () => string }[], otherwise: () => string): string {
    const id = JSON.stringify([key, cases.map(({ when }) => when)]);
    const known = this.#applications.get(id);
    if (known !== undefined) return known;
    const name = this.flow.reserve(`by_answer_of_${key}`);
    this.#applications.set(id, name);
    this.#ofApplications.push([
      name,
      () => ({ branch: [...cases.map(({ when, begin }) => ({ when, next: begin() })), { else: otherwise() }] }),
    ]);
    return name;
  }

  /** A step that stands for what a program answers. */
  protected application(wanted: string, url: string, node: ImportedNode): string {
    const known = this.#applications.get(url);
    if (known !== undefined) return known;
    const name = this.flow.reserve(wanted);
    this.#applications.set(url, name);
    const what = `do what ${url.slice(0, 300)} answers: it decides what comes next`;
    const step = { ...todoOf(node, what), next: END };
    this.#ofApplications.push([name, () => step]);
    node.steps.push(name);
    return name;
  }
}

/** What is to be written stands in its step. */
const notesOf = ({ fidelity, notes }: ImportedNode): string[] => (fidelity === 'todo' ? [] : notes);

const MOST_LOOPS = 1000;
/** A prompt has no more of them. */
const MOST_PROMPTS = 50;

/** Several are said one after the other; none at all is nothing. */
export const promptOf = (prompts: readonly Json[]): Json | undefined =>
  prompts.length > 1 ? [...prompts] : prompts[0];

/** By the first words that are said. */
export function nameOfPrompt(prompts: readonly Json[]): string {
  for (const prompt of prompts) {
    const said = typeof prompt === 'string' ? prompt : JSON.stringify(Object.values(prompt ?? {})[0] ?? '');
    const name = nameFromText(said.replaceAll(/<[^>]*>/g, ' '));
    if (name !== '' && !/^_?\d+m?s$/.test(name)) return name;
  }
  return 'something';
}
