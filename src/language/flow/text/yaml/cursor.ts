/** Position in a YAML text, with the methods that move it. Related: `read-values.ts`, `read-yaml.ts`. */

/** A syntax error at an offset of the text. */
export class YamlSyntaxError extends Error {
  readonly at: number;

  constructor(at: number) {
    super('this is not YAML');
    this.at = at;
  }
}

/** Position of the next node. */
export interface Next {
  at: number;
  /** Start of its line. */
  line: number;
  isNewLine: boolean;
  /** True if a tab precedes it in its line. */
  hasTab: boolean;
}

const MAX_LEVELS = 200;
export const MARKER = /(?:---|\.\.\.)(?=[ \t\r\n]|$)/y;

export class Cursor {
  protected readonly text: string;
  protected at = 0;
  /** Start of the line that contains `at`. */
  protected line = 0;
  protected levels = 0;
  /** Number of open brackets among the levels. */
  protected brackets = 0;

  constructor(text: string) {
    this.text = text;
    if (text.startsWith('\ufeff')) this.at = this.line = 1;
  }

  protected deeper(): void {
    if (++this.levels > MAX_LEVELS) throw new YamlSyntaxError(this.at);
  }

  protected match(pattern: RegExp, at = this.at): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text);
  }

  /** Position of a missing value, after spaces and tabs. */
  protected behindBlanks(): number {
    let at = this.at;
    while (isBlank(this.text[at])) at += 1;
    return at;
  }

  /** Position after spaces, comments and line ends. */
  protected next(): Next {
    const text = this.text;
    let at = this.at;
    let line = this.line;
    let hasTab = false;
    for (; at < text.length; at++) {
      const char = text[at];
      if (char === ' ' || (char === '\r' && text[at + 1] === '\n')) continue;
      if (char === '\t') hasTab = true;
      else if (char === '\n') {
        line = at + 1;
        hasTab = false;
      } else if (char === '#' && (at === line || isBlank(text[at - 1]))) {
        const end = text.indexOf('\n', at);
        at = (end < 0 ? text.length : end) - 1;
      } else break;
    }
    return { at, line, isNewLine: line !== this.line, hasTab };
  }

  protected go({ at, line }: Next): void {
    this.at = at;
    this.line = line;
  }

  protected isMarker({ at, line }: Next): boolean {
    return at === line && this.match(MARKER, at) !== null;
  }

  /** Throws if anything but a comment follows in the line. */
  protected endLine(): void {
    const next = this.next();
    if (!next.isNewLine && next.at < this.text.length && this.at !== this.line) throw new YamlSyntaxError(next.at);
  }

  /** Column of a node. A tab does not count as indentation, so the column ends at the first tab. */
  protected columnOf({ at, line, hasTab, isNewLine }: Next): number {
    if (!hasTab || !isNewLine) return at - line;
    const tab = this.text.indexOf('\t', line);
    return tab - line;
  }

  protected isIndicator(sign: string, at = this.at): boolean {
    if (this.text[at] !== sign) return false;
    const next = this.text[at + 1];
    return next === undefined || next === '\n' || next === '\r' || isBlank(next);
  }

  /** Moves to a position in a later line; throws if a line in between is not indented deeper than `parent`. */
  protected passLines(to: number, parent: number): void {
    for (let end = this.text.indexOf('\n', this.at); end >= 0 && end < to; end = this.text.indexOf('\n', end + 1)) {
      this.line = end + 1;
      const line = this.text.slice(end + 1, this.text.indexOf('\n', end + 1) + 1 || undefined);
      if (/^[ \t]*\r?\n?$/.test(line)) continue;
      if (/^ */.exec(line)![0].length <= parent || this.match(MARKER, end + 1)) throw new YamlSyntaxError(end + 1);
    }
    this.at = to;
  }
}

export const isBlank = (char: string | undefined): boolean => char === ' ' || char === '\t';
