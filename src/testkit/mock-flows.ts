/**
 * Answers in place of flows that the flow under test calls, or continues with: each run of such a flow ends at once, with
 * an outcome that the real flow has. Its input is checked as the real one checks it.
 */
import { FaultError, fault } from '../core/fault.ts';
import { type Json, mapValues } from '../core/json.ts';
import { compileDocument } from '../flow/compile.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { stepsByVerb } from '../steps/index.ts';
import { defineStep, type StepDefinition } from '../steps/step.ts';
import type { FindFlow } from './replay-result.ts';
import type { FlowReply } from './scenario-file.ts';

/** The one step of such a flow. Authors cannot write it: no schema has it. */
const VERB = 'mocked_flow';

export interface MockFlows {
  flow: FindFlow;
  steps: ReadonlyMap<string, StepDefinition>;
  /** How often each was run. */
  runs: ReadonlyMap<string, number>;
}

export function mockFlows(
  mocks: Readonly<Record<string, FlowReply | FlowReply[]>>,
  find: FindFlow = () => undefined,
  steps: ReadonlyMap<string, StepDefinition> = stepsByVerb,
): MockFlows {
  const runs = new Map<string, number>();
  const answer = defineStep<never>({
    verb: VERB,
    outcomes: () => [],
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
