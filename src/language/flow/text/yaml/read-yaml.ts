/**
 * Parser of YAML 1.2 (core schema) into nodes with ranges. It accepts what the service accepts, in a tenth of the size
 * and time of a complete YAML library. Texts that the service refuses anyway (tags, more than one document, keys that
 * are not scalars) are reported as problems. Related: `read-values.ts`, `plain-data.ts`.
 *
 * Invariants
 *  - A text without problems has the values that the service's parser gives it.
 *  - The parser never throws; after a problem it continues with the next key at the column of the previous one.
 */
import { YamlSyntaxError } from './cursor.ts';
import type { Anchored, YamlMap, YamlNode, YamlPair, YamlSeq } from './nodes.ts';
import { ANCHOR, FIRST, ValueReader } from './read-values.ts';
import { plainValue } from './scalar-values.ts';

export interface YamlText {
  /** Null for an empty text. */
  contents: YamlNode | null;
  /** Offsets of syntax errors, in order. */
  problems: number[];
}

export function readYaml(text: string): YamlText {
  const reader = new Reader(text);
  return { contents: reader.read(), problems: reader.problems };
}

/** The only supported tag: it turns a number into a text. */
const TEXT_TAG = /!!str(?=[ \t])/y;
const KEY = new RegExp(
  `(?:&([^\\s,[\\]{}]+)[ \\t]+)?("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\n]|'')*'|\\*[^\\s,[\\]{}]+(?=[ \\t])|${FIRST}(?:[^\\n\\r:#]|:(?=[^ \\t\\r\\n])|(?<=[^ \\t])#)*)[ \\t]*:(?=[ \\t\\r\\n]|$)`,
  'y',
);

class Reader extends ValueReader {
  readonly problems: number[] = [];

  read(): YamlNode | null {
    let contents: YamlNode | null = null;
    try {
      const isMarked = this.#begin();
      if (this.next().at >= this.text.length) return null;
      contents = this.#node(-1, !isMarked);
      this.endLine();
      this.#end();
    } catch (error) {
      this.#recordError(error);
    }
    return contents;
  }

