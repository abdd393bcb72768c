/**
 * Types shared by the parts of the flow language. A flow passes through: text → document with locations → checked
 * document → compiled flow (route table + templates). Flow defines meaning; nothing here acts on a call.
 */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { WrittenVoice } from '../../base/core/voice.ts';
import type { CompleteArguments } from '../../base/schema/validate.ts';
import type { CpuLease } from './cpu-scheduler.ts';
import type { VariableSpec } from './declared-values.ts';
import type { RoutedVerb } from './routes.ts';
import type { PerItem } from './verb-facts.ts';

/**
 * Properties of a verb that the language needs; `defineStep` adds how it runs. Passed to `compileFlow` as a table,
 * because the language does not import the steps.
 */
export interface VerbSpec extends RoutedVerb {
  verb: string;
  /** `assignments`: the arguments are values of variables, by name. */
  form?: 'assignments';
  /** True if the caller hears the step. */
  media?: boolean;
  /** Argument keys (top level) whose templates the step evaluates itself, later than on entry. */
  lazy?: readonly string[];
  /** Arguments that the step evaluates for each item of a list. */
  items?: PerItem;
  /** JSON pointers below the arguments of bare JSONata; `*` stands for every index or key. Never rendered. */
  expressions?: readonly string[];
  /** JSON pointers below the arguments of prompts; `*` stands for every index or key. */
  prompts?: readonly string[];
}

/** Compiled value with `${ … }` in it. Opaque outside `language/flow/template.ts`. */
export interface Template {
  /** The literal value if the template has no expressions. */
  readonly constant?: Json;
  readonly isConstant: boolean;
  /** The value as written. */
  readonly source: Json;
}

/** Argument location that receives the value of a template. */
export interface TemplatePlace {
  /**
   * Converts a value for this location. Undefined in: the expression found no value. Undefined out: the value is left
   * out.
   */
  fit(value: Json | undefined, locale: string | undefined): Json | undefined;
  /** True if the value is spoken: numbers in a text are written in the language of the step. */
  isSpoken: boolean;
}

/** Returns the place at a JSON pointer; undefined if it accepts any value. */
export type TemplatePlaces = (pointer: string) => TemplatePlace | undefined;

/** A compiled JSONata expression. Opaque outside `language/flow/expression.ts`. */
export interface Expression {
  readonly source: string;
}

/** Names that expressions can read. `secrets` is present only where the language allows it (headers, auth). */
export interface Scope {
  input: JsonObject;
  call: JsonObject;
  vars: JsonObject;
  steps: JsonObject;
  result?: Json;
  /** In a step with a list: the item, its index from 0, and the key that chooses it. */
  item?: Json;
  index?: number;
  key?: string;
  /** In a menu over a list: the page from 1, and the count of pages. */
  page?: number;
  pages?: number;
  /** Present while the call is in a queue. */
  queue?: JsonObject;
  env: JsonObject;
  secrets?: JsonObject;
}

/** Names that a step adds to the scope for an item of its list. */
export type ItemNames = Pick<Scope, 'item' | 'index' | 'key' | 'page' | 'pages'>;

/** Sources of time and randomness for an evaluation, so that it can be repeated. */
export interface EvaluationContext {
  nowMs: number;
  /** Time zone of `$local` without an explicit zone; default UTC. */
  timezone?: string | undefined;
  /** The language in which numbers are spoken. */
  locale?: string | undefined;
  random(): number;
  /** Awaited before an evaluation, so that the event loop can run other work first. */
  yieldTurn?(): Promise<void> | undefined;
  /** Acquires processor time for an evaluation; without it the evaluation is not limited to a share. */
  acquireCpu?(): CpuLease | Promise<CpuLease> | undefined;
}

/** Language and voice of speech synthesis, and language of speech recognition. */
export interface VoiceSettings {
  readonly locale: string;
  readonly voice: WrittenVoice;
}

/** `locale` and `voice` as written. */
export type VoiceTemplates = { readonly [Key in keyof VoiceSettings]?: Template };

export interface CompiledStep {
  name: string;
  verb: string;
  /** Arguments as written, with `defaults.input` merged in for input verbs. */
  args: Json;
  /** The arguments as a template; lazy keys and bare expressions are carried through unevaluated. */
  input: Template;
  /** Target step of every routed outcome, including `limit` and `hangup` if they are routed. */
  exits: Readonly<Record<string, string>>;
  when?: Expression;
  set?: Readonly<Record<string, Template>>;
  maxVisits?: number;
  sensitive: boolean;
  /** Returns the place of each argument location. */
  places: TemplatePlaces;
  /** Pointers of templates below the arguments whose results are names of prompts; other results are spoken as text. */
  promptNames: ReadonlySet<string>;
  /** Pointers at which arguments that the step renders itself may read `secrets`. */
  secretPlaces?: readonly string[];
  voiceSettings?: VoiceTemplates;
  label?: string;
  section?: string;
  location: SourceLocation;
  /** Returns the rendered arguments in their long form with defaults, and their problems. */
  complete(rendered: Json): CompleteArguments;
}

