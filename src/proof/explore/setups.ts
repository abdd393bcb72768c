/**
 * Setups of explored calls: time of day, caller, input, random seed, rooms and queues. A flow that depends on none of
 * them is explored with one setup; `explore-flow.ts` adds setups when a step that depends on one is entered.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow, CompiledStep } from '../../language/flow/compiled-flow.ts';
import { actionsByVerb } from '../../verbs/actions.ts';
import { argumentsOf } from './actions/action.ts';
import { relevantVariables } from './actions/relevant-variables.ts';
import { sampleOf } from './actions/schema-values.ts';
import { ALWAYS_OPEN, type Setup, withCall } from './actions/setup.ts';
import { outsideValues } from './actions/values.ts';

/** Stream receiver that talks for a while and then closes, as a bot does. */
const CLOSED = { closes_after: '10s' };

/** Returns the setup with all values that the flow requires. */
export function firstSetup(flow: CompiledFlow, given: Setup = {}): Setup {
  const input = { ...samplesOf(flow.input), ...given.input };
  const schedules = Object.fromEntries(
    [...flow.steps.values()].flatMap((step): [string, Json][] => {
      const name = step.verb === 'schedule' ? step.args : undefined;
      const isOwn = typeof name !== 'string' || Object.hasOwn(flow.schedules, name);
      return isOwn || name.includes('${') ? [] : [[name, ALWAYS_OPEN]];
    }),
  );
  const isOutbound = [...flow.steps.values()].some(({ verb }) => verb === 'detect_machine');
  return {
    ...given,
    ...(isOutbound &&
      given.call === undefined && { call: { direction: 'outbound' as const, callee: 'answer' as const } }),
    ...namedIn(flow, given),
    ...([...flow.steps.values()].some(isAwaitedStream) &&
      given.mocks?.stream === undefined && { mocks: { ...given.mocks, stream: CLOSED } }),
    ...(Object.keys(input).length > 0 && { input }),
    ...(Object.keys(schedules).length > 0 && { schedules: { ...schedules, ...given.schedules } }),
  };
}

/** Sample values for the settings and secrets that the flow reads. */
function namedIn(flow: CompiledFlow, given: Setup): Pick<Setup, 'env' | 'secrets'> {
  const of = (scope: 'env' | 'secrets'): JsonObject =>
    Object.fromEntries(
      [...relevantVariables(flow).read].flatMap((path) => {
        const [first, name] = path.split('.');
        return first === scope && name !== undefined ? [[name, `the ${name} of ${scope}`]] : [];
      }),
    );
  const [env, secrets] = [
    { ...of('env'), ...given.env },
    { ...of('secrets'), ...given.secrets },
  ];
  return {
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
}

const isAwaitedStream = (step: CompiledStep): boolean => step.verb === 'stream' && argumentsOf(step)['wait'] === true;

const samplesOf = (specs: CompiledFlow['input']): JsonObject =>
  Object.fromEntries(
    Object.entries(specs).flatMap(([name, { schema, default: value }]): [string, Json][] =>
      value === undefined ? [[name, sampleOf(schema)]] : [],
    ),
  );

/** Other setups in which this step may have another outcome. */
export const otherSetups = (step: CompiledStep, flow: CompiledFlow, setup: Setup): Setup[] =>
  actionsByVerb[step.verb]?.setups?.(step, flow, setup) ?? [];

/** Setups with the callers, inputs and settings that conditions of the flow compare with. */
export function comparedSetups(flow: CompiledFlow, setup: Setup): Setup[] {
  return [...outsideValues(flow)].flatMap(([path, values]): Setup[] => {
    const [scope, name, header = ''] = path.split('.') as [string, string, string?];
    return values.flatMap((value): Setup[] => {
      if (scope === 'call') {
        if (name === 'from' || name === 'to') return [withCall(setup, { [name]: String(value) })];
        if (name === 'headers') return [withCall(setup, { headers: { [header]: String(value) } })];
        if (name !== 'direction' || value !== 'outbound') return [];
        return [withCall(setup, { direction: 'outbound', callee: 'answer' })];
      }
      const spec = scope === 'input' ? flow.input[name] : undefined;
      if (scope === 'input' && (spec === undefined || flow.checkInput(name, value) !== undefined)) return [];
      const key = scope as 'input' | 'env';
      const beside = typeof value === 'number' ? [value, value + 1, value - 1] : [value];
      return beside.map((each) => ({ ...setup, [key]: { ...setup[key], [name]: each } }));
    });
  });
}
