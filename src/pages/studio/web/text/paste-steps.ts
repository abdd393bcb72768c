/**
 * Pastes steps from the clipboard (`clipboard.ts`): from the same flow, another flow or an e-mail. Names in use get a
 * counter. Routes inside the part stay; those to outside keep targets that the flow has, otherwise they lead to the
 * landing (`landing.ts`). Pure.
 */
import { canonical, isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { type FlowGraph, type GraphLanguage, graphOf } from '../../../../language/flow/graph.ts';
import type { AddChange, Change } from '../../../../language/flow/text/change.ts';
import { applyEdits, type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { addTo, freshName } from '../../../../language/flow/text/new-names.ts';
import { keysAt, renamedExpressions } from '../../../../language/flow/text/references.ts';
import { renamedSteps } from '../../../../language/flow/text/rename.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { readClipboard, stepIn, writtenStep } from './clipboard.ts';
import {
  assignedIn,
  flowPlacesOf,
  schedulePlaces,
  TABLES,
  type Table,
  undeclaredIn,
  usedBy,
} from './clipboard-tables.ts';
import { typeOfValue } from './declarations.ts';
import { type ExitRef, setOrAdd, targetNow, verbIn, wayChanges } from './edit.ts';
import { type Landing, landingOf } from './landing.ts';
import { END, type LedWay, type Rewired, rewire, waysOf } from './part-ways.ts';
import { promptPlaces } from './spoken-words.ts';

/** Name on the clipboard → name in the flow. */
type NewNames = ReadonlyMap<string, string>;

export interface Pasted extends Rewired {
  /** New names of the steps. */
  names: NewNames;
}

/** `at`: step after which the steps are written, or exit in whose route they are inserted. */
export function pasteSteps(
  text: string,
  clipboard: string,
  verbs: GraphLanguage,
  at?: string | ExitRef,
): Pasted | EditRefusal {
  const read = readClipboard(clipboard);
  if (isRefusal(read)) return read;
  const flow = openText(text);
  if (isRefusal(flow)) return flow;
  const names = freshNames(keysAt(read.value, ['steps']), keysAt(flow.value, ['steps']));
  const part: Part = { flow, steps: [...names.values()], verbs, ...placeOf(flow.value, at, verbs) };
  const renamed = rewritten(read, renamedSteps(read.value, withoutSame(names), verbs));
  if (isRefusal(renamed)) return renamed;
  const missing = readElsewhere(renamed.value, part);
  if (missing !== undefined) return missing;
  const tables = tablesToPaste(renamed.value, part);
  const named = rewritten(renamed, renamedTables(renamed.value, tables, part));
  if (isRefusal(named)) return named;
  const led = rewritten(named, ledRoutes(named.value, part));
  if (isRefusal(led)) return led;
  const loose = looseRoutes(led.value, part);
  if (isRefusal(loose)) return loose;
  const clip = rewritten(led, loose.changes);
  if (isRefusal(clip)) return clip;
  // Entries of the last table are written before a table that follows it.
  const others = [...tableChanges(clip.value, tables, part), ...loose.defaults].toSorted(
    (one, other) => other.path.length - one.path.length,
  );
  const made = insertion(clip, part, others);
  return isRefusal(made) ? made : { ...made, names };
}

/** The pasted steps, and their place in the flow. */
interface Part {
  flow: FlowSource;
  /** New names. */
  steps: readonly string[];
  verbs: GraphLanguage;
  /** Step after which they are written. */
  after: string | undefined;
  /** Exit in whose route they are inserted, with its target so far. */
  line: (ExitRef & { target: string }) | undefined;
  landing: Landing;
}

function placeOf(
  flow: JsonObject,
  at: string | ExitRef | undefined,
  verbs: GraphLanguage,
): Pick<Part, 'after' | 'line' | 'landing'> {
  const line = typeof at === 'object' ? { ...at, target: targetNow(flow, at, verbs) ?? END } : undefined;
  const after = typeof at === 'object' ? at.step : at;
  const graph: FlowGraph = graphOf(flow, { verbs });
  return { after, line, landing: { graph, after: line?.step, next: line?.target ?? graph.start ?? END } };
}

/** New name of each pasted step. */
function freshNames(pasted: readonly string[], known: readonly string[]): NewNames {
  const taken = new Set([...known, ...pasted]);
  const names = new Map<string, string>();
  for (const name of pasted) {
    const fresh = known.includes(name) ? freshName(name, taken) : name;
    taken.add(fresh);
    names.set(name, fresh);
  }
  return names;
}

const withoutSame = (names: NewNames): NewNames => new Map([...names].filter(([name, fresh]) => name !== fresh));

/** Refuses steps that read the result of a step that the flow does not have. */
function readElsewhere(clip: JsonObject, { flow, steps }: Part): EditRefusal | undefined {
  const known = [...keysAt(flow.value, ['steps']), ...steps];
  for (const step of steps) {
    const part: JsonObject = { steps: { [step]: valueAt(clip, ['steps', step])! } };
    for (const [, plain, quoted] of JSON.stringify(part).matchAll(/\bsteps\s*\.\s*(?:(\w+)|`([^`]+)`)/g)) {
      const name = plain ?? quoted!;
      if (known.includes(name) || renamedExpressions(part, 'steps', name, `${name}_`).length === 0) continue;
      return {
        refused: t('{step} reads the result of {name}, which this flow does not have', { step, name }),
        hint: t('copy {name}, too', { name }),
      };
    }
  }
  return undefined;
}

type NewTables = Record<Table, NewNames>;

/** New name of each entry that the steps use and the flow does not have. Another entry of the same name stays. */
function tablesToPaste(clip: JsonObject, { flow, steps, verbs }: Part): NewTables {
  const used = usedBy(clip, steps, verbs);
  return Object.fromEntries(
    TABLES.map((table): [Table, NewNames] => {
      const own = flow.value[table] ?? {};
      const names = new Map<string, string>();
      // Prompts can be files of a folder.
      if (!isObject(own)) return [table, names];
      const taken = new Set([...Object.keys(own), ...keysAt(clip, [table])]);
      for (const name of used[table]) {
        const isKnown = Object.hasOwn(own, name);
        const isSame = isKnown && canonical(own[name]!) === canonical(valueAt(clip, [table, name])!);
        // Callers of the flow give its inputs by their names.
        if (isSame || (isKnown && table === 'input')) continue;
        const fresh = isKnown ? freshName(name, taken) : name;
        taken.add(fresh);
        names.set(name, fresh);
      }
      return [table, names];
    }),
  ) as NewTables;
}

function renamedTables(clip: JsonObject, tables: NewTables, { steps, verbs }: Part): Change[] {
  const places: Record<Exclude<Table, 'vars' | 'input'>, { path: readonly (string | number)[]; value: string }[]> = {
    prompts: steps.flatMap((step) => promptPlaces(clip, step, verbs).map(({ path, said }) => ({ path, value: said }))),
    schedules: schedulePlaces(clip, steps, verbs),
    flows: flowPlacesOf(clip, steps, verbs),
  };
  const named = Object.entries(places).flatMap(([table, found]) =>
    found.flatMap(({ path, value }): Change[] => {
      const fresh = tables[table as Table].get(value);
      return fresh === undefined || fresh === value ? [] : [{ do: 'set', path, value: fresh }];
    }),
  );
  const variables = [...withoutSame(tables.vars)].flatMap(([from, to]): Change[] => [
    ...renamedExpressions(clip, 'vars', from, to),
    ...assignedIn(clip, steps, verbs).flatMap(({ name, path }): Change[] =>
      name === from ? [{ do: 'key', path, to }] : [],
    ),
  ]);
  return [...named, ...variables];
}

/** Leads the routes out of the part to steps that the flow has, and those of its success to the target of the line. */
function ledRoutes(clip: JsonObject, { flow, steps, verbs, line, landing }: Part): Change[] {
  const known = keysAt(flow.value, ['steps']);
  const { on, success, targets } = waysOf(clip, steps, verbs);
  const main = targets.length === 1 ? targets[0] : success;
  return on.flatMap(({ path, name }): Change[] => {
    if (line !== undefined && name === main)
      return name === line.target ? [] : [{ do: 'set', path, value: line.target }];
    if (name.startsWith('$') || known.includes(name)) return [];
    const isSuccess = path.at(-1) === 'next' || path.at(-1) === verbIn(clip, String(path[1]), verbs).success;
    return [{ do: 'set', path, value: landingOf(isSuccess ? '' : String(path.at(-1)).split('.')[0]!, landing) }];
  });
}

/** Routes for outcomes that only the flow of origin routed, by its defaults. */
function looseRoutes(
  clip: JsonObject,
  { flow, steps, verbs, line, landing }: Part,
): { changes: Change[]; defaults: Change[] } | EditRefusal {
  const part = Object.fromEntries(steps.map((step) => [step, valueAt(clip, ['steps', step])!]));
  const graph = graphOf({ ...flow.value, steps: part }, { verbs });
  const changes: Change[] = [];
  let defaults: Change[] = [];
  for (const { name: step, exits } of graph.steps) {
    const routes: Record<string, string> = {};
    for (const { outcome, target } of exits) {
      if (target !== '') continue;
      const { success } = verbIn(clip, step, verbs);
      if (outcome === 'error') {
        const found = setOrAdd(flow.value, ['defaults', 'exits', 'error'], landingOf('error', landing));
        if (isRefusal(found)) return found;
        defaults = found;
      } else if (outcome === success) {
        const way = wayChanges(clip, { step, outcome, target: line?.target ?? landingOf('', landing) }, verbs);
        if (isRefusal(way)) return way;
        changes.push(...way);
      } else routes[outcome] = landingOf(outcome.split('.')[0]!, landing);
    }
    if (Object.keys(routes).length === 0) continue;
    const path = ['steps', step];
    if (valueAt(clip, [...path, 'exits']) === undefined) changes.push({ do: 'add', path, key: 'exits', value: routes });
    else
      for (const [key, value] of Object.entries(routes))
        changes.push({ do: 'add', path: [...path, 'exits'], key, value });
  }
  return { changes, defaults };
}

/** Entries of tables, and declarations of variables that the clipboard uses without declaring them. */
function tableChanges(clip: JsonObject, tables: NewTables, { flow, steps, verbs }: Part): AddChange[] {
  const renamed = Object.fromEntries([...tables.vars.values()].map((name) => [name, null]));
  const declared = {
    ...flow.value,
    vars: {
      ...(flow.value['vars'] as JsonObject | undefined),
      ...(clip['vars'] as JsonObject | undefined),
      ...renamed,
    },
  };
  const undeclared = undeclaredIn({ ...declared, steps: clip['steps']! }, steps, verbs);
  return TABLES.flatMap((table): AddChange[] => {
    const entries: [string, Json][] = [...tables[table]].map(([name, fresh]) => [fresh, valueAt(clip, [table, name])!]);
    if (table === 'vars')
      for (const [name, value] of Object.entries(undeclared)) entries.push([name, typeOfValue(value)]);
    if (entries.length === 0) return [];
    if (!isObject(flow.value[table])) return [addTo(flow.value, [], table, Object.fromEntries(entries))];
    return entries.map(([key, value]) => ({ do: 'add', path: [table], key, value }));
  });
}

function insertion(clip: FlowSource, part: Part, others: readonly Change[]): Rewired | EditRefusal {
  const { flow, steps, verbs, after, line } = part;
  const place = { path: ['steps'], ...(after !== undefined && { after }) };
  const added = steps.map((key): AddChange => {
    const written = writtenStep(clip, key);
    return { do: 'add', ...place, key, value: stepIn(clip, key), ...(written !== undefined && { written }) };
  });
  if (line === undefined) return rewire(flow, [...others, ...added], [], verbs);
  const entry = entryOf(clip.value, steps, verbs);
  const way = wayChanges(flow.value, { ...line, target: entry }, verbs);
  if (isRefusal(way)) return way;
  const ways: LedWay[] = [{ from: line.step, to: entry }];
  return rewire(flow, [...others, ...way, ...added], ways, verbs);
}

/** Step of the part that no other step of it leads to: its `start`, or the first in the text. */
function entryOf(clip: JsonObject, steps: readonly string[], verbs: GraphLanguage): string {
  const start = clip['start'];
  if (typeof start === 'string' && steps.includes(start)) return start;
  const inside = new Set(
    graphOf(clip, { verbs }).steps.flatMap(({ name, exits }) =>
      exits.flatMap(({ target }) => (target === name ? [] : target)),
    ),
  );
  return steps.find((step) => !inside.has(step)) ?? steps[0]!;
}

function rewritten(source: FlowSource, changes: readonly Change[]): FlowSource | EditRefusal {
  if (changes.length === 0) return source;
  const edits = rewriteSource(source, changes);
  return isRefusal(edits) ? edits : openText(applyEdits(source.text, edits));
}
