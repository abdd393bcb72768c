/**
 * The outcomes that a step with given arguments can have, from the `outcomes` of its verb's schema alone. It runs in
 * browsers, too. Neighbours: `outcome-conditions.ts` evaluates `when` and `where`; `verb-outcomes.ts` makes the table of a
 * verb from its schema; `schemas/verb.schema.json` describes the form.
 *
 * Invariants
 *  - what is not known before the call is possible;
 *  - a name comes once, in the order of the table, with the last item that says where it leads;
 *  - nothing throws, whatever the arguments are.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { holds, isTemplated, isWholeTemplate } from './outcome-conditions.ts';

/** One outcome, or those that the arguments name (`<choice>`). Pointers lead from the arguments, or from the item. */
export interface OutcomeEntry {
  /** The condition on which it is possible; absent: always. */
  when?: JsonObject;
  /** Pointer to the map, list or scalar that names outcomes. */
  each?: string;
  /** The condition on which an item of `each` counts. */
  where?: JsonObject;
  /** Where the name of an item is: pointers or names, the first that is there; `#` is its place from 1. */
  named?: readonly string[];
  /** Pointer to the name of a flow, whose outcomes it has. */
  returned?: string;
  /** `next` routes it. */
  success?: true;
  /** The caller has talked with another party. */
  talked?: true;
  /** `set` assigns nothing after a setback or a fault. */
  kind?: 'setback' | 'fault';
  /** The outcome that it refines: a step has it in place of that one, where it is routed. */
  finerThan?: string;
  /** The outcome whose route it takes if it has none. */
  unroutedAs?: string;
  /** Pointer to the key to press. */
  key?: string;
  /** Pointer to the step that it leads to. */
  target?: string;
  /** Pointer to the words that stand for it in a graph. */
  label?: string;
  /** Events that lead to it. */
  needs?: readonly string[];
}

export interface DescribedOutcome extends OutcomeEntry {
  /** When it comes, without its condition. */
  text: string;
}

export type OutcomeTable = Readonly<Record<string, OutcomeEntry>>;

/** Facts of a verb that decide its outcomes. */
export interface OutcomeVerb {
  outcomeTable: OutcomeTable;
  /** The key that a value alone stands for. */
  short?: string;
  /** Defaults of the keys that conditions name. */
  outcomeDefaults?: JsonObject;
  /** Keys that conditions name, and that no template may give. */
  writtenOut?: readonly string[];
}

export interface FoundOutcome {
  name: string;
  entry: OutcomeEntry;
  /** The item that names it, or the arguments, and the pointer to it. */
  item: Json;
  at: string;
  /** It needs no route: the flow that the step runs never ends so. */
  isOptional?: true;
}

/** Outcomes that a flow returns; undefined if it is not known. */
export type ReturnsOf = (flow: string) => readonly string[] | undefined;

/** Their names. `written` are the arguments, short or long, with templates. */
export const possibleOutcomes = (verb: OutcomeVerb, written: Json, returnsOf?: ReturnsOf): string[] =>
  findOutcomes(verb, written, returnsOf).map(({ name }) => name);

export function findOutcomes(verb: OutcomeVerb, written: Json, returnsOf: ReturnsOf = () => undefined): FoundOutcome[] {
  const args = longForm(verb, written);
  const returns = returnsOfCalled(verb, args, returnsOf);
  const found = new Map<string, FoundOutcome>();
  const add = (each: FoundOutcome): void => {
    if (!found.has(each.name) || targetOf(each) !== undefined) found.set(each.name, each);
  };
  for (const [name, entry] of Object.entries(verb.outcomeTable)) {
    if (entry.when !== undefined && holds(entry.when, args, verb.writtenOut) === false) continue;
    const isReturned = entry.returned !== undefined && returns !== undefined;
    if (entry.each === undefined) {
      add({ name, entry, item: args, at: '', ...(isReturned && !returns.includes(name) && { isOptional: true }) });
    } else if (isReturned) for (const each of returns) add({ name: each, entry, item: args, at: '' });
    else for (const each of itemsOf(entry, args)) add(each);
  }
  return [...found.values()];
}

/** The outcome that `next` routes. */
export const successOf = (table: OutcomeTable): string | undefined =>
  Object.keys(table).find((name) => table[name]!.success);

/** The value at a JSON pointer; undefined if there is none. */
export function valueBelow(value: Json, pointer: string): Json | undefined {
  return pointer
    .split('/')
    .slice(1)
    .reduce<Json | undefined>(
      (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      value,
    );
}

/** The step that an outcome leads to by the arguments themselves, and the pointer to it. */
export function targetOf({ entry, item, at }: FoundOutcome): { target: string; pointer: string } | undefined {
  const target = entry.target === undefined ? undefined : valueBelow(item, entry.target);
  return typeof target === 'string' && target !== '' ? { target, pointer: at + entry.target } : undefined;
}

/** With defaults; one template stays as it is, since it may turn out a map. */
function longForm({ short, outcomeDefaults }: OutcomeVerb, written: Json): Json {
  if (isObject(written)) return { ...outcomeDefaults, ...written };
  if (isWholeTemplate(written)) return written;
  if (written !== null && short !== undefined) return { ...outcomeDefaults, [short]: written };
  return Array.isArray(written) ? written : { ...outcomeDefaults };
}

/** Outcomes of the flow that the step runs in its place, unless the step names those that it routes. */
function returnsOfCalled(
  { outcomeTable }: OutcomeVerb,
  args: Json,
  returnsOf: ReturnsOf,
): readonly string[] | undefined {
  const named = Object.values(outcomeTable).find(({ each, returned }) => each !== undefined && returned !== undefined);
  if (named === undefined || valueBelow(args, named.each!) !== undefined) return undefined;
  const flow = valueBelow(args, named.returned!);
  return typeof flow === 'string' && !isTemplated(flow) ? returnsOf(flow) : undefined;
}

function itemsOf(entry: OutcomeEntry, args: Json): FoundOutcome[] {
  const { each = '', where, named } = entry;
  const items = valueBelow(args, each);
  if (items === undefined || items === null || isTemplated(items)) return [];
  if (isObject(items))
    return Object.entries(items).map(([name, item]) => ({ name, entry, item, at: `${each}/${name}` }));
  return [items].flat().flatMap((item, index) => {
    if (where !== undefined && (!isObject(item) || holds(where, item) === false)) return [];
    const name = named === undefined ? item : nameOf(named, item, index + 1);
    return name === undefined || name === '' || typeof name === 'object' || isTemplated(name)
      ? []
      : [{ name: String(name), entry, item, at: `${each}/${index}` }];
  });
}

function nameOf(named: readonly string[], item: Json, place: number): Json | undefined {
  const names = named.map((name) => (name.startsWith('/') ? valueBelow(item, name) : name.replace('#', String(place))));
  return names.find((name) => name !== undefined && name !== '');
}
