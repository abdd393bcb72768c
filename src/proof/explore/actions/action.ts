/**
 * Action of a caller, an external service or a called party at one moment of a call, and the interface of the actions
 * of a verb (`verbs/NAME/actions.ts`). `actions-at.ts` lists the actions of a moment, `play.ts` plays them.
 */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { longForm } from '../../../base/schema/schema-forms.ts';
import type { CompiledFlow, CompiledStep } from '../../../language/flow/compiled-flow.ts';
import { type FoundOutcome, findOutcomes } from '../../../language/flow/possible-outcomes.ts';
import { verbOutcomes } from '../../../language/flow/verb-outcomes.ts';
import type { Act, Party, Reply } from '../../testkit/scenario-form.ts';
import type { PartyMockKey } from '../../testkit/scenario-parties.ts';
import type { Setup } from './setup.ts';

export type ActionKind =
  | 'key'
  | 'wrong'
  | 'silence'
  | 'hang_up'
  | 'speech'
  | 'event'
  | 'reply'
  | 'party'
  /** The caller does not act and lets the step continue. */
  | 'pass';

export interface Action {
  kind: ActionKind;
  /** Description such as `press 1` or `look_up: 404`; unique among the actions of one moment. */
  label: string;
  /** Outcomes of the step that the action can lead to. Incomplete, because some depend on the call. */
  leadsTo?: readonly string[];
  /** Target step of an interrupt. */
  to?: string;
  /** Acts added to the script. */
  acts?: readonly Act[];
  /** Response to the next request of the step. */
  reply?: { step: string; reply: Reply };
  /** Behaviour of the next party that is dialled at the number. */
  party?: { word: PartyMockKey; to: string; party: Party };
  /** True if no schema and no test guarantees the value. */
  isInvented?: boolean;
  /** Outcome that needs an answer which could not be made; the reply is the nearest one. */
  notMade?: string;
  /** True if a test in the flow's folder has the same response. */
  isTested?: boolean;
  /** True if the party behaves like this in every attempt. */
  isAlways?: boolean;
  /** Step runs in which the caller does not act again. */
  passes?: readonly number[];
  /** True if the caller does not act again in the call. */
  isLast?: boolean;
}

/** A running step, and the input that it accepts now. */
export interface Moment {
  flow: CompiledFlow;
  step: CompiledStep;
  /** Arguments in long form. */
  args: JsonObject;
  /** Outcomes that the step can have. */
  outcomes: readonly FoundOutcome[];
  visit: number;
  /** Keys that the step accepts now; undefined if it does not wait for keys. */
  claims: string | undefined;
  /** Interrupts of the main flow. */
  events: CompiledFlow['events'];
}

export interface RequestMoment extends Moment {
  /** Name of the request: the step, or `step.lookup`. */
  request: string;
  /** Bodies of the response in the tests of the flow's folder. */
  tested: readonly Json[];
}

export interface PartyMoment extends Moment {
  /** Key of the verb in `mocks`. */
  word: PartyMockKey;
  to: string;
  /** True for the first of the parties that are dialled at the same time. */
  isFirst: boolean;
}

/** Actions of one verb; an absent member has its default from the outcomes of the verb's schema. */
export interface VerbActions {
  caller?(moment: Moment): Action[];
  /** Responses of the external service or agent. */
  outside?(moment: RequestMoment): Action[];
  party?(moment: PartyMoment): Action[];
  /** Other setups in which the step may have another outcome. */
  setups?(step: CompiledStep, flow: CompiledFlow, setup: Setup): Setup[];
  /** Opening hours that decide the outcome of the step; undefined if they are not known. */
  hours?(step: CompiledStep, flow: CompiledFlow, setup: Setup): JsonObject | undefined;
  /** Progress inside the step for the state key, from the actions since the step was entered. */
  inside?(made: readonly Action[]): Json;
  /** Reasons why no simulated call has an outcome, by outcome. */
  notTried?: Readonly<Record<string, string>>;
}

type Running = Pick<Moment, 'flow' | 'step' | 'visit' | 'claims' | 'events'>;

export const momentOf = (running: Running): Moment => {
  const { verb, args } = running.step;
  const table = verbOutcomes(verb);
  return { ...running, args: argumentsOf(running.step), outcomes: table ? findOutcomes(table, args) : [] };
};

/** Arguments of a step in long form. */
export function argumentsOf({ verb, args }: CompiledStep): JsonObject {
  const long = longForm(verb, args);
  return typeof long === 'object' && long !== null && !Array.isArray(long) ? long : {};
}

/** Names of the outcomes that need this event, such as `silence` or `party:busy`. */
export const outcomesNeeding = ({ outcomes }: Pick<Moment, 'outcomes'>, need: string): string[] =>
  outcomes.filter(({ entry }) => entry.needs?.includes(need)).map(({ name }) => name);

/** Marks the outcomes that an action leads to, if there are any. */
export const leadsTo = (outcomes: readonly string[]): Pick<Action, 'leadsTo'> =>
  outcomes.length === 0 ? {} : { leadsTo: outcomes };
