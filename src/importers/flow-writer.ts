/**
 * Writes one flow: importers give it steps in the order of their source, and it makes the names fit, adds what the language
 * insists on and the sources leave out, and prints YAML as a person would write it.
 *
 * Invariants
 *  - a name that was reserved is that of one step, whatever the source calls its nodes;
 *  - texts of the source are never templates, unless an importer made them: `${` is escaped (`textOf`).
 */
import { Document, isCollection, isMap, isPair, isScalar, type Node, type Pair, type Scalar } from 'yaml';
import { defined, isObject, type Json, type JsonObject } from '../core/json.ts';

export const END = '$end';
/** Sources have circles without an end; a call of ours has one (`check` insists). */
const MOST_ROUNDS = 50;
const LONGEST_NAME = 60;
const WORDS_OF_A_NAME = 4;

export class FlowWriter {
  readonly name: string;
  readonly #taken = new Set<string>();
  /** By word: all names up to this number are taken. */
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

  /** A name like `wanted` that no other step has. */
  reserve(wanted: string): string {
    const word = wordOf(wanted, 'step');
    let name = word;
    let number = this.#lastNumbers.get(word) ?? 1;
    while (this.#taken.has(name)) name = `${word}_${++number}`;
    this.#lastNumbers.set(word, number);
    this.#taken.add(name);
    return name;
  }

  /** `notes` stand above it as comments. The order of the calls is that of the file. */
  step(name: string, step: JsonObject, notes: readonly string[] = []): void {
    this.#steps.set(name, step);
    if (notes.length > 0) this.#notes.set(name, [...notes]);
  }

  begin(start: string, doc?: string): void {
    this.#start = start;
    this.#doc = doc;
  }

  /** Declares a variable; sources do not say of which type theirs are. Gives its name. */
  variable(wanted: string, schema: JsonObject = {}): string {
    const name = wordOf(wanted, 'value');
    this.#vars[name] ??= schema;
    return name;
  }

  /** Declares something that the flow is given at its start. */
  input(wanted: string): string {
    const name = wordOf(wanted, 'value');
    this.#input[name] ??= {};
    return name;
  }

  /** Leads away from any step. The first of a name counts. */
  event(name: string, target: string): void {
    this.#events[name] ??= target;
  }

  /** In this language. */
  speak(locale: string): void {
    this.#locale = locale;
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  get variables(): string[] {
    return Object.keys(this.#vars);
  }

  /** What it gives back to the flow that calls it. */
  gives(output: JsonObject): void {
    this.#output = output;
  }

  text(): string {
    this.#boundCircles();
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

  /** In each circle that a silent caller may be led in, the question, or the first step, gets a limit. */
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
      step['max_visits'] = MOST_ROUNDS;
      step['exits'] = { ...exitsOf(step), limit: END };
      delete step['next'];
      const note = `the source leads round here without an end; ${MOST_ROUNDS} times are enough`;
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

/** Where a step leads when nobody says or presses anything. */
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

/** `next` as the exit that it stands for. */
function exitsOf({ exits, next, ...step }: JsonObject): JsonObject {
  const routed = isObject(exits) ? exits : {};
  const success = Object.keys(SUCCESS).find((verb) => step[verb] !== undefined);
  return next === undefined ? routed : { ...routed, [success === undefined ? 'done' : SUCCESS[success]!]: next };
}

const SUCCESS: Readonly<Record<string, string>> = {
  collect: 'collected',
  answer: 'connected',
  request: 'ok',
  queue: 'dequeued',
};

/** Routes are one line, and so is all that is short. */
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

/** A word of the language: letters, digits and `_`, not beginning with a digit. */
export function wordOf(wanted: string, otherwise: string): string {
  const plain = wanted
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, LONGEST_NAME);
  if (plain === '') return otherwise;
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** The first words of a text, as a name: sources without names of their own are read by what they say. */
export const nameFromText = (text: string): string =>
  wordOf(text.toLowerCase(), '').split('_').slice(0, WORDS_OF_A_NAME).join('_');

/** A text that is said as it stands. */
export const textOf = (text: string): string => text.replaceAll('${', () => '$${');

/** Values of the source as they stand, without a template among them. */
export const escapedTexts = (value: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(value), (_key, each) => (typeof each === 'string' ? textOf(each) : each)) as JsonObject;

/** A prompt that says this: a single word would be the key of a prompt. */
export const sayOf = (text: string): Json => (/\s/.test(text) ? text : { text });

/** A number of seconds of the source as a duration; undefined where it is not a number. */
export function secondsOf(written: unknown): string | undefined {
  const seconds = Number(written);
  if (written === undefined || written === '' || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`;
}
