/**
 * Parser for strict JSON with source locations, many times faster than the YAML parser. `load.ts` parses rejected texts
 * again with the YAML parser, which reports the errors.
 *
 * Invariants
 * - every accepted text has the same value for YAML parsers; doubtful texts are rejected;
 * - number of values and depth are limited as for all documents.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { childPointer, DOCUMENT_LIMITS } from './document.ts';

type Range = readonly [start: number, end: number];

export interface JsonReading {
  value: Json;
  values: Map<string, Range>;
  keys: Map<string, Range>;
}

/** Undefined if the text is not JSON, or is not interpreted equally by all parsers. */
export function readJson(text: string): JsonReading | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const reader = new JsonReader(text);
  try {
    const value = reader.whole();
    return { value, values: reader.values, keys: reader.keys };
  } catch (error) {
    if (error instanceof NotStrict) return undefined;
    throw error;
  }
}

class NotStrict extends Error {}

const SPACE = /[ \t\r\n]*/y;
const PLAIN = /[^"\\\p{Cc}\u2028\u2029]*/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])/y;
const WORD = /(?:true|false|null)(?![\w.+-])/y;
/** YAML parsers do not search further for the colon of a key. */
const MAX_KEY = 1000;

class JsonReader {
  readonly values = new Map<string, Range>();
  readonly keys = new Map<string, Range>();
  readonly #text: string;
  #at = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Json {
    const value = this.#value('', 0);
    if (this.#next() !== '') throw new NotStrict();
    return value;
  }

  /** Next character after white space. Empty at the end. */
  #next(): string {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new NotStrict();
    this.#at += found.length;
    return found;
  }

  #value(pointer: string, depth: number): Json {
    this.#nodes += 1;
    if (this.#nodes > DOCUMENT_LIMITS.nodes || depth > DOCUMENT_LIMITS.depth) throw new NotStrict();
    const first = this.#next();
    const start = this.#at;
    let value: Json;
    if (first === '{') value = this.#object(pointer, depth);
    else if (first === '[') value = this.#list(pointer, depth);
    else if (first === '"') value = this.#string();
    else if (/[-\d]/.test(first)) value = this.#number();
    else value = JSON.parse(this.#take(WORD)) as Json;
    this.values.set(pointer, [start, this.#at]);
    return value;
  }

  #object(pointer: string, depth: number): JsonObject {
    const made: JsonObject = {};
    const goesOn = this.#items('}');
    while (goesOn()) {
      this.#next();
      const start = this.#at;
      const key = this.#string();
      const isUsual = key !== '' && key !== '__proto__' && key.length <= MAX_KEY && !Object.hasOwn(made, key);
      if (!isUsual) throw new NotStrict();
      const at = childPointer(pointer, key);
      this.keys.set(at, [start, this.#at]);
      if (this.#next() !== ':') throw new NotStrict();
      this.#at += 1;
      made[key] = this.#value(at, depth + 1);
    }
    return made;
  }

  #list(pointer: string, depth: number): Json[] {
    const made: Json[] = [];
    const goesOn = this.#items(']');
    while (goesOn()) made.push(this.#value(childPointer(pointer, made.length), depth + 1));
    return made;
  }

  /** Skips the opening bracket. Returns a function that reports before each item whether there is one. */
  #items(end: '}' | ']'): () => boolean {
    this.#at += 1;
    let isFirst = true;
    return () => {
      const next = this.#next();
      if (next === end) {
        this.#at += 1;
        return false;
      }
      if (!isFirst) {
        if (next !== ',') throw new NotStrict();
        this.#at += 1;
        // A trailing comma is left to the YAML parser.
        if (this.#next() === end) throw new NotStrict();
      }
      isFirst = false;
      return true;
    };
  }

  #string(): string {
    const start = this.#at;
    if (this.#text.charAt(start) !== '"') throw new NotStrict();
    this.#at += 1;
    this.#take(PLAIN);
    const isEscaped = this.#text.charAt(this.#at) !== '"';
    for (; this.#text.charAt(this.#at) !== '"'; this.#take(PLAIN)) this.#take(ESCAPE);
    this.#at += 1;
    const made = isEscaped
      ? (JSON.parse(this.#text.slice(start, this.#at)) as string)
      : this.#text.slice(start + 1, this.#at - 1);
    if (made.length > DOCUMENT_LIMITS.stringLength) throw new NotStrict();
    return made.normalize('NFC');
  }

  /** Rejects numbers with more digits than a double holds. */
  #number(): number {
    const written = this.#take(NUMBER);
    const made = Number(written);
    if (!Number.isFinite(made) || (/^-?\d+$/.test(written) && !Number.isSafeInteger(made))) throw new NotStrict();
    return made;
  }
}
