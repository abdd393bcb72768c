/**
 * A document as plain JSON with the source location of every value. `load.ts` creates it from files, `documentOf` from
 * JSON in REST requests. All later checks identify a value only by its JSON pointer (RFC 6901).
 */
import type { Diagnostic, SourceLocation, TextEdit } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isWarning } from './diagnostic-codes.ts';

export interface SourceDocument {
  readonly file: string;
  readonly value: Json;
  /**
   * Location of the value at a pointer, or of its nearest known ancestor. `offset` is a character index in a string
   * value.
   */
  locationOf(pointer: string, offset?: number): SourceLocation;
  /** Location of the key at a pointer. */
  keyLocationOf(pointer: string): SourceLocation;
  /** Converts a repair to an edit of the text. Undefined if the notation of the text does not allow it. */
  editOf?(pointer: string, repair: Repair, atKey: boolean): TextEdit | undefined;
  /** True if locations are lines of a text. Otherwise messages contain the pointer. */
  readonly hasLines: boolean;
}

/** A correction of a value, a key or an entry. */
export type Repair =
  /** Replaces these characters of a text or key; without `from`, all of them. */
  | { text: string; from?: number; to?: number }
  /** Removes the entry with its key. */
  | 'remove';

export interface Issue {
  code: string;
  message: string;
  pointer: string;
  /** Severity, if it differs from that of the code. */
  severity?: Diagnostic['severity'];
  hint?: string | undefined;
  repair?: Repair | undefined;
  /** True if the location is that of the key. */
  atKey?: boolean;
  /** Character index in a string value. */
  offset?: number;
}

export const DOCUMENT_LIMITS = { bytes: 1_000_000, nodes: 50_000, depth: 60, stringLength: 200_000 };

/** Issue about the value at a pointer. */
export const valueIssue = (code: string, pointer: string, message: string, hint?: string): Issue => ({
  code,
  pointer,
  message,
  hint,
});

/** Issue about the key at a pointer, or about the entry as a whole. */
export const keyIssue = (code: string, pointer: string, message: string, hint?: string): Issue => ({
  code,
  pointer,
  message,
  hint,
  atKey: true,
});

export const severityOf = ({ severity, code }: Issue): Diagnostic['severity'] =>
  severity ?? (isWarning(code) ? 'warning' : 'error');

