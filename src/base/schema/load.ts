/**
 * Parses YAML and JSON to plain JSON with source locations. Strict JSON is parsed by `read-json.ts`; other JSON by the
 * YAML parser, as a subset. `yaml-errors.ts` explains errors of the parser, `source-document.ts` finds places in the
 * text.
 *
 * Invariants
 * - no function throws: problems are diagnostics;
 * - bytes, values and depth are limited before and after aliases are expanded;
 * - keys and texts are in Unicode's composed form (NFC), so that names are equal however they were typed;
 * - notations that YAML parsers interpret differently (`on`, `08`, a `#` that comments out a value) are rejected with a
 * hint.
 */
import type { Alias, Scalar } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseAllDocuments } from 'yaml';
import { type Diagnostic, quoting, type SourceLocation } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer, DOCUMENT_LIMITS, errorAt, type SourceDocument } from './document.ts';
import { readJson } from './read-json.ts';
import { editBetween, sourceDocument, type TextRange } from './source-document.ts';
import { explainParseError } from './yaml-errors.ts';

export interface LoadedDocument {
  document?: SourceDocument;
  diagnostics: Diagnostic[];
}

/** Words that YAML 1.1 parsers read as booleans. */
const TRAP_WORD = /^(on|off|yes|no)$/i;
/** Numbers that parsers read differently, or that are digit strings rather than numbers. */
const TRAP_NUMBER = /^[-+]?(0\d+|0[xob]\w+|\d[\d_]*_[\d_]*|\d+(:\d\d)+|\.(inf|nan))$/i;

export function loadDocument(text: string, file: string): LoadedDocument {
  const lines = new LineCounter();
  const place = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const refuse = (code: string, message: string, offset = 0, hint?: string): LoadedDocument => ({
    diagnostics: [errorAt(place(offset), code, message, hint)],
  });

  if (text.length > DOCUMENT_LIMITS.bytes || Buffer.byteLength(text) > DOCUMENT_LIMITS.bytes) {
    return refuse('too-big', `the file is larger than ${DOCUMENT_LIMITS.bytes} bytes`);
  }
  if (text.startsWith('\ufeff')) return loadDocument(text.slice(1), file);
  // UTF-16: its byte order mark is invalid in UTF-8, or every other byte is zero.
  if (/^\ufffd{2}|^[^\n]{0,200}\0/.test(text)) {
    return refuse('wrong-encoding', 'the file is not written in UTF-8', 0, 'save it again as UTF-8');
  }
  const json = readJson(text);
  if (json !== undefined) {
    lines.addNewLine(0);
    for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
    return { document: sourceDocument({ ...json, file, text, place }), diagnostics: [] };
  }

  const deep = tooDeepAt(text);
  if (deep !== undefined) return refuse('too-big', 'brackets are nested too deeply', deep);
  if (hasTooManyValues(text)) return refuse('too-big', 'the file has too many values');

  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const document = documents[0];
  if (document === undefined || !('contents' in document)) return refuse('empty', 'the file is empty');
  const broken = document.errors[0] ?? document.warnings[0];
  if (broken !== undefined) {
    const { code, message, offset, hint } = explainParseError(text, broken);
    return refuse(code, message, offset, hint);
  }
  if (documents.length > 1) {
    const second = documents[1]!.range?.[0] ?? 0;
    return refuse(
      'yaml-documents',
      'the file holds more than one document',
      second,
      'one flow per file: remove the `---`',
    );
  }
  if (document.contents === null) return refuse('empty', 'the file is empty');

  const reader = new NodeReader(text, place);
  const value = reader.read(document.contents, '', 0);
  if (reader.diagnostics.length > 0) return { diagnostics: reader.diagnostics };
  return {
    document: sourceDocument({ file, value, text, values: reader.values, keys: reader.keys, place }),
    diagnostics: [],
  };
}

const isMerge = ({ key }: { key: unknown }): boolean =>
  isScalar(key) && key.value === '<<' && (key.type === undefined || key.type === 'PLAIN');