  #recordError(error: unknown): void {
    if (!(error instanceof YamlSyntaxError)) throw error;
    this.problems.push(error.at);
  }

  /** Reads directives and the document marker; returns true if there is a marker. */
  #begin(): boolean {
    let next = this.next();
    const first = next.at;
    while (this.text[next.at] === '%' && next.at === next.line) {
      const end = this.text.indexOf('\n', next.at);
      this.at = this.line = end < 0 ? this.text.length : end + 1;
      next = this.next();
    }
    if (!this.isMarker(next) || this.text[next.at] !== '-') {
      if (this.text[first] === '%') throw new YamlSyntaxError(first);
      return false;
    }
    this.at = next.at + 3;
    this.line = next.line;
    return true;
  }

  /** Throws if there is content after the end of the document. */
  #end(): void {
    const next = this.next();
    if (this.isMarker(next) && this.text[next.at] === '.') {
      this.go(next);
      this.at += 3;
      this.endLine();
    }
    const rest = this.next();
    if (rest.at < this.text.length) throw new YamlSyntaxError(rest.at);
  }

  /**
   * Reads a node that is indented deeper than `parent`. `mayBegin`: a block map or list may begin in this line. A list
   * may be at the column of the key that it belongs to.
   */
  #node(parent: number, mayBegin: boolean, isOfKey = false): YamlNode {
    this.deeper();
    const node = this.#withAnchor(parent, mayBegin, isOfKey);
    this.levels -= 1;
    return node;
  }

  #withAnchor(parent: number, mayBegin: boolean, isOfKey: boolean): YamlNode {
    let empty = this.behindBlanks();
    let anchored: Anchored | undefined;
    let name: string | undefined;
    for (let canBegin = mayBegin; ; ) {
      const next = this.next();
      canBegin ||= next.isNewLine;
      const column = this.columnOf(next);
      if (next.hasTab && this.text[next.line] === '\t') throw new YamlSyntaxError(next.line);
      const isList = this.isIndicator('-', next.at);
      const isBelow = next.isNewLine && column <= parent && !(isList && isOfKey && column === parent && !next.hasTab);
      if (next.at >= this.text.length || isBelow || this.isMarker(next)) {
        return this.anchor(this.scalar(null, 'plain', empty, empty), name, anchored);
      }
      this.go(next);
      const isMap = canBegin && !isList && this.#beginsPair();
      if (isList || isMap) {
        const isBehindAnchor = name !== undefined && !next.isNewLine;
        if (!canBegin || next.hasTab || isBehindAnchor) throw new YamlSyntaxError(next.at);
        return this.anchor(isList ? this.#list(column) : this.#map(column), name, anchored);
      }
      if (this.match(TEXT_TAG) !== null) {
        this.at += TEXT_TAG.lastIndex - next.at;
        return this.anchor(this.asText(this.#node(parent, false)), name, anchored);
      }
      const anchor = this.match(ANCHOR);
      if (anchor === null) return this.anchor(this.value(parent), name, anchored);
      if (name !== undefined) throw new YamlSyntaxError(next.at);
      [, name] = anchor;
      anchored = this.open(name!);
      this.at += anchor[0].length;
      empty = this.behindBlanks();
      if (!/\s/.test(this.text[this.at] ?? ' ')) throw new YamlSyntaxError(this.at);
    }
  }

  #beginsPair(): boolean {
    return this.isIndicator('?') || this.match(KEY) !== null;
  }

  #list(column: number): YamlSeq {
    const start = this.at;
    const items: YamlNode[] = [];
    for (;;) {
      this.at += 1;
      items.push(this.#node(column, true));
      this.endLine();
      const next = this.next();
      const isItem = next.at - next.line === column && this.isIndicator('-', next.at) && !this.isMarker(next);
      if (!isItem || !next.isNewLine) return { kind: 'seq', items, flow: false, range: [start, this.at] };
      this.go(next);
    }
  }

  #map(column: number): YamlMap {
    const start = this.at;
    const items: YamlPair[] = [];
    for (;;) {
      const levels = this.levels;
      try {
        this.#pair(column, items);
        this.endLine();
        const next = this.next();
        const isAtEnd = next.at >= this.text.length || this.columnOf(next) < column;
        if (!isAtEnd && (next.hasTab || this.columnOf(next) > column)) throw new YamlSyntaxError(next.at);
      } catch (error) {
        this.#recordError(error);
        this.levels = levels;
        this.brackets = 0;
        this.#skipLines(column);
      }
      const next = this.next();
      if (next.at >= this.text.length || this.columnOf(next) < column || this.isMarker(next)) break;
      this.go(next);
    }
    return { kind: 'map', items, flow: false, range: [start, this.at] };
  }

  /** Skips to the end of the line before the next one that is not indented deeper. */
  #skipLines(column: number): void {
    const text = this.text;
    for (;;) {
      const end = text.indexOf('\n', this.at);
      if (end < 0) {
        this.at = text.length;
        return;
      }
      this.at = end;
      this.line = text.lastIndexOf('\n', end - 1) + 1;
      const next = this.next();
      if (next.at >= text.length || this.columnOf(next) <= column) return;
      this.go(next);
    }
  }

  #pair(column: number, items: YamlPair[]): void {
    if (this.isIndicator('?')) {
      this.at += 1;
      const pair: YamlPair = { key: this.word(this.#node(column, true)), value: null };
      items.push(pair);
      this.endLine();
      const next = this.next();
      if (next.at - next.line !== column || !this.isIndicator(':', next.at)) return;
      this.go(next);
      this.at += 1;
      pair.value = this.#node(column, true);
      return;
    }
    const found = this.match(KEY);
    if (found === null) throw new YamlSyntaxError(this.at);
    const [whole, anchor, written] = found;
    const from = this.at + whole.indexOf(written!, anchor === undefined ? 0 : anchor.length + 1);
    const key = this.anchor(this.#key(from, written!), anchor, anchor === undefined ? undefined : this.open(anchor));
    this.at += whole.length;
    const pair: YamlPair = { key, value: null };
    items.push(pair);
    pair.value = this.#node(column, false, true);
  }

  #key(from: number, written: string): YamlNode {
    const first = written[0];
    if (first === '*') return this.word(this.alias(from, written.slice(1)));
    if (first === '"' || first === "'") return this.quoted(from, written, written.slice(1, -1));
    const source = written.replace(/[ \t]+$/, '');
    return this.scalar(plainValue(source), 'plain', from, from + source.length);
  }
}
