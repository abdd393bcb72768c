/**
 * A flow as a picture needs it: steps with their exits, and what stands once for all of them. Made of the parsed text
 * alone, by the service and in the browser; `studio/web/graph/` draws it, `graph-language.ts` describes the verbs,
 * `graph-words.ts` has the words of a card.
 *
 * Invariants
 *  - nothing throws: of a broken or half-typed value comes the best graph that it can give;
 *  - of a sound flow come exactly the routes that the compiler finds (`covers` of all exits, with their targets);
 *  - plain data in the order of the text: the same value gives the same graph.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { isObject } from '../core/json.ts';
import { aboutOf, badgesOf, keysOf, promptWords } from './graph-words.ts';
import { type FoundOutcome, findOutcomes, targetOf, valueBelow } from './possible-outcomes.ts';
import {
  CALLING_VERBS,
  type FlowSummary,
  literalOf,
  type Route,
  type RoutedVerb,
  resolveRoutes,
  targetsOf,
} from './routes.ts';

export interface FlowGraph {
  name: string;
  /** Absent while the text does not name one. */
  start?: string;
  steps: GraphStep[];
  /** Interrupts: event name (`dtmf.0`, `hangup`, …) → target step. */
  events: Readonly<Record<string, string>>;
  /** Exits that hold for every step: outcome → target. */
  defaults: Readonly<Record<string, string>>;
}

export interface GraphStep {
  name: string;
  /** Empty while the step has none that is known. */
  verb: string;
  group: VerbGroup;
  /** What it says, asks, requests or decides, in a line or two. */
  about: string;
  /** Short facts: `3 tries`, `6 digits`, `≤ 3 visits`. */
  badges: string[];
  sensitive: boolean;
  /** Of the step's name in the text, 1-based. 0 where it is not known. */
  line: number;
  /** The author's `label`, which names a group by what stands before its first `/` or `:`. */
  label?: string;
  /** The part of the flow that it belongs to. */
  section?: string;
  /** Skipped unless this is true. */
  when?: string;
  /** The flows that it runs: a subflow, the branches of `parallel`, the waiting flow of a queue, or the one it continues with. */
  opens?: string[];
  /** In the order of the text: what is written at the step first, then what has no route, then what the defaults route. */
  exits: GraphExit[];
}

export interface GraphExit {
  /** As the text names it: `failed` where it stands for `failed.busy` and others. */
  outcome: string;
  /** A step, or `$end`. It may be missing from the flow, and is empty where the outcome has no route yet. */
  target: string;
  /** Written at the step, not taken from the defaults. */
  own: boolean;
  /** The outcomes of the step that take it. */
  covers: string[];
  /** The key to press, as written in `dtmf`. */
  key?: string;
  /** What stands in place of the outcome: the condition of a case. */
  label?: string;
}

/** Six kinds of verbs: it says, asks, connects, speaks to the world outside, decides, or ends. */
export type VerbGroup = 'say' | 'ask' | 'call' | 'outside' | 'logic' | 'end';

/** Facts of a verb for graphs, as data. */
export interface GraphVerb extends Omit<RoutedVerb, 'needsCall'> {
  group: VerbGroup;
  /** `defaults.input` applies to it. */
  asks?: boolean;
  /** All it may have. `<choice>`, `<tool>`, `<arm>`, `<event>`, `<outcome>` and `<case>` stand for names in its arguments. */
  outcomes: readonly string[];
}

export type GraphLanguage = Readonly<Record<string, GraphVerb>>;

export interface GraphOptions {
  verbs: GraphLanguage;
  /** Lines of the steps' names. */
  lines?: ReadonlyMap<string, number>;
  /** Other flows, whose outcomes a `subflow` has. */
  flows?: ReadonlyMap<string, FlowSummary>;
  /** Steps of earlier values, for those who read one text again and again. */
  known?: KnownSteps;
}

/** The steps of the last value: what is the same object again has the same graph. */
export class KnownSteps {
  #shared: readonly unknown[] = [];
  #steps = new WeakMap<object, GraphStep>();

