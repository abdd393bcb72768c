/**
 * Public API for embedders: the service as a whole, its configuration, the building blocks of verbs and engines, and
 * the reader of broadcast requests, for their rehearsals (`testkit`).
 */
export { type BroadcastRequest, readBroadcast } from './api/broadcast-bodies.ts';
export { type Addresses, type App, type AppParts, ConfigurationError, createApp, StartError } from './app.ts';
export { type Config, type ConfigResult, type ConfigSource, readConfig, readConfigText } from './config.ts';
export { type Clock, systemClock, type Timer } from './core/clock.ts';
export type { Diagnostic } from './core/diagnostic.ts';
export { type Fault, fault } from './core/fault.ts';
export { countingIds, type Ids, randomIds } from './core/ids.ts';
export type { Json, JsonObject } from './core/json.ts';
export type { AudioItem, LegCommand, LegEvent } from './core/leg.ts';
export { createLog, type Log, type LogOptions } from './core/log.ts';
export { type Compilation, compileDocument, compileFlow } from './flow/compile.ts';
export type { CompiledFlow, VerbSpec } from './flow/compiled-flow.ts';
export { FlowLibrary } from './flow/flow-library.ts';
export { defineStep, type StepContext, type StepDefinition, type StepEvent, type StepResult } from './steps/step.ts';
export type { DialRequest, Engine, EngineCapabilities, EngineHost, IncomingLeg } from './telephony/engine.ts';
export { stepsByVerb, verbs } from './verbs/steps.ts';
