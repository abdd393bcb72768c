/** Values of YAML scalars by the core schema of YAML 1.2. `read-yaml.ts` finds their ends. */

/** Returns undefined if an escape is invalid. */
export function doubleQuoted(inner: string): string | undefined {
  if (!/[\\\n]/.test(inner)) return inner;
  let isSound = true;
  const value = inner.replace(DOUBLE_PARTS, (part, escaped: string | undefined) => {
    if (escaped === undefined) return folded(part);
    if (/^\r?\n/.test(escaped)) return '';
    const code = /^[xuU]/.test(escaped) ? Number.parseInt(escaped.slice(1), 16) : Number.NaN;
    const isCode = escaped.length === HEX_LENGTHS[escaped[0]!]! + 1 && code <= 0x10ffff;
    const made = isCode ? String.fromCodePoint(code) : ESCAPES[escaped];
    isSound &&= made !== undefined;
    return made ?? '';
  });
  return isSound ? value : undefined;
}

export const singleQuoted = (inner: string): string =>
  inner.replace(LINE_ENDS, (part) => folded(part)).replaceAll("''", "'");

/** Folds line ends and the spaces around them: a single one becomes a space, of several the first is dropped. */
export const folded = (lineEnds: string): string => '\n'.repeat(lineEnds.split('\n').length - 2) || ' ';

const LINE_ENDS = /[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*/g;
const DOUBLE_PARTS =
  /\\(\r?\n[ \t]*|x[\da-fA-F]{0,2}|u[\da-fA-F]{0,4}|U[\da-fA-F]{0,8}|[\s\S])|[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*/g;
const HEX_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const ESCAPES: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  '\t': '\t',
};

const NULL = /^(?:~|[Nn]ull|NULL)?$/;
const BOOLEAN = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const OTHER_BASE = /^0(?:o[0-7]+|x[\da-fA-F]+)$/;
const NO_NUMBER = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

/** Value of a scalar without quotes. */
export function plainValue(source: string): string | number | boolean | null {
  if (NULL.test(source)) return null;
  // Most plain scalars are words.
  if (/^[A-Za-z]/.test(source)) return BOOLEAN.test(source) ? /^t/i.test(source) : source;
  if (NUMBER.test(source) || OTHER_BASE.test(source)) return Number(source);
  if (!NO_NUMBER.test(source)) return source;
  if (/nan/i.test(source)) return Number.NaN;
  return source.startsWith('-') ? -Infinity : Infinity;
}

export interface BlockHeader {
  isFolded: boolean;
  keep: '' | '-' | '+';
}

/** Value of a block scalar: `lines` are the lines below its header, `indent` is the indentation of its content. */
export function blockValue({ isFolded, keep }: BlockHeader, lines: readonly string[], indent: number): string {
  let last = lines.length;
  while (last > 0 && /^ *$/.test(lines[last - 1]!) && lines[last - 1]!.length <= indent) last -= 1;
  const empty = lines.length - last;
  if (last === 0) return keep === '+' ? '\n'.repeat(empty) : '';
  const own = lines.slice(0, last).map((line) => line.slice(indent));
  const body = isFolded ? foldedBlock(own) : own.join('\n');
  return body + (keep === '-' ? '' : keep === '+' ? '\n'.repeat(empty + 1) : '\n');
}

/** Folds lines, except that lines with a deeper indentation keep their line ends. */
function foldedBlock(lines: readonly string[]): string {
  let value = '';
  let between = '';
  let wasFurtherIn = false;
  let isBegun = false;
  for (const line of lines) {
    if (line === '') {
      if (!isBegun || between === '\n') value += '\n';
      else between = '\n';
      continue;
    }
    const isFurtherIn = /^[ \t]/.test(line);
    if (isFurtherIn && isBegun) {
      if (between === ' ') between = '\n';
      else if (!wasFurtherIn && between === '\n') between = '\n\n';
    }
    value += between + line;
    between = isFurtherIn ? '\n' : ' ';
    wasFurtherIn = isFurtherIn;
    isBegun = true;
  }
  return value;
}
