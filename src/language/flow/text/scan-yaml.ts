/**
 * Scans the words of a YAML text with their paths, even if the text is invalid: completion, help, navigation and
 * repairs need the position of the cursor while the text is incomplete and a parser fails. Related:
 * `yaml/read-yaml.ts`, which parses valid texts; `names.ts`.
 *
 * Invariants
 *  - The scanner never throws, and reads each character a bounded number of times.
 *  - An unclosed list or map in brackets ends before the first line that cannot be part of it.
 */
export type YamlPath = readonly (string | number)[];

export interface Word {
  kind: 'key' | 'value';
  /** For a key the path of the key itself; for a value the path of its location. */
  path: YamlPath;
  from: number;
  /** Includes the closing quote, if there is one. */
  to: number;
  /** Text without quotes. */
  text: string;
}

/** Position at the end of the text, at which the next character would be typed. */
export interface OpenEnd {
  place: 'key' | 'value' | 'remark';
  /** For a key the path of the map that would contain it; for a value the path of the value. */
  path: YamlPath;
  /** Start of the word that ends here. */
  from: number;
}

interface Frame {
  indent: number;
  key: string | number;
}

const KEY = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^\s#{}[\],&*!|>'"%@`][^\n]*?)[ \t]*:(?=[ \t\r\n]|$)/y;
const FLOW_PLAIN = /(?:[^\s,[\]{}#:]|:(?![\s,[\]{}]|$)|#(?<=\S#))(?:[^,[\]{}\n:#]|:(?![\s,[\]{}]|$)|#(?<=\S#))*/y;
const PLAIN = /[^\n]*?(?=[ \t]+#|[ \t]*\r?(?:\n|$))/y;
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"?|'(?:[^']|'')*'?/y;
const DECORATION = /(?:[&!][^\s,[\]{}]*[ \t]+)+/y;

export class YamlScanner {
  readonly words: Word[] = [];
  readonly #text: string;
  #frames: Frame[] = [];
  #end: OpenEnd | undefined;

  /** `below`: top-level key of the map whose entries the text is. */
  constructor(text: string, below?: string) {
    this.#text = text;
    if (below !== undefined) this.#frames.push({ indent: 0, key: below });
    for (let at = 0; at < text.length; ) at = this.#line(at);
  }

  /** Position at the end of the text. */
  get end(): OpenEnd {
    if (this.#end !== undefined) return this.#end;
    const start = this.#text.lastIndexOf('\n') + 1;
    const last = this.words.at(-1);
    const frames = this.#frames.filter(({ indent }) => indent < this.#text.length - start);
    const isEmpty = last === undefined || last.to <= start;
    const remark = /^[ \t]+#/.exec(isEmpty ? '' : this.#text.slice(last.to));
    if (remark !== null) return { place: 'remark', path: this.#path, from: last!.to + remark[0].length - 1 };
    return { place: 'key', path: (isEmpty ? frames : this.#frames).map(({ key }) => key), from: this.#text.length };
  }

  get #path(): YamlPath {
    return this.#frames.map(({ key }) => key);
  }

  /** Scans one line and returns the start of the next. */
  #line(start: number): number {
    const text = this.#text;
    let at = start;
    while (text[at] === ' ' || text[at] === '\t') at += 1;
    if (at >= text.length || text[at] === '\n' || text[at] === '\r') return this.#nextLine(at);
    if (text[at] === '#') return this.#remark(at);
    while (text[at] === '-' && /^[\s]?$/.test(text[at + 1] ?? '')) {
      const indent = at - start;
      this.#closeItems(indent);
      at += 1;
      while (text[at] === ' ') at += 1;
    }
    const indent = at - start;
    while ((this.#frames.at(-1)?.indent ?? -1) >= indent) this.#frames.pop();
    const key = this.#keyAt(at);
    if (key !== undefined) {
      this.#frames.push({ indent, key: key.text });
      this.words.push({ kind: 'key', path: this.#path, from: at, to: at + key.written.length, text: key.text });
      return this.#value(key.after, indent, true);
    }
    return this.#value(at, indent, false);
  }

  /** Opens a list item at this column, and closes deeper frames. */
  #closeItems(indent: number): void {
    let index = 0;
    for (let top = this.#frames.at(-1); top !== undefined && top.indent >= indent; top = this.#frames.at(-1)) {
      if (top.indent === indent && typeof top.key === 'string') break;
      if (top.indent === indent) index = (top.key as number) + 1;
      this.#frames.pop();
    }
    this.#frames.push({ indent, key: index });
  }

  #keyAt(at: number): { text: string; written: string; after: number } | undefined {
    KEY.lastIndex = at;
    const found = KEY.exec(this.#text);
    if (found === null) return undefined;
    return { text: unquote(found[1]!), written: found[1]!, after: KEY.lastIndex };
  }

  #value(from: number, indent: number, isAfterKey: boolean): number {
    const text = this.#text;
    let at = from;
    while (text[at] === ' ' || text[at] === '\t') at += 1;
    at += lengthOf(DECORATION, text, at);
    const first = text[at];
    const place = isAfterKey ? 'value' : 'key';
    if (first === undefined) {
      // A value needs a space after the colon: directly after it there is nothing to complete.
      this.#end = { place: at > from ? place : 'remark', path: this.#path, from: at };
      if (!isAfterKey) this.#end = { place: 'key', path: this.#path, from: at };
      return at;
    }
    if (first === '#') return this.#remark(at);
    if (first === '|' || first === '>') return this.#blockScalar(at, this.#frames.at(-1)?.indent ?? -1);
    if (first === '{' || first === '[') {
      const parent = this.#frames.at(-1)?.indent ?? indent;
      const end = this.#flow(at, this.#path, parent);
      return end.isAtLine ? end.at : this.#nextLine(end.at);
    }
    const pattern = first === '"' || first === "'" ? QUOTED : PLAIN;
    const to = at + lengthOf(pattern, text, at);
    this.#add(at, to, this.#path);
    if (to >= text.length) this.#end ??= { place, path: this.#path, from: at };
    return this.#nextLine(to);
  }

  #add(from: number, to: number, path: YamlPath): void {
    this.words.push({ kind: 'value', path, from, to, text: unquote(this.#text.slice(from, to)) });
  }

  /** Scans a map or list in brackets and returns its end; `isAtLine` if it is not closed. */
  #flow(from: number, outer: YamlPath, indent: number): { at: number; isAtLine?: boolean } {
    const text = this.#text;
    const isMap = text[from] === '{';
    let index = 0;
    let key: string | undefined;
    let at = from + 1;
    const path = (): YamlPath => (!isMap ? [...outer, index] : key === undefined ? outer : [...outer, key]);
    while (at < text.length) {
      const char = text[at]!;
      if (char === '\n') {
        at += 1;
        if (this.#cannotContinue(at, indent)) return { at, isAtLine: true };
      } else if (/\s/.test(char)) at += 1;
      else if (char === '#') at = this.#toLineEnd(at);
      else if (char === ',') {
        at += 1;
        index += 1;
        key = undefined;
      } else if (char === '}' || char === ']') return { at: at + 1 };
      else if (char === '{' || char === '[') {
        const inner = this.#flow(at, path(), indent);
        if (inner.isAtLine) return inner;
        at = inner.at;
      } else if (char === ':') at += 1;
      else {
        const start = at + lengthOf(DECORATION, text, at);
        const length = lengthOf(char === '"' || char === "'" ? QUOTED : FLOW_PLAIN, text, start);
        const to = Math.min(text.length, start + Math.max(1, text.slice(start, start + length).trimEnd().length));
        const isKey = isMap && key === undefined && /^[ \t]*:/.test(text.slice(to, to + 20));
        if (to >= text.length) {
          this.#end ??= { place: isMap && key === undefined ? 'key' : 'value', path: path(), from: start };
        }
        if (isKey) {
          key = unquote(text.slice(start, to));
          this.words.push({ kind: 'key', path: path(), from: start, to, text: key });
        } else this.#add(start, to, path());
        at = to;
      }
    }
    this.#end ??= { place: isMap && key === undefined ? 'key' : 'value', path: path(), from: text.length };
    return { at };
  }

  /** True for a line with a key that is not indented deeper than the key of the brackets. */
  #cannotContinue(start: number, indent: number): boolean {
    let at = start;
    while (this.#text[at] === ' ') at += 1;
    return at - start <= indent && this.#keyAt(at) !== undefined;
  }

  #blockScalar(from: number, indent: number): number {
    const text = this.#text;
    let at = this.#nextLine(from);
    while (at < text.length) {
      const column = text.slice(at, this.#toLineEnd(at)).search(/\S/);
      if (column >= 0 && column <= indent) break;
      at = this.#nextLine(at);
    }
    this.words.push({ kind: 'value', path: this.#path, from, to: at, text: text.slice(from, at) });
    if (at >= text.length) this.#end = { place: 'remark', path: this.#path, from: text.length };
    return at;
  }

  #remark(at: number): number {
    const end = this.#toLineEnd(at);
    if (end >= this.#text.length) this.#end = { place: 'remark', path: this.#path, from: at };
    return this.#nextLine(at);
  }

  #toLineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }

  #nextLine(at: number): number {
    return Math.min(this.#text.length, this.#toLineEnd(at) + 1);
  }
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function unquote(written: string): string {
  const quote = written[0];
  if (quote !== '"' && quote !== "'") return written;
  const inner = written.slice(1, written.length > 1 && written.endsWith(quote) ? -1 : undefined);
  return quote === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\/])/g, '$1');
}
