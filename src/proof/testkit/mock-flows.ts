/**
 * Mocks of flows that the flow under test calls or continues with: each run ends at once with an outcome of the real
 * flow. Its input is checked as in the real flow.
 */
import { FaultError, fault } from '../../base/core/fault.ts';
import { type Json, mapValues } from '../../base/core/json.ts';
import { compileDocument } from '../../language/flow/compile.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { defineStep, type StepDefinition } from '../../language/steps/step.ts';
import { stepsByVerb } from '../../verbs/steps.ts';
import type { FindFlow } from './replay-result.ts';
import type { MockedFlowReply } from './scenario-file.ts';

/** Verb of the single step of a mocked flow. It has no schema, so authors cannot use it. */
const VERB = 'mocked_flow';

export interface MockFlows {
  flow: FindFlow;
  steps: ReadonlyMap<string, StepDefinition>;
  /** Number of runs of each flow. */
  runs: ReadonlyMap<string, number>;
}

export function mockFlows(
  mocks: Readonly<Record<string, MockedFlowReply | MockedFlowReply[]>>,
  find: FindFlow = () => undefined,
  steps: ReadonlyMap<string, StepDefinition> = stepsByVerb,
): MockFlows {
  const runs = new Map<string, number>();
  const answer = defineStep<never>({
    verb: VERB,
    terminal: true,
    async run({ args }) {
      const name = String(args);
      const count = runs.get(name) ?? 0;
      runs.set(name, count + 1);
      const mock = mocks[name];
      const reply = Array.isArray(mock) ? mock[count] : mock;
      if (reply === undefined) throw new FaultError(fault('unmocked', `the test has no more answers of ${name}`));
      if (reply.outcome === 'error') throw new FaultError(fault('mocked', `the test lets ${name} break`));
      if (reply.outcome === 'hangup') return { outcome: 'done', ends: 'call' };
      return { outcome: reply.outcome, result: reply.result, ends: 'flow' };
    },
  });
  const withAnswer = new Map([...steps, [VERB, answer] as const]);
  const flows = new Map(
    Object.keys(mocks).map((name) => [name, mockedFlow(name, find(name), [...withAnswer.values()])]),
  );
  return {
    flow: (wanted) => (typeof wanted === 'string' ? flows.get(wanted) : undefined) ?? find(wanted),
    steps: withAnswer,
    runs,
  };
}

function mockedFlow(
  name: string,
  real: CompiledFlow | undefined,
  verbs: readonly StepDefinition[],
): CompiledFlow | undefined {
  const input = mapValues(
    real?.input ?? {},
    ({ schema, sensitive, default: initial }): Json => ({
      ...schema,
      ...(sensitive && { sensitive }),
      ...(initial !== undefined && { default: initial }),
    }),
  );
  const document = { flow: 'mocked', input, start: 'answer', steps: { answer: { [VERB]: name } } };
  const { flow } = compileDocument(document, name, verbs);
  return flow && { ...flow, name };
}
