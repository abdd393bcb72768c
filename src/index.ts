/**
 * Public API for embedders: the service as a whole, its configuration, the building blocks of verbs and engines, and
 * the reader of broadcast requests, for their rehearsals (`testkit`).
 */
export { type Addresses, type App, type AppParts, ConfigurationError, createApp, StartError } from './app.ts';
export { type Clock, systemClock, type Timer } from './base/core/clock.ts';
export type { Diagnostic } from './base/core/diagnostic.ts';
export { type Fault, fault } from './base/core/fault.ts';
export { countingIds, type Ids, randomIds } from './base/core/ids.ts';
export type { Json, JsonObject } from './base/core/json.ts';
export type { AudioItem, LegCommand, LegEvent } from './base/core/leg.ts';
export { createLog, type Log, type LogOptions } from './base/core/log.ts';
export { type Config, type ConfigResult, type ConfigSource, readConfig, readConfigText } from './config.ts';
export { type Compilation, compileDocument, compileFlow } from './language/flow/compile.ts';
export type { CompiledFlow, VerbSpec } from './language/flow/compiled-flow.ts';
export { FlowLibrary } from './language/flow/flow-library.ts';
export {
  defineStep,
  type StepContext,
  type StepDefinition,
  type StepEvent,
  type StepResult,
} from './language/steps/step.ts';
export type { DialRequest, Engine, EngineCapabilities, EngineHost, IncomingLeg } from './media/telephony/engine.ts';
export { type BroadcastRequest, readBroadcast } from './service/api/broadcast-bodies.ts';
export { stepsByVerb, verbs } from './verbs/steps.ts';
