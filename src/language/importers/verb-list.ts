/**
 * Base of importers whose documents are lists of verbs (TwiML, NCCO, jambonz, SWML). Verbs are executed in order until
 * one leads to another document by its URL. Several documents become one flow. A URL leads to the document with that
 * file name, or to one of several by the input (`url-answers.ts`). If no file matches, it leads to a `todo` step,
 * because the application at that URL decides what happens next.
 *
 * Related: `verb-unit.ts`, `parties.ts`, and one subclass for each format, which converts its verbs.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { type FidelityReport, todoOf, worked } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { END, type FlowWriter, nameFromText, wordOf } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { ImportedNode } from './imported.ts';
import { countAt } from './source-numbers.ts';
import { answeredBy, type SentAlong, UrlAnswers } from './url-answers.ts';
import { inARow, type SourceVerb, type Unit, type UnitMaker, type Unwritten, writeUnits } from './verb-unit.ts';

/** A verb that only plays prompts. */
export interface Said<V extends SourceVerb> {
  verb: V;
  node: ImportedNode;
  prompts: readonly Json[];
}

export abstract class VerbList<V extends SourceVerb> implements UnitMaker<V> {
  readonly flow: FlowWriter;
  /** Subflows of this flow. */
  readonly called: FlowWriter[] = [];
  protected readonly options: ImportContext;
  protected readonly report: FidelityReport;
  /** Converted verbs of each document. */
  protected readonly planned = new Map<string, readonly Unit[]>();
  /** Verbs of all documents by name; the variants of a response are concatenated. */
  readonly #contents = new Map<string, readonly V[]>();
  /** Verbs of the documents that do not depend on parameters. */
  readonly #always = new Map<string, readonly V[]>();
  readonly #documents = new UrlAnswers();
  /** Prompts of documents that are not for the caller. */
  readonly #said = new Map<readonly V[], { prompts: readonly Json[] | undefined }>();
  /** Steps that stand for a response of an application, by URL. */
  readonly #applications = new Map<string, string>();
  /** Definitions of these steps. They are written at the end of the flow. */
  readonly #ofApplications: [name: string, make: () => JsonObject][] = [];
  /** First step of the document that is being written. */
  #current: () => string = () => END;
  /** Documents being resolved, to detect documents that only lead to each other. */
  readonly #looking = new Set<string>();

  constructor(flow: FlowWriter, report: FidelityReport, options: ImportContext) {
    this.flow = flow;
    this.report = report;
    this.options = options;
  }

  /** Prompts of a verb, if it can share a step with adjacent prompts. */
  protected abstract promptsOf(verb: V, node: ImportedNode): readonly Json[] | undefined;
  /**
   * Converts a verb that does more than play prompts. `question` holds the prompts before it, if the verb asks with
   * them.
   */
  protected abstract unitOf(verb: V, node: ImportedNode, question: readonly Said<V>[]): Unit | undefined;
  /** Source of a verb, for the author of its `todo` step. */
  protected abstract sourceOf(verb: V): Json;

  /** True if the verb plays the prompts before it as its question. */
  protected asksWithWordsBefore(_verb: V): boolean {
    return false;
  }

  /** True if one step can play the prompts of both verbs. */
  protected areOne(_before: V, _verb: V): boolean {
    return true;
  }

  /** URLs of documents that replace the current one. */
  protected leadsTo(_verb: V): readonly string[] {
    return [];
  }

  /** URLs of documents that are not for the caller or not in sequence, such as those for a callee or a queue. */
  protected asidesOf(_verb: V): readonly string[] {
    return [];
  }

  /** Step after the last verb of a document. Undefined if the document is written inline elsewhere. */
  protected endOf(_name: string): string | undefined {
    return END;
  }

  /** `title` is the display name of the format. */
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
    // These definitions may reserve more such steps while they are written.
    for (const [name, make] of this.#ofApplications) this.flow.step(name, make());
    const names = new Set(own.map(([file]) => answeredBy(file).name));
    this.flow.begin(planned[0]!.begin(), `Imported from ${title}: ${[...names].join(', ')}.`.slice(0, 1000));
  }

  /** Selects the documents of the caller. Documents that are only reached from others are not among them. */
  #ownOf([first, ...names]: readonly string[]): (name: string) => boolean {
    const verbs = [...this.#contents.values()].flat();
    const aside = this.reached(verbs.flatMap((verb) => this.asidesOf(verb)));
    const own = this.reached([first!, ...names.filter((name) => !aside.has(name))]);
    return (name) => own.has(name);
  }