/** Converts the tree of the parser to plain JSON, records locations, and rejects ambiguous notations. */
class NodeReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly values = new Map<string, TextRange>();
  readonly keys = new Map<string, TextRange>();
  readonly #anchors = new Map<string, unknown>();
  readonly #targets = new Map<Alias, unknown>();
  /** Nesting depth of the current aliases. */
  #following = 0;
  readonly #text: string;
  readonly #place: (offset: number) => SourceLocation;
  #nodes = 0;

  constructor(text: string, place: (offset: number) => SourceLocation) {
    this.#text = text;
    this.#place = place;
  }

  /** Reads the value of a merge key `<<` (YAML 1.1): one map, or several of which the first has priority. */
  #merge(node: unknown, pointer: string, depth: number): JsonObject {
    const [range, place] = [rangeOf(node), this.values.get(pointer)];
    const read = this.read(node, pointer, depth + 1);
    if (place !== undefined) this.values.set(pointer, place);
    const maps = Array.isArray(read) ? read : [read];
    if (maps.every(isObject)) return Object.assign({}, ...maps.toReversed());
    this.#refuse('yaml-alias', 'the merge key `<<` takes a map, or a list of maps', range, 'write "<<" in quotes');
    return {};
  }

  read(node: unknown, pointer: string, depth: number): Json {
    this.#nodes += 1;
    const range = rangeOf(node);
    if (this.#nodes > DOCUMENT_LIMITS.nodes || depth > DOCUMENT_LIMITS.depth) {
      if (!this.diagnostics.some(({ code }) => code === 'too-big')) {
        this.#refuse('too-big', 'the file has too many values or levels (aliases count each time)', range);
      }
      return null;
    }
    if (range !== undefined) this.values.set(pointer, range);
    const tag = (node as { tag?: string } | null)?.tag;
    if (tag !== undefined) {
      this.#refuse('yaml-tag', quoting`the tag ${tag} means nothing here`, range, 'remove it');
      return null;
    }
    this.#anchor(node);
    if (isAlias(node)) {
      const target = this.#targetOf(node);
      if (target === undefined) {
        const alias = `*${node.source}`;
        this.#refuse('yaml-alias', quoting`${alias} is an alias of nothing`, range, `write "${alias}" in quotes`);
        return null;
      }
      this.#following += 1;
      const value = this.read(target, pointer, depth + 1);
      this.#following -= 1;
      return value;
    }
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, childPointer(pointer, index), depth + 1));
    if (isMap(node)) {
      const merged = node.items.filter(isMerge).map(({ value }) => this.#merge(value, pointer, depth));
      const made: JsonObject = {};
      for (const pair of node.items) {
        if (isMerge(pair)) continue;
        const key = this.#key(pair.key);
        if (key === undefined) continue;
        const at = childPointer(pointer, key);
        const keyRange = rangeOf(pair.key);
        if (Object.hasOwn(made, key)) {
          const first = this.keys.get(at);
          const hint = first === undefined ? undefined : `it is already at line ${this.#place(first[0]).line}`;
          this.#refuse('duplicate-key', quoting`the key ${key} stands here twice`, keyRange, hint);
          continue;
        }
        if (keyRange !== undefined) this.keys.set(at, keyRange);
        made[key] = pair.value === null ? null : this.read(pair.value, at, depth + 1);
      }
      return Object.assign({}, ...merged.reverse(), made);
    }
    return isScalar(node) ? this.#scalar(node) : null;
  }

  /**
   * Records an anchor at its definition. Nodes read again through an alias must not replace later anchors of the name.
   */
  #anchor(node: unknown): void {
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined && this.#following === 0) this.#anchors.set(anchor, node);
  }

  /** Latest node of that name before the alias. Cached, because the library searches the whole document. */
  #targetOf(alias: Alias): unknown {
    if (!this.#targets.has(alias)) this.#targets.set(alias, this.#anchors.get(alias.source));
    return this.#targets.get(alias);
  }

  #key(node: unknown): string | undefined {
    this.#anchor(node);
    if (!isScalar(node)) {
      this.#refuse('yaml-key', 'a key must be a plain word', rangeOf(node));
      return undefined;
    }
    const { source, value } = node;
    const key = (typeof value === 'string' ? value : (source ?? String(value))).normalize('NFC');
    if (node.type === 'PLAIN' && this.#isTrap(node, true)) return undefined;
    if (key === '' || key === '__proto__') {
      this.#refuse('yaml-key', key === '' ? 'a key is missing' : 'this key cannot be used', rangeOf(node));
      return undefined;
    }
    return key;
  }

  #scalar(node: Scalar): Json {
    const { value } = node;
    if (node.type === 'PLAIN') {
      if (value === null && node.source === '' && typeof node.comment === 'string' && this.#commentFollows(node)) {
        const hint = 'quote the value if the # belongs to it ("#"), or write {} or null before the comment';
        this.#refuse('yaml-comment', 'the # starts a comment, so there is no value here', rangeOf(node), hint);
        return null;
      }
      if (this.#isTrap(node, false)) return null;
    }
    if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
    if (typeof value === 'string' && value.length <= DOCUMENT_LIMITS.stringLength) return value.normalize('NFC');
    this.#refuse('too-big', 'this text is too long', rangeOf(node));
    return null;
  }

  #isTrap(node: Scalar, isKey: boolean): boolean {
    const source = node.source ?? '';
    const hint = `write "${source}" in quotes`;
    const isWord = TRAP_WORD.test(source);
    const isNumber = TRAP_NUMBER.test(source) || (typeof node.value === 'number' && !isExact(node.value, source));
    if (isWord) {
      const message = quoting`some readers take ${source} for a boolean`;
      this.#refuse('yaml-word', message, rangeOf(node), isKey ? hint : `${hint}, or true / false`);
      this.#quote(node);
    } else if (isNumber) {
      this.#refuse('yaml-number', quoting`readers disagree about ${source}`, rangeOf(node), hint);
      this.#quote(node);
    }
    return isWord || isNumber;
  }

  /** Adds a repair to the latest diagnostic: quotes around the word. */
  #quote(node: Scalar): void {
    const range = rangeOf(node);
    const latest = this.diagnostics.at(-1);
    if (latest && range) latest.fix = editBetween(this.#place, range, `"${node.source ?? ''}"`);
  }

  /** True for a missing value followed by a comment: `key: # comment`. */
  #commentFollows(node: Scalar): boolean {
    const from = rangeOf(node)?.[0] ?? 0;
    return /^[ \t]*#/.test(this.#text.slice(from, from + 200));
  }

  #refuse(code: string, message: string, range: TextRange | undefined, hint?: string): void {
    if (this.diagnostics.length < 50) this.diagnostics.push(errorAt(this.#place(range?.[0] ?? 0), code, message, hint));
  }
}

