/**
 * Model of a flow for drawing: its steps with their exits, and the events and default exits of the flow. It is built
 * from the parsed text alone, by the service and in the browser. `pages/studio/web/graph/` draws it,
 * `graph-language.ts` describes the verbs, and `graph-words.ts` writes the text of a step's card.
 *
 * Invariants
 *  - No function here throws: a broken or half-typed value gives a graph of the parts that can be read.
 *  - A valid flow gives exactly the routes that the compiler finds (`covers` of all exits, with their targets).
 *  - The graph is plain data in the order of the text: the same value gives the same graph.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { isObject } from '../../base/core/json.ts';
import { aboutOf, type Badge, badgesOf, type CardText, keysOf, promptWords } from './graph-words.ts';
import { flowsNamedIn, type NamedPlaces } from './named-places.ts';
import { type FoundOutcome, findOutcomes, type OutcomeEntry, targetOf, valueBelow } from './possible-outcomes.ts';
import { type Route, type RoutedVerb, resolveRoutes, targetsOf } from './routes.ts';

export interface FlowGraph {
  name: string;
  /** Undefined if the text does not name a first step. */
  start?: string;
  steps: GraphStep[];
  /** Interrupts: event name (`dtmf.0`, `hangup`, …) → target step. */
  events: Readonly<Record<string, string>>;
  /** Default exits of all steps: outcome → target. */
  defaults: Readonly<Record<string, string>>;
}

export interface GraphStep {
  name: string;
  /** Empty if the step has no key that may be a verb. */
  verb: string;
  /** Display name of the verb; absent if it is `verb`. */
  verb_label?: string;
  group: VerbGroup;
  /** Summary of the arguments in a line or two: prompt, request or condition. */
  about: string;
  /** Short facts: `3 tries`, `6 digits`, `≤ 3 visits`. */
  badges: string[];
  sensitive: boolean;
  /** Line of the step's name in the text, 1-based; 0 if unknown. */
  line: number;
  /** The author's `label`. The text before its first `/` or `:` is the name of a group. */
  label?: string;
  /** The author's `section`: the part of the flow to which the step belongs. */
  section?: string;
  /** Condition; the step is skipped if it is false. */
  when?: string;
  /**
   * Flows that the step runs: a subflow, the branches of `parallel`, the waiting flow of a queue, or the flow of
   * `continue`.
   */
  opens?: string[];
  /**
   * In the order of the text: exits written at the step, then outcomes without a route, then outcomes routed by the
   * defaults.
   */
  exits: GraphExit[];
}

export interface GraphExit {
  /** Outcome or prefix as written in the text: `failed` covers `failed.busy` and others. */
  outcome: string;
  /** Name of a step, or `$end`. The step may be missing from the flow. Empty if the outcome has no route yet. */
  target: string;
  /** True if the exit is written at the step; false if it is taken from the defaults. */
  own: boolean;
  /** Outcomes of the step that leave by this exit. */
  covers: string[];
  /** Key to press, as written in `dtmf`. */
  key?: string;
  /** Text shown in place of the outcome: the condition of a case. */
  label?: string;
}

/** Groups of verbs: speaking, asking, calling other parties, external systems, logic, and end of the flow or call. */
export type VerbGroup = 'say' | 'ask' | 'call' | 'outside' | 'logic' | 'end';

/** Icon of 16 × 16, drawn with one stroke: path data of SVG, and the width of the stroke (default 1.5). */
export interface VerbIcon {
  readonly path: string;
  readonly weight?: number;
}

/** Properties of a verb for graphs, as data. */
export interface GraphVerb extends Omit<RoutedVerb, 'needsCall'> {
  group: VerbGroup;
  /** Display name; absent if it is the name in flows. */
  label?: string;
  icon?: VerbIcon;
  card?: readonly CardText[];
  /** Places at which the arguments name other parts. */
  names?: NamedPlaces;
  badges?: readonly Badge[];
  /** Form of the mocks of the verb in tests. */
  simulated?: 'parties' | 'requests' | 'verb';
  /** True if `defaults.input` applies to the verb. */
  asks?: boolean;
  /** `assignments`: the arguments are values of variables; every step may have them next to its verb. */
  form?: 'assignments';
  /**
   * All possible outcomes. `<choice>`, `<tool>`, `<arm>`, `<event>`, `<outcome>` and `<case>` stand for names in the
   * arguments.
   */
  outcomes: readonly string[];
}

export type GraphLanguage = Readonly<Record<string, GraphVerb>>;

/** Outcomes that flows return, by name. */
export type ReturnsByFlow = ReadonlyMap<string, { readonly returns: readonly string[] }>;

export interface GraphOptions {
  verbs: GraphLanguage;
  /** Line of each step's name. */
  lines?: ReadonlyMap<string, number>;
  /** Other flows, by name; a `subflow` step has their outcomes. */
  flows?: ReturnsByFlow;
  /** Cache of steps, for a caller that builds the graph of one text again after each edit. */
  known?: KnownSteps;
}

/** Cache of the steps of the last value: a step whose object is the same one again keeps its graph step. */
export class KnownSteps {
  #shared: readonly unknown[] = [];
  #steps = new WeakMap<object, GraphStep>();

