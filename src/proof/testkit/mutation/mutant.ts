/**
 * A mutant: a flow with one seeded mistake of a kind that people make. Created by `route-mutants.ts`,
 * `value-mutants.ts`, `prompt-mutants.ts` and `expression-mutants.ts`; `try-mutants.ts` runs the tests on each.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { childPointer, pointerKeys } from '../../../base/schema/document.ts';
import type { VerbSpec } from '../../../language/flow/compiled-flow.ts';
import { removed, replaced } from './edits.ts';

/** Kind of the change. Each has a hint with the comparison that detects it. */
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
  /** Location of the change; with `atKey`, of the key itself. */
  pointer: string;
  atKey?: boolean;
  /** Absent if the change affects every step. */
  step?: string;
  /** Text before and after the change, each on one line. */
  before: string;
  after: string;
  root: Json;
}

/** A step in its source form. */
export interface WrittenStep {
  name: string;
  pointer: string;
  written: JsonObject;
  spec: VerbSpec;
  argsPointer: string;
  args: Json;
}

/** A valid flow in its source form. */
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

/** A value that a mutant changes or removes. */
interface MutatedValue extends Pick<Mutant, 'kind' | 'pointer'> {
  value: Json;
  /** Undefined if the change affects every step. */
  step?: string | undefined;
}

/** Mutant with another value at the pointer. */
export function mutantAt(
  { root }: Pick<WrittenFlow, 'root'>,
  { kind, pointer, value, step }: MutatedValue,
  other: Json,
): Mutant {
  const key = pointerKeys(pointer).at(-1)!;
  const texts = { before: entryText(key, value), after: entryText(key, other) };
  return { kind, pointer, ...(step !== undefined && { step }), ...texts, root: replaced(root, pointer, other) };
}

/** Mutant without an entry of a map. */
export function forgotten({ root }: Pick<WrittenFlow, 'root'>, { kind, pointer, value, step }: MutatedValue): Mutant {
  const place = { pointer, atKey: true, ...(step !== undefined && { step }) };
  const before = entryText(pointerKeys(pointer).at(-1)!, value);
  return { kind, ...place, before, after: '', root: removed(root, pointer) };
}
