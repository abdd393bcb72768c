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

/** What a graph needs to know of a verb, as data. */
export interface GraphVerb extends Pick<RoutedVerb, 'success' | 'terminal' | 'waits' | 'unroutedAs' | 'finer'> {
  group: VerbGroup;
  /** The key that a value alone stands for. */
  short?: string;
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

const takesBoth = ({ digits, speech }: JsonObject): boolean => digits !== undefined && speech !== undefined;

/** Outcomes that a verb has only with an argument (or `action: start`), by verb. */
const ONLY_WITH: Readonly<Record<string, Readonly<Record<string, (args: JsonObject) => boolean>>>> = {
  play: { interrupted: ({ barge_in = false }) => barge_in !== false },
  collect: { digits: takesBoth, speech: takesBoth },
  menu: { chosen: ({ each }) => each !== undefined, empty: ({ each }) => each !== undefined },
  queue: {
    timeout: (args) => args['timeout'] !== undefined,
    abandoned: (args) => args['leave_key'] !== undefined,
    callback: (args) => args['callback'] !== undefined,
    no_callback: (args) => args['callback'] !== undefined,
    no_agents: (args) => args['agents'] === undefined && (args['wait_for_agents'] ?? false) === false,
  },
  check_queue: { no_agents: (args) => args['agents'] === undefined },
  serve: {
    served: ({ once = false }) => once !== false,
    timeout: (args) => args['timeout'] !== undefined,
  },
  parallel: { timeout: (args) => args['timeout'] !== undefined },
  wait_for: { timeout: (args) => args['timeout'] !== undefined },
  bridge: {
    'failed.screened': (args) => args['screen'] !== undefined,
    machine: ({ detect_machine = false }) => detect_machine !== false,
  },
  webhook: { done: ({ may }) => may === 'flow' || (Array.isArray(may) && may.includes('flow')) },
  ...Object.fromEntries(
    ['recording', 'stream', 'transcribe'].map((verb) => [
      verb,
      { started: ({ action }: JsonObject) => action === 'start', done: ({ action }: JsonObject) => action !== 'start' },
    ]),
  ),
};

/** Keys that stand beside the verb; `set` is a verb where no other key is. */
const COMMON_KEYS = ['exits', 'next', 'when', 'set', 'max_visits', 'sensitive', 'locale', 'label', 'section', 'doc'];

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
  const cases = verbName === 'branch' ? casesOf(raw) : [];
  const called =
    CALLING_VERBS.includes(verbName) && args['outcomes'] === undefined
      ? flows?.get(opensOf(verbName, args)[0] ?? '')
      : undefined;
  const outcomes = outcomesOf(verbName, verb, raw, called ? { ...args, outcomes: [...called.returns] } : args, cases);
  const inline = inlineOf(verbName, args, cases);
  const found = resolveRoutes(
    name,
    {
      ...verb,
      outcomes: () => outcomes,
      inlineExits: () => inline,
    },
    null,
    step,
    defaults,
    called && !called.returns.includes('done') ? ['done'] : [],
  );
  const rows = new Map<string, GraphExit>();
  const row = (outcome: string, target: string, own: boolean): GraphExit => {
    const known = rows.get(outcome);
    if (known !== undefined) return known;
    const made: GraphExit = { outcome, target, own, covers: [] };
    rows.set(outcome, made);
    return made;
  };
  for (const [outcome, target] of Object.entries(inline)) {
    if (found.routes.get(outcome)?.by === 'arguments') row(outcome, target, true);
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
  describe(exits, verbName, args, cases);
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

function outcomesOf(
  verbName: string,
  verb: GraphVerb | undefined,
  raw: Json,
  args: JsonObject,
  cases: readonly Case[],
): string[] {
  // What is one template may ask for anything; a prompt is one only as a whole.
  const isOpen = typeof raw === 'string' && (verbName === 'play' ? /^\$\{.*\}$/s : /\$\{/).test(raw);
  const only = Object.hasOwn(ONLY_WITH, verbName) ? ONLY_WITH[verbName]! : {};
  return (verb?.outcomes ?? []).flatMap((outcome) => {
    if (outcome === '<case>') return cases.map((each) => each.outcome);
    if (verbName === 'branch') return [];
    if (outcome === '<choice>') return Object.keys(mapIn(args['choices']));
    if (outcome === '<tool>') return Object.keys(mapIn(args['tools']));
    if (outcome === '<arm>') return Object.keys(mapIn(args['arms']));
    if (outcome === '<event>') return listOf(args['events']);
    if (outcome === '<outcome>') {
      if (verbName === 'parallel' && args['until'] !== 'first') return [];
      return verbName === 'queue' && args['waiting'] === undefined ? [] : listOf(args['outcomes']);
    }
    const isPossible = Object.hasOwn(only, outcome) ? isOpen || only[outcome]!(args) : true;
    return isPossible ? [outcome] : [];
  });
}

interface Case {
  outcome: string;
  when?: string;
  next: string;
}

/** As `steps/branch.ts` names them: `case.1` …, or the name given; the last one is `else`. */
function casesOf(raw: Json): Case[] {
  return (Array.isArray(raw) ? raw : []).map((written, index): Case => {
    const { when, name, next, else: otherwise } = mapIn(written);
    if (when === undefined) return { outcome: 'else', next: wordOf(otherwise) };
    return { outcome: wordOf(name) || `case.${index + 1}`, when: wordOf(when), next: wordOf(next) };
  });
}

function inlineOf(verb: string, args: JsonObject, cases: readonly Case[]): Record<string, string> {
  if (verb === 'repeat') return typeof args['do'] === 'string' ? { done: args['do'] } : {};
  return Object.fromEntries(cases.filter(({ next }) => next !== '').map(({ outcome, next }) => [outcome, next]));
}

/** Adds keys to press and conditions. */
function describe(exits: GraphExit[], verb: string, args: JsonObject, cases: readonly Case[]): void {
  for (const exit of exits) {
    const choices = mapIn(args['choices']);
    const choice = verb === 'menu' && Object.hasOwn(choices, exit.outcome) ? choices[exit.outcome] : undefined;
    const key =
      choice !== undefined
        ? keysOf(choice)
        : verb === 'queue' && exit.outcome === 'abandoned'
          ? keysOf(args['leave_key'])
          : verb === 'queue' && exit.outcome === 'callback'
            ? keysOf(mapIn(args['callback'])['key'])
            : '';
    if (key !== '') exit.key = key;
    const when = cases.find(({ outcome }) => outcome === exit.outcome)?.when;
    if (when !== undefined) exit.label = when;
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
const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map(wordOf).filter((word) => word !== '');
