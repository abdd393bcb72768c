/**
 * Local flows, defined under `flows` in the file of another flow. They are split into separate documents before
 * anything is checked; `compile.ts` compiles these, and `flow-library.ts` keeps them by name.
 *
 * Invariant: outside its file, a local flow is called `MAIN/NAME`: in journals, tests, requests and compiled flows. No
 * other flow name contains a `/`.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, pointerKeys, type SourceDocument } from '../../base/schema/document.ts';
import type { CompiledFlow } from './compiled-flow.ts';
import { type FlowSummary, flowsNamedBy, nameOfFlow, summarise } from './flow-summary.ts';
import { localName, mainFlowOf, plainName } from './local-flow-name.ts';
import { changedAt, flowPlaces } from './named-places.ts';
import { namesOf } from './verb-facts.ts';

export { localName, mainFlowOf, plainName } from './local-flow-name.ts';

/** Maximum length of a flow name in a step. */
const MAX_NAME = 100;
/** The schema refuses more; the limit also bounds the time to compile. */
const MAX_FLOWS = 50;

/** One flow of a document. */
export interface DocumentPart {
  /** Name outside of the file. */
  name?: string;
  document: SourceDocument;
  /** Pointers in its document of entries inherited from the file's main flow. */
  inherited: ReadonlySet<string>;
}

/** Returns the main flow and those under `flows`; steps name local flows by their full names. */
export function partsOf(document: SourceDocument): { main: DocumentPart; locals: DocumentPart[] } {
  const { value } = document;
  const written = localsIn(value);
  const main = nameOfFlow(value);
  if (written === undefined || !isObject(value) || main === undefined)
    return { main: { document, inherited: new Set() }, locals: [] };
  const names = Object.keys(written);
  const named = (flow: JsonObject): JsonObject => withFullNames(flow, main, names);
  const locals = Object.entries(written).map(([name, local]): DocumentPart => {
    const { value: own, inherited } = withInherited(named({ ...local, flow: name }), value);
    return { name: localName(main, name), document: partOf(document, childPointer('/flows', name), own), inherited };
  });
  return { main: { document: { ...document, value: named(value) }, inherited: new Set() }, locals };
}

/** Returns one flow of a document, including the tables that it inherits. */
export function partNamed(document: SourceDocument, flow: string): SourceDocument {
  const { main, locals } = partsOf(document);
  return (locals.find(({ name }) => name === flow) ?? main).document;
}

/** Returns one flow of a document as written, and a function that puts another value in its place. */
export function writtenPart(
  document: SourceDocument,
  flow: string,
): { document: SourceDocument; withPart(changed: Json): Json } {
  const name = plainName(flow);
  const local = localsIn(document.value)?.[name];
  if (local === undefined) return { document, withPart: (changed) => changed };
  const { value } = document;
  return {
    document: partOf(document, childPointer('/flows', name), local),
    withPart: (changed) =>
      isObject(value) ? { ...value, flows: { ...(value['flows'] as JsonObject), [name]: changed } } : value,
  };
}

/** Summaries of the flows of a document, by their full names. */
export function summariesOf(value: Json): ReadonlyMap<string, FlowSummary> {
  const main = nameOfFlow(value);
  const written = localsIn(value);
  if (main === undefined || !isObject(value)) return new Map();
  if (written === undefined) return new Map([[main, summarise(value)]]);
  const names = Object.keys(written);
  const all: [string, JsonObject][] = [
    [main, value],
    ...Object.entries(written).map(([name, flow]): [string, JsonObject] => [localName(main, name), flow]),
  ];
  return new Map(all.map(([name, flow]) => [name, summarise(withFullNames(flow, main, names))]));
}

/** Resolves the flow that a step names, as seen from the flow of that step: local flows come first. */
export function flowSeenFrom(
  { name, locals, localNames }: Pick<CompiledFlow, 'name' | 'locals' | 'localNames'>,
  named: string,
  find: (flow: string) => CompiledFlow | undefined,
): CompiledFlow | undefined {
  // Names written literally are already full; a name rendered by a template may be a local one.
  const full = localNames?.has(named) ? localName(mainFlowOf(name), named) : named;
  return locals?.get(full) ?? find(full);
}

/** Names of flows as a step of this flow may write them. */
export const namesSeenFrom = (flow: string, names: Iterable<string>): string[] => {
  const prefix = localName(mainFlowOf(flow), '');
  return [...names].map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));
};

