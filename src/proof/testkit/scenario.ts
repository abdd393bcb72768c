/**
 * Runs a scenario: the real runtime, steps and flow on a simulated line in virtual time, with scripted parties and
 * mocked HTTP. Then compares the call with the expectations. `scenario-file.ts` parses the file, `scenario-call.ts`
 * opens its call, `script-runner.ts` runs its script, `expectations.ts` compares, `scenario-report.ts` formats the
 * report.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemClock } from '../../base/core/clock.ts';
import { type Diagnostic, hasErrors } from '../../base/core/diagnostic.ts';
import { formatDuration } from '../../base/core/duration.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { childPointer } from '../../base/schema/document.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { BUILT_IN_FLOWS, FlowLibrary } from '../../language/flow/flow-library.ts';
import { isInside } from '../../language/flow/path-containment.ts';
import { stepsByVerb } from '../../verbs/steps.ts';
import { checkExpectations } from './expectations.ts';
import type { MockAgents } from './mock-agents.ts';
import type { MockFlows } from './mock-flows.ts';
import type { MockHttp } from './mock-http.ts';
import type { MockParties } from './mock-parties.ts';
import { hasStep } from './observed-call.ts';
import { brokenProperties } from './properties.ts';
import { openScenario, type ScenarioOptions } from './scenario-call.ts';
import { loadScenario, type Scenario } from './scenario-file.ts';
import { formatReport, type ScenarioFailure, type ScenarioReport } from './scenario-report.ts';
import type { ScriptRunner } from './script-runner.ts';
import { ScriptFailure } from './scripted-party.ts';
import type { SimulatedCall } from './simulated-call.ts';

const DEFAULT_LIMIT_MS = 10 * 60_000;
/** Maximum duration of a script in virtual time. */
const MAX_CALL_MS = 7 * 24 * 3_600_000;

/** Runs a scenario whose flows are given. */
export async function playScenario(
  scenario: Scenario,
  flow: CompiledFlow,
  options: ScenarioOptions = {},
): Promise<ScenarioReport> {
  const beganMs = systemClock.now();
  const { call, runner, mocks, parties, agents, mockedFlows } = await openScenario(scenario, flow, options);
  const broken = await perform(scenario, call, runner, options.mostMs);
  const failures = broken ? [broken] : checkOutcome(scenario, call, flow, runner, mocks, options);
  failures.push(...checkProperties(scenario, call, flow));
  failures.push(...checkHttpMocks(scenario, flow, mocks, options.flow), ...checkPartyMocks(scenario, parties));
  failures.push(...checkAgentMocks(scenario, agents));
  failures.push(...checkFlowMocks(scenario, mockedFlows, options.flow));
  await call.close();
  failures.push(...call.crashes.map((crash) => crashFailure(scenario, crash)));
  const { journal } = call;
  return {
    name: scenario.name,
    file: scenario.file,
    ok: failures.length === 0,
    diagnostics: [],
    failures,
    journal,
    flow,
    durationMs: (journal.at(-1)?.atMs ?? 0) - (journal[0]?.atMs ?? 0),
    tookMs: systemClock.now() - beganMs,
  };
}

/** Parses and runs a `*.test.yaml`. The content of files never makes it reject. */
export async function playScenarioFile(file: string, options: ScenarioOptions = {}): Promise<ScenarioReport> {
  const unplayed = (diagnostics: Diagnostic[], name = file): ScenarioReport => ({
    name,
    file,
    ok: false,
    diagnostics,
    failures: [],
    journal: [],
    durationMs: 0,
    tookMs: 0,
  });
  const { scenario, diagnostics } = loadScenario(readFileSync(file, 'utf8'), file);
  if (!scenario) return unplayed(diagnostics);
  const found = flowOf(scenario, options);
  if (!found.flow) return unplayed(found.diagnostics, scenario.name);
  return playScenario(scenario, found.flow, { ...options, flow: found.flows });
}

/** For test runners: rejects with the report as text if the scenario fails. */
export async function runScenarioFile(file: string, options: ScenarioOptions = {}): Promise<ScenarioReport> {
  const report = await playScenarioFile(file, options);
  if (!report.ok) throw new Error(formatReport(report));
  return report;
}

interface FoundFlow {
  flow?: CompiledFlow;
  flows: (flow: string | JsonObject) => CompiledFlow | undefined;
  diagnostics: Diagnostic[];
}

