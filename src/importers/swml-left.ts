/** Values that methods of SWML leave behind for those after them, as variables. Neighbours: the files of the methods. */
import { defined, type JsonObject } from '../core/json.ts';
import type { ImportedNode } from './imported.ts';
import type { SwmlContext } from './swml-context.ts';
import type { Unit } from './verb-unit.ts';

/**
 * A step whose outcomes leave values behind, which are kept where something reads them. Those of the first outcome, the
 * success, are set beside the verb, those of others by steps of their own, since a step that failed sets nothing.
 * `always`: names of the first that are kept in any case.
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
