/**
 * A flow as the configuration of a state machine that `createMachine` of xstate takes: for its visualisers, and for programs
 * that follow a call. Neighbour: `machine.ts`, which routes calls; this one is data for others.
 *
 * Invariants
 *  - an event is an outcome as it is written, `failed.busy`, or an interrupt of the flow, `dtmf.0`; in both `*` is `star`,
 *    because xstate takes it for any event;
 *  - a sequence of outcomes leads to the step to which the flow routes it.
 */
import { type JsonObject, mapValues } from '../core/json.ts';
import { type CompiledFlow, type CompiledStep, END } from './compiled-flow.ts';

export function xstateConfigOf({ name, hash, start, steps, events }: CompiledFlow): JsonObject {
  const routes = (exits: Readonly<Record<string, string>>, prefix = ''): JsonObject =>
    Object.fromEntries(
      Object.entries(exits).map(([outcome, target]) => [outcome.replaceAll('*', 'star'), prefix + target]),
    );
  const stateOf = ({ verb, label, section, exits }: CompiledStep): JsonObject => ({
    ...(label !== undefined && { description: label }),
    ...(section !== undefined && { tags: [section] }),
    meta: { verb },
    // What ends the flow or the call, or hands it over.
    ...(Object.keys(exits).length === 0 ? { type: 'final' } : { on: routes(exits) }),
  });
  return {
    id: name,
    version: hash,
    initial: start,
    // They lead away from any step that does not route them itself. A hang-up that nothing routes ends the flow.
    on: routes({ hangup: END, ...events }, '.'),
    states: { ...mapValues(Object.fromEntries(steps), stateOf), [END]: { type: 'final' } },
  };
}