  /** `shared` lists the values on which every step depends; a change of one of them empties the cache. */
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

/** Keys that a step may have besides its verb. Assignments are the verb if the step has no other one. */
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

/** `value` is the text of a flow as plain data; it may be invalid. */
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

/** Data of the whole flow that each step needs. */
interface Shared {
  verbs: GraphLanguage;
  defaults: Record<string, string>;
  input: JsonObject;
  variables: JsonObject;
  words: ReturnType<typeof promptWords>;
  flows?: ReturnsByFlow;
}

function stepOf(name: string, step: JsonObject, line: number, shared: Shared): GraphStep {
  const verbName = verbOf(step, shared.verbs);
  const verb = Object.hasOwn(shared.verbs, verbName) ? shared.verbs[verbName] : undefined;
  const raw = verbName === '' ? null : (step[verbName] ?? null);
  const args = argumentsOf(raw, verb, shared.input);
  const opens = opensOf(verb, args);
  return {
    name,
    verb: verbName,
    ...(verb?.label !== undefined && { verb_label: verb.label }),
    group: verb?.group ?? 'logic',
    about: aboutOf(verb?.card ?? [], raw, args, shared.words.in(wordOf(step['locale']))),
    badges: badgesOf(verb?.badges ?? [], args, step),
    sensitive: isSensitive(step, args, shared.variables),
    line,
    ...(wordOf(step['label']) !== '' && { label: wordOf(step['label']) }),
    ...(wordOf(step['section']) !== '' && { section: wordOf(step['section']) }),
    ...((typeof step['when'] === 'string' || typeof step['when'] === 'boolean') && { when: String(step['when']) }),
    ...(opens.length > 0 && { opens }),
    exits: exitsOf(name, step, verb, raw, args, shared),
  };
}

/** Returns the key that is a known verb, else the first unknown key, which may be an unfinished verb. */
export function verbOf(step: JsonObject, verbs: GraphLanguage): string {
  const others = Object.keys(step).filter((key) => !COMMON_KEYS.includes(key));
  const known = others.find((key) => Object.hasOwn(verbs, key));
  const assigning = Object.keys(step).find((key) => Object.hasOwn(verbs, key) && verbs[key]!.form === 'assignments');
  return known ?? others[0] ?? assigning ?? '';
}

/** Path below a step to the argument that routes an outcome; undefined if its arguments route none of this name. */
export function routeInArguments(step: Json, outcome: string, verbs: GraphLanguage): (string | number)[] | undefined {
  const name = isObject(step) ? verbOf(step, verbs) : '';
  if (!isObject(step) || !Object.hasOwn(verbs, name)) return undefined;
  const found = findOutcomes(verbs[name]!, step[name] ?? null).find((each) => each.name === outcome);
  if (found?.entry.target === undefined) return undefined;
  const keys = `${found.at}${found.entry.target}`.split('/').slice(1);
  return [name, ...keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key))];
}

function argumentsOf(raw: Json, verb: GraphVerb | undefined, input: JsonObject): JsonObject {
  const long = isObject(raw) ? raw : raw !== null && verb?.short !== undefined ? { [verb.short]: raw } : {};
  return verb?.asks ? { ...input, ...long } : long;
}

/** A flow that begins another call is not opened by the step. */
const opensOf = (verb: GraphVerb | undefined, args: JsonObject): string[] =>
  flowsNamedIn(verb?.names, args).flatMap(({ flow, use }) => (use === 'begins' ? [] : [flow]));

function isSensitive(step: JsonObject, args: JsonObject, variables: JsonObject): boolean {
  if (step['sensitive'] === true || args['sensitive'] === true) return true;
  return Object.keys(mapIn(step['set'])).some(
    (name) => Object.hasOwn(variables, name) && mapIn(variables[name])['sensitive'] === true,
  );
}

function exitsOf(
  name: string,
  step: JsonObject,
  verb: GraphVerb | undefined,
  raw: Json,
  args: JsonObject,
  { defaults, flows }: Shared,
): GraphExit[] {
  const routed: RoutedVerb = verb ?? { outcomeTable: {} };
  const known = isObject(raw) ? args : raw;
  const returnsOf = (flow: string) => flows?.get(flow)?.returns;
  const found = resolveRoutes({ name, spec: routed, args: known, step, defaults, returnsOf });
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
  const isOfChoices = ({ each, key }: OutcomeEntry): boolean => each !== undefined && key !== undefined;
  if (!Object.values(routed.outcomeTable).some(isOfChoices)) return exits;
  const choices = outcomes.flatMap(({ entry, name: choice }) => (isOfChoices(entry) ? [choice] : []));
  return inOrderOf(exits, [...choices, 'chosen', 'empty']);
}

/** Outcomes without a route share one row named after their first segment, such as `failed`. */
function familyOf(outcome: string, rows: ReadonlyMap<string, GraphExit>): string {
  const head = outcome.split('.')[0]!;
  const taken = rows.get(head);
  return taken === undefined || taken.target === '' ? head : outcome;
}

/**
 * A default shares a row with the step only if the step does not route that name differently; otherwise its row is
 * `KEY.*`.
 */
function rowKeyOf({ by, key, target }: Route, rows: ReadonlyMap<string, GraphExit>): string {
  const taken = rows.get(key);
  return by === 'defaults' && taken !== undefined && (taken.own || taken.target !== target) ? `${key}.*` : key;
}

/** Adds the keys to press and the conditions of cases. */
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
