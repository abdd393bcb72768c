/**
 * A flow's text as plain JSON that remembers where everything stands. Made by `load.ts` from files, by `documentOf` from
 * JSON that came by REST; read by every later check, which names a value by its JSON pointer (RFC 6901) only.
 */
import type { Diagnostic } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Place } from './types.ts';

export interface SourceDocument {
  readonly file: string;
  readonly value: Json;
  /**
   * Where the value of a pointer stands; of the nearest thing above it when that is unknown. `offset` counts characters
   * into a string value.
   */
  placeOf(pointer: string, offset?: number): Place;
  /** Where the key of a pointer stands. */
  keyPlaceOf(pointer: string): Place;
  /** Whether places are lines of a text; else messages name the pointer. */
  readonly hasLines: boolean;
}

export interface Complaint {
  code: string;
  message: string;
  pointer: string;
  severity?: 'error' | 'warning';
  hint?: string;
  /** Point at the key, not at the value. */
  atKey?: boolean;
  /** Characters into a string value. */
  offset?: number;
}

export const LIMITS = { bytes: 1_000_000, nodes: 50_000, depth: 60, stringLength: 200_000 };

/** JSON pointer of `key` below `pointer`. */
export const below = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The keys of a JSON pointer. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** What stands at a pointer. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value;
  for (const key of keysOf(pointer)) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at)) at = Object.hasOwn(at, key) ? at[key] : undefined;
    else return undefined;
  }
  return at;
}

/** Whether a pointer is at or below one of `patterns`, in which `*` stands for any one key. */
export function isUnder(pointer: string, patterns: readonly string[]): boolean {
  const keys = keysOf(pointer);
  return patterns.some((pattern) => {
    const wanted = keysOf(pattern);
    return wanted.length <= keys.length && wanted.every((key, index) => key === '*' || key === keys[index]);
  });
}

/** Whether a pointer is one of `patterns` itself. */
export const isAt = (pointer: string, patterns: readonly string[] = []): boolean => {
  const depth = keysOf(pointer).length;
  return isUnder(
    pointer,
    patterns.filter((pattern) => keysOf(pattern).length === depth),
  );
};

/** Every value at or below `value` with its pointer, parents first. */
export function* walk(value: Json, pointer = ''): Generator<[pointer: string, value: Json]> {
  yield [pointer, value];
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* walk(item, below(pointer, index));
  else if (isObject(value)) for (const key of Object.keys(value)) yield* walk(value[key]!, below(pointer, key));
}

export function diagnose(document: SourceDocument, complaint: Complaint): Diagnostic {
  const place = complaint.atKey
    ? document.keyPlaceOf(complaint.pointer)
    : document.placeOf(complaint.pointer, complaint.offset);
  const diagnostic: Diagnostic = {
    severity: complaint.severity ?? 'error',
    code: complaint.code,
    message: document.hasLines ? complaint.message : `at ${complaint.pointer || '/'}: ${complaint.message}`,
    ...place,
  };
  if (complaint.hint !== undefined) diagnostic.hint = complaint.hint;
  return diagnostic;
}

/** A document without a text: REST bodies. Its numbers of nodes and levels are bounded as those of files are. */
export function documentOf(json: unknown, file: string): { document?: SourceDocument; diagnostics: Diagnostic[] } {
  const place: Place = { file, line: 1, column: 1 };
  const refuse = (code: string, message: string) => ({
    diagnostics: [{ severity: 'error' as const, code, message, ...place }],
  });
  let nodes = 0;
  const copy = (value: unknown, depth: number): Json => {
    nodes += 1;
    if (nodes > LIMITS.nodes || depth > LIMITS.depth) throw new RangeError('too big');
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    if (typeof value !== 'object') throw new TypeError('not JSON');
    const made: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw new TypeError('not JSON');
      made[key] = copy(item, depth + 1);
    }
    return made;
  };
  try {
    const value = copy(json, 0);
    return {
      document: { file, value, hasLines: false, placeOf: () => place, keyPlaceOf: () => place },
      diagnostics: [],
    };
  } catch (error) {
    if (error instanceof RangeError) return refuse('too-big', 'the flow has too many values or levels');
    return refuse('not-json', 'the flow holds something that is not plain JSON');
  }
}
