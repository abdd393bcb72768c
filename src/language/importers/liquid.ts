/**
 * Translates Liquid templates of Twilio Studio: `{{ … | filter }}` and `{% if %}` become JSONata. A text is translated
 * completely or not at all; the result then has the reason.
 */
import { deployedName, pathBelow, quotedText, type TemplatePart, textOfTemplate } from './jsonata-text.ts';

/** Returns the JSONata for a name such as `widgets.ask.Digits`, or the reason why it has none. */
export type ResolveName = (path: readonly string[]) => { expression: string } | { problem: string };

export type Translated = { text: string } | { problem: string };

/** Translates a text with templates. A single number or other value keeps its type. */
export function translateLiquid(text: string, resolve: ResolveName): Translated {
  try {
    return { text: textOfTemplate(new LiquidReader(text, resolve).all()) };
  } catch (error) {
    if (error instanceof LiquidProblem) return { problem: error.message };
    throw error;
  }
}

/** Translates a text to one JSONata expression, for conditions. */
export function liquidExpression(text: string, resolve: ResolveName): { expression: string } | { problem: string } {
  try {
    return { expression: joined(new LiquidReader(text, resolve).all()) };
  } catch (error) {
    if (error instanceof LiquidProblem) return { problem: error.message };
    throw error;
  }
}

class LiquidProblem extends Error {}

const DEEPEST = 20;
/** Limits: conditions are parsed recursively. */
const LONGEST = 5000;
const TAG = /\{\{-?\s*(.*?)\s*-?\}\}|\{%-?\s*(.*?)\s*-?%\}/gs;

class LiquidReader {
  readonly #pieces: { output?: string; tag?: string; literal?: string }[] = [];
  readonly #resolve: ResolveName;
  /** Expressions of the names that the template assigns. */
  readonly #locals = new Map<string, string>();
  #at = 0;
  #depth = 0;

