/**
 * Facts of verbs, read from the keywords of their schemas. `schemas/verb.schema.json` describes the keywords,
 * `verb-outcomes.ts` reads the outcomes, and browsers receive the facts that they need by `GET /admin/v1/language`
 * (`graph-language.ts`).
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { type KeywordPlace, placesWith } from '../../base/schema/argument-keywords.ts';
import { verbSchemas } from '../../base/schema/schema-forms.ts';
import type { VerbGroup, VerbIcon } from './graph.ts';
import type { Badge, CardText } from './graph-words.ts';
import { type FlowUse, filePlaces, flowPlaces, type Named, type NamedPlaces, placesNaming } from './named-places.ts';

export type Simulated = 'parties' | 'requests' | 'verb';

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

/** Range of plausible durations, with a message for those below and above; `#` stands for the duration. */
export interface Sane {
  readonly least: string;
  readonly below: string;
  readonly most: string;
  readonly above: string;
  /** Most frequent values, in words. */
  readonly usual: string;
  /** Duration outside of the range that switches the argument off. */
  readonly never?: string;
}

export interface VerbFacts {
  /** `assignments`: the arguments are values of variables, by name. Absent: they have the keys of the schema. */
  readonly form?: 'assignments';
  /** Name of the verb on cards and in lists. Default: the name in flows, with spaces. */
  readonly label?: string;
  readonly group?: VerbGroup;
  readonly icon?: VerbIcon;
  readonly card?: readonly CardText[];
  /** With `always`, the defaults of the arguments are shown, too. */
  readonly badges?: readonly (Badge & { readonly always?: true })[];
  readonly listens?: Listens;
  /** True if arguments other than prompts affect the outcome, or the input of a flow that the step runs. */
  readonly decides?: boolean;
  /** True for a question to which the flow's `defaults.input` applies. */
  readonly inputDefaults?: boolean;
  /** How tests simulate the other side: `parties` by verb and number, `requests` by step, or once for the `verb`. */
  readonly simulated?: Simulated;
  /** Section of the configuration with the providers that the verb needs, and what a provider does. */
  readonly section?: { readonly name: 'messages' | 'payments'; readonly does: string };
  /** True if the step waits, or another flow decides how long it takes. A step that listens waits in any case. */
  readonly takesTime?: boolean;
  /** True if the flow learns nothing in the step that it could decide by. */
  readonly passes?: boolean;
  /** True if the result contains data of callers, AI agents or other systems. */
  readonly untrusted?: boolean;
  /** True if an application or another party may play audio to the caller during the step, which itself plays none. */
  readonly othersSpeak?: boolean;
  /** Pointers below the arguments of texts that another system receives and keeps. */
  readonly sends?: readonly string[];
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

/** True if the step speaks to the caller, or has the caller talk to another party. */
export const speaks = (verb: string): boolean => factsOf(verb).media === true && factsOf(verb).listens !== undefined;

/** True if the step waits for the caller, another event or another flow. */
export const takesTime = (verb: string): boolean =>
  factsOf(verb).takesTime === true || factsOf(verb).listens !== undefined;

/** True if the step plays audio to the caller instead of connecting the caller with other parties. */
export const playsPrompts = (verb: string): boolean => factsOf(verb).media === true && factsOf(verb).group !== 'call';

const named = new WeakMap<JsonObject, NamedPlaces>();

/** Places at which the arguments of a verb name other parts. */
export function namesOf(verb: string): NamedPlaces | undefined {
  const schema = verbSchemas.get(verb);
  if (schema === undefined) return undefined;
  const known = named.get(schema) ?? Object.fromEntries(placesWith<Named>(verb, 'names'));
  named.set(schema, known);
  return known;
}

/** Uses of flows by a verb. */
export const flowUsesOf = (verb: string): FlowUse[] => flowPlaces(namesOf(verb)).map(([, use]) => use);

/** Pointers below the arguments at which files are named, and the content of the files. */
export const filePlacesOf = (verb: string): ReturnType<typeof filePlaces> => filePlaces(namesOf(verb));

/** Pointers below the arguments at which prompts are played. */
export const promptPlacesOf = (verb: string): readonly string[] => placesNaming(namesOf(verb), 'prompt');

/** Default of the argument at a pointer. */
export const defaultAt = (verb: string, pointer: string): Json | undefined =>
  placesWith<Json>(verb, 'default').find(([at]) => at === pointer)?.[1];

/** Pointers below the arguments at which secrets are allowed; empty for verbs without HTTP requests. */
export const secretPlacesOf = (verb: string): string[] => placesWith<true>(verb, 'secrets').map(([pointer]) => pointer);

/** True for verbs that send HTTP requests, in which secrets are allowed. */
export const usesSecrets = (verb: string): boolean => secretPlacesOf(verb).length > 0;

export const sanePlacesOf = (verb: string): readonly KeywordPlace<Sane>[] => placesWith<Sane>(verb, 'sane');

/** Verbs with these facts. */
export const verbsWith = (holds: (facts: VerbFacts) => boolean): string[] =>
  [...verbSchemas.keys()].filter((verb) => holds(factsOf(verb)));