/** Lints `flows` as a whole. `others`: visible flows, including those of the document. */
export function* lintLocalFlows(value: Json, others: ReadonlyMap<string, FlowSummary> | undefined): Generator<Issue> {
  const main = nameOfFlow(value);
  const written = localsIn(value);
  if (main === undefined || written === undefined || !isObject(value)) return;
  const summaries = summariesOf(value);
  const called = new Set([...(others ?? []), ...summaries].flatMap(([, summary]) => flowsNamedBy(summary)));
  const mayCallAny = [value, ...Object.values(written)].some(namesAnyFlow);
  for (const [name, flow] of Object.entries(written)) {
    const pointer = childPointer('/flows', name);
    const full = localName(main, name);
    if (full.length > MAX_NAME) {
      const message = `outside of this file the flow is called ${quoting`${full}`}, which has more than ${MAX_NAME} characters`;
      yield keyIssue('wrong-name', pointer, message, 'give it a shorter name');
    }
    if (flow['flow'] !== undefined) {
      const message = 'a flow under `flows` has its name by its key';
      yield { ...keyIssue('unknown-key', `${pointer}/flow`, message, 'remove it'), repair: 'remove' };
    }
    if (flow['flows'] !== undefined) {
      const message = 'a flow under `flows` has no flows of its own';
      yield keyIssue('unknown-key', `${pointer}/flows`, message, 'write them beside it: all flows of a file see them');
    }
    if (others?.has(name) === true || name === main) {
      const message = quoting`in this file ${name} is this flow, and not the one that others call ${name}`;
      yield keyIssue('hides-flow', pointer, message, 'give it another name');
    }
    if (called.has(full) || mayCallAny) continue;
    const message = quoting`no flow of the file uses ${name}`;
    yield { ...keyIssue('unused-flow', pointer, message, 'remove it, or call it by subflow'), repair: 'remove' };
  }
}

/** Value of `flows` if it is a map. Entries that are not flows are left to the check of shapes. */
function localsIn(value: Json): Record<string, JsonObject> | undefined {
  const flows = isObject(value) ? value['flows'] : undefined;
  if (!isObject(flows)) return undefined;
  const maps = Object.entries(flows).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(maps.slice(0, MAX_FLOWS));
}

/** Returns a part of a document as a document; its locations are those in the whole document. */
export const partOf = (document: SourceDocument, at: string, value: Json): SourceDocument => ({
  file: document.file,
  value,
  hasLines: document.hasLines,
  locationOf: (pointer, offset) => document.locationOf(at + pointer, offset),
  keyLocationOf: (pointer) => document.keyLocationOf(at + pointer),
  editOf: (pointer, repair, atKey) => document.editOf?.(at + pointer, repair, atKey),
});

/** Tables of the file that also apply to its local flows. */
const SHARED_TABLES = ['prompts', 'schedules'];

function withInherited(flow: JsonObject, main: JsonObject): { value: JsonObject; inherited: ReadonlySet<string> } {
  const inherited = new Set<string>();
  const value = { ...flow };
  for (const key of SHARED_TABLES) {
    const [own, shared] = [flow[key], main[key]];
    if (shared === undefined || (own !== undefined && !(isObject(own) && isObject(shared)))) continue;
    value[key] = isObject(shared) ? { ...shared, ...(isObject(own) ? own : {}) } : shared;
    if (!isObject(shared)) inherited.add(`/${key}`);
    else
      for (const name of Object.keys(shared))
        if (!isObject(own) || !Object.hasOwn(own, name)) inherited.add(childPointer(`/${key}`, name));
  }
  return { value, inherited };
}

/** True if a pointer is at or below an entry that a local flow inherits from its file. */
export const isInherited = (pointer: string, inherited: ReadonlySet<string>): boolean => {
  const [section, name] = pointerKeys(pointer);
  if (inherited.size === 0 || section === undefined) return false;
  return inherited.has(`/${section}`) || (name !== undefined && inherited.has(childPointer(`/${section}`, name)));
};

// --- where steps name flows ------------------------------------------------------------------------------------------

function withFullNames(flow: JsonObject, main: string, names: readonly string[]): JsonObject {
  const { steps } = flow;
  if (!isObject(steps)) return flow;
  const full = (written: Json): Json =>
    typeof written === 'string' && names.includes(written) ? localName(main, written) : written;
  return {
    ...flow,
    steps: mapValues(steps, (step) => (isObject(step) ? mapFlowNames(step, full) : step)),
  };
}

function mapFlowNames(step: JsonObject, change: (name: Json) => Json): JsonObject {
  return mapValues(step, (args, verb) =>
    flowPlaces(namesOf(verb)).reduce((made, [pointer]) => changedAt(made, pointer, change), args),
  );
}

/** True if a template or an application may name any flow. */
function namesAnyFlow({ steps }: JsonObject): boolean {
  let isAny = false;
  const look = (name: Json): Json => {
    isAny ||= typeof name === 'string' && name.includes('${');
    return name;
  };
  for (const step of isObject(steps) ? Object.values(steps) : []) {
    if (!isObject(step)) continue;
    mapFlowNames(step, look);
    const { webhook } = step;
    isAny ||= isObject(webhook) && [webhook['may']].flat().includes('flow');
  }
  return isAny;
}
