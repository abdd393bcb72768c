/**
 * Facts of verbs, read from the keywords of their schemas. `schemas/verb.schema.json` describes the keywords,
 * `verb-outcomes.ts` reads the outcomes, and browsers receive the facts that they need by `GET /admin/v1/language`
 * (`graph-language.ts`).
 */
import type { Json } from '../core/json.ts';
import { placesWith } from '../schema/argument-keywords.ts';
import { verbSchemas } from '../schema/schema-forms.ts';
import type { VerbIcon } from './graph.ts';
import type { Badge, CardText } from './graph-words.ts';

/** When the caller may act during a step. */
export type Listens = 'asks' | 'records' | 'converses' | 'detects' | 'talks' | 'sounds' | 'always';

export type CallActivity = 'detecting' | 'prompt' | 'connecting' | 'conference' | 'room' | 'queue';

/** Names of a list item that the step adds to the scope in the lazy arguments `in`; the list is at `of`. */
export interface PerItem {
  readonly of: string;
  readonly in: readonly string[];
  readonly names: readonly string[];
}

/** REST commands that end the step, and its outcome in that case: the first of `outcomes` that the flow routes. */
export interface Preempted {
  readonly commands: 'prompts' | 'meetings';
  readonly outcomes: readonly string[];
}

export interface VerbFacts {
  readonly icon?: VerbIcon;
  readonly card?: readonly CardText[];
  /** With `always`, the defaults of the arguments are shown, too. */
  readonly badges?: readonly (Badge & { readonly always?: true })[];
  readonly listens?: Listens;
  /** True if arguments other than prompts affect the outcome, or the input of a flow that the step runs. */
  readonly decides?: boolean;
  /** True if the caller hears the step. */
  readonly media?: boolean;
  /** True if the step needs a live call. Default: `media`. */
  readonly needsCall?: boolean;
  /** True if the step ends the flow or the call. */
  readonly terminal?: boolean;
  /** Top-level keys of arguments whose templates the step evaluates itself, later than on entry. */
  readonly lazy?: readonly string[];
  readonly perItem?: PerItem;
  /** Pointers below the arguments of bare JSONata. */
  readonly expressions?: readonly string[];
  /** Activity of the call during the step. */
  readonly activity?: CallActivity;
  readonly preemptedBy?: Preempted;
  /** True if digits pressed in this step are masked although its result is not. */
  readonly hidesKeys?: boolean;
}

const NONE: VerbFacts = {};

/** A verb without a schema has no facts. */
export const factsOf = (verb: string): VerbFacts => (verbSchemas.get(verb) as VerbFacts | undefined) ?? NONE;

/** Pointers below the arguments at which prompts are played. */
export const promptPlacesOf = (verb: string): string[] => [
  ...new Set(placesWith<unknown>(verb, 'names').flatMap(([pointer, names]) => (names === 'prompt' ? [pointer] : []))),
];

/** Default of the argument at a pointer. */
export const defaultAt = (verb: string, pointer: string): Json | undefined =>
  placesWith<Json>(verb, 'default').find(([at]) => at === pointer)?.[1];
