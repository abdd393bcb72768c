/**
 * Jumps between SWML sections: without return (`transfer`) and with return (`execute`, `return`). Used by `swml.ts`.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { untranslated } from './fidelity.ts';
import { wordOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { wordsAt } from './json-verbs.ts';
import { resultUnit } from './swml-branches.ts';
import type { Method, SwmlContext, SwmlVerb } from './swml-context.ts';
import { swmlValue } from './swml-names.ts';
import { type Unit, writeUnits } from './verb-unit.ts';

export const destinationOf = (fields: JsonObject): string | undefined =>
  wordsAt(fields, 'dest') ?? wordsAt(fields, 'value');

/** Assignments that pass the parameters to the variables of the section. */
function parametersFor(context: SwmlContext, section: string, { params }: JsonObject): JsonObject {
  const prefix = context.parametersOf(section);
  if (!isObject(params) || prefix === undefined) return {};
  const set = Object.entries(params).map(([name, value]): [string, Json] => [
    context.flow.variable(`${prefix}_${name}`),
    swmlValue(context, value),
  ]);
  return Object.fromEntries(set);
}

export const transfer: Method = (context, { fields }, node) => {
  const dest = destinationOf(fields);
  if (dest === undefined) untranslated('go to another section: it names none');
  const section = context.sectionAt(dest);
  const hasParams = isObject(fields['params']);
  if (hasParams && section === undefined) untranslated(`go to ${dest.slice(0, 200)} with parameters`);
  const set: JsonObject = section === undefined ? {} : parametersFor(context, section, fields);
  const back = section === undefined ? undefined : context.returnVariable(section);
  if (back !== undefined) set[context.flow.variable(back)] = '';
  const there = (): string => context.target(dest, node);
  if (Object.keys(set).length === 0) return { entry: there, write: there };
  return context.unit(`go_to_${wordOf(section!, 'section')}`, node, () => ({ set, next: there() }));
};

export const execute: Method = (context, verb, node) => {
  const { fields } = verb;
  const dest = destinationOf(fields) ?? '';
  const section = context.sectionAt(dest);
  if (section === undefined) untranslated(`do what ${dest.slice(0, 200) || 'a section'} says, and come back`);
  if (!context.canCall(section))
    untranslated(`do what ${dest.slice(0, 200)} says, and come back: it leads back here, or is empty`);
  const set = parametersFor(context, section, fields);
  const after = afterwards(context, verb, node);
  const back = context.returnVariable(section);
  const name = back === undefined && Object.keys(set).length === 0 ? undefined : context.flow.reserve(`do_${section}`);
  if (name !== undefined) {
    node.steps.push(name);
    if (back !== undefined) set[context.flow.variable(back)] = name;
  }
  return {
    entry: () => name ?? context.entryOf(section),
    write: (next) => {
      if (name !== undefined) context.flow.step(name, { set, next: context.entryOf(section) }, node.notes);
      context.writeCall(section, name, after[0]?.entry() ?? next);
      writeUnits(after, next);
    },
  };
};

/** Methods after the section has returned: `on_return`, then `result`. */
function afterwards(context: SwmlContext, verb: SwmlVerb, node: ImportedNode): Unit[] {
  const { on_return: list } = verb.fields;
  const units = Array.isArray(list) ? context.plan(verb.within(list, 'on_return')) : [];
  return [...units, resultUnit(context, verb, node) ?? []].flat();
}

/** Returns to the caller of the section. In `main` the flow ends. */
export const comeBack: Method = (context, { fields }, node) => {
  const { section } = context;
  const isMap = fields['value'] === undefined && Object.keys(fields).length > 0;
  const value = swmlValue(context, isMap ? fields : (fields['value'] ?? null));
  const set = { [context.flow.variable('return_value')]: value };
  return context.unit('return', node, () => ({ set, next: context.backFrom(section) }));
};
