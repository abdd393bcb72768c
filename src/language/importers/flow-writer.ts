/**
 * Writes one flow. Importers add steps in the order of their source. The writer makes names valid and unique, adds
 * constructs that the language requires and sources omit, and prints readable YAML.
 *
 * Invariants
 * - a reserved name belongs to one step, however the source names its nodes;
 * - texts of the source are never templates unless an importer made them: `${` is escaped (`textOf`).
 */

import { Document, isCollection, isMap, isPair, isScalar, type Node, type Pair, type Scalar } from 'yaml';
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { successOfVerb } from '../flow/verb-outcomes.ts';
import type { LimitedFlow } from './imported.ts';
import { limitedStep } from './limited-step.ts';

export const END = '$end';
/** Visit limit for a loop that has none in the source, because `check` rejects unbounded loops. */
const MAX_ROUNDS = 50;
const MAX_NAME = 60;
/** Maximum number of variables that one step sets. */
export const MAX_SET = 100;
const WORDS_OF_A_NAME = 4;

export class FlowWriter {
  readonly name: string;
  readonly #taken = new Set<string>();
  /** By word: all names with a suffix up to this number are in use. */
  readonly #lastNumbers = new Map<string, number>();
  readonly #steps = new Map<string, JsonObject>();
  readonly #notes = new Map<string, string[]>();
  readonly #vars: Record<string, JsonObject> = {};
  readonly #input: Record<string, JsonObject> = {};
  readonly #events: Record<string, string> = {};
  #locale: string | undefined;
  #output: JsonObject = {};
  #start = END;
  #doc: string | undefined;

  constructor(name: string) {
    this.name = nameOfFlow(name);
  }

