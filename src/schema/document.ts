/**
 * A flow's text as plain JSON that remembers where everything stands. Made by `load.ts` from files, by `documentOf` from
 * JSON that came by REST; read by every later check, which names a value by its JSON pointer (RFC 6901) only.
 */
import type { Diagnostic, SourceLocation, TextEdit } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isWarning } from './diagnostic-codes.ts';

export interface SourceDocument {
  readonly file: string;
  readonly value: Json;
  /**
   * Where the value of a pointer stands; of the nearest thing above it when that is unknown. `offset` counts characters
   * into a string value.
   */
  locationOf(pointer: string, offset?: number): SourceLocation;
  /** Where the key of a pointer stands. */
  keyLocationOf(pointer: string): SourceLocation;
  /** A repair as an edit of the text; undefined where the text is written in a way that it does not fit into. */
  editOf?(pointer: string, repair: Repair, atKey: boolean): TextEdit | undefined;
  /** Whether places are lines of a text; else messages name the pointer. */
  readonly hasLines: boolean;
}

/** What would make a value, a key or an entry right. */
export type Repair =
  /** In place of these characters of a text or a key; of all of them without `from`. */
  | { text: string; from?: number; to?: number }
  /** The entry goes, its key included. */
  | 'remove';

export interface Issue {
  code: string;
  message: string;
  pointer: string;
  /** Where it is not the one of its code. */
  severity?: Diagnostic['severity'];
  hint?: string | undefined;
  repair?: Repair | undefined;
  /** Point at the key, not at the value. */
  atKey?: boolean;
  /** Characters into a string value. */
  offset?: number;
}

export const DOCUMENT_LIMITS = { bytes: 1_000_000, nodes: 50_000, depth: 60, stringLength: 200_000 };

/** What is wrong with the value that stands at a pointer. */
export const valueIssue = (code: string, pointer: string, message: string, hint?: string): Issue => ({
  code,
  pointer,
  message,
  hint,
});

/** What is wrong with the key that stands at a pointer, or with all that is behind it. */
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

/** What stands at a pointer. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value;
  for (const key of pointerKeys(pointer)) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at)) at = Object.hasOwn(at, key) ? at[key] : undefined;
    else return undefined;
  }
  return at;
}

/** Whether a pointer is at or below one of `patterns`, in which `*` stands for any one key. */
export function isAtOrBelow(pointer: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  const keys = pointerKeys(pointer);
  return patterns.some((pattern) => {
    const wanted = pointerKeys(pattern);
    return wanted.length <= keys.length && wanted.every((key, index) => key === '*' || key === keys[index]);
  });
}

/** Whether a pointer is one of `patterns` itself. */
export const isAt = (pointer: string, patterns: readonly string[] = []): boolean => {
  if (patterns.length === 0) return false;
  const depth = pointerKeys(pointer).length;
  return isAtOrBelow(
    pointer,
    patterns.filter((pattern) => pointerKeys(pattern).length === depth),
  );
};

/** Every value at or below `value` with its pointer, parents first. */
export function* walk(value: Json, pointer = ''): Generator<[pointer: string, value: Json]> {
  yield [pointer, value];
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* walk(item, childPointer(pointer, index));
  else if (isObject(value)) for (const key of Object.keys(value)) yield* walk(value[key]!, childPointer(pointer, key));
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

/** The word that a hint says was meant, in place of the one that the message names. */
function repairOf({ repair, hint, message, pointer, offset = 0, atKey }: Issue, root: Json): Repair | undefined {
  const meant = /^did you mean (\S+)\?$/.exec(hint ?? '')?.[1];
  if (repair !== undefined || meant === undefined) return repair;
  const written = atKey ? pointerKeys(pointer).at(-1) : valueAt(root, pointer);
  const wrong = [...message.matchAll(/`([^`]+)`/g)].map(([, name]) => name!).findLast((name) => name !== meant);
  if (typeof written !== 'string' || wrong === undefined) return undefined;
  const from = written.indexOf(wrong, offset);
  return from < 0 ? undefined : { from, to: from + wrong.length, text: meant };
}

/** An error that is known by its place already. */
export const errorAt = (location: SourceLocation, code: string, message: string, hint?: string): Diagnostic => ({
  ...{ severity: 'error', code, message, ...location },
  ...(hint === undefined ? {} : { hint }),
});

export const startOf = (file: string): SourceLocation => ({ file, line: 1, column: 1 });

/** A document without a text: REST bodies. Its numbers of nodes and levels are bounded as those of files are. */
export function documentOf(json: unknown, file: string): { document?: SourceDocument; diagnostics: Diagnostic[] } {
  const location = startOf(file);
  const refuse = (code: string, message: string) => ({ diagnostics: [errorAt(location, code, message)] });
  let nodes = 0;
  const copy = (value: unknown, depth: number): Json => {
    nodes += 1;
    if (nodes > DOCUMENT_LIMITS.nodes || depth > DOCUMENT_LIMITS.depth) throw new RangeError('too big');
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
      document: { file, value, hasLines: false, locationOf: () => location, keyLocationOf: () => location },
      diagnostics: [],
    };
  } catch (error) {
    if (error instanceof RangeError) return refuse('too-big', 'the flow has too many values or levels');
    return refuse('not-json', 'the flow holds something that is not plain JSON');
  }
}