export interface CompiledFlow {
  /** A local flow, under `flows`, is called `MAIN/NAME`. */
  name: string;
  /** SHA-256 (hex) of the checked document in canonical form: the version of the flow. */
  hash: string;
  file: string;
  start: string;
  steps: ReadonlyMap<string, CompiledStep>;
  /** Pure routing; see `language/flow/machine.ts`. */
  machine: RouteMachine;
  input: Readonly<Record<string, VariableSpec>>;
  vars: Readonly<Record<string, VariableSpec>>;
  output?: Template;
  /** Outcomes that `return` steps may give, for callers of this flow. */
  returns: readonly string[];
  /** Returns the problem of a value for a variable, in words; undefined if the value may be assigned. */
  checkVariable(name: string, value: Json): string | undefined;
  /** Returns the problem of an input value, in words; undefined if it is valid. */
  checkInput(name: string, value: Json): string | undefined;
  prompts: PromptTable;
  schedules: Readonly<Record<string, Json>>;
  /** Defaults if nothing else is written, or if `voiceSettings` is known only during the call. */
  locale: string;
  voice: WrittenVoice;
  /** Locale and voice that the flow itself defines. */
  voiceSettings?: VoiceTemplates;
  /** Default time zone of `$local` in expressions. */
  timezone?: string;
  /** Interrupts: event name (`dtmf.0`, `hangup`, `max_duration`, `event.NAME`) → target step. */
  events: Readonly<Record<string, string>>;
  limits: { maxDurationMs: number; maxSteps: number };
  /** Properties that must hold on every call, by name. */
  properties: Readonly<Record<string, FlowProperty>>;
  /** REST commands that are allowed on calls of this flow. */
  api: Readonly<Record<ApiCommand, boolean>>;
  /** Names under `flows` of its document; undefined if there are none. */
  localNames?: ReadonlySet<string>;
  /** Local flows of a document without a file, by name. Local flows of files are in the library. */
  locals?: ReadonlyMap<string, CompiledFlow>;
}

/**
 * A moment is `STEP`, the entry of a step, or `STEP.OUTCOME` (`look_up.ok`), its exit. Exactly one of the three fields
 * is set.
 */
export interface FlowProperty {
  never?: PropertyEvent & { sends?: 'sensitive'; except?: readonly string[]; before?: string; after?: string };
  /** `within` is a duration and requires `after`. */
  always?: PropertyEvent & { before?: string; after?: string; within?: string };
  /** `time` is a duration. At least one of `keys` and `time` is set. */
  within?: { reaches: string; keys?: number; time?: string };
}

/** Exactly one of these fields is set. */
export interface PropertyEvent {
  /** Name of a moment. */
  visited?: string;
  /** Name of a prompt, or part of its text. */
  heard?: string;
  /** Name of the step, or an object of conditions that must all hold: part of the URL, method, fields of the body. */
  requested?: string | { step?: string; method?: string; url?: string; body?: Json };
  /** First digits of a number, or beginning of an address. */
  dialled?: string;
}

export const API_COMMANDS = [
  'play',
  'hangup',
  'accept',
  'connect',
  'event',
  'flow',
  'transfer',
  'hold',
  'recording',
  'stream',
  'conference',
  'join_room',
  'outcome',
] as const;
export type ApiCommand = (typeof API_COMMANDS)[number];

/** Pure router: no time, no effects, no expressions. */
export interface RouteMachine {
  /**
   * Returns the target of `outcome` at `at`: a step's name, `'$end'`, or undefined if the outcome has no route. `at` is
   * a step's name, or `'$idle'` before the first step (outcome `start`).
   */
  next(at: string, outcome: string): string | undefined;
  /** Steps, and `$end`, that some sequence of outcomes and interrupts leads to. */
  reachable(): ReadonlySet<string>;
  /** Shortest path to each reachable step: the outcomes of the steps on it, from `$idle`. */
  paths(): ReadonlyMap<string, readonly StepExit[]>;
  /** States and routes as the configuration of a machine, for visualisers of xstate. */
  definition(): JsonObject;
}

export interface StepExit {
  step: string;
  outcome: string;
}

export const IDLE = '$idle';
export { END } from './outcome.ts';

/** Resolves prompt keys to audio items. */
export interface PromptTable {
  /** Directory of prompt files next to the flow, absolute; undefined if the flow has none. */
  directory?: string;
  /** Additional directories of sound files, from the configuration. */
  roots?: readonly string[];
  /** key → locale (or `default`) → definition: `{audio: file}`, `{text: …}` or a list of such. */
  entries: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}
