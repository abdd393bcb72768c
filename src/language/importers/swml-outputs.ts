/** Variables that SWML methods set for the methods after them. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { ImportedNode } from './imported.ts';
import type { SwmlContext } from './swml-context.ts';
import type { Unit } from './verb-unit.ts';

/**
 * Step whose outcomes set variables; variables that nothing reads are omitted. The values of the first outcome, the
 * success, are set by the step itself. Other outcomes get a step of their own, because a step that fails sets nothing.
 * `always`: names of the first outcome that are kept even if nothing reads them.
 */
export function leavingUnit(
  context: SwmlContext,
  node: ImportedNode,
  wanted: string,
  step: JsonObject,
  left: Readonly<Record<string, JsonObject>>,
  always: readonly string[] = [],
): Unit {
  const kept = Object.entries(left).map(([outcome, values], index): [string, JsonObject] => [
    outcome,
    Object.fromEntries(
      Object.entries(values)
        .filter(([name]) => (index === 0 && always.includes(name)) || context.mentions(name))
        .map(([name, value]) => [context.flow.variable(name), value]),
    ),
  ]);
  const name = context.flow.reserve(wanted);
  const others = kept.slice(1).filter(([, values]) => Object.keys(values).length > 0);
  const setters = new Map(others.map(([outcome]) => [outcome, context.flow.reserve(`${name}_${outcome}`)]));
  node.steps.push(name, ...setters.values());
  const [, first = {}] = kept[0]!;
  return {
    entry: () => name,
    write: (next) => {
      const exits = Object.fromEntries(kept.map(([outcome]) => [outcome, setters.get(outcome) ?? next]));
      const set = Object.keys(first).length > 0 ? first : undefined;
      context.flow.step(name, defined<JsonObject>({ ...step, set, exits }), node.notes);
      for (const [outcome, values] of others) context.flow.step(setters.get(outcome)!, { set: values, next });
    },
  };
}
