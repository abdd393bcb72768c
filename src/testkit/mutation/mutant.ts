/**
 * A mutant: a flow with one seeded mistake, of the kind that people make. Neighbours: `route-mutants.ts`, `value-mutants.ts`,
 * `prompt-mutants.ts` and `expression-mutants.ts` seed them, `try-mutants.ts` plays the tests on each.
 */
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { VerbSpec } from '../../flow/compiled-flow.ts';
import { childPointer, pointerKeys } from '../../schema/document.ts';
import { removed, replaced } from './edits.ts';

/** What was changed. Each kind has a hint: what a test has to compare in order to notice it. */
export type MutantKind =
  | 'target'
  | 'exit'
  | 'event'
  | 'order'
  | 'key'
  | 'duration'
  | 'number'
  | 'switch'
  | 'argument'
  | 'method'
  | 'reason'
  | 'name'
  | 'sensitive'
  | 'set'
  | 'default'
  | 'schedule'
  | 'prompt'
  | 'text'
  | 'condition'
  | 'variable';

export interface Mutant {
  kind: MutantKind;
  /** Where it was changed; the key itself with `atKey`. */
  pointer: string;
  atKey?: boolean;
  /** Absent where it concerns every step. */
  step?: string;
  /** As one line each: what was written, and what stands there now. */
  before: string;
  after: string;
  root: Json;
}

/** A step as it is written. */
export interface WrittenStep {
  name: string;
  pointer: string;
  written: JsonObject;
  spec: VerbSpec;
  argsPointer: string;
  args: Json;
}

/** A flow as it is written, of the right shape. */
export interface WrittenFlow {
  root: JsonObject;
  steps: ReadonlyMap<string, WrittenStep>;
}

export function writtenFlow(root: JsonObject, verbs: readonly VerbSpec[]): WrittenFlow {
  const steps = new Map<string, WrittenStep>();
  for (const [name, written] of Object.entries(objectIn(root, 'steps'))) {
    const spec = isObject(written) ? verbs.find(({ verb }) => Object.hasOwn(written, verb)) : undefined;
    if (!isObject(written) || spec === undefined) continue;
    const pointer = childPointer('/steps', name);
    const argsPointer = childPointer(pointer, spec.verb);
    steps.set(name, { name, pointer, written, spec, argsPointer, args: written[spec.verb]! });
  }
  return { root, steps };
}

export function objectIn(map: JsonObject, key: string): JsonObject {
  const value = map[key];
  return isObject(value) ? value : {};
}

/** `key: value` on one line. */
export const entryText = (key: string, value: Json): string => `${key}: ${valueText(value)}`;

export const valueText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Another value in its place. */
export function mutantAt(
  kind: MutantKind,
  { root }: Pick<WrittenFlow, 'root'>,
  pointer: string,
  value: Json,
  other: Json,
  step?: string,
): Mutant {
  const key = pointerKeys(pointer).at(-1)!;
  const texts = { before: entryText(key, value), after: entryText(key, other) };
  return { kind, pointer, ...(step !== undefined && { step }), ...texts, root: replaced(root, pointer, other) };
}

/** The same without the entry of a map. */
export function forgotten(
  kind: MutantKind,
  { root }: Pick<WrittenFlow, 'root'>,
  pointer: string,
  value: Json,
  step?: string,
): Mutant {
  const place = { pointer, atKey: true, ...(step !== undefined && { step }) };
  const before = entryText(pointerKeys(pointer).at(-1)!, value);
  return { kind, ...place, before, after: '', root: removed(root, pointer) };
}
