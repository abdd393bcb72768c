/**
 * Exports a flow as the configuration of a state machine for `createMachine` of xstate: for its visualisers, and for
 * programs that follow a call. The router of calls is `machine.ts`.
 *
 * Invariants
 *  - An event is an outcome as written, `failed.busy`, or an interrupt of the flow, `dtmf.0`; in both `*` becomes
 *    `star`, because `*` matches any event in xstate.
 *  - A sequence of outcomes leads to the step to which the flow routes it.
 */
import { type JsonObject, mapValues } from '../../base/core/json.ts';
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
    // A step without exits ends the flow or the call, or hands the call over.
    ...(Object.keys(exits).length === 0 ? { type: 'final' } : { on: routes(exits) }),
  });
  return {
    id: name,
    version: hash,
    initial: start,
    // Interrupts apply in any step that does not route them itself. A hangup without a route ends the flow.
    on: routes({ hangup: END, ...events }, '.'),
    states: { ...mapValues(Object.fromEntries(steps), stateOf), [END]: { type: 'final' } },
  };
}