  /** `shared` is what all steps depend on. */
  begin(shared: readonly unknown[]): void {
    if (shared.every((value, index) => value === this.#shared[index])) return;
    this.#shared = shared;
    this.#steps = new WeakMap();
  }

  step(name: string, line: number, written: object, make: () => GraphStep): GraphStep {
    const known = this.#steps.get(written);
    if (known?.name === name && known.line === line) return known;
    const step = known?.name === name ? { ...known, line } : make();
    this.#steps.set(written, step);
    return step;
  }
}

/** Keys that stand beside the verb; `set` is a verb where no other key is. */
const COMMON_KEYS = [
  'exits',
  'next',
  'when',
  'set',
  'max_visits',
  'sensitive',
  'locale',
  'voice',
  'label',
  'section',
  'doc',
  'check',
];

/** `value` is the text of a flow as plain data, sound or not. */
export function graphOf(value: unknown, { verbs, lines, flows, known }: GraphOptions): FlowGraph {
  const root = mapIn(value);
  known?.begin([verbs, flows, root['defaults'], root['vars'], root['prompts']]);
  const written = Object.entries(mapIn(root['steps']));
  const shared: Shared = {
    verbs,
    defaults: targetsOf(mapIn(root['defaults'])['exits']),
    input: mapIn(mapIn(root['defaults'])['input']),
    variables: mapIn(root['vars']),
    words: promptWords(root),
    ...(flows && { flows }),
  };
  return {
    name: wordOf(root['flow']),
    ...(wordOf(root['start']) !== '' && { start: wordOf(root['start']) }),
    steps: written.map(([name, step]) => {
      const line = lines?.get(name) ?? 0;
      const make = (): GraphStep => stepOf(name, mapIn(step), line, shared);
      return known !== undefined && isObject(step) ? known.step(name, line, step, make) : make();
    }),
    events: targetsOf(root['events']),
    defaults: shared.defaults,
  };
}

/** What stands once in the flow and is needed at each step. */
interface Shared {
  verbs: GraphLanguage;
  defaults: Record<string, string>;
  input: JsonObject;
  variables: JsonObject;
  words: ReturnType<typeof promptWords>;
  flows?: ReadonlyMap<string, FlowSummary>;
}

function stepOf(name: string, step: JsonObject, line: number, shared: Shared): GraphStep {
  const verbName = verbOf(step, shared.verbs);
  const verb = Object.hasOwn(shared.verbs, verbName) ? shared.verbs[verbName] : undefined;
  const raw = verbName === '' ? null : (step[verbName] ?? null);
  const args = argumentsOf(raw, verb, shared.input);
  const opens = opensOf(verbName, args);
  return {
    name,
    verb: verbName,
    group: verb?.group ?? 'logic',
    about: aboutOf(verbName, raw, args, shared.words.in(wordOf(step['locale']))),
    badges: badgesOf(verbName, args, step),
    sensitive: isSensitive(step, args, shared.variables),
    line,
    ...(wordOf(step['label']) !== '' && { label: wordOf(step['label']) }),
    ...(wordOf(step['section']) !== '' && { section: wordOf(step['section']) }),
    ...((typeof step['when'] === 'string' || typeof step['when'] === 'boolean') && { when: String(step['when']) }),
    ...(opens.length > 0 && { opens }),
    exits: exitsOf(name, step, verbName, verb, raw, args, shared),
  };
}

/** The one key that is a verb, or the first that may become one. */
export function verbOf(step: JsonObject, verbs: GraphLanguage): string {
  const others = Object.keys(step).filter((key) => !COMMON_KEYS.includes(key));
  const known = others.find((key) => Object.hasOwn(verbs, key));
  return known ?? others[0] ?? (Object.hasOwn(step, 'set') ? 'set' : '');
}

function argumentsOf(raw: Json, verb: GraphVerb | undefined, input: JsonObject): JsonObject {
  const long = isObject(raw) ? raw : raw !== null && verb?.short !== undefined ? { [verb.short]: raw } : {};
  return verb?.asks ? { ...input, ...long } : long;
}

function opensOf(verb: string, args: JsonObject): string[] {
  if (CALLING_VERBS.includes(verb) || verb === 'continue') return [literalOf(args['flow'], 'flow') ?? []].flat();
  if (verb === 'queue') return [literalOf(args['waiting'], 'flow') ?? []].flat();
  if (verb !== 'parallel') return [];
  return Object.values(mapIn(args['branches'])).flatMap((branch) => literalOf(branch, 'flow') ?? []);
}

function isSensitive(step: JsonObject, args: JsonObject, variables: JsonObject): boolean {
  if (step['sensitive'] === true || args['sensitive'] === true) return true;
  return Object.keys(mapIn(step['set'])).some(
    (name) => Object.hasOwn(variables, name) && mapIn(variables[name])['sensitive'] === true,
  );
}

function exitsOf(
  name: string,
  step: JsonObject,
  verbName: string,
  verb: GraphVerb | undefined,
  raw: Json,
  args: JsonObject,
  { defaults, flows }: Shared,
): GraphExit[] {
  const routed: RoutedVerb = verb ?? { outcomeTable: {} };
  const known = isObject(raw) ? args : raw;
  const returnsOf = (flow: string) => flows?.get(flow)?.returns;
  const found = resolveRoutes(name, routed, known, step, defaults, returnsOf);
  const outcomes = findOutcomes(routed, known, returnsOf);
  const rows = new Map<string, GraphExit>();
  const row = (outcome: string, target: string, own: boolean): GraphExit => {
    const known = rows.get(outcome);
    if (known !== undefined) return known;
    const made: GraphExit = { outcome, target, own, covers: [] };
    rows.set(outcome, made);
    return made;
  };
  for (const outcome of outcomes) {
    const target = targetOf(outcome)?.target;
    if (target !== undefined && found.routes.get(outcome.name)?.by === 'arguments') row(outcome.name, target, true);
  }
  const success = verb?.success ?? 'next';
  const next = wordOf(step['next']);
  const isNextUsed = verb?.success === undefined || found.routes.get(success)?.by === 'next';
  if (step['next'] !== undefined && isNextUsed && !verb?.terminal) row(success, next, true);
  for (const outcome of Object.keys(mapIn(step['exits']))) {
    row(outcome, wordOf(mapIn(step['exits'])[outcome]), true);
  }
  for (const outcome of found.unrouted) row(familyOf(outcome, rows), '', true).covers.push(outcome);
  for (const outcome of found.possible) {
    const route = found.routes.get(outcome);
    if (route !== undefined) row(rowKeyOf(route, rows), route.target, route.by !== 'defaults').covers.push(outcome);
  }
  const exits = [...rows.values()];
  describe(exits, outcomes);
  return verbName === 'menu' ? inOrderOf(exits, [...Object.keys(mapIn(args['choices'])), 'chosen', 'empty']) : exits;
}

/** Outcomes without a route stand in one row by their first word, such as `failed`. */
function familyOf(outcome: string, rows: ReadonlyMap<string, GraphExit>): string {
  const head = outcome.split('.')[0]!;
  const taken = rows.get(head);
  return taken === undefined || taken.target === '' ? head : outcome;
}

/** A default has the name of a row only where the step does not route that name itself. */
function rowKeyOf({ by, key, target }: Route, rows: ReadonlyMap<string, GraphExit>): string {
  const taken = rows.get(key);
  return by === 'defaults' && taken !== undefined && (taken.own || taken.target !== target) ? `${key}.*` : key;
}

/** Adds keys to press and conditions. */
function describe(exits: GraphExit[], outcomes: readonly FoundOutcome[]): void {
  const byName = new Map(outcomes.map((outcome) => [outcome.name, outcome]));
  for (const exit of exits) {
    const { entry, item = null } = byName.get(exit.outcome) ?? {};
    const key = entry?.key === undefined ? '' : keysOf(valueBelow(item, entry.key));
    if (key !== '') exit.key = key;
    const label = entry?.label === undefined ? '' : wordOf(valueBelow(item, entry.label));
    if (label !== '') exit.label = label;
  }
}

function inOrderOf(exits: GraphExit[], names: readonly string[]): GraphExit[] {
  const place = new Map(names.map((name, index) => [name, index]));
  return exits.toSorted(
    (one, other) => (place.get(one.outcome) ?? names.length) - (place.get(other.outcome) ?? names.length),
  );
}

const mapIn = (value: unknown): JsonObject => (isObject(value as Json) ? (value as JsonObject) : {});
const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