  constructor(text: string, resolve: ResolveName) {
    this.#resolve = ([first = '', ...rest]) => {
      const local = this.#locals.get(first);
      return local === undefined ? resolve([first, ...rest]) : { expression: pathBelow(local, rest) };
    };
    if (text.length > LONGEST)
      throw new LiquidProblem(`a template of more than ${LONGEST} characters is not translated`);
    let from = 0;
    for (const match of text.matchAll(TAG)) {
      if (match.index > from) this.#pieces.push({ literal: text.slice(from, match.index) });
      this.#pieces.push(match[1] === undefined ? { tag: match[2]! } : { output: match[1] });
      from = match.index + match[0].length;
    }
    if (from < text.length) this.#pieces.push({ literal: text.slice(from) });
  }

  all(): TemplatePart[] {
    const parts = this.#block();
    const left = this.#pieces[this.#at]?.tag;
    if (left !== undefined) throw new LiquidProblem(`{% ${left.slice(0, 60)} %} ends nothing`);
    return parts;
  }

  /** Reads parts up to a tag that ends or continues the enclosing block. */
  #block(): TemplatePart[] {
    const parts: TemplatePart[] = [];
    if (++this.#depth > DEEPEST) throw new LiquidProblem('its blocks stand too deep in each other');
    for (; this.#at < this.#pieces.length; this.#at++) {
      const { literal, output, tag } = this.#pieces[this.#at]!;
      if (literal !== undefined) parts.push(...literalParts(literal));
      else if (output !== undefined) parts.push({ expression: filtered(output, this.#resolve) });
      else if (/^(elsif|else|when|end\w+)\b/.test(tag!)) break;
      else if (/^(assign|capture)\b/.test(tag!)) this.#assign(tag!);
      else if (/^comment\b/.test(tag!)) this.#until('endcomment');
      else parts.push({ expression: /^case\b/.test(tag!) ? this.#cases(tag!) : this.#conditional(tag!) });
    }
    this.#depth--;
    return parts;
  }

  /** A name has one value for the whole template, so that it cannot be assigned within a condition. */
  #assign(tag: string): void {
    const [, word, name = '', value] =
      /^(assign|capture)\s+["']?([A-Za-z_][\w-]*)["']?\s*(?:=\s*(.*))?$/s.exec(tag) ?? [];
    if (this.#depth > 1 || name === '' || (word === 'assign') !== (value !== undefined)) {
      throw new LiquidProblem(`{% ${tag.slice(0, 60)} %} has no counterpart`);
    }
    if (value !== undefined) return void this.#locals.set(name, `(${filtered(value, this.#resolve)})`);
    this.#at++;
    const parts = this.#block();
    if (!/^endcapture\b/.test(this.#pieces[this.#at]?.tag ?? ''))
      throw new LiquidProblem('a {% capture %} is not ended');
    this.#locals.set(name, `(${joined(parts)})`);
  }

  #until(end: string): void {
    while (this.#pieces[this.#at] !== undefined && this.#pieces[this.#at]!.tag !== end) this.#at++;
  }

  /** `case` with its `when` branches: the first that has the value is taken. */
  #cases(tag: string): string {
    const [tested, rest] = valueIn(tag.replace(/^case/, ''), this.#resolve);
    if (rest.trim() !== '') throw new LiquidProblem(`{% ${tag.slice(0, 60)} %} has no counterpart`);
    this.#at++;
    // White space before the first `when` is not said.
    this.#block();
    const ways: string[] = [];
    let otherwise = "''";
    for (;;) {
      const branch = this.#pieces[this.#at]?.tag ?? '';
      if (/^endcase\b/.test(branch)) return ways.reduceRight((rest, way) => `(${way} : ${rest})`, otherwise);
      const isElse = branch === 'else';
      if (!isElse && !/^when\b/.test(branch)) throw new LiquidProblem('a {% case %} is not ended');
      this.#at++;
      const then = joined(this.#block());
      if (isElse) otherwise = then;
      else ways.push(`${this.#isOneOf(tested, branch)} ? ${then}`);
    }
  }

  #isOneOf(tested: string, branch: string): string {
    const values: string[] = [];
    for (let rest = branch.replace(/^when/, ''); rest.trim() !== ''; ) {
      const [value, after] = valueIn(rest, this.#resolve);
      values.push(value);
      rest = after.replace(/^\s*(,|or\b)/, '');
      if (rest === after && rest.trim() !== '') throw new LiquidProblem(`“${rest.trim().slice(0, 60)}” is not a value`);
    }
    return values.length === 1 ? `${tested} = ${values[0]}` : `${tested} in [${values.join(', ')}]`;
  }

  #conditional(tag: string): string {
    const [, word = '', rest = ''] = /^(\w+)\s*(.*)$/s.exec(tag) ?? [];
    if (word !== 'if' && word !== 'unless' && word !== 'elsif') {
      throw new LiquidProblem(`{% ${tag.slice(0, 60)} %} has no counterpart`);
    }
    const condition = conditionOf(rest, this.#resolve);
    this.#at++;
    const then = joined(this.#block());
    const end = this.#pieces[this.#at]?.tag ?? '';
    const otherwise = this.#otherwise(end);
    return `(${word === 'unless' ? `$not(${condition})` : condition} ? ${then} : ${otherwise})`;
  }

  #otherwise(tag: string): string {
    if (/^end(if|unless)\b/.test(tag)) return "''";
    if (tag.startsWith('elsif')) return this.#conditional(tag);
    if (tag !== 'else') throw new LiquidProblem('an {% if %} is not ended');
    this.#at++;
    const parts = joined(this.#block());
    if (!/^end(if|unless)\b/.test(this.#pieces[this.#at]?.tag ?? ''))
      throw new LiquidProblem('an {% if %} is not ended');
    return parts;
  }
}

/** Text between tags. Names that a tool fills in when it deploys the flow are values of the configuration. */
const literalParts = (literal: string): TemplatePart[] =>
  literal
    .split(/(\$\{[A-Za-z_]\w*\})/)
    .filter((text) => text !== '')
    .map((text) => {
      const expression = deployedName(text);
      return expression === undefined ? { text } : { expression };
    });

const joined = (parts: readonly TemplatePart[]): string =>
  parts.length === 0
    ? "''"
    : parts.map((part) => ('text' in part ? quotedText(part.text) : part.expression)).join(' & ');

const VALUE =
  /^\s*(?:"([^"]*)"|'([^']*)'|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w-]*(?:\.[\w-]+|\[\s*(?:\d+|"[^"]*"|'[^']*')\s*\])*))\s*/s;
const WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  nil: 'null',
  null: 'null',
  blank: "''",
  empty: "''",
};

/** Reads a value at the start of a text; returns it and the rest. */
function valueIn(text: string, resolve: ResolveName): [expression: string, rest: string] {
  const match = VALUE.exec(text);
  if (!match) throw new LiquidProblem(`“${text.trim().slice(0, 60)}” is not a value`);
  const rest = text.slice(match[0].length);
  const [, double, single, number, name] = match;
  if (double !== undefined || single !== undefined) return [quotedText(double ?? single!), rest];
  if (number !== undefined) return [number, rest];
  const word = WORDS[name!];
  if (word !== undefined) return [word, rest];
  const path = [...name!.matchAll(/[\w-]+|"[^"]*"|'[^']*'/g)].map(([part]) => part.replaceAll(/^["']|["']$/g, ''));
  const resolved = resolve(path);
  if ('problem' in resolved) throw new LiquidProblem(resolved.problem);
  return [resolved.expression, rest];
}

function filtered(text: string, resolve: ResolveName): string {
  let [expression, rest] = valueIn(text, resolve);
  while (rest.trim() !== '') {
    const match = /^\s*\|\s*(\w+)\s*(:?)/.exec(rest);
    if (!match) throw new LiquidProblem(`“${rest.trim().slice(0, 60)}” is not a filter`);
    rest = rest.slice(match[0].length);
    const given: string[] = [];
    while (match[2] === ':' && rest.trim() !== '' && !rest.trimStart().startsWith('|')) {
      const [value, after] = valueIn(rest, resolve);
      given.push(value);
      rest = after.replace(/^\s*,/, '');
    }
    const filter = Object.hasOwn(FILTERS, match[1]!) ? FILTERS[match[1]!]! : undefined;
    const made = filter?.(expression, given);
    if (made === undefined) throw new LiquidProblem(`the filter ${match[1]} has no counterpart`);
    expression = made;
  }
  return expression;
}

type Filter = (value: string, given: readonly string[]) => string | undefined;

const arithmetic =
  (operator: string): Filter =>
  (value, [by]) =>
    by === undefined ? undefined : `(${numberOf(value)} ${operator} ${numberOf(by)})`;
/** Missing and blank values count as 0, as in Liquid. */
const numberOf = (value: string): string =>
  /^-?\d+(\.\d+)?$/.test(value) ? value : `$number(${value} ? ${value} : 0)`;

const called =
  (name: string, least = 0): Filter =>
  (value, given) =>
    given.length < least ? undefined : `${name}(${[value, ...given].join(', ')})`;

const FILTERS: Readonly<Record<string, Filter>> = {
  strip: (value) => `$replace(${value}, /^\\s+|\\s+$/, '')`,
  lstrip: (value) => `$replace(${value}, /^\\s+/, '')`,
  rstrip: (value) => `$replace(${value}, /\\s+$/, '')`,
  downcase: called('$lowercase'),
  upcase: called('$uppercase'),
  capitalize: (value) => `($uppercase($substring(${value}, 0, 1)) & $substring(${value}, 1))`,
  append: (value, [more]) => more && `(${value} & ${more})`,
  prepend: (value, [more]) => more && `(${more} & ${value})`,
  plus: arithmetic('+'),
  minus: arithmetic('-'),
  times: arithmetic('*'),
  modulo: arithmetic('%'),
  divided_by: (value, [by]) =>
    by && (/^-?\d+$/.test(by) ? `$floor(${numberOf(value)} / ${by})` : `(${numberOf(value)} / ${numberOf(by)})`),
  round: (value, [digits]) => `$round(${numberOf(value)}${digits === undefined ? '' : `, ${digits}`})`,
  ceil: (value) => `$ceil(${numberOf(value)})`,
  floor: (value) => `$floor(${numberOf(value)})`,
  abs: (value) => `$abs($number(${value}))`,
  replace: called('$replace', 2),
  replace_first: (value, [from, to]) => from && to && `$replace(${value}, ${from}, ${to}, 1)`,
  remove: (value, [what]) => what && `$replace(${value}, ${what}, '')`,
  remove_first: (value, [what]) => what && `$replace(${value}, ${what}, '', 1)`,
  split: called('$split', 1),
  join: (value, [by = "' '"]) => `$join(${value}, ${by})`,
  first: (value) => `(${value})[0]`,
  last: (value) => `(${value})[-1]`,
  reverse: called('$reverse'),
  sort: called('$sort'),
  uniq: called('$distinct'),
  size: (value) => `($type(${value}) = 'string' ? $length(${value}) : $count(${value}))`,
  default: (value, [otherwise]) => otherwise && `($boolean(${value}) ? ${value} : ${otherwise})`,
  slice: (value, [from, length = '1']) => from && `$substring(${value}, ${from}, ${length})`,
  truncate: (value, [most = '50']) =>
    /^\d+$/.test(most)
      ? `($length(${value}) > ${most} ? $substring(${value}, 0, ${Math.max(0, Number(most) - 3)}) & '...' : ${value})`
      : undefined,
  url_encode: called('$encodeUrlComponent'),
  url_decode: called('$decodeUrlComponent'),
  to_json: called('$string'),
  json: called('$string'),
  date: (value, [format]) => {
    const picture = format === undefined ? undefined : pictureOf(format);
    if (picture === undefined) return undefined;
    return value === "'now'" ? `$now(${picture})` : `$fromMillis($toMillis(${value}), ${picture})`;
  },
};

const PICTURES: Readonly<Record<string, string>> = {
  ...{ H: '[H01]', I: '[h01]', l: '[h]', M: '[m01]', S: '[s01]', p: '[PN]', P: '[Pn]' },
  ...{ d: '[D01]', e: '[D]', m: '[M01]', Y: '[Y0001]', A: '[FNn]', a: '[FNn,3-3]', B: '[MNn]', b: '[MNn,3-3]' },
  ...{
    F: '[Y0001]-[M01]-[D01]',
    T: '[H01]:[m01]:[s01]',
    R: '[H01]:[m01]',
    u: '[F1]',
    '-d': '[D]',
    '-m': '[M]',
    '-H': '[H]',
  },
};

/** Converts a `strftime` format. Undefined if a part has no counterpart. */
function pictureOf(quoted: string): string | undefined {
  let isWhole = true;
  const picture = quoted.replaceAll(/%(-?\w|%)/g, (_, letter: string) => {
    if (letter === '%') return '%';
    isWhole &&= PICTURES[letter] !== undefined;
    return PICTURES[letter] ?? '';
  });
  return isWhole && /^'/.test(quoted) ? picture : undefined;
}

/** Liquid evaluates `and` and `or` from right to left, with equal precedence. */
function conditionOf(text: string, resolve: ResolveName): string {
  const [left, afterLeft] = valueIn(text, resolve);
  let [condition, rest] = comparison(left, afterLeft, resolve);
  const link = /^\s*(and|or)\b/.exec(rest);
  if (link) {
    rest = rest.slice(link[0].length);
    condition = `(${condition} ${link[1]} ${conditionOf(rest, resolve)})`;
  } else if (rest.trim() !== '') throw new LiquidProblem(`“${rest.trim().slice(0, 60)}” is not a condition`);
  return condition;
}

function comparison(left: string, rest: string, resolve: ResolveName): [condition: string, rest: string] {
  const operator = /^\s*(==|!=|<>|>=|<=|>|<|contains\b)/.exec(rest)?.[0];
  if (operator === undefined) return [`$boolean(${left})`, rest];
  const [right, after] = valueIn(rest.slice(operator.length), resolve);
  const sign = operator.trim();
  if (sign === '==') return [`${left} = ${right}`, after];
  if (sign === '!=' || sign === '<>') return [`$not(${left} = ${right})`, after];
  if (sign === 'contains') return [`$contains($string(${left}), ${right})`, after];
  return [`$number(${left}) ${sign} $number(${right})`, after];
}
