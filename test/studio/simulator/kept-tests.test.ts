/** Tests made of simulated calls, played on the flow that the call was made with. */
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import { FlowLibrary } from '../../../src/language/flow/flow-library.ts';
import {
  addAct,
  type CallerAction,
  newCall,
  orderOf,
  type SimulatorCall,
} from '../../../src/pages/studio/web/simulator/acts.ts';
import { textOfTest } from '../../../src/pages/studio/web/simulator/keep-test.ts';
import type { SimulationData } from '../../../src/pages/studio/web/simulator/simulation.ts';
import type { FindFlow } from '../../../src/proof/testkit/replay-result.ts';
import { scenarioFrom } from '../../../src/proof/testkit/scenario-file.ts';
import { runTests } from '../../../src/proof/workbench/run-tests.ts';
import { simulate } from '../../../src/proof/workbench/simulate.ts';
import { verbs } from '../../../src/verbs/steps.ts';

const library = new FlowLibrary(verbs).load('flows').loadBuiltIn();
const flows: FindFlow = (name) => library.find(name);

/** As the workbench of the service plays the acts of the simulator. */
async function played(flow: string, call: SimulatorCall): Promise<SimulationData> {
  const { breakpoints, passed_stops: passedStops = 0, until, ...form } = orderOf(call);
  const written = { test: 'a simulated call', flow, ...form } as unknown as JsonObject;
  const { scenario } = scenarioFrom(written, 'simulation');
  const options = { flows, until, passedStops, ...(breakpoints && { breakpoints }) };
  return (await simulate(scenario!, library.get(flow)!, options)) as unknown as SimulationData;
}

const press = (digits: string): CallerAction => ({ do: 'press', digits });
const silent: CallerAction = { do: 'stay_silent' };
const hangUp: CallerAction = { do: 'hang_up' };

it.each<[flow: string, actions: CallerAction[]]>([
  ['welcome-menu', [press('1'), press('0')]],
  [
    'welcome-menu',
    [press('7'), silent, press('2'), press('4'), press('7'), press('1'), press('1'), press('#'), hangUp],
  ],
  ['survey', [press('1'), press('2'), hangUp]],
  ['survey', [silent, press('1'), silent, hangUp]],
  ['order-status', [press('1'), press('#'), silent, hangUp]],
])('passes after a call of %s with %j', async (flow, actions) => {
  let call = newCall();
  let now = await played(flow, call);
  for (const action of actions) {
    call = addAct(call, action, now);
    now = await played(flow, call);
  }
  if (now.state !== 'ended') {
    call = addAct(call, hangUp, now);
    now = await played(flow, call);
  }
  const text = textOfTest({ title: 'a kept call', flow }, call, now);
  const { reports } = await runTests(library.get(flow)!, [{ file: 'kept.test.yaml', text }], { flows });
  const failures: Json = (reports[0]?.failures ?? []) as Json;
  expect({ failures, diagnostics: reports[0]?.diagnostics, text }).toEqual({ failures: [], diagnostics: [], text });
});