/** JSON pointer of `key` below `pointer`. */
export function childPointer(pointer: string, key: string | number): string {
  const name = String(key);
  return /[~/]/.test(name) ? `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : `${pointer}/${name}`;
}

/** The keys of a JSON pointer. */
export function pointerKeys(pointer: string): string[] {
  const keys = pointer.split('/').slice(1);
  return pointer.includes('~') ? keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')) : keys;
}

/** Value at a pointer. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  // Most pointers have one key.
  const isShort = pointer.lastIndexOf('/') === 0 && !pointer.includes('~');
  if (isShort) return childOf(value, pointer.slice(1));
  let at: Json | undefined = value;
  for (const key of pointerKeys(pointer)) at = childOf(at, key);
  return at;
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** True if a pointer is at or below one of `patterns`, in which `*` matches any one key. */
export const isAtOrBelow = (pointer: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => endOfMatch(pointer, pattern) !== undefined);

/** True if a pointer matches one of `patterns` exactly. */
export const isAt = (pointer: string, patterns: readonly string[] = []): boolean =>
  patterns.some((pattern) => endOfMatch(pointer, pattern) === pointer.length);

/** Index in `pointer` after the keys of `pattern`. Compares keys as they are written: each key has one escaped form. */
function endOfMatch(pointer: string, pattern: string): number | undefined {
  let at = 0;
  for (let from = 0; from < pattern.length; ) {
    if (at >= pointer.length) return undefined;
    const [to, end] = [endOfKey(pattern, from), endOfKey(pointer, at)];
    const isAny = to === from + 2 && pattern[from + 1] === '*';
    if (!isAny && (to - from !== end - at || !pointer.startsWith(pattern.slice(from, to), at))) return undefined;
    from = to;
    at = end;
  }
  return at;
}

function endOfKey(pointer: string, start: number): number {
  const next = pointer.indexOf('/', start + 1);
  return next < 0 ? pointer.length : next;
}

/** All values at or below `value` with their pointers, parents first. A list: generators take ten times as long. */
export function walk(value: Json, pointer = ''): [pointer: string, value: Json][] {
  const found: [pointer: string, value: Json][] = [];
  addBelow(found, value, pointer);
  return found;
}

function addBelow(found: [pointer: string, value: Json][], value: Json, pointer: string): void {
  found.push([pointer, value]);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) addBelow(found, value[index]!, `${pointer}/${index}`);
  } else for (const key of Object.keys(value)) addBelow(found, value[key]!, childPointer(pointer, key));
}

export function toDiagnostic(document: SourceDocument, issue: Issue): Diagnostic {
  const location = issue.atKey
    ? document.keyLocationOf(issue.pointer)
    : document.locationOf(issue.pointer, issue.offset);
  const diagnostic: Diagnostic = {
    severity: severityOf(issue),
    code: issue.code,
    message: document.hasLines ? issue.message : `at ${issue.pointer || '/'}: ${issue.message}`,
    ...location,
  };
  if (issue.hint !== undefined) diagnostic.hint = issue.hint;
  const repair = repairOf(issue, document.value);
  const fix = repair && document.editOf?.(issue.pointer, repair, issue.atKey === true);
  if (fix !== undefined) diagnostic.fix = fix;
  return diagnostic;
}

/** Derives a repair from a hint "did you mean …": the suggested word replaces the one in the message. */
function repairOf({ repair, hint, message, pointer, offset = 0, atKey }: Issue, root: Json): Repair | undefined {
  const meant = /^did you mean (\S+)\?$/.exec(hint ?? '')?.[1];
  if (repair !== undefined || meant === undefined) return repair;
  const written = atKey ? pointerKeys(pointer).at(-1) : valueAt(root, pointer);
  const wrong = [...message.matchAll(/`([^`]+)`/g)].map(([, name]) => name!).findLast((name) => name !== meant);
  if (typeof written !== 'string' || wrong === undefined) return undefined;
  const from = written.indexOf(wrong, offset);
  return from < 0 ? undefined : { from, to: from + wrong.length, text: meant };
}

/** An error with a known location. */
export const errorAt = (location: SourceLocation, code: string, message: string, hint?: string): Diagnostic => ({
  ...{ severity: 'error', code, message, ...location },
  ...(hint === undefined ? {} : { hint }),
});

export const startOf = (file: string): SourceLocation => ({ file, line: 1, column: 1 });

/** Document without a text, for REST bodies. The limits of nodes and depth are those of files. */
export function documentOf(json: unknown, file: string): { document?: SourceDocument; diagnostics: Diagnostic[] } {
  const location = startOf(file);
  const refuse = (code: string, message: string) => ({ diagnostics: [errorAt(location, code, message)] });
  let nodes = 0;
  const copy = (value: unknown, depth: number): Json => {
    nodes += 1;
    if (nodes > DOCUMENT_LIMITS.nodes || depth > DOCUMENT_LIMITS.depth) throw new RangeError('too big');
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return value.normalize('NFC');
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    if (typeof value !== 'object') throw new TypeError('not JSON');
    const made: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      const name = key.normalize('NFC');
      if (name === '__proto__' || Object.hasOwn(made, name)) throw new TypeError('not JSON');
      made[name] = copy(item, depth + 1);
    }
    return made;
  };
  try {
    const value = copy(json, 0);
    return {
      document: { file, value, hasLines: false, locationOf: () => location, keyLocationOf: () => location },
      diagnostics: [],
    };
  } catch (error) {
    if (error instanceof RangeError) return refuse('too-big', 'the flow has too many values or levels');
    return refuse('not-json', 'the flow holds something that is not plain JSON');
  }
}
