/** Options and result of the exploration of a flow (`explore-flow.ts`). */
import type { Clock } from '../../base/core/clock.ts';
import type { Json } from '../../base/core/json.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { ScenarioForm } from '../testkit/scenario-form.ts';
import type { Action } from './actions/action.ts';
import type { Setup } from './actions/setup.ts';
import type { FindingKind } from './findings.ts';

export interface ExploreOptions {
  flows: FindFlow;
  /** Response bodies in the tests of the flow's folder, by step. */
  tested?: Readonly<Record<string, readonly Json[]>>;
  /** Setup of every call. */
  setup?: Setup;
  bounds?: Partial<Bounds>;
  /** Maximum silence for a caller, in ms. */
  maxDeadAirMs?: number;
  clock?: Clock;
  /** Called after each expanded node. */
  onProgress?(progress: Progress): void;
}

export interface Bounds {
  runs: number;
  /** Maximum number of choices in one call. */
  depth: number;
  wallMs: number;
}

export interface Progress {
  runs: number;
  states: number;
  waiting: number;
  covered: number;
  total: number;
}

export interface Exploration {
  /** Reached outcomes in the order of discovery. */
  outcomes: ReachedOutcome[];
  /** Outcomes of the flow that no run reached. */
  missing: MissingOutcome[];
  /** Number of outcomes of all steps of the flow, without `error`. */
  total: number;
  runs: number;
  states: number;
  findings: Finding[];
  /** Bounds that were reached, so that the search is incomplete. */
  bounded: (keyof Bounds)[];
}

export interface MissingOutcome {
  step: string;
  outcome: string;
  /** Reason why no call reached the outcome. */
  why: string;
}

export interface Finding {
  kind: FindingKind;
  flow: string;
  step: string;
  message: string;
  /** Test that fails until the flow is fixed. */
  form: ScenarioForm;
  choices: readonly Action[];
}

export interface ReachedOutcome {
  flow: string;
  step: string;
  outcome: string;
  /** The first test that reached it; it ends as soon as the caller may hang up. */
  form: ScenarioForm;
  choices: readonly Action[];
}

export const BOUNDS: Bounds = { runs: 20_000, depth: 200, wallMs: 60_000 };