/** `flow` is a name, or the path of a flow file if it looks like one. */
function flowOf(scenario: Scenario, options: ScenarioOptions): FoundFlow {
  const isPath = /\.(ya?ml|json)$/.test(scenario.flow);
  const file = resolve(dirname(scenario.file), scenario.flow);
  const complain = (message: string, hint: string): Diagnostic[] => {
    return [{ severity: 'error', code: 'unknown-flow', message, ...scenario.placeOf('/flow'), hint }];
  };
  if (isPath && !existsSync(file)) {
    return {
      flows: () => undefined,
      diagnostics: complain(`there is no file ${scenario.flow}`, 'paths are relative to the test'),
    };
  }
  const known = isPath ? undefined : options.flow?.(scenario.flow);
  if (known) return { flow: known, flows: options.flow!, diagnostics: [] };
  const library = libraryWith(file, isPath, options);
  const isOwn = (name: string): boolean => !isInside(library.get(name)!.file, BUILT_IN_FLOWS);
  const names = library.names().filter(isOwn);
  const name = isPath ? names.find((each) => resolve(library.get(each)!.file) === file) : scenario.flow;
  const flow = name === undefined ? undefined : library.get(name);
  const flows = (wanted: string | JsonObject): CompiledFlow | undefined =>
    typeof wanted === 'string' ? (library.get(wanted) ?? options.flow?.(wanted)) : library.compile(wanted).flow;
  if (flow) return { flow, flows, diagnostics: [] };
  const wrong = library.diagnostics().filter(({ severity }) => severity === 'error');
  const hint = names.length > 0 ? `there are ${names.join(', ')}` : `flows are searched in ${dirname(file)}`;
  const missing = hasErrors(wrong) ? [] : complain(`there is no flow ${scenario.flow}`, hint);
  return { flows, diagnostics: [...wrong, ...missing] };
}

/** Library of the file's folder. The given library may be that of an outer folder, or may not contain the file. */
function libraryWith(file: string, isPath: boolean, { library, steps = stepsByVerb }: ScenarioOptions): FlowLibrary {
  const given = library?.(dirname(file));
  if (given !== undefined && (!isPath || given.names().some((name) => resolve(given.get(name)!.file) === file)))
    return given;
  return new FlowLibrary([...steps.values()]).load(dirname(file), isPath ? [file] : []).loadBuiltIn();
}

/** Runs the script and advances time until the call has ended. Returns a failure if the script cannot continue. */
async function perform(
  scenario: Scenario,
  call: SimulatedCall,
  runner: ScriptRunner,
  mostMs = MAX_CALL_MS,
): Promise<ScenarioFailure | undefined> {
  let failure: unknown;
  let isActing = true;
  const acting = runner
    .run(scenario.script)
    .catch((error) => {
      failure = error;
    })
    .finally(() => {
      isActing = false;
    });
  const endMs = call.clock.now() + mostMs;
  while (isActing && !failure && (await call.clock.advanceToNext(endMs))) {
    // Each iteration advances to one deadline.
  }
  const limitMs = Math.min(scenario.limitMs ?? DEFAULT_LIMIT_MS, mostMs);
  if (failure === undefined && !isActing) await call.runUntilEnd(limitMs);
  const last = call.journal.at(-1);
  const seq = last ? { seq: last.seq } : {};
  if (!call.hasEnded) {
    const waits = call.run?.view();
    const place = scenario.placeOf('/script');
    call.farEnd.lose();
    await call.runUntilEnd(MAX_CALL_MS);
    await acting;
    if (failure === undefined) {
      const actual = `after ${formatDuration(limitMs)} it still is in step ${waits?.step ?? 'none'}`;
      return { place, what: 'the call', expected: 'to end (a script may end with `hang_up`)', actual, ...seq };
    }
  }
  if (failure === undefined) return undefined;
  if (!(failure instanceof ScriptFailure)) throw failure;
  const { location: place = scenario.placeOf('/script'), expected, actual } = failure;
  return { place, what: 'the script', expected, actual, ...seq };
}

function checkOutcome(
  scenario: Scenario,
  call: SimulatedCall,
  flow: CompiledFlow,
  runner: ScriptRunner,
  { sent: requests }: MockHttp,
  { flow: flows, onObserved }: ScenarioOptions,
): ScenarioFailure[] {
  const { caller, others } = runner;
  const observed = { flow, flows, journal: call.journal, requests, caller, others };
  onObserved?.(observed);
  return checkExpectations(scenario.expect, observed).map(({ pointer, ...difference }) => ({
    place: scenario.placeOf(pointer),
    ...difference,
  }));
}

