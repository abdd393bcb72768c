/**
 * Simulated calls for single verbs. Every call of every test must also satisfy the invariants of any call: outcomes are
 * declared, the journal has no gaps, each entered step is left once, nothing crashed.
 */
import { expect, onTestFinished } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import { possibleOutcomes } from '../../src/language/flow/possible-outcomes.ts';
import type { StepDefinition, StepProgram, StepResult } from '../../src/language/steps/step.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { checkJournal } from '../runtime/journal-invariants.ts';
import { startCall, type TestCall } from '../runtime/test-call.ts';

type Options = NonNullable<Parameters<typeof startCall>[1]> & { head?: string };

/** A flow whose first step is `first`; errors lead to `broken`, and `bye` is there to hang up. */
export function flowText(steps: string, head = ''): string {
  const defaults = head.includes('defaults:') ? '' : 'defaults: { exits: { error: broken } }';
  return `
flow: test
start: first
${defaults}
${head}
steps:
${steps}
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
}

/** A call that runs these steps (the YAML below `steps:`, indented by two), answered if it answers. */
export async function startSteps(steps: string, { head, ...options }: Options = {}): Promise<TestCall> {
  const ports = { steps: checkedSteps, ...options.ports };
  const call = await startCall(flowText(steps, head), { ...options, ports });
  onTestFinished(() => {
    expect(call.crashes).toEqual([]);
    expect(checkJournal(call.journal())).toEqual([]);
  });
  return call;
}

/** The verbs, wrapped so that an undeclared outcome throws. */
export const checkedSteps: ReadonlyMap<string, StepDefinition> = new Map(
  [...stepsByVerb].map(([verb, definition]) => [verb, watched(definition)]),
);

function watched(definition: StepDefinition): StepDefinition {
  return {
    ...definition,
    run(context) {
      const check = (result: StepResult): StepResult => {
        if (!isDeclared(definition, context.args, result)) {
          throw new Error(`${definition.verb} gave the outcome ${result.outcome}, which it does not declare`);
        }
        return result;
      };
      const made = definition.run(context);
      if (made instanceof Promise) return made.then(check);
      const program: StepProgram = {
        async next(...event) {
          const step = await made.next(...event);
          if (step.done) check(step.value);
          return step;
        },
        return: (value) => made.return(value),
      };
      return program;
    },
  };
}

/** Every step may have the outcome `error`. A step that ends a flow or the call, or has `goto`, has no route. */
function isDeclared(definition: StepDefinition, args: Json, result: StepResult): boolean {
  if (result.outcome === 'error') return result.fault !== undefined;
  if (result.ends || result.goto !== undefined) return true;
  // The outcomes of a subflow are known only if it is compiled together with its callers.
  if (definition.verb === 'subflow') return true;
  return possibleOutcomes(definition, args).includes(result.outcome);
}

/** Returns the last `left` entry of the journal. */
export function lastLeft(call: TestCall) {
  const left = call.journal().findLast((entry) => entry.kind === 'left');
  expect(left).toBeDefined();
  return left!;
}

/** Prompts played to the caller, in order, as texts and names. */
export function heard(call: TestCall): string[] {
  return call.commands.flatMap((command) =>
    command.type === 'play'
      ? command.audio.map((item) => item.name ?? (item.type === 'speech' ? item.text : item.type))
      : [],
  );
}