/**
 * True if a number is represented exactly. More digits than a double holds are an identifier, such as an account
 * number.
 */
function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && (!/^[-+]?\d+$/.test(source) || Number.isSafeInteger(value));
}

function rangeOf(node: unknown): TextRange | undefined {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  return range ? [range[0], range[1]] : undefined;
}

/**
 * The parser is recursive, so depth is limited beforehand by counting brackets. Brackets in strings are counted as
 * well, which only rejects pathological texts.
 */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') depth += 1;
    else depth = Math.max(0, depth - 1);
    if (depth > 500) return index;
  }
  // Block collections nest by indentation, and compact ones (`- - - x`) by dashes.
  const compact = /^ *(?:[-?] +){100}/m.exec(text) ?? /^ {2000}/m.exec(text);
  return compact?.index;
}

/** Token of the lexer before each scalar. */
const SCALAR_MARK = '\x1f';

/** Checks the number of values with the lexer, which takes a tenth of the time of parsing. */
function hasTooManyValues(text: string): boolean {
  // Each value has at most one key, and each of them has at least two characters.
  const most = 2 * DOCUMENT_LIMITS.nodes;
  if (text.length < 2 * most) return false;
  let count = 0;
  for (const token of new Lexer().lex(text)) if (token === SCALAR_MARK && ++count > most) return true;
  return false;
}