  /** Names of the documents at these URLs and of all documents reachable from them. */
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
    // Several verbs may refer to one document: its nodes are counted once.
    const known = this.#said.get(verbs);
    if (known !== undefined) return known.prompts;
    const said = verbs.map((verb) => {
      const node = this.nodeOf(verb);
      return { node, prompts: this.promptsOf(verb, node) };
    });
    const all = said.flatMap(({ prompts }) => prompts ?? []);
    const isSaid = said.every(({ prompts }) => prompts !== undefined) && all.length <= MAX_PROMPTS;
    for (const { node } of said) {
      if (isSaid) node.steps = by.steps;
      else todoOf(node, 'do it with the one who is called, before the two talk');
    }
    const prompts = isSaid ? all : undefined;
    this.#said.set(verbs, { prompts });
    return prompts;
  }

  /** Converts verbs to steps. Adjacent prompts share a step. */
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

  /** Repeats a prompt by `loop` of the view; 0 and `forever` repeat it without limit. */
  protected loop(node: ImportedNode, prompt: Json, view: { readonly loop?: Json | undefined }): Unit {
    const isEndless = view.loop === 'forever' || Number(view.loop) === 0;
    if (isEndless) worked(node, `it is said ${MAX_LOOPS} times, not until the caller hangs up`);
    const repeat = isEndless ? MAX_LOOPS : countAt(node, view, 'loop', { most: MAX_LOOPS, otherwise: 1 });
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
    const write = (next: string): void => {
      this.report.at = node;
      this.flow.step(name, make(next, name), notesOf(node));
    };
    const own = { entry: () => name, write };
    return inARow([...before, own]);
  }

  todo(verb: V, node: ImportedNode, what: string): Unit {
    return this.unit(wordOf(verb.name.toLowerCase(), 'todo'), node, (next) => ({
      ...todoOf(node, what, { source: this.sourceOf(verb) }),
      next,
    }));
  }

  nodeOf({ name, at, account }: V): ImportedNode {
    return this.report.node(name, at, undefined, account);
  }

  /**
   * First step of the response at a URL. An empty URL is that of the current document. A response that is not among the
   * files becomes a `todo` step, which continues at `next`.
   */
  target(url: string | undefined, node: ImportedNode, sent: SentAlong = {}, next = END): string {
    const key = url === undefined || url === '' ? '' : documentNameOf(url);
    const cases = this.#documents.cases(key, sent);
    const always = (): string => this.#answer(key, { url: url ?? '', node, next });
    return cases.length > 0 ? this.#choice(key, cases, always) : always();
  }

  /** First step of the response that does not depend on parameters. */
  #answer(key: string, { url, node, next }: { url: string; node: ImportedNode; next: string }): string {
    const begin = key === '' ? this.#current : this.#documents.always(key);
    if (begin !== undefined) {
      if (this.#looking.has(key)) return END;
      this.#looking.add(key);
      const there = begin();
      this.#looking.delete(key);
      return there;
    }
    return this.application(`ask_${wordOf(documentNameOf(url), 'application')}`, url, node, next);
  }

  /** Branch on the parameters of the request. */
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

  /** `todo` step that stands for the response of a program. */
  protected application(wanted: string, url: string, node: ImportedNode, next = END): string {
    const id = JSON.stringify([url, next]);
    const known = this.#applications.get(id);
    if (known !== undefined) return known;
    const name = this.flow.reserve(wanted);
    this.#applications.set(id, name);
    const what = `do what ${url.slice(0, 300)} answers: it decides what comes next`;
    const step = { ...todoOf(node, what), next };
    this.#ofApplications.push([name, () => step]);
    node.steps.push(name);
    return name;
  }
}

/** Notes of a step. A `todo` step already contains them. */
const notesOf = ({ fidelity, notes }: ImportedNode): string[] => (fidelity === 'todo' ? [] : notes);

/** Maximum repetitions of a prompt. */
export const MAX_LOOPS = 1000;
/** Maximum number of parts in a prompt. */
const MAX_PROMPTS = 50;

/** Single prompts stay single; several become a list. Undefined if there are none. */
export const promptOf = (prompts: readonly Json[]): Json | undefined =>
  prompts.length > 1 ? [...prompts] : prompts[0];

/** Step name from the first words of the prompts. */
export function nameOfPrompt(prompts: readonly Json[]): string {
  for (const prompt of prompts) {
    const said = typeof prompt === 'string' ? prompt : JSON.stringify(Object.values(prompt ?? {})[0] ?? '');
    const name = nameFromText(said.replaceAll(/<[^>]*>/g, ' '));
    if (name !== '' && !/^_?\d+m?s$/.test(name)) return name;
  }
  return 'something';
}