  /** Reserves a unique step name similar to `wanted`. */
  reserve(wanted: string): string {
    const word = nameIn(wanted, 'step');
    let name = word;
    let number = this.#lastNumbers.get(word) ?? 1;
    while (this.#taken.has(name)) name = `${word}_${++number}`;
    this.#lastNumbers.set(word, number);
    this.#taken.add(name);
    return name;
  }

  /** Adds a step; steps are printed in the order of these calls. `notes` become comments above the step. */
  step(name: string, step: JsonObject, notes: readonly string[] = []): void {
    this.#steps.set(name, step);
    if (notes.length > 0) this.#notes.set(name, [...notes]);
  }

  /** Adds steps that set these variables, as many in one step as it may set. Returns their names; `next` follows. */
  setAll(name: string, values: readonly (readonly [name: string, value: Json])[], next: string): string[] {
    const count = Math.max(1, Math.ceil(values.length / MAX_SET));
    const names = [name, ...Array.from({ length: count - 1 }, () => this.reserve(`${name}_more`))];
    for (const [index, each] of names.entries()) {
      const set = Object.fromEntries(values.slice(index * MAX_SET, (index + 1) * MAX_SET));
      this.step(each, { set, next: names[index + 1] ?? next });
    }
    return names;
  }

  /** Routes the outcomes of a step that lead to `from` to another step. */
  reroute(name: string, from: string, target: string): void {
    const exits = this.#steps.get(name)?.['exits'];
    if (!isObject(exits)) return;
    for (const [outcome, there] of Object.entries(exits))
      if (there === from && outcome !== 'error') exits[outcome] = target;
  }

  begin(start: string, doc?: string): void {
    this.#start = start;
    this.#doc = doc;
  }

  /** Declares a variable and returns its name. Sources do not declare types. */
  variable(wanted: string, schema: JsonObject = {}): string {
    const name = wordOf(wanted, 'value');
    this.#vars[name] ??= schema;
    return name;
  }

  /** Declares a variable whose value is masked. */
  secret(wanted: string): string {
    const name = this.variable(wanted);
    this.#vars[name] = { ...this.#vars[name], sensitive: true };
    return name;
  }

  /** Declares an input parameter of the flow and returns its name. */
  input(wanted: string): string {
    const name = wordOf(wanted, 'value');
    this.#input[name] ??= {};
    return name;
  }

  /** Routes an event from every step. The first route for a name is kept. */
  event(name: string, target: string): void {
    this.#events[name] ??= target;
  }

  /** Sets the default locale. */
  speak(locale: string): void {
    this.#locale = locale;
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  get variables(): string[] {
    return Object.keys(this.#vars);
  }

  /** Sets the output of the flow, for callers that run it as a subflow. */
  returns(output: JsonObject): void {
    this.#output = output;
  }

  made(): LimitedFlow {
    const limited = new Map<string, string[]>();
    for (const [name, written] of this.#steps) {
      const { step, notes } = limitedStep(written);
      if (notes.length === 0) continue;
      this.#steps.set(name, step);
      this.#notes.set(name, [...(this.#notes.get(name) ?? []), ...notes]);
      limited.set(name, notes);
    }
    return { name: this.name, text: this.text(), limited };
  }

  text(): string {
    this.#boundCircles();
    this.#spreadSecrets();
    const flow = defined<JsonObject>({
      flow: this.name,
      doc: this.#doc,
      input: orNothing(this.#input),
      vars: orNothing(this.#vars),
      output: Object.keys(this.#output).length > 0 ? this.#output : undefined,
      defaults: defined<JsonObject>({ locale: this.#locale, exits: { error: END } }),
      events: Object.keys(this.#events).length === 0 ? undefined : this.#events,
      start: this.#start,
      steps: Object.fromEntries(this.#steps) as JsonObject,
    });
    const document = new Document(flow, { version: '1.1' });
    const steps = document.get('steps');
    if (isMap(steps)) {
      for (const pair of steps.items as Pair<Scalar<string>, Node>[]) {
        const notes = this.#notes.get(pair.key.value);
        if (notes) pair.key.commentBefore = notes.map((note) => ` ${note.replace(/\s+/g, ' ')}`).join('\n');
        if (isMap(pair.value)) for (const { key, value } of pair.value.items) foldArgument(key, value);
      }
    }
    for (const key of ['defaults', 'events', 'input', 'vars', 'output']) fold(document.get(key));
    return document.toString({ lineWidth: 0, directives: false, flowCollectionPadding: true });
  }

  /** Masks the variables that take the value of a masked one. */
  #spreadSecrets(): void {
    const isSecret = (name: string): boolean => this.#vars[name]?.['sensitive'] === true;
    if (!Object.keys(this.#vars).some(isSecret)) return;
    const taken = [...this.#steps.values()].flatMap(({ set }) =>
      isObject(set) ? Object.entries(set).map(([name, value]) => [name, namesIn(JSON.stringify(value))] as const) : [],
    );
    for (let isChanged = true; isChanged; ) {
      isChanged = false;
      for (const [name, from] of taken) {
        if (isSecret(name) || !Object.hasOwn(this.#vars, name) || !from.some(isSecret)) continue;
        this.secret(name);
        isChanged = true;
      }
    }
  }

  /**
   * Adds a visit limit to each loop that a silent caller can run through: at its question, or else at its first step.
   */
  #boundCircles(): void {
    const bounded = new Set(
      [...this.#steps].flatMap(([name, step]) => (step['max_visits'] === undefined ? [] : [name])),
    );
    for (;;) {
      const circle = this.#circleBut(bounded);
      if (circle === undefined) return;
      const name = circle.find((each) => this.#steps.get(each)?.['collect'] !== undefined) ?? circle[0]!;
      const step = this.#steps.get(name)!;
      bounded.add(name);
      step['max_visits'] = MAX_ROUNDS;
      step['exits'] = { ...exitsOf(step), limit: END };
      delete step['next'];
      const note = `the source leads round here without an end; ${MAX_ROUNDS} times are enough`;
      this.#notes.set(name, [...(this.#notes.get(name) ?? []), note]);
    }
  }

  #circleBut(bounded: ReadonlySet<string>): string[] | undefined {
    const done = new Set<string>(bounded);
    for (const root of this.#steps.keys()) {
      const path: { name: string; targets: string[] }[] = [];
      const enter = (name: string): void => void path.push({ name, targets: targetsOf(this.#steps.get(name)) });
      if (!done.has(root)) enter(root);
      while (path.length > 0) {
        const { name, targets } = path.at(-1)!;
        const target = targets.pop();
        if (target === undefined) {
          done.add(name);
          path.pop();
          continue;
        }
        const back = path.findIndex((each) => each.name === target);
        if (back >= 0) return path.slice(back).map((each) => each.name);
        if (!done.has(target)) enter(target);
      }
    }
    return undefined;
  }
}

/** Names of the variables in an expression. */
const namesIn = (text: string): string[] => [...text.matchAll(/\bvars\.(\w+)/g)].map(([, name]) => name!);

/** Targets of a step if the caller says and presses nothing. */
function targetsOf(step: JsonObject | undefined): string[] {
  if (step === undefined) return [];
  const exits = exitsOf(step);
  if (step['collect'] !== undefined || step['menu'] !== undefined) {
    const silent = ['exhausted', 'exhausted.no_input', 'exhausted.no_match'].map((outcome) => exits[outcome]);
    return silent.filter((target) => target !== undefined).map(String);
  }
  const cases = Array.isArray(step['branch']) ? step['branch'].filter(isObject) : [];
  const named = Object.entries(exits).flatMap(([outcome, target]) => (outcome === 'hangup' ? [] : [target]));
  return [...named, ...cases.map((each) => each['next'] ?? each['else'] ?? END)].map(String);
}

/** Exits of a step, with `next` as its success exit. */
function exitsOf({ exits, next, ...step }: JsonObject): JsonObject {
  const routed = isObject(exits) ? exits : {};
  if (next === undefined) return routed;
  const [success = 'done'] = Object.keys(step).flatMap((verb) => (verb === 'set' ? [] : (successOfVerb(verb) ?? [])));
  return { ...routed, [success]: next };
}

/** Writes `exits`, `set` and short collections on one line. */
function foldArgument(key: unknown, value: unknown): void {
  const name = isScalar(key) ? key.value : undefined;
  if (name === 'exits' || name === 'set') fold(value);
  else foldShort(value);
}

function foldShort(node: unknown): void {
  if (!isCollection(node)) return;
  if (JSON.stringify(node).length <= SHORT) fold(node);
  else for (const item of node.items) foldShort(isPair(item) ? item.value : item);
}

const SHORT = 70;

function fold(node: unknown): void {
  if (isCollection(node)) node.flow = true;
}

const orNothing = (map: Record<string, JsonObject>): JsonObject | undefined =>
  Object.keys(map).length === 0 ? undefined : map;

export const nameOfFlow = (wanted: string): string =>
  wordOf(wanted, 'imported').replaceAll('_', '-').replace(/^-/, 'flow-');

/** Converts a text to an identifier: letters, digits and `_`, without a leading digit. */
export function wordOf(wanted: string, otherwise: string): string {
  const plain = wanted
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_NAME);
  if (plain === '') return otherwise;
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** Name of a step or a choice: a word as of `wordOf`, in letters of any script. */
export function nameIn(wanted: string, otherwise: string): string {
  const parts = wanted.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_');
  const name = [...parts.replaceAll(/^[_\p{M}]+|_+$/gu, '')].slice(0, MAX_NAME).join('');
  if (name === '') return otherwise;
  return /^\p{N}/u.test(name) ? `_${name}` : name;
}

/** Name from the first words of a text, for sources whose nodes have no names. */
export const nameFromText = (text: string): string =>
  nameIn(text.toLowerCase(), '').split('_').slice(0, WORDS_OF_A_NAME).join('_');

/** Escapes a text so that it is not read as a template. */
export const textOf = (text: string): string => text.replaceAll('${', () => '$${');

/** Copy of a value with all texts escaped. */
export const escapedTexts = (value: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(value), (_key, each) => (typeof each === 'string' ? textOf(each) : each)) as JsonObject;

/** Prompt that says this text. A single word needs the long form, because it would be read as the key of a prompt. */
export const sayOf = (text: string): Json => (/\s/.test(text) ? text : { text });
