/**
 * Opens the call of a scenario: the simulated call with its mocks, its parties and its script runner. `scenario.ts`
 * runs and checks it; `src/proof/workbench/simulate.ts` runs it interactively.
 */
import type { JsonObject } from '../../base/core/json.ts';
import { defined } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { FlowLibrary } from '../../language/flow/flow-library.ts';
import { factsOf } from '../../language/flow/verb-facts.ts';
import type { StepDefinition } from '../../language/steps/step.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { MockAgents } from './mock-agents.ts';
import { type MockFlows, mockFlows } from './mock-flows.ts';
import { type MockHttp, mockHttp } from './mock-http.ts';
import { MockParties } from './mock-parties.ts';
import { flowsOfFile, type ObservedCall } from './observed-call.ts';
import type { Scenario } from './scenario-file.ts';
import type { PartyMock } from './scenario-parties.ts';
import { ScriptRunner } from './script-runner.ts';
import { ScriptFailure } from './scripted-party.ts';
import { silentAudio } from './silent-audio.ts';
import { type AdditionalCaller, SimulatedCall, type SimulatedCallOptions } from './simulated-call.ts';
import type { Settling } from './virtual-clock.ts';

export interface ScenarioOptions {
  /** Flows by name. Default: those in the folder of the test. */
  flow?: (flow: string | JsonObject) => CompiledFlow | undefined;
  /** Library of a folder, for flows given by file or not found by name. */
  library?: (folder: string) => FlowLibrary;
  /** Verbs. Default: those of the language. */
  steps?: ReadonlyMap<string, StepDefinition>;
  /**
   * Unmocked requests and parties stay open: a request until its timeout, a party keeps ringing. By default they fail
   * at once.
   */
  holdsUnmocked?: boolean;
  /** Wait between two deadlines of the call. Default: a turn of the event loop. */
  settling?: Settling;
  /** Limit for the duration of the script, after which the scenario fails. Default: a week. */
  mostMs?: number;
  /** Called with the observed call after the script has ended. */
  onObserved?: (observed: ObservedCall) => void;
  /** Called with every committed journal entry. */
  onEntry?: (entry: JournalEntry) => void;
}

export interface ScenarioCall {
  call: SimulatedCall;
  runner: ScriptRunner;
  mocks: MockHttp;
  parties: MockParties;
  agents: MockAgents;
  mockedFlows: MockFlows;
}

/** Target of `webhook` steps without a URL. */
const EVENT_URL = 'https://application.test/events';

const without = (does: 'unreachable' | 'no_answer'): PartyMock => ({ plan: { does }, presses: [], says: [] });

export async function openScenario(
  scenario: Scenario,
  flow: CompiledFlow,
  options: ScenarioOptions,
): Promise<ScenarioCall> {
  let runner: ScriptRunner | undefined;
  const { holdsUnmocked = false } = options;
  const mocks = mockHttp(() => call.clock, scenario.mocks, { holdsUnmocked });
  const parties = new MockParties(scenario.parties);
  const agents = new MockAgents(scenario.mocks, { holdsUnmocked });
  const mockedFlows = mockFlows(scenario.flows, options.flow, options.steps);
  const called = new Map<string, PartyMock>();
  const unknownParty = without(holdsUnmocked ? 'no_answer' : 'unreachable');
  const simulated = defined<SimulatedCallOptions>({
    ...scenario,
    flow,
    flows: mockedFlows.flow,
    steps: mockedFlows.steps,
    settling: options.settling,
    callee: scenario.callee?.plan,
    eventUrl: EVENT_URL,
    audio: silentAudio({ durationsMs: scenario.promptsMs }),
    http: mocks.http,
    sink: () => scenario.sink,
    agent: (step) => agents.scriptFor(step),
    parties: ({ legId }) => called.get(legId)?.plan,
    onDial(farEnd, { legId, to }) {
      const mock = parties.mockFor(legId, to) ?? unknownParty;
      called.set(legId, mock);
      runner?.partyDialled(to, farEnd, mock);
    },
    onEntry(entry) {
      parties.onEntry(entry);
      runner?.onEntry(entry);
      options.onEntry?.(entry);
    },
  });
  const call = await SimulatedCall.open(simulated);
  if (scenario.onRefer) call.farEnd.onRefer(scenario.onRefer);
  runner = new ScriptRunner(call, (name) => call.addCaller(additionalCaller(scenario, name, options)), {
    asks: flowsOfFile({ flow, flows: options.flow }).some(({ steps }) =>
      [...steps.values()].some(({ verb }) => factsOf(verb).listens === 'asks'),
    ),
  });
  // Entries of the beginning of the call, before the runner was there.
  for (const entry of call.journal) runner.onEntry(entry);
  if (scenario.callee) void runner.caller.followMock(scenario.callee);
  return { call, runner, mocks, parties, agents, mockedFlows };
}

function additionalCaller(
  { callers, placeOf: locationOf }: Scenario,
  name: string,
  options: ScenarioOptions,
): AdditionalCaller {
  const { flow, ...caller } = callers[name]!;
  if (flow === undefined) return caller;
  const found = options.flow?.(flow);
  if (found) return { ...caller, flow: found };
  throw new ScriptFailure(locationOf(`/callers/${name}/flow`), `the flow ${flow}`, 'there is none of this name');
}
