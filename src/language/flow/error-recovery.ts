/**
 * Removes the parts of invalid shape from a flow, so that the rest can be checked, and suppresses findings about the
 * rest that a removed part may have caused.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { type Issue, pointerKeys } from '../../base/schema/document.ts';
import { suggest } from '../../base/schema/suggest.ts';

export interface RecoveredFlow {
  /** Flow without the invalid parts; undefined if nothing can be checked. */
  root?: JsonObject;
  /** Names of existing steps about which nothing else is known. */
  invalidSteps: ReadonlySet<string>;
  /** True if findings of this code may be caused by a removed part. */
  mayCascade(code: string): boolean;
}

/** Sections whose names are known even if an entry is invalid. */
const DECLARATIONS = ['vars', 'input', 'schedules'];

/** Findings that any invalid part may cause: an unread step may route to any step and use any name. */
const GRAPH_CODES = [
  ...['unreachable-step', 'busy-loop', 'unbounded-cycle', 'silent-loop', 'cycle-without-end'],
  ...[
    'silent-caller',
    'endless-tries',
    'never-resumed',
    'silent-hangup',
    'unannounced-recording',
    'nobody-hears',
    'step-not-run',
  ],
];
/** Findings that an unreadable expression may cause, because the names that it reads are unknown. */
export const DATA_FLOW_CODES: readonly string[] = [
  ...['never-set', 'never-read', 'unused-variable', 'unused-prompt', 'unused-schedule', 'unused-exit'],
];
const ROUTE_CODES = ['unrouted-outcome', 'unknown-outcome', 'routed-twice'];

/** Findings that may be caused by a removed part of this key. */
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

/** A misspelt key also removes the section that was meant. */
const intendedSection = (section: string): string =>
  Object.hasOwn(CASCADES, section) ? section : (suggest(section, Object.keys(CASCADES)) ?? section);

function removePart(root: JsonObject, section: string, name: string | undefined): void {
  const part = root[section];
  if (name === undefined || !isObject(part)) delete root[section];
  else if (DECLARATIONS.includes(section)) part[name] = {};
  else delete part[name];
}
