/**
 * Formats whose documents are lists of verbs (TwiML, NCCO, jambonz, SWML): done one after the other until one of them leads to
 * another document by its URL. Several documents become one flow; a URL leads to the document whose file has its name, and
 * where there is none, to a step that has to be written: the application at that URL decides what comes next.
 *
 * Neighbours: `verb-unit.ts`, `parties.ts`, and a class for each of the formats, which knows its verbs.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { type FidelityReport, todoOf, worked } from './fidelity.ts';
import { END, type FlowWriter, nameFromText, wordOf } from './flow-writer.ts';
import type { ImportContext, ImportedNode } from './imported.ts';
import { soundNameOf } from './spoken.ts';
import { inARow, type SourceVerb, type Unit, type UnitMaker, type Unwritten } from './verb-unit.ts';

/** What is said by one verb among others that say something. */
export interface Said<V extends SourceVerb> {
  verb: V;
  node: ImportedNode;
  prompts: readonly Json[];
}

/** A document's name as its URL would have it: without folder and endings. */
export const documentNameOf = (path: string): string => soundNameOf(path).replace(/\..*$/s, '');

export abstract class VerbList<V extends SourceVerb> implements UnitMaker<V> {
  readonly flow: FlowWriter;
  protected readonly options: ImportContext;
  readonly #report: FidelityReport;
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

  constructor(flow: FlowWriter, report: FidelityReport, options: ImportContext) {
    this.flow = flow;
    this.#report = report;
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

  /** `title`: of the format. */
  all(title: string, documents: readonly [file: string, verbs: readonly V[]][]): void {
    const planned = documents.map(([file, verbs]) => {
      const units = this.plan(verbs);
      const begin = (): string => units[0]?.entry() ?? END;
      this.#documents.set(documentNameOf(file), begin);
      return { units, begin };
    });
    for (const { units, begin } of planned) {
      this.#current = begin;
      for (const [index, unit] of units.entries()) unit.write(units[index + 1]?.entry() ?? END);
    }
    for (const [name, step] of this.#ofApplications) this.flow.step(name, step);
    const names = documents.map(([file]) => documentNameOf(file));
    this.flow.begin(planned[0]!.begin(), `Imported from ${title}: ${names.join(', ')}.`.slice(0, 1000));
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
    make: (next: string) => JsonObject,
    within: readonly Unwritten<V>[] = [],
  ): Unit {
    const before = within.map(({ element, node: inner, what }) => this.todo(element, inner, what));
    const name = this.flow.reserve(wanted);
    node.steps.push(name);
    const own = { entry: () => name, write: (next: string) => this.flow.step(name, make(next), notesOf(node)) };
    return inARow([...before, own]);
  }

  todo(verb: V, node: ImportedNode, what: string): Unit {
    return this.unit(wordOf(verb.name.toLowerCase(), 'todo'), node, (next) => ({
      ...todoOf(node, what, { source: this.sourceOf(verb) }),
      next,
    }));
  }

  nodeOf({ name, at }: V): ImportedNode {
    return this.#report.node(name, at);
  }

  /** What the application at a URL of the source would answer; no URL is that of the document that is being written. */
  target(url: string | undefined, node: ImportedNode): string {
    const key = url === undefined || url === '' ? '' : documentNameOf(url);
    const begin = key === '' ? this.#current : this.#documents.get(key);
    if (begin !== undefined) {
      if (this.#looking.has(key)) return END;
      this.#looking.add(key);
      const there = begin();
      this.#looking.delete(key);
      return there;
    }
    return this.application(`ask_${wordOf(documentNameOf(url!), 'application')}`, url!, node);
  }

  /** A step that stands for what a program answers. */
  protected application(wanted: string, url: string, node: ImportedNode): string {
    const known = this.#applications.get(url);
    if (known !== undefined) return known;
    const name = this.flow.reserve(wanted);
    this.#applications.set(url, name);
    const what = `do what ${url.slice(0, 300)} answers: it decides what comes next`;
    this.#ofApplications.push([name, { ...todoOf(node, what), next: END }]);
    node.steps.push(name);
    return name;
  }
}

/** What is to be written stands in its step. */
const notesOf = ({ fidelity, notes }: ImportedNode): string[] => (fidelity === 'todo' ? [] : notes);

const MOST_LOOPS = 1000;

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
