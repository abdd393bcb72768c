/**
 * The words shared by the parts of the language. A flow goes through: text → document with places → checked document →
 * compiled flow (route table + templates). Flow owns meaning; nothing here does anything on a call.
 */

import type { CpuLease } from '../core/cpu-scheduler.ts';
import type { SourceLocation } from '../core/diagnostic.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { WrittenVoice } from '../core/voice.ts';
import type { CompleteArguments } from '../schema/validate.ts';
import type { VariableSpec } from './declared-values.ts';
import type { RoutedVerb } from './routes.ts';

/**
 * What the language must know of a verb; `defineStep` adds how it runs. Passed to `compileFlow` as a table, because
 * the language does not import the steps.
 */
export interface VerbSpec extends RoutedVerb {
  verb: string;
  /** Is heard by the caller. */
  media?: boolean;
  /** Argument keys (top level) whose templates the step evaluates itself, later than on entry. */
  lazy?: readonly string[];
  /** The names of an item that the step adds to what expressions see in some of its lazy arguments; the list stands at `of`. */
  items?: { of: string; in: readonly string[]; names: readonly string[] };
  /** JSON pointers below the arguments at which bare JSONata stands; `*` stands for every index or key. Never rendered. */
  expressions?: readonly string[];
  /** JSON pointers below the arguments at which prompts are written; `*` stands for every index or key. */
  prompts?: readonly string[];
}

/** A value with `${ … }` in it, made ready to evaluate. Opaque outside `flow/template.ts`. */
export interface Template {
  /** The literal value when nothing has to be evaluated. */
  readonly constant?: Json;
  readonly isConstant: boolean;
  /** What was written. */
  readonly source: Json;
}

/** A place for the value of a template. */
export interface TemplatePlace {
  /** Undefined: nothing was found, and nothing stands for it. */
  fit(value: Json | undefined, locale: string | undefined): Json | undefined;
  /** True if it is heard: numbers in a text are written as in the language of the step. */
  isSpoken: boolean;
}

/** The place at a JSON pointer; undefined if it takes anything. */
export type TemplatePlaces = (pointer: string) => TemplatePlace | undefined;

/** A compiled JSONata expression. Opaque outside `flow/expression.ts`. */
export interface Expression {
  readonly source: string;
}

/** What expressions see. `secrets` is present only where the language allows it (headers, auth). */
export interface Scope {
  input: JsonObject;
  call: JsonObject;
  vars: JsonObject;
  steps: JsonObject;
  result?: Json;
  /** Of a list, where a step has one: the item, its place from 0, and the key that chooses it. */
  item?: Json;
  index?: number;
  key?: string;
  /** While the call is in a queue. */
  queue?: JsonObject;
  env: JsonObject;
  secrets?: JsonObject;
}

/** Names that a step adds for an item of its list. */
export type ItemNames = Pick<Scope, 'item' | 'index' | 'key'>;

/** What an evaluation may know of time and chance, so that it can be repeated. */
export interface EvaluationContext {
  nowMs: number;
  /** Of `$local`, where it names none; default UTC. */
  timezone?: string | undefined;
  /** The language in which numbers are spoken. */
  locale?: string | undefined;
  random(): number;
  /** Awaited before an evaluation: the event loop may turn first. */
  yieldTurn?(): Promise<void> | undefined;
  /** Acquires processor time for an evaluation; without it an evaluation has all there is. */
  acquireCpu?(): CpuLease | Promise<CpuLease> | undefined;
}

/** The language and the voice in which a call is spoken to, and the language in which it is listened to. */
export interface Speaker {
  readonly locale: string;
  readonly voice: WrittenVoice;
}

/** `locale` and `voice` as written. */
export type SpeakerTemplates = { readonly [Key in keyof Speaker]?: Template };

export interface CompiledStep {
  name: string;
  verb: string;
  /** Arguments as written, with `defaults.input` merged in for input verbs. */
  args: Json;
  /** The arguments as a template; lazy keys and bare expressions are carried through unevaluated. */
  input: Template;
  /** Every outcome of the step, and `limit` and `hangup` where they are routed, → target step. */
  exits: Readonly<Record<string, string>>;
  when?: Expression;
  set?: Readonly<Record<string, Template>>;
  maxVisits?: number;
  sensitive: boolean;
  /** Finds what each place of the arguments takes. */
  places: TemplatePlaces;
  /** Pointers below the arguments of templates that give names of prompts; anything else that they give is spoken. */
  promptNames: ReadonlySet<string>;
  /** Pointers at which what the step renders itself may have secrets. */
  secretPlaces?: readonly string[];
  speaker?: SpeakerTemplates;
  label?: string;
  section?: string;
  location: SourceLocation;
  /** What its program takes: the rendered arguments in their long form, with defaults; and what is wrong with them. */
  complete(rendered: Json): CompleteArguments;
}

