/** What a search of a flow is asked for, and what it gives. Neighbour: `explore-flow.ts` searches. */
import type { Clock } from '../core/clock.ts';
import type { Json } from '../core/json.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { ScenarioForm } from '../testkit/scenario-form.ts';
import type { Choice, Setup } from './choice.ts';
import type { FindingKind } from './findings.ts';

export interface ExploreOptions {
  flows: FindFlow;
  /** Bodies that the tests beside the flow answer, by step. */
  tested?: Readonly<Record<string, readonly Json[]>>;
  /** What every call begins with. */
  setup?: Setup;
  bounds?: Partial<Bounds>;
  /** A caller may hear nothing for so long. */
  maxDeadAirMs?: number;
  clock?: Clock;
  /** After each run. */
  onProgress?(progress: Progress): void;
}

export interface Bounds {
  runs: number;
  /** Choices in one call. */
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
  /** Reached, in the order in which they were. */
  outcomes: ReachedOutcome[];
  /** Outcomes of the flow that no run reached. */
  missing: MissingOutcome[];
  /** The flow's steps × outcomes, `error` left out. */
  total: number;
  runs: number;
  states: number;
  findings: Finding[];
  /** The bounds that kept it from searching everything. */
  bounded: (keyof Bounds)[];
}

export interface MissingOutcome {
  step: string;
  outcome: string;
  /** Why no call came there. */
  why: string;
}

export interface Finding {
  kind: FindingKind;
  flow: string;
  step: string;
  message: string;
  /** A test that fails until it is mended. */
  form: ScenarioForm;
  choices: readonly Choice[];
}

export interface ReachedOutcome {
  flow: string;
  step: string;
  outcome: string;
  /** The first test that reached it; it ends as soon as the caller may hang up. */
  form: ScenarioForm;
  choices: readonly Choice[];
}

export const BOUNDS: Bounds = { runs: 20_000, depth: 200, wallMs: 60_000 };
