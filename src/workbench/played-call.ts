/** A simulated call that is being played. Neighbours: `simulate.ts` plays it, `simulation-view.ts` says how it stands. */
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { ScenarioCall } from '../testkit/scenario-call.ts';
import type { WatchedWait } from './watch-steps.ts';

/** A call that is being played, at any moment. */
export interface PlayedCall extends ScenarioCall {
  flow: CompiledFlow;
  flows: FindFlow;
  waits: ReadonlyMap<number, WatchedWait>;
  acts: readonly PlayedAct[];
  stop?: Stop;
}

/** Why a simulation went no further. */
export type Stop =
  | { reason: 'breakpoint'; step: string; seq: number }
  /** An act could not be done as it is written. */
  | { reason: 'act'; act: number; expected: string; actual: string }
  /** Nothing will happen any more, and this act still waits. */
  | { reason: 'stuck'; act: number }
  | { reason: 'limit'; limit: 'virtual_time' | 'entries' | 'wall_time' };

/** When an act began to wait for its moment, was done and ended, in virtual time. */
export interface PlayedAct {
  beganMs: number;
  actedMs?: number;
  endedMs?: number;
}