/** Reports mocked outcomes that the real flow does not have, and mocked flows that were never run. */
function checkFlowMocks(scenario: Scenario, { runs }: MockFlows, find: ScenarioOptions['flow']): ScenarioFailure[] {
  return Object.entries(scenario.flows).flatMap(([name, replies]): ScenarioFailure[] => {
    const pointer = childPointer('/flows', name);
    const failure = (expected: string, actual: string): ScenarioFailure => ({
      ...{ place: scenario.placeOf(pointer), what: `the answers of the flow ${name}`, expected, actual },
    });
    const real = find?.(name);
    if (real === undefined) return [failure('a flow that there is', `there is no flow ${name}`)];
    const possible = [...real.returns, 'hangup', 'error'];
    const given = [replies].flat();
    const strange = given.find(({ outcome }) => !possible.includes(outcome));
    if (strange !== undefined) return [failure(possible.join(', '), `${strange.outcome}, which it never returns`)];
    const count = runs.get(name) ?? 0;
    if (count === 0) return [failure('a flow that the call comes to', `nothing ran ${name}`)];
    if (Array.isArray(replies) && count > given.length)
      return [failure(`${given.length} at most`, 'there was one more')];
    return [];
  });
}

/** Checks the properties that the flow declares for every call. */
function checkProperties(
  scenario: Scenario,
  { journal, farEnd }: SimulatedCall,
  flow: CompiledFlow,
): ScenarioFailure[] {
  return brokenProperties({ flow, journal, heard: farEnd.heard }).map(({ name, step: _, ...broken }) => ({
    ...{ place: scenario.placeOf('/flow'), what: `the property ${JSON.stringify(name)} of the flow` },
    ...broken,
  }));
}

/** Reports calls to numbers without a mock. */
function checkPartyMocks(scenario: Scenario, { unmocked }: MockParties): ScenarioFailure[] {
  return unmocked.map(({ to, word, answers }) => ({
    place: scenario.placeOf(childPointer(childPointer('/mocks', word), to)),
    what: `the call of ${to}`,
    expected: answers === 0 ? `${to} in \`mocks: { ${word}: … }\`` : `${answers} at most, as there are answers`,
    actual: answers === 0 ? 'it is missing' : 'there was one more',
  }));
}

/** Reports conversations with AI agents without a script. */
function checkAgentMocks(scenario: Scenario, { unmocked }: MockAgents): ScenarioFailure[] {
  return unmocked.map(({ step, scripts }) => ({
    place: scenario.placeOf(scripts === 0 ? '/mocks' : childPointer('/mocks', step)),
    what: `the agent of ${step}`,
    expected: scripts === 0 ? `what it does, in \`mocks: { ${step}: { agent: [ … ] } }\`` : `${scripts} at most`,
    actual: scripts === 0 ? 'it is missing' : 'there was one more',
  }));
}

/**
 * Reports requests without a response, and responses for steps that do not exist: otherwise the test would not prove
 * what it claims.
 */
function checkHttpMocks(
  scenario: Scenario,
  flow: CompiledFlow,
  { requestsByStep, unmocked }: MockHttp,
  flows: ScenarioOptions['flow'],
): ScenarioFailure[] {
  const failures = unmocked.map(({ step, answers }) => ({
    place: scenario.placeOf(answers === 0 ? '/mocks' : `/mocks/${step}`),
    what: `the requests of ${step}`,
    expected: answers === 0 ? 'an answer in `mocks` for every request' : `${answers} at most, as there are answers`,
    actual: answers === 0 ? 'there is none' : 'there was one more',
  }));
  const strange = Object.keys(scenario.mocks).filter(
    (step) => !requestsByStep.has(step) && !hasStep({ flow, flows }, step.split('.')[0]!),
  );
  return [
    ...failures,
    ...strange.map((step) => ({
      place: scenario.placeOf(`/mocks/${step}`),
      what: 'the mocks',
      expected: 'steps that make requests',
      actual: `the flow has no step ${step}`,
    })),
  ];
}

function crashFailure(scenario: Scenario, crash: unknown): ScenarioFailure {
  const actual = crash instanceof Error ? (crash.stack ?? crash.message) : String(crash);
  return { place: scenario.placeOf('/test'), what: 'the call', expected: 'no crash', actual };
}
