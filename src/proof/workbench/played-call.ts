/** Types of a simulated call in progress: `simulate.ts` plays it, `simulation-view.ts` returns its state. */
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { ScenarioCall } from '../testkit/scenario-call.ts';
import type { WatchedWait } from '../testkit/watch-steps.ts';

/** A simulated call in progress. */
export interface PlayedCall extends ScenarioCall {
  flow: CompiledFlow;
  flows: FindFlow;
  waits: ReadonlyMap<number, WatchedWait>;
  acts: readonly PlayedAct[];
  stop?: StopReason;
}

/** Reason why a simulation stopped. */
export type StopReason =
  | { reason: 'breakpoint'; step: string; seq: number }
  /** An act could not be carried out as written. */
  | { reason: 'act'; act: number; expected: string; actual: string }
  /** No further event is pending, but this act is still waiting. */
  | { reason: 'stuck'; act: number }
  | { reason: 'limit'; limit: 'virtual_time' | 'entries' | 'wall_time' };

/** Times at which an act began to wait, was carried out and ended, in virtual time. */
export interface PlayedAct {
  beganMs: number;
  actedMs?: number;
  /** Number of sounds that the caller had heard when the act was carried out. */
  heard?: number;
  endedMs?: number;
}
