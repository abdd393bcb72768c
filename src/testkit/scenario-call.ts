/**
 * Opens the call of a scenario: the simulated call with its mocks, its parties and the runner of its script. Neighbours:
 * `scenario.ts` plays and judges it, `src/workbench/simulate.ts` plays it as far as a person has come.
 */
import type { JsonObject } from '../core/json.ts';
import { defined } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { FlowLibrary } from '../flow/flow-library.ts';
import type { JournalEntry } from '../runtime/journal.ts';
import type { StepDefinition } from '../steps/step.ts';
import type { ObservedCall } from './expectations.ts';
import { MockAgents } from './mock-agents.ts';
import { type MockFlows, mockFlows } from './mock-flows.ts';
import { type MockHttp, mockHttp } from './mock-http.ts';
import { MockParties } from './mock-parties.ts';
import type { Scenario } from './scenario-file.ts';
import type { PartyMock } from './scenario-parties.ts';
import { ScriptRunner } from './script-runner.ts';
import { ScriptFailure } from './scripted-party.ts';
import { silentAudio } from './silent-audio.ts';
import { type AdditionalCaller, SimulatedCall, type SimulatedCallOptions } from './simulated-call.ts';
import type { Settling } from './virtual-clock.ts';

export interface ScenarioOptions {
  /** Flows by name; by default those in the folder of the test. */
  flow?: (flow: string | JsonObject) => CompiledFlow | undefined;
  /** The library of a folder: for flows that are given by their file, or not found by name. */
  library?: (folder: string) => FlowLibrary;
  /** Verbs; by default those of the language. */
  steps?: ReadonlyMap<string, StepDefinition>;
  /**
   * Requests and parties without a mock stay open, as if nobody had decided yet: a request until it times out, a party
   * rings. By default they fail at once.
   */
  holdsUnmocked?: boolean;
  /** What to wait for between two moments of the call; by default a turn of the event loop. */
  settling?: Settling;
  /** A call whose script goes on for longer has failed; by default after a week. */
  mostMs?: number;
  /** Gets what there is to compare, once the script has been played. */
  onObserved?: (observed: ObservedCall) => void;
  /** Gets every journal entry when it is committed. */
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

/** `webhook` steps without a URL send their requests here. */
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
  runner = new ScriptRunner(call, (name) => call.addCaller(additionalCaller(scenario, name, options)));
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
