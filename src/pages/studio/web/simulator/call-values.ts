/** Values of the simulated call, for the fields of the form beside it. */
import { signal } from '@preact/signals';
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import { framesAt, resultsAt } from '../journal/variables.ts';
import type { SimulatorCall } from './acts.ts';
import type { SimulationData } from './simulation.ts';

export interface CallValues {
  flow: string;
  /** `vars`, `steps` and `call` of expressions. */
  scope: JsonObject;
}

/** Undefined while no call is simulated. */
export const callValues = signal<CallValues | undefined>(undefined);

/** Values for the innermost run of the flow; after the end of the call, the last ones. */
export function valuesOfCall(
  flow: string,
  { from, to }: Pick<SimulatorCall, 'from' | 'to'>,
  now: Pick<SimulationData, 'frames' | 'journal'> | undefined,
): CallValues | undefined {
  if (now === undefined) return undefined;
  const isOfFlow = (each: { flow: string }): boolean => each.flow === flow;
  const frame = now.frames.findLast(isOfFlow) ?? framesAt(now.journal).findLast(isOfFlow);
  if (frame === undefined) return undefined;
  return { flow, scope: { vars: frame.vars, steps: resultsAt(now.journal), call: { from, to } } };
}

/** Value at a path of names, such as `vars.order.number`. Undefined if there is none. */
export function valueAtNames(scope: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = scope;
  for (const name of path.split('.')) {
    const key = name.replaceAll('`', '');
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = value[key];
  }
  return value;
}
