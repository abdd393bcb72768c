/** The HTTP request that a step would send, for a trial without a call. */
import type { JsonObject } from '../../base/core/json.ts';
import { isObject } from '../../base/core/json.ts';
import type { CompiledFlow, CompiledStep, Scope } from '../../language/flow/compiled-flow.ts';
import { defaultsOf } from '../../language/flow/declared-values.ts';
import { astOf, ExpressionError } from '../../language/flow/expression.ts';
import { scopePaths } from '../../language/flow/expression-tree.ts';
import { renderTemplate, templateExpressions } from '../../language/flow/template.ts';
import { requestOf } from '../../language/steps/request-exchange.ts';
import type { RequestArgs } from '../../language/steps/verb-types.ts';
import type { Trial, Trials } from '../../service/calls/flow-files/flow-trial.ts';
import type { JobContext } from './jobs.ts';
import { withFlow } from './trials.ts';

const VERB = 'request';
/** Scopes whose values depend on the call. */
const OF_CALLS = ['vars', 'input', 'steps', 'call', 'result'];

/** The result has `request`, the values that it `reads`, and the schema of the body that the step expects. */
export const requestOfStep = (
  { flow: tried, step: name, values, surroundings, secrets }: Trials['request'],
  context: JobContext,
) =>
  withFlow(tried, context, async (flow): Promise<Trial> => {
    const step = flow.steps.get(name);
    if (step?.verb !== VERB) return { wrong: `there is no step ${name} that sends a request` };
    const scope = scopeOf(flow, values, { env: surroundings.env, secrets });
    try {
      const evaluation = {
        nowMs: context.compileOptions.now?.() ?? 0,
        timezone: flow.timezone ?? surroundings.timezone,
        locale: flow.locale,
      };
      const rendered = await renderTemplate(step.input, scope, { ...evaluation, random: Math.random });
      const { args: completed, problem } = step.complete(rendered);
      if (problem !== undefined) return { wrong: problem, hint: 'give other example values' };
      const args = completed as unknown as RequestArgs;
      const request = requestOf(args, { step: name, key: crypto.randomUUID() }) as unknown as JsonObject;
      return {
        result: { request, reads: readsOf(step), ...(args.returns !== undefined && { returns: args.returns }) },
      };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return { wrong: error.message, hint: 'give other example values' };
    }
  });

function scopeOf(
  flow: CompiledFlow,
  values: JsonObject,
  { env, secrets }: { env: JsonObject; secrets: JsonObject },
): Scope {
  const given = (key: string): JsonObject => (isObject(values[key]) ? values[key] : {});
  return {
    input: { ...defaultsOf(flow.input), ...given('input') },
    vars: { ...defaultsOf(flow.vars), ...given('vars') },
    steps: given('steps'),
    call: { locale: flow.locale, direction: 'inbound', ...given('call') },
    env,
    secrets,
  };
}

/** Paths of values of the call, such as `vars.order`, each once. */
function readsOf({ input }: CompiledStep): string[] {
  const paths = templateExpressions(input).flatMap(({ expression }) => scopePaths(astOf(expression)));
  const names = paths.filter(({ names: [scope] }) => OF_CALLS.includes(scope!)).map((path) => path.names.join('.'));
  return [...new Set(names)];
}
