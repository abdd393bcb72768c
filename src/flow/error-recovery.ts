/**
 * What is left of a flow when the parts of the wrong shape are removed, so that the rest can be checked all the same; and
 * which findings about the rest may be caused by a removed part: those are not reported.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type Issue, pointerKeys } from '../schema/document.ts';
import { suggest } from '../schema/suggest.ts';

export interface RecoveredFlow {
  /** The flow without what is wrong; undefined where there is nothing to go on with. */
  root?: JsonObject;
  /** Steps that are there, of which nothing else is known. */
  invalidSteps: ReadonlySet<string>;
  /** Whether findings of this code may be due to what was left out. */
  mayCascade(code: string): boolean;
}

/** Declarations: their names are known, whatever is wrong with them. */
const DECLARATIONS = ['vars', 'input', 'schedules'];

/** Any step may lead anywhere, and use anything, as long as something is wrong with one. */
const GRAPH_CODES = [
  ...['unreachable-step', 'busy-loop', 'unbounded-cycle', 'silent-loop', 'cycle-without-end'],
  ...['silent-caller', 'silent-hangup', 'unannounced-recording', 'nobody-hears', 'step-not-run'],
];
/** What an expression that cannot be read may use. */
export const DATA_FLOW_CODES: readonly string[] = [
  ...['never-set', 'never-read', 'unused-variable', 'unused-prompt', 'unused-schedule', 'unused-exit'],
];
const ROUTE_CODES = ['unrouted-outcome', 'unknown-outcome', 'routed-twice'];

/** What may be wrong only because a part of this key is missing. */
const CASCADES: Readonly<Record<string, readonly string[]>> = {
  flow: ['cyclic-subflow', 'unknown-flow'],
  start: ['unknown-target'],
  vars: ['unknown-variable', 'unknown-scope', 'sensitive-leak'],
  input: ['unknown-input', 'unknown-scope', 'sensitive-leak'],
  prompts: ['missing-prompt', 'prompt-language'],
  schedules: ['unknown-schedule'],
  defaults: [...ROUTE_CODES, 'missing-no-input', 'missing-no-match', 'missing-prompt', 'prompt-language'],
};

export function recoverFlow(document: Json, complaints: readonly Issue[]): RecoveredFlow {
  const invalidSteps = new Set<string>();
  const cascading = new Set<string>();
  if (!isObject(document) || !isObject(document['steps'])) return { invalidSteps, mayCascade: () => true };
  const root = complaints.length === 0 ? document : structuredClone(document);
  for (const { pointer } of complaints) {
    const [section, name] = pointerKeys(pointer);
    if (section === 'steps') {
      if (name !== undefined) invalidSteps.add(name);
      cascading.add('unknown-outcome').add('cyclic-subflow');
    } else if (section !== undefined) removePart(root, section, name);
    for (const missing of section === undefined ? ['flow', 'start'] : [section, intendedSection(section)]) {
      for (const follower of CASCADES[missing] ?? []) cascading.add(follower);
    }
  }
  if (complaints.length > 0) for (const code of [...GRAPH_CODES, ...DATA_FLOW_CODES]) cascading.add(code);
  if (typeof root['start'] !== 'string') root['start'] = Object.keys(document['steps'])[0] ?? '';
  return { root, invalidSteps, mayCascade: (code) => cascading.has(code) };
}

/** A key that is misspelt leaves out what was meant. */
const intendedSection = (section: string): string =>
  Object.hasOwn(CASCADES, section) ? section : (suggest(section, Object.keys(CASCADES)) ?? section);

function removePart(root: JsonObject, section: string, name: string | undefined): void {
  const part = root[section];
  if (name === undefined || !isObject(part)) delete root[section];
  else if (DECLARATIONS.includes(section)) part[name] = {};
  else delete part[name];
}
