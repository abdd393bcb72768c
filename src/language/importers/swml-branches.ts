/** SWML branches: `cond`, `switch`, `goto`, and the `result` of methods. Used by `swml-methods.ts`. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { untranslated, worked } from './fidelity.ts';
import type { ImportedNode } from './imported.ts';
import { wordsAt } from './json-verbs.ts';
import { countAt } from './source-numbers.ts';
import type { Method, SwmlContext, SwmlVerb } from './swml-context.ts';
import { swmlCondition } from './swml-names.ts';
import { type Unit, writeUnits } from './verb-unit.ts';

type Key = string | number;
interface Way {
  when?: string;
  verbs: readonly SwmlVerb[];
}

/** Branch with a list of methods for each case. All cases continue at the following step. */
function branchUnit(context: SwmlContext, node: ImportedNode, ways: readonly Way[]): Unit {
  const name = context.flow.reserve('branch');
  node.steps.push(name);
  const planned = ways.map(({ when, verbs }) => ({ when, units: context.plan(verbs) }));
  return {
    entry: () => name,
    write: (next) => {
      const cases = planned.map(({ when, units }): JsonObject => {
        const there = units[0]?.entry() ?? next;
        return when === undefined ? { else: there } : { when, next: there };
      });
      if (planned.every(({ when }) => when !== undefined)) cases.push({ else: next });
      context.flow.step(name, { branch: cases }, node.notes);
      for (const { units } of planned) writeUnits(units, next);
    },
  };
}

export const cond: Method = (context, verb, node) => conditions(context, verb, node, verb.fields['value'] ?? null);

export const choose: Method = (context, verb, node) => cases(context, verb, node, verb.fields);

/** Branch on the result of a method: cases of a variable, or conditions. */
export function resultUnit(context: SwmlContext, verb: SwmlVerb, node: ImportedNode): Unit | undefined {
  const { result } = verb.fields;
  if (result === undefined) return undefined;
  if (isObject(result)) return cases(context, verb, node, result, 'result');
  return conditions(context, verb, node, result, 'result');
}

function conditions(
  context: SwmlContext,
  verb: SwmlVerb,
  node: ImportedNode,
  written: Json,
  ...above: readonly Key[]
): Unit {
  const ways = (Array.isArray(written) ? written : []).filter(isObject).map((way, index): Way => {
    const when = wordsAt(way, 'when');
    const key = when === undefined ? 'else' : 'then';
    const verbs = verb.within(way[key] ?? [], ...above, index, key);
    return when === undefined ? { verbs } : { when: swmlCondition(context, when), verbs };
  });
  if (ways.length === 0) untranslated('it has no conditions');
  return branchUnit(context, node, ways);
}

function cases(
  context: SwmlContext,
  verb: SwmlVerb,
  node: ImportedNode,
  written: JsonObject,
  ...above: readonly Key[]
): Unit {
  const variable = wordsAt(written, 'variable') ?? (above.length > 0 ? 'return_value' : undefined);
  if (variable === undefined || !isObject(written['case'])) untranslated('it has no variable, or no cases');
  const ways = Object.entries(written['case']).map(([value, list]): Way => {
    if (/["\\]/.test(value)) untranslated(`compare ${variable.slice(0, 60)} with ${value.slice(0, 60)}`);
    const when = swmlCondition(context, `${variable} == ${/^-?\d{1,15}$/.test(value) ? value : `"${value}"`}`);
    return { when, verbs: verb.within(list, ...above, 'case', value) };
  });
  const otherwise = written['default'];
  if (otherwise !== undefined) ways.push({ verbs: verb.within(otherwise, ...above, 'default') });
  return branchUnit(context, node, ways);
}

/** Jump with a limit: after `max` jumps, the flow continues at the following step, as in SWML. */
export const goTo: Method = (context, { fields }, node) => {
  const label = wordsAt(fields, 'label') ?? wordsAt(fields, 'value') ?? '';
  const written = wordsAt(fields, 'when');
  const when = written === undefined ? 'true' : swmlCondition(context, written);
  const most = countAt(node, fields, 'max', { most: 1000, otherwise: 100 });
  return context.unit('go_to', node, (next) => {
    if (!context.hasLabel(label)) worked(node, `there is no label ${label.slice(0, 60)}: the flow ends here`);
    const branch: Json[] = [{ when, next: context.labelled(label) }, { else: next }];
    return { branch, max_visits: most, exits: { limit: next } };
  });
};
