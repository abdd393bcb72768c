/** References of a flow to its steps: as targets, and in expressions as `steps.name`. `rename.ts` uses it. */

import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { GraphLanguage } from '../graph.ts';
import { NAME_CHARACTERS, PLAIN_NAME } from '../name-patterns.ts';
import { placesNaming, valuesAt } from '../named-places.ts';
import type { WordsChange } from './change.ts';
import { codeOf } from './expression-code.ts';
import { type Path, valueAt } from './flow-source.ts';

export interface ReferenceTarget {
  path: Path;
  name: string;
}

/** All targets: `start`, events, defaults, and those of the steps. */
export function targetsIn(flow: JsonObject, verbs: GraphLanguage): ReferenceTarget[] {
  const found: ReferenceTarget[] = [];
  const take = (path: Path): void => {
    const name = valueAt(flow, path);
    if (typeof name === 'string') found.push({ path, name });
  };
  const takeAll = (path: Path): void => {
    for (const key of keysAt(flow, path)) take([...path, key]);
  };
  take(['start']);
  takeAll(['events']);
  takeAll(['defaults', 'exits']);
  for (const step of keysAt(flow, ['steps'])) for (const path of targetPathsOf(flow, step, verbs)) take(path);
  return found;
}

/** Moments in properties: steps, each with an optional outcome. */
export const momentsIn = (flow: JsonObject): ReferenceTarget[] => {
  const found: ReferenceTarget[] = [];
  const visit = (value: Json | undefined, path: Path): void => {
    if (typeof value === 'string' && !['heard', 'sends'].includes(String(path[3]))) found.push({ path, name: value });
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index]);
    else if (isObject(value)) for (const key of Object.keys(value)) visit(value[key], [...path, key]);
  };
  visit(flow['properties'], ['properties']);
  return found;
};

export const targetsOfStep = (flow: JsonObject, step: string, verbs: GraphLanguage): ReferenceTarget[] =>
  targetPathsOf(flow, step, verbs).flatMap((path) => {
    const name = valueAt(flow, path);
    return typeof name === 'string' ? [{ path, name }] : [];
  });

function targetPathsOf(flow: JsonObject, step: string, verbs: GraphLanguage): Path[] {
  const at = ['steps', step];
  return [
    [...at, 'next'],
    ...keysAt(flow, [...at, 'exits']).map((outcome) => [...at, 'exits', outcome]),
    ...keysAt(flow, at).flatMap((verb) =>
      placesNaming(Object.hasOwn(verbs, verb) ? verbs[verb]!.names : undefined, 'step').flatMap((pointer) =>
        [...valuesAt(valueAt(flow, [...at, verb]), pointer)].map(([path]) => [...at, verb, ...path]),
      ),
    ),
  ];
}

export function keysAt(value: JsonObject, path: Path): string[] {
  const map = valueAt(value, path);
  return isObject(map) ? Object.keys(map) : [];
}

/** Documentation keys of a flow or step: a text like an expression in them is not one. */
const REMARKS: readonly unknown[] = ['doc', 'label'];

/** True for the path of a documentation key. */
export const isRemark = (path: Path): boolean =>
  REMARKS.includes(path.at(-1)) && (path.length === 1 || (path.length === 3 && path[0] === 'steps'));

/** Parts of the scope whose fields are names that the author chose. */
export type NamedScope = 'steps' | 'vars' | 'input';

/** Changes that make expressions read the field `from` of a part of the scope under the name `to`. */
export function renamedExpressions(flow: JsonObject, scope: NamedScope, from: string, to: string): WordsChange[] {
  const changes: WordsChange[] = [];
  const visit = (value: Json, path: Path): void => {
    const key = path.at(-1);
    if (typeof value === 'string') {
      const change = key === 'when' && path[0] === 'steps' ? inExpression(value, true) : inExpression(value, false);
      if (change !== undefined) changes.push({ do: 'words', path, ...change });
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...path, index]);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        const inner = [...path, name];
        // Local flows have their own steps.
        if (!isRemark(inner) && (path.length > 0 || name !== 'flows')) visit(member, inner);
      }
    }
  };
  const inExpression = (text: string, isWhole: boolean) => renamedIn(text, isWhole, scope, { from, to });
  visit(flow, []);
  return changes;
}

/** JSONata requires backticks around names such as `a-b`, and around operators. */
const isPlain = new RegExp(`^${PLAIN_NAME}$`, 'u');
const needsBackticks = (name: string): boolean => !isPlain.test(name) || /^(?:and|or|in|true|false|null)$/.test(name);

/** A name as an expression reads it. */
export const nameInExpression = (name: string): string => (needsBackticks(name) ? `\`${name}\`` : name);

function renamedIn(
  text: string,
  isWhole: boolean,
  scope: NamedScope,
  { from, to }: { from: string; to: string },
): Pick<WordsChange, 'pattern' | 'words'> | undefined {
  if (!text.includes(scope)) return undefined;
  const name = from.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const plain = needsBackticks(from) ? '' : `${name}(?![${NAME_CHARACTERS}])|`;
  const pattern = new RegExp(
    `(?<=(?:^|[^${NAME_CHARACTERS}.\`$])(?:\\$\\$?\\s*\\.\\s*)?${scope}\\s*\\.\\s*)(?:${plain}\`${name}\`)`,
    'gu',
  );
  const code = codeOf(text, isWhole);
  const words = [...text.matchAll(pattern)].map(({ 0: match, index }) => {
    if (code.slice(index, index + match.length) !== match) return undefined;
    return match.startsWith('`') ? `\`${to}\`` : nameInExpression(to);
  });
  return words.some((word) => word !== undefined) ? { pattern, words } : undefined;
}
