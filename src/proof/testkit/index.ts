/**
 * Public API for tests of flows (`callweave/testkit`): scenarios in virtual time, simulated calls, coverage, replay and
 * rehearsals of broadcasts. Contract tests of ports, for authors of adapters, are in `callweave/contracts`.
 */
export { SimulatedEngine, type SimulatedEngineOptions } from '../../media/telephony/simulated/engine.ts';
export type { CalleePlan, FarEnd, HeardAudio, Notice } from '../../media/telephony/simulated/far-end.ts';
export { pressDurationMs } from '../../media/telephony/simulated/far-end.ts';
export { type CoverageCount, type CoverageGap, coverageOf, type FlowCoverage } from './coverage.ts';
export { type AttemptBehaviour, type CalleeGroup, Callees } from './rehearsal/callees.ts';
export { type CalleeProfiles, defaultProfiles, loadCallees } from './rehearsal/callees-file.ts';
export { type Rehearsal, type RehearsalOptions, rehearse } from './rehearsal/rehearse.ts';
export { type ReplayOptions, replayJournal, replaySteps } from './replay.ts';
export type { Divergence, FindFlow, ReplayResult } from './replay-result.ts';
export { replayRoutes } from './replay-routes.ts';
export {
  playScenario,
  playScenarioFile,
  runScenarioFile,
} from './scenario.ts';
export type { ScenarioOptions } from './scenario-call.ts';
export { type HttpMock, loadScenario, type Scenario } from './scenario-file.ts';
export type { PartyMock } from './scenario-parties.ts';
export {
  describeEntry,
  formatJournal,
  formatReport,
  type ScenarioFailure,
  type ScenarioReport,
} from './scenario-report.ts';
export type { ScriptAction } from './script-actions.ts';
export { type SilentAudioOptions, silentAudio } from './silent-audio.ts';
export { type AdditionalCaller, SimulatedCall, type SimulatedCallOptions } from './simulated-call.ts';
export { VirtualClock } from './virtual-clock.ts';
