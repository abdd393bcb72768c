/**
 * Flows that stand under `flows` in the file of another one: split into flows of their own before anything is checked.
 * Neighbours: `compile.ts` compiles what comes out; `flow-library.ts` keeps it by name.
 *
 * Invariant: a local flow is called `FILE'S FLOW/NAME` wherever a flow is named outside of its file: in journals, tests and
 * requests, and in what is compiled. A `/` is in no other name.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../core/json.ts';
import { childPointer, type Issue, keyIssue, pointerKeys, type SourceDocument } from '../schema/document.ts';
import type { CompiledFlow } from './compiled-flow.ts';
import { CALLING_VERBS, type FlowSummary, flowsNamedBy, nameOfFlow, summarise } from './routes.ts';

/** As long as a name may be where a step gives it. */
const MAX_NAME = 100;
/** The schema refuses more; each takes time to compile. */
const MAX_FLOWS = 50;

export const localName = (main: string, name: string): string => `${main}/${name}`;

/** The flow in whose file a flow stands: itself, unless it is a local one. */
export const mainFlowOf = (name: string): string => name.split('/', 1)[0]!;

/** As the flows of its own file call a local flow. */
export const plainName = (name: string): string => name.slice(mainFlowOf(name).length + 1);

/** One of the flows of a document. */
export interface DocumentPart {
  /** As it is named outside of its file. */
  name?: string;
  document: SourceDocument;
  /** Where what it takes from the file stands in its document. */
  inherited: ReadonlySet<string>;
}

/** The flow of the document and those under `flows`; the steps of each name local flows as others would. */
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

/** One flow of a document with all that it is compiled from. */
export function partNamed(document: SourceDocument, flow: string): SourceDocument {
  const { main, locals } = partsOf(document);
  return (locals.find(({ name }) => name === flow) ?? main).document;
}

/** One flow of a document as it is written there, and the value of the document with another in its place. */
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

/** What other flows know of the flows of a document, by the names that those use. */
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

/** The flow that a step names, as seen from the flow in which the step is: local ones come first. */
export function flowSeenFrom(
  { name, locals, localNames }: Pick<CompiledFlow, 'name' | 'locals' | 'localNames'>,
  named: string,
  find: (flow: string) => CompiledFlow | undefined,
): CompiledFlow | undefined {
  // What was written out has its full name; what a template made may not.
  const full = localNames?.has(named) ? localName(mainFlowOf(name), named) : named;
  return locals?.get(full) ?? find(full);
}

/** Names of flows as a step of this flow may write them. */
export const namesSeenFrom = (flow: string, names: Iterable<string>): string[] => {
  const prefix = localName(mainFlowOf(flow), '');
  return [...names].map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));
};

/** What is wrong with `flows` as a whole. `others`: flows that are seen from here, those of the document included. */
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

/** The value of `flows`, where it is a map; what is not a flow in it is left to the check of shapes. */
function localsIn(value: Json): Record<string, JsonObject> | undefined {
  const flows = isObject(value) ? value['flows'] : undefined;
  if (!isObject(flows)) return undefined;
  const maps = Object.entries(flows).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(maps.slice(0, MAX_FLOWS));
}

/** A part of a document as a document; its places are those of the whole. */
export const partOf = (document: SourceDocument, at: string, value: Json): SourceDocument => ({
  file: document.file,
  value,
  hasLines: document.hasLines,
  locationOf: (pointer, offset) => document.locationOf(at + pointer, offset),
  keyLocationOf: (pointer) => document.keyLocationOf(at + pointer),
  editOf: (pointer, repair, atKey) => document.editOf?.(at + pointer, repair, atKey),
});

/** Tables of the file that hold for its local flows, too: they have no names of their own in them. */
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

/** Whether a pointer is what a local flow takes from its file, or below it. */
export const isInherited = (pointer: string, inherited: ReadonlySet<string>): boolean => {
  const [section, name] = pointerKeys(pointer);
  if (inherited.size === 0 || section === undefined) return false;
  return inherited.has(`/${section}`) || (name !== undefined && inherited.has(childPointer(`/${section}`, name)));
};

// --- where steps name flows -------------------------------------------------------------------------------------------------

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

/** Verbs whose argument names a flow, by itself or under `flow`. */
const FLOW_VERBS: readonly string[] = [...CALLING_VERBS, 'continue'];

function mapFlowNames(step: JsonObject, change: (name: Json) => Json): JsonObject {
  const at = (written: Json): Json =>
    isObject(written) && written['flow'] !== undefined
      ? { ...written, flow: change(written['flow']) }
      : change(written);
  const made = { ...step };
  for (const verb of FLOW_VERBS) if (made[verb] !== undefined) made[verb] = at(made[verb]);
  const { parallel, queue } = step;
  if (isObject(parallel) && isObject(parallel['branches']))
    made['parallel'] = { ...parallel, branches: mapValues(parallel['branches'], at) };
  if (isObject(queue)) {
    const { waiting, callback } = queue;
    made['queue'] = {
      ...queue,
      ...(waiting !== undefined && { waiting: at(waiting) }),
      ...(isObject(callback) && { callback: at(callback) }),
    };
  }
  return made;
}

/** A template, or an application, may name any flow. */
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
