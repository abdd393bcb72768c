/**
 * What tests of flows are made of: scenarios in virtual time, coverage, replay, rehearsals of broadcasts, and the parts to
 * build one's own stage.
 * The contract suites of ports are files of their own (`engine-contract.ts` …): they need a test runner.
 */
export { SimulatedEngine, type SimulatedEngineOptions } from '../telephony/simulated/engine.ts';
export type { CalleePlan, FarEnd, Heard, Notice } from '../telephony/simulated/far-end.ts';
export { pressDurationMs } from '../telephony/simulated/far-end.ts';
export { type SilentAudioOptions, silentAudio } from './audio.ts';
export { coverageOf, type FlowCoverage, type Gap, type Share } from './coverage.ts';
export { type CalleeGroup, Callees, type Manner } from './rehearsal/callees.ts';
export { type Cast, loadCallees, usualCast } from './rehearsal/callees-file.ts';
export { type Rehearsal, type RehearsalOptions, rehearse } from './rehearsal/rehearse.ts';
export {
  type Divergence,
  type FlowSource,
  type ReplayOptions,
  type ReplayResult,
  replayJournal,
  replayRoutes,
  replaySteps,
} from './replay.ts';
export {
  playScenario,
  playScenarioFile,
  runScenarioFile,
  type ScenarioFailure,
  type ScenarioOptions,
  type ScenarioReport,
} from './scenario.ts';
export type { Act } from './scenario-acts.ts';
export { loadScenario, type Mock, type Scenario } from './scenario-file.ts';
export type { PartyMock } from './scenario-parties.ts';
export { describeEntry, formatJournal, formatReport } from './scenario-report.ts';
export { type Guest, Stage, type StageOptions } from './stage.ts';
export { VirtualClock } from './virtual-clock.ts';
