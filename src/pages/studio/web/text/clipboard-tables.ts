/**
 * Tables of a flow whose entries its steps use: prompts, variables, inputs, schedules and local flows. They travel with
 * copied steps. Pure.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import { flowPlaces, placesNaming, valuesAt } from '../../../../language/flow/named-places.ts';
import { type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { keysAt, renamedExpressions } from '../../../../language/flow/text/references.ts';
import { promptPlaces } from './spoken-words.ts';

export const TABLES = ['prompts', 'vars', 'input', 'schedules', 'flows'] as const;
export type Table = (typeof TABLES)[number];

/** Names that the steps use, by the table that defines them. Names that no table defines are left out. */
export function usedBy(flow: JsonObject, steps: readonly string[], verbs: GraphLanguage): Record<Table, string[]> {
  const local = localFlowsOf(flow, steps, verbs);
  // Local flows use the prompts and schedules of the file.
  const users: { flow: JsonObject; steps: readonly string[] }[] = [
    { flow, steps },
    ...local.map((name) => {
      const own = valueAt(flow, ['flows', name]) as JsonObject;
      return { flow: { ...pick(flow, ['prompts', 'schedules']), ...own }, steps: keysAt(own, ['steps']) };
    }),
  ];
  const prompts = users.flatMap((user) =>
    user.steps.flatMap((step) => promptPlaces(user.flow, step, verbs).map(({ said }) => said)),
  );
  const schedules = users.flatMap((user) =>
    user.steps.flatMap((step) => placesIn(user.flow, step, 'schedule', verbs).map(({ value }) => value)),
  );
  const known = { prompts: defined(flow, 'prompts', prompts), schedules: defined(flow, 'schedules', schedules) };
  const part: JsonObject = {
    prompts: pick((flow['prompts'] ?? {}) as JsonObject, known.prompts),
    steps: pick(flow['steps'] as JsonObject, steps),
  };
  const assigned = assignedIn(flow, steps, verbs).map(({ name }) => name);
  const reads = (scope: 'vars' | 'input', name: string): boolean =>
    renamedExpressions(part, scope, name, `${name}_`).length > 0;
  return {
    ...known,
    vars: keysAt(flow, ['vars']).filter((name) => assigned.includes(name) || reads('vars', name)),
    input: keysAt(flow, ['input']).filter((name) => reads('input', name)),
    flows: local,
  };
}

/** Variables that the steps read or assign and that the flow does not declare. */
export function undeclaredIn(flow: JsonObject, steps: readonly string[], verbs: GraphLanguage): JsonObject {
  const part: JsonObject = { steps: pick(flow['steps'] as JsonObject, steps) };
  const found: JsonObject = {};
  for (const { name, value } of assignedIn(flow, steps, verbs)) if (!name.startsWith('call.')) found[name] = value;
  for (const [, name] of JSON.stringify(part).matchAll(/\bvars\s*\.\s*(\w+)/g)) {
    const isRead = renamedExpressions(part, 'vars', name!, `${name}_`).length > 0;
    if (isRead && !Object.hasOwn(found, name!)) found[name!] = '';
  }
  for (const name of keysAt(flow, ['vars'])) delete found[name];
  return found;
}

/** Places at which the steps name a schedule. */
export const schedulePlaces = (
  flow: JsonObject,
  steps: readonly string[],
  verbs: GraphLanguage,
): { path: Path; value: string }[] => steps.flatMap((step) => placesIn(flow, step, 'schedule', verbs));

/** Places at which the steps name another flow. */
export const flowPlacesOf = (
  flow: JsonObject,
  steps: readonly string[],
  verbs: GraphLanguage,
): { path: Path; value: string }[] => steps.flatMap((step) => placesIn(flow, step, 'flow', verbs));

function localFlowsOf(flow: JsonObject, steps: readonly string[], verbs: GraphLanguage): string[] {
  const known = keysAt(flow, ['flows']);
  const found = new Set<string>();
  const visit = (within: JsonObject, names: readonly string[]): void => {
    for (const { value } of flowPlacesOf(within, names, verbs)) {
      if (!known.includes(value) || found.has(value)) continue;
      found.add(value);
      const inner = valueAt(flow, ['flows', value]);
      if (isObject(inner)) visit(inner, keysAt(inner, ['steps']));
    }
  };
  visit(flow, steps);
  return known.filter((name) => found.has(name) && isObject(valueAt(flow, ['flows', name])));
}

function placesIn(
  flow: JsonObject,
  step: string,
  kind: 'schedule' | 'flow',
  verbs: GraphLanguage,
): { path: Path; value: string }[] {
  return keysAt(flow, ['steps', step]).flatMap((verb) => {
    const named = Object.hasOwn(verbs, verb) ? verbs[verb]!.names : undefined;
    const places = kind === 'flow' ? flowPlaces(named).map(([place]) => place) : placesNaming(named, kind);
    return places.flatMap((place) =>
      valuesAt(valueAt(flow, ['steps', step, verb]), place).flatMap(([path, value]) =>
        typeof value === 'string' ? [{ path: ['steps', step, verb, ...path], value }] : [],
      ),
    );
  });
}

/** Assignments of variables by the steps, with the paths of their keys. */
export const assignedIn = (
  flow: JsonObject,
  steps: readonly string[],
  verbs: GraphLanguage,
): { name: string; path: Path; value: Json }[] =>
  steps.flatMap((step) =>
    keysAt(flow, ['steps', step])
      .filter((key) => key === 'set' || (Object.hasOwn(verbs, key) && verbs[key]!.form === 'assignments'))
      .flatMap((key) =>
        keysAt(flow, ['steps', step, key]).map((name) => ({
          name,
          path: ['steps', step, key, name],
          value: valueAt(flow, ['steps', step, key, name]) ?? null,
        })),
      ),
  );

function defined(flow: JsonObject, table: Table, names: readonly string[]): string[] {
  const known = keysAt(flow, [table]);
  return [...new Set(names)].filter((name) => known.includes(name));
}

const pick = (map: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(map, key) ? [[key, map[key]!]] : [])));
