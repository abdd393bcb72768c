/** Comments and string literals of TypeScript, with their positions. A scanner, not a parser: types and JSX pass through. */
export interface Comment {
  line: number;
  lastLine: number;
  text: string;
}

export interface Literal {
  line: number;
  /** Offsets of the opening quote, and after the closing one. */
  at: number;
  end: number;
  text: string;
}

export interface Scanned {
  comments: Comment[];
  literals: Literal[];
}

/** After these characters, or after these words, `/` begins a regular expression; otherwise it divides. */
const BEFORE_REGEX = /[=(,:;!&|?{}[\]+\-*%<>~^]/;
const WORDS_BEFORE_REGEX = /\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)\s*$/;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y;
const QUOTED = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"/y;
/** Directives to tools, not prose. */
const DIRECTIVE = /^(?:@ts-|biome-ignore|eslint|#region|<reference|prettier|@vitest)/;

export function scanSource(text: string, isJsx: boolean): Scanned {
  const comments: Comment[] = [];
  const literals: Literal[] = [];
  /** The last comment if it is a line of its own, so that the next line continues it. */
  let open: Comment | undefined;
  /** The last character of code: decides what `/` means. */
  let last = '';
  let line = 1;
  let at = 0;
  const moveTo = (end: number): void => {
    for (let next = text.indexOf('\n', at); next >= 0 && next < end; next = text.indexOf('\n', next + 1)) line++;
    at = end;
  };
  const matchAt = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const addLineComment = (): void => {
    const end = endOr(text.indexOf('\n', at), text.length);
    const content = text.slice(at + 2, end).trim();
    const isAlone = text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
    if (content === '' || DIRECTIVE.test(content)) open = undefined;
    else if (isAlone && open?.lastLine === line - 1) {
      open.text += `\n${content}`;
      open.lastLine = line;
    } else {
      const comment = { line, lastLine: line, text: content };
      comments.push(comment);
      open = isAlone ? comment : undefined;
    }
    moveTo(end);
  };
  const addBlockComment = (): void => {
    const end = endOr(text.indexOf('*/', at + 2), text.length);
    const lines = text
      .slice(at + 2, end)
      .replace(/^\*+/, '')
      .split('\n');
    const content = lines
      .map((one) => one.replace(/^\s*\*\s?/, '').trim())
      .join('\n')
      .trim();
    const first = line;
    moveTo(Math.min(end + 2, text.length));
    open = undefined;
    if (content !== '' && !DIRECTIVE.test(content)) comments.push({ line: first, lastLine: line, text: content });
  };
  while (at < text.length) {
    const character = text[at]!;
    if (character.trim() === '') moveTo(at + 1);
    else if (text.startsWith('//', at)) addLineComment();
    else if (text.startsWith('/*', at)) addBlockComment();
    else if (character === '`') {
      const end = endOfTemplate(text, at);
      literals.push({ line, at, end, text: withoutValues(text.slice(at + 1, end - 1)) });
      moveTo(end);
      last = '`';
    } else {
      const quoted = matchAt(QUOTED);
      const regex = !quoted && character === '/' && mayBeRegex(text, at, last, isJsx) ? matchAt(REGEX) : null;
      if (quoted) {
        const said = (quoted[1] ?? quoted[2] ?? '').replace(/\\(['"`])/g, '$1');
        literals.push({ line, at, end: at + quoted[0].length, text: said });
      }
      last = quoted ? "'" : regex ? 'r' : character;
      moveTo(at + ((quoted ?? regex)?.[0].length ?? 1));
    }
  }
  return { comments, literals };
}

const endOr = (found: number, end: number): number => (found < 0 ? end : found);

function mayBeRegex(text: string, at: number, last: string, isJsx: boolean): boolean {
  if (isJsx && last === '<') return false;
  return last === '' || BEFORE_REGEX.test(last) || WORDS_BEFORE_REGEX.test(text.slice(Math.max(0, at - 24), at));
}

/** Offset after the closing backquote; values in `${}` may contain braces and other templates. */
function endOfTemplate(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '`') {
    if (text[at] === '\\') at += 2;
    else if (text.startsWith('${', at)) at = endOfValue(text, at + 2);
    else at++;
  }
  return Math.min(at + 1, text.length);
}

function endOfValue(text: string, start: number): number {
  let at = start;
  for (let depth = 1; at < text.length && depth > 0; ) {
    if (text[at] === '`') {
      at = endOfTemplate(text, at);
      continue;
    }
    if (text[at] === '{') depth++;
    if (text[at] === '}') depth--;
    at++;
  }
  return at;
}

/** Values become `$x`: they are words of the sentence, too. */
function withoutValues(template: string): string {
  let said = '';
  for (let at = 0; at < template.length; ) {
    if (template.startsWith('${', at)) {
      said += '$x';
      at = endOfValue(template, at + 2);
    } else {
      if (template[at] === '\\') at++;
      said += template[at++] ?? '';
    }
  }
  return said;
}
