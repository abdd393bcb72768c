/** Reads YAML values other than block maps and block lists, which `read-yaml.ts` reads. */
import { Cursor, MARKER, YamlSyntaxError } from './cursor.ts';
import type { Anchored, ScalarStyle, YamlNode, YamlPair, YamlScalar } from './nodes.ts';
import { blockValue, doubleQuoted, folded, plainValue, singleQuoted } from './scalar-values.ts';

/** First character of a plain scalar, which is not an indicator. */
export const FIRST = '(?:[^\\s?:,\\[\\]{}#&*!|>\'"%@`-]|[?:-](?=[^ \\t\\r\\n]))';
export const ANCHOR = /&([^\s,[\]{}]+)/y;
const ALIAS = /\*([^\s,[\]{}]+)/y;
const DOUBLE = /"((?:[^"\\]|\\[\s\S])*)"/y;
const SINGLE = /'((?:[^']|'')*)'/y;
const STARTS_PLAIN = new RegExp(FIRST, 'y');
const STARTS_PLAIN_IN_FLOW = /(?:[^\s?:,[\]{}#&*!|>'"%@`-]|[?:-](?=[^ \t\r\n,[\]{}]))/y;
const PLAIN = /(?:[^\n\r:#]|:(?=[^ \t\r\n])|(?<=[^ \t\n])#)*/y;
const PLAIN_IN_FLOW = /(?:[^\n\r:#,[\]{}]|:(?=[^ \t\r\n,[\]{}])|(?<=[^ \t\n,[\]{}])#)*/y;
const BLOCK_HEADER = /([|>])(?:([1-9])([-+]?)|([-+])([1-9])?)?(?=[ \t\r\n]|$)/y;

export class ValueReader extends Cursor {
  readonly #anchors = new Map<string, Anchored>();

  /** Reads any value except a block map or a block list. */
  protected value(parent: number, inFlow = false): YamlNode {
    const start = this.at;
    switch (this.text[start]) {
      case '{':
      case '[':
        return this.flow(parent);
      case '"':
      case "'": {
        const found = this.match(this.text[start] === '"' ? DOUBLE : SINGLE);
        if (found === null) throw new YamlSyntaxError(start);
        const [written, inner] = found;
        this.passLines(start + written.length, parent);
        return this.quoted(start, written, inner!);
      }
      case '*': {
        const found = this.match(ALIAS);
        if (found === null) throw new YamlSyntaxError(start);
        this.at += found[0].length;
        return this.alias(start, found[1]!);
      }
      case '|':
      case '>':
        if (inFlow) throw new YamlSyntaxError(start);
        return this.block(parent);
      default:
        return this.plain(parent, inFlow);
    }
  }

  protected quoted(from: number, written: string, inner: string): YamlScalar {
    const isDouble = written[0] === '"';
    const value = isDouble ? doubleQuoted(inner) : singleQuoted(inner);
    if (value === undefined) throw new YamlSyntaxError(from);
    return this.scalar(value, isDouble ? 'double' : 'single', from, from + written.length);
  }

  protected plain(parent: number, inFlow: boolean): YamlNode {
    const start = this.at;
    if (this.match(inFlow ? STARTS_PLAIN_IN_FLOW : STARTS_PLAIN) === null) throw new YamlSyntaxError(start);
    const pattern = inFlow ? PLAIN_IN_FLOW : PLAIN;
    let source = '';
    for (;;) {
      const part = this.match(pattern)![0].replace(/[ \t]+$/, '');
      source += part;
      this.at += part.length;
      // The scalar ends at a comment or a colon.
      const lineEnds = /[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*/y;
      const between = this.match(lineEnds)?.[0];
      if (between === undefined) break;
      const next = this.next();
      const isEnd =
        next.at >= this.text.length ||
        next.at !== this.at + between.length ||
        /^ */.exec(this.text.slice(next.line, next.at))![0].length <= parent ||
        this.isMarker(next) ||
        this.match(pattern, next.at)![0].trim() === '';
      if (isEnd) break;
      source += folded(between);
      this.go(next);
    }
    return this.scalar(plainValue(source), 'plain', start, this.at);
  }

  /** Reads a block scalar. */
  protected block(parent: number): YamlNode {
    const text = this.text;
    const start = this.at;
    const header = this.match(BLOCK_HEADER);
    if (header === null) throw new YamlSyntaxError(start);
    this.at += header[0].length;
    const isAtEnd = text.indexOf('\n', this.at) < 0;
    const first = isAtEnd ? text.length : text.indexOf('\n', this.at) + 1;
    if (!/^[ \t]*(?:(?<=[ \t])#.*)?\r?\n?$/.test(text.slice(this.at, first))) throw new YamlSyntaxError(this.at);
    const digit = header[2] ?? header[5];
    const keep = (header[3] || header[4] || '') as '' | '-' | '+';
    let indent = digit === undefined ? undefined : Math.max(parent, 0) + Number(digit);
    const lines: string[] = [];
    let end = first;
    let kept = 0;
    let longest = 0;
    for (let at = first; at < text.length; ) {
      const lineEnd = text.indexOf('\n', at);
      const next = lineEnd < 0 ? text.length : lineEnd + 1;
      const line = text.slice(at, lineEnd < 0 ? next : lineEnd).replace(/\r$/, '');
      const column = /^ */.exec(line)![0].length;
      const isEmpty = column === line.length;
      if (!isEmpty) {
        const isMarker = column === 0 && this.match(MARKER, at) !== null;
        if (column < (indent ?? parent + 1) || isMarker) break;
        if (indent === undefined && longest > column) throw new YamlSyntaxError(at);
        indent ??= column;
      } else if (indent === undefined) longest = Math.max(longest, column);
      // An unterminated last line of spaces is not part of the text, unless it is indented deeper than the other lines.
      const isFurtherIn = column > (indent ?? column);
      // If the line above is itself indented deeper, YAML parsers disagree.
      const isOpenEnd = isEmpty && isFurtherIn && lineEnd < 0;
      if (isOpenEnd && /^\s/.test(lines.at(-1)?.slice(indent) ?? '')) throw new YamlSyntaxError(at);
      const isKept = (keep === '+' && (lineEnd >= 0 || kept === 0)) || (isFurtherIn && (lineEnd >= 0 || kept > 0));
      lines.push(line);
      if (!isEmpty || isKept) kept = lines.length;
      // In an empty text, the first line belongs to the scalar.
      if (!isEmpty || isKept || lines.length === 1) end = next;
      at = next;
    }
    // YAML parsers disagree about lines of spaces only, below an explicit indentation.
    if (digit !== undefined && kept > 0 && lines.every((line) => /^ *$/.test(line))) throw new YamlSyntaxError(start);
    const value = blockValue({ isFolded: header[1] === '>', keep }, lines.slice(0, kept), indent ?? longest);
    this.at = end;
    this.line = text.lastIndexOf('\n', end - 1) + 1;
    return this.scalar(value, header[1] === '>' ? 'folded' : 'literal', start, end);
  }

  /** Reads a map in braces or a list in brackets. */
  protected flow(parent: number): YamlNode {
    this.deeper();
    this.brackets += 1;
    const start = this.at;
    const isMap = this.text[start] === '{';
    const close = isMap ? '}' : ']';
    const pairs: YamlPair[] = [];
    const items: YamlNode[] = [];
    this.at += 1;
    for (;;) {
      this.inFlow(parent);
      if (this.text[this.at] === close) break;
      if (isMap) pairs.push(this.flowPair(parent));
      else items.push(this.flowItem(parent));
      this.inFlow(parent);
      const char = this.text[this.at];
      if (char === ',') this.at += 1;
      else if (char !== close) throw new YamlSyntaxError(this.at);
    }
    this.at += 1;
    this.levels -= 1;
    this.brackets -= 1;
    const range = [start, this.at] as const;
    return isMap ? { kind: 'map', items: pairs, flow: true, range } : { kind: 'seq', items, flow: true, range };
  }

  /**
   * Skips spaces, comments and line ends. Lines must be indented deeper than the key of the brackets; only the closing
   * bracket may be at the key's column.
   */
  protected inFlow(parent: number): void {
    const next = this.next();
    if (next.at >= this.text.length) throw new YamlSyntaxError(next.at);
    const column = this.columnOf(next);
    const isEnd = this.brackets === 1 && column === parent && !next.hasTab && /[\]}]/.test(this.text[next.at]!);
    if (next.isNewLine && !isEnd && (column <= parent || this.isMarker(next))) throw new YamlSyntaxError(next.at);
    this.go(next);
  }

  protected flowPair(parent: number): YamlPair {
    const isExplicit = this.isIndicator('?');
    if (isExplicit) {
      this.at += 1;
      this.inFlow(parent);
    }
    const key = this.word(this.flowNode(parent));
    this.inFlow(parent);
    return { key, value: this.isColonBehind(key) ? this.behindColon(parent) : null };
  }

  /** `[a: b]` is a list with one map. */
  protected flowItem(parent: number): YamlNode {
    const item = this.flowNode(parent);
    const line = this.line;
    this.inFlow(parent);
    if (!this.isColonBehind(item)) return item;
    if (this.line !== line || item.range[0] < line) throw new YamlSyntaxError(this.at);
    const key = this.word(item);
    const value = this.behindColon(parent);
    return { kind: 'map', items: [{ key, value }], flow: true, range: [item.range[0], this.at] };
  }

  /** After a key in quotes or brackets, the colon needs no space. */
  protected isColonBehind(key: YamlNode): boolean {
    if (this.text[this.at] !== ':') return false;
    const isUnsaved = key.kind === 'alias' || (key.kind === 'scalar' && key.style === 'plain');
    return !isUnsaved || /[\s,[\]{}]/.test(this.text[this.at + 1] ?? ' ');
  }

  protected behindColon(parent: number): YamlNode {
    this.at += 1;
    const empty = this.behindBlanks();
    this.inFlow(parent);
    return /[,}\]]/.test(this.text[this.at]!) ? this.scalar(null, 'plain', empty, empty) : this.flowNode(parent);
  }

  protected flowNode(parent: number): YamlNode {
    const anchor = this.match(ANCHOR);
    if (anchor === null) return this.value(parent, true);
    const [whole, name] = anchor;
    const anchored = this.open(name!);
    this.at += whole.length;
    const empty = this.behindBlanks();
    this.inFlow(parent);
    const isEmpty = /[,}\]]/.test(this.text[this.at]!) || this.isIndicator(':');
    return this.anchor(isEmpty ? this.scalar(null, 'plain', empty, empty) : this.value(parent, true), name, anchored);
  }

  /** Keys must be scalars. */
  protected word(key: YamlNode): YamlNode {
    const node = key.kind === 'alias' ? key.target?.node : key;
    if (node !== undefined && node.kind !== 'scalar') throw new YamlSyntaxError(key.range[0]);
    return key;
  }

  protected alias(from: number, source: string): YamlNode {
    const target = this.#anchors.get(source);
    return { kind: 'alias', source, range: [from, from + 1 + source.length], ...(target && { target }) };
  }

  protected scalar(value: YamlScalar['value'], style: ScalarStyle, from: number, to: number): YamlScalar {
    return { kind: 'scalar', value, style, range: [from, to] };
  }

  protected asText(node: YamlNode): YamlNode {
    if (node.kind !== 'scalar') throw new YamlSyntaxError(node.range[0]);
    if (typeof node.value !== 'string') node.value = this.text.slice(...node.range);
    return node;
  }

  protected open(name: string): Anchored {
    if (name.endsWith(':')) throw new YamlSyntaxError(this.at);
    const anchored: Anchored = {};
    this.#anchors.set(name, anchored);
    return anchored;
  }

  protected anchor<Node extends YamlNode>(node: Node, name: string | undefined, anchored: Anchored | undefined): Node {
    if (name === undefined) return node;
    if (node.kind === 'alias') throw new YamlSyntaxError(node.range[0]);
    node.anchor = name;
    anchored!.node = node;
    return node;
  }
}