export interface CompiledFlow {
  /** A flow under `flows` is called `FLOW OF THE FILE/NAME`. */
  name: string;
  /** SHA-256 (hex) of the checked document in canonical form: the version of the flow. */
  hash: string;
  file: string;
  start: string;
  steps: ReadonlyMap<string, CompiledStep>;
  /** Pure routing; see `flow/machine.ts`. */
  machine: RouteMachine;
  input: Readonly<Record<string, VariableSpec>>;
  vars: Readonly<Record<string, VariableSpec>>;
  output?: Template;
  /** Outcomes that `return` steps may give, for callers of this flow. */
  returns: readonly string[];
  /** What is wrong with a value for a variable, in words; undefined when it may be assigned. */
  checkVariable(name: string, value: Json): string | undefined;
  /** The same for what the flow is given. */
  checkInput(name: string, value: Json): string | undefined;
  prompts: PromptTable;
  schedules: Readonly<Record<string, Json>>;
  /** What holds where nothing else is written, and where `speaker` is known on the call only. */
  locale: string;
  voice: WrittenVoice;
  /** What the flow says itself. */
  speaker?: SpeakerTemplates;
  /** Of `$local` in expressions. */
  timezone?: string;
  /** Interrupts: event name (`dtmf.0`, `hangup`, `max_duration`, `event.NAME`) → target step. */
  events: Readonly<Record<string, string>>;
  limits: { maxDurationMs: number; maxSteps: number };
  /** What holds on every call, by name. */
  properties: Readonly<Record<string, FlowProperty>>;
  /** What REST may do to calls of this flow. */
  api: Readonly<Record<ApiCommand, boolean>>;
  /** Names under `flows` of its document; absent where there are none. */
  localNames?: ReadonlySet<string>;
  /** Flows under `flows` of a document that is not a file, by name; those of files are in the library. */
  locals?: ReadonlyMap<string, CompiledFlow>;
}

/**
 * A moment is a step, which is entered, or a step and its outcome (`look_up.ok`), by which it is left. Exactly one of the
 * three.
 */
export interface FlowProperty {
  never?: PropertyEvent & { sends?: 'sensitive'; except?: readonly string[]; before?: string; after?: string };
  /** `within` is a duration, and goes with `after`. */
  always?: PropertyEvent & { before?: string; after?: string; within?: string };
  /** `time` is a duration. One of `keys` and `time`, or both. */
  within?: { reaches: string; keys?: number; time?: string };
}

/** Exactly one of them. */
export interface PropertyEvent {
  /** A moment. */
  visited?: string;
  /** The name of a prompt, or words of it. */
  heard?: string;
  /** By the name of its step, or by all of these: a part of its URL, its method, fields of its body. */
  requested?: string | { step?: string; method?: string; url?: string; body?: Json };
  /** The beginning of a number or address. */
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

/** The pure router: no time, no effects, no expressions. */
export interface RouteMachine {
  /**
   * Where a flow that is at `at` goes for `outcome`: a step's name, `'$end'`, or undefined when nothing routes it.
   * `at` is a step's name, or `'$idle'` before the first step (outcome `start`).
   */
  next(at: string, outcome: string): string | undefined;
  /** Steps, and `$end`, that some sequence of outcomes and interrupts leads to. */
  reachable(): ReadonlySet<string>;
  /** A shortest way to each of them: the outcomes of the steps on it, from `$idle` on. */
  paths(): ReadonlyMap<string, readonly PathStep[]>;
  /** The states and their routes as the configuration of a machine, for visualisers of xstate. */
  definition(): JsonObject;
}

/** An outcome of a step. */
export interface PathStep {
  step: string;
  outcome: string;
}

export const IDLE = '$idle';
export { END } from './outcome.ts';

/** Resolves prompt keys: what a step names → what is heard. */
export interface PromptTable {
  /** Directory of prompt files beside the flow, absolute; absent when the flow has none. */
  directory?: string;
  /** Directories beside the flow's own that sound files may come from: those of prompts which the configuration names. */
  roots?: readonly string[];
  /** key → locale (or `default`) → definition: `{audio: file}`, `{text: …}` or a list of such. */
  entries: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}
