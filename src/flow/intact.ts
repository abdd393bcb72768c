/**
 * What is left of a flow of which parts have the wrong shape, so that the rest can be checked all the same; and which
 * findings about the rest may follow from a part that was left out: those are not told.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type Complaint, keysOf } from './document.ts';
import { suggest } from './suggest.ts';

export interface IntactPart {
  /** The flow without what is wrong; undefined where there is nothing to go on with. */
  root?: JsonObject;
  /** Steps that are there, of which nothing else is known. */
  broken: ReadonlySet<string>;
  /** Whether findings of this code may be due to what was left out. */
  isDoubtful(code: string): boolean;
}

/** Declarations: their names are known, whatever is wrong with them. */
const NAMED = ['vars', 'input', 'schedules'];

/** Any step may lead anywhere as long as something is wrong with one. */
const OF_GRAPH = ['unreachable-step', 'busy-loop', 'unbounded-cycle', 'silent-loop', 'cycle-without-end'];
const OF_ROUTES = ['unrouted-outcome', 'unknown-outcome', 'routed-twice'];

/** What may be wrong only because a part of this key is missing. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  flow: ['cyclic-subflow', 'unknown-flow'],
  start: ['unknown-target'],
  vars: ['unknown-variable', 'unknown-scope', 'sensitive-leak'],
  input: ['unknown-input', 'unknown-scope', 'sensitive-leak'],
  prompts: ['missing-prompt', 'prompt-language'],
  schedules: ['unknown-schedule'],
  defaults: [...OF_ROUTES, 'missing-no-input', 'missing-no-match', 'missing-prompt', 'prompt-language'],
};

export function intactPart(document: Json, complaints: readonly Complaint[]): IntactPart {
  const broken = new Set<string>();
  const doubts = new Set<string>();
  if (!isObject(document) || !isObject(document['steps'])) return { broken, isDoubtful: () => true };
  const root = complaints.length === 0 ? document : structuredClone(document);
  const isWrong = complaints.filter(({ severity }) => severity !== 'warning');
  for (const { pointer } of isWrong) {
    const [section, name] = keysOf(pointer);
    if (section === 'steps') {
      if (name !== undefined) broken.add(name);
      doubts.add('unknown-outcome').add('cyclic-subflow');
    } else if (section !== undefined) leaveOut(root, section, name);
    for (const missing of section === undefined ? ['flow', 'start'] : [section, meantBy(section)]) {
      for (const follower of FOLLOWS[missing] ?? []) doubts.add(follower);
    }
  }
  if (isWrong.length > 0) for (const code of OF_GRAPH) doubts.add(code);
  if (typeof root['start'] !== 'string') root['start'] = Object.keys(document['steps'])[0] ?? '';
  return { root, broken, isDoubtful: (code) => doubts.has(code) };
}

/** A key that is misspelt leaves out what was meant. */
const meantBy = (section: string): string =>
  Object.hasOwn(FOLLOWS, section) ? section : (suggest(section, Object.keys(FOLLOWS)) ?? section);

function leaveOut(root: JsonObject, section: string, name: string | undefined): void {
  const part = root[section];
  if (name === undefined || !isObject(part)) delete root[section];
  else if (NAMED.includes(section)) part[name] = {};
  else delete part[name];
}
