/**
 * Computes the outcomes that a step with given arguments can have, from the `outcomes` of its verb's schema alone. It
 * also runs in browsers. `outcome-conditions.ts` evaluates `when` and `where`; `verb-outcomes.ts` builds the table of a
 * verb from its schema; `schemas/verb.schema.json` describes the form.
 *
 * Invariants
 *  - An outcome whose condition is unknown before the call counts as possible.
 *  - Each name is listed once, in the order of the table, with the last item that has a target for it.
 *  - Nothing throws, whatever the arguments are.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { holds, isTemplated, isWholeTemplate } from './outcome-conditions.ts';

/**
 * One outcome, or the outcomes that the arguments name (`<choice>`). Pointers are relative to the arguments, or to the
 * item.
 */
export interface OutcomeEntry {
  /** Condition on which the outcome is possible; undefined: always. */
  when?: JsonObject;
  /** Pointer to the map, list or scalar that names outcomes. */
  each?: string;
  /** Condition on which an item of `each` counts. */
  where?: JsonObject;
  /**
   * Sources of an item's name: pointers or names, of which the first that exists is used; `#` is its position from 1.
   */
  named?: readonly string[];
  /** Pointer to the name of a flow whose outcomes the step has. */
  returned?: string;
  /** True if `next` routes it. */
  success?: true;
  /** True if the caller has talked with another party. */
  talked?: true;
  /** After a negative outcome or a fault, `set` assigns nothing. */
  kind?: 'negative' | 'fault';
  /** Outcome that this one refines: if this one is routed, the step has it instead. */
  finerThan?: string;
  /** Outcome whose route is used if this one has none. */
  unroutedAs?: string;
  /** Fields that the result has for certain after this outcome, with a value that is not null. Absent: not known. */
  gives?: readonly string[];
  /** Pointer to the key to press. */
  key?: string;
  /** Pointer to the target step. */
  target?: string;
  /** Pointer to the text that replaces the outcome in a graph. */
  label?: string;
  /** Events that lead to the outcome. */
  needs?: readonly string[];
}

export interface DescribedOutcome extends OutcomeEntry {
  /** Text that explains when the outcome occurs, without its condition. */
  text: string;
}

export type OutcomeTable = Readonly<Record<string, OutcomeEntry>>;

/** Properties of a verb that decide its outcomes. */
export interface OutcomeVerb {
  outcomeTable: OutcomeTable;
  /** Argument key that a bare value stands for. */
  short?: string;
  /** Defaults of the keys that conditions name. */
  outcomeDefaults?: JsonObject;
  /** Keys that conditions name, and that must not be templates. */
  writtenOut?: readonly string[];
}

export interface FoundOutcome {
  name: string;
  entry: OutcomeEntry;
  /** Item that names the outcome, or the arguments, and the pointer to it. */
  item: Json;
  at: string;
  /** True if the outcome needs no route: the flow that the step runs never returns it. */
  isOptional?: true;
}

/** Returns the outcomes of a flow; undefined if the flow is unknown. */
export type ReturnsOf = (flow: string) => readonly string[] | undefined;

/** Names of the outcomes. `written` contains the arguments, short or long, with templates. */
export const possibleOutcomes = (verb: OutcomeVerb, written: Json, returnsOf?: ReturnsOf): string[] =>
  findOutcomes(verb, written, returnsOf).map(({ name }) => name);

export function findOutcomes(verb: OutcomeVerb, written: Json, returnsOf: ReturnsOf = () => undefined): FoundOutcome[] {
  const args = longForm(verb, written);
  const returns = returnsOfCalled(verb, args, returnsOf);
  const found = new Map<string, FoundOutcome>();
  const add = (each: FoundOutcome): void => {
    if (!found.has(each.name) || targetOf(each) !== undefined) found.set(each.name, each);
  };
  for (const [name, entry] of entriesOf(verb.outcomeTable)) {
    if (entry.when !== undefined && holds(entry.when, args, verb.writtenOut) === false) continue;
    const isReturned = entry.returned !== undefined && returns !== undefined;
    if (entry.each === undefined) {
      add({ name, entry, item: args, at: '', ...(isReturned && !returns.includes(name) && { isOptional: true }) });
    } else if (isReturned) for (const each of returns) add({ name: each, entry, item: args, at: '' });
    else for (const each of itemsOf(entry, args)) add(each);
  }
  return [...found.values()];
}

const listedEntries = new WeakMap<OutcomeTable, readonly [name: string, entry: OutcomeEntry][]>();

/** Entries of a table, listed once: each step of a verb reads them. */
export function entriesOf(table: OutcomeTable): readonly [name: string, entry: OutcomeEntry][] {
  const entries = listedEntries.get(table) ?? Object.entries(table);
  listedEntries.set(table, entries);
  return entries;
}

/** Outcome that `next` routes. */
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

/** Target step that the arguments give for an outcome, and the pointer to it. */
export function targetOf({ entry, item, at }: FoundOutcome): { target: string; pointer: string } | undefined {
  const target = entry.target === undefined ? undefined : valueBelow(item, entry.target);
  return typeof target === 'string' && target !== '' ? { target, pointer: at + entry.target } : undefined;
}

/** Long form with defaults. A single template is kept, because it may render to a map. */
function longForm({ short, outcomeDefaults }: OutcomeVerb, written: Json): Json {
  if (isObject(written)) return { ...outcomeDefaults, ...written };
  if (isWholeTemplate(written)) return written;
  if (written !== null && short !== undefined) return { ...outcomeDefaults, [short]: written };
  return Array.isArray(written) ? written : { ...outcomeDefaults };
}

/** Outcomes of the flow that the step runs, unless the step lists the outcomes that it routes. */
function returnsOfCalled(
  { outcomeTable }: OutcomeVerb,
  args: Json,
  returnsOf: ReturnsOf,
): readonly string[] | undefined {
  const [, named] = entriesOf(outcomeTable).find(([, { each, returned }]) => each && returned) ?? [];
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
