/**
 * Translates JavaScript expressions to JSONata: names, literals, arithmetic, comparisons, `&&`, `||`, `!`, `? :` and
 * the string methods with a counterpart. Any other construct is rejected, so that nothing is translated incompletely.
 * The importers of VoiceXML and SWML resolve the names.
 *
 * Invariants
 * - length and depth of the text are limited;
 * - JavaScript compares '5' and 5 as equal, JSONata does not: such comparisons compare both sides as texts.
 */
import { untranslated } from './fidelity.ts';
import { pathBelow, quotedText } from './jsonata-text.ts';

/** Resolves a name and the properties after its dots to an expression. */
export type NameOf = (path: readonly string[]) => string;

type Kind = 'text' | 'number' | 'truth' | 'nothing' | 'name';
interface Part {
  expression: string;
  kind: Kind;
  /** Precedence. Parts with a lower one are put into parentheses. */
  binds: number;
  /** Its truth value, if that has a shorter form than testing the value. */
  truth?: Part;
}

const LONGEST = 2000;
const DEEPEST = 40;
const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([A-Za-z_$][\w$]*)|(===|!==|==|!=|>=|<=|&&|\|\||[-+*/%!<>?:()[\].,]))/y;
const PRIMARY = 9;
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '===', '!=='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

/** String methods: from the text and the arguments to an expression. */
const METHODS: Readonly<Record<string, (text: string, ...args: string[]) => string>> = {
  toLowerCase: (text) => `$lowercase(${text})`,
  toUpperCase: (text) => `$uppercase(${text})`,
  trim: (text) => `$trim(${text})`,
  toString: (text: string) => `$string(${text})`,
  charAt: (text: string, at = '0') => `$substring(${text}, ${at}, 1)`,
  substr: (text: string, from = '0', length?: string) =>
    `$substring(${text}, ${from}${length === undefined ? '' : `, ${length}`})`,
  substring: (text: string, from = '0', to?: string) =>
    `$substring(${text}, ${from}${to === undefined ? '' : `, ${lengthBetween(from, to)}`})`,
};
const FUNCTIONS: Readonly<Record<string, string>> = {
  Number: '$number',
  parseInt: '$number',
  parseFloat: '$number',
  String: '$string',
  Boolean: '$boolean',
};
const OF_MATH: Readonly<Record<string, string>> = { floor: '$floor', ceil: '$ceil', round: '$round', abs: '$abs' };

const lengthBetween = (from: string, to: string): string =>
  /^\d+$/.test(from) && /^\d+$/.test(to) ? String(Math.max(0, Number(to) - Number(from))) : `${to} - ${from}`;

/** Translates an expression to its value. */
export const javascriptValue = (written: string, nameOf: NameOf): string => parse(written, nameOf).expression;

/** Translates an expression to a condition, with the truth rules of JavaScript. */
export const javascriptCondition = (written: string, nameOf: NameOf): string =>
  truthOf(parse(written, nameOf)).expression;

function parse(written: string, nameOf: NameOf): Part {
  if (written.trim() === '' || written.length > LONGEST) refuse(written);
  return new Parser(written, nameOf).whole();
}

function refuse(written: string): never {
  return untranslated(`write ${written.trim().slice(0, 200) || 'an empty expression'} as JSONata`);
}

const primary = (expression: string, kind: Kind = 'name'): Part => ({ expression, kind, binds: PRIMARY });

const truthOf = (part: Part): Part =>
  part.truth ?? (part.kind === 'truth' ? part : primary(`$boolean(${part.expression})`, 'truth'));

const held = ({ expression, binds }: Part, level: number): string => (binds < level ? `(${expression})` : expression);

class Parser {
  readonly #written: string;
  readonly #nameOf: NameOf;
  readonly #tokens: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(written: string, nameOf: NameOf) {
    this.#written = written;
    this.#nameOf = nameOf;
    const text = written.trim();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const match = TOKEN.exec(text);
      if (!match) refuse(written);
      this.#tokens.push(match[0].trim());
    }
  }

  whole(): Part {
    const part = this.#choice();
    if (this.#at < this.#tokens.length) refuse(this.#written);
    return part;
  }

  #takes(...tokens: string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || !tokens.includes(token)) return undefined;
    this.#at += 1;
    return token;
  }

  #expect(token: string): void {
    if (this.#takes(token) === undefined) refuse(this.#written);
  }

  #choice(): Part {
    if (++this.#depth > DEEPEST) refuse(this.#written);
    const condition = this.#level(0);
    let made = condition;
    if (this.#takes('?') !== undefined) {
      const yes = this.#choice();
      this.#expect(':');
      const no = this.#choice();
      const expression = `${held(truthOf(condition), 1)} ? ${held(yes, 1)} : ${held(no, 1)}`;
      made = { expression, kind: yes.kind === no.kind ? yes.kind : 'name', binds: 0 };
    }
    this.#depth -= 1;
    return made;
  }

  #level(level: number): Part {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#level(level + 1);
    for (let operator = this.#takes(...operators); operator !== undefined; operator = this.#takes(...operators)) {
      left = joined(left, operator, this.#level(level + 1), level + 1);
    }
    return left;
  }

  #unary(): Part {
    if (++this.#depth > DEEPEST) refuse(this.#written);
    const operator = this.#takes('!', '-', '+');
    const part = operator === undefined ? this.#member() : this.#unary();
    this.#depth -= 1;
    if (operator === undefined) return part;
    if (operator === '!') return primary(`$not(${truthOf(part).expression})`, 'truth');
    if (operator === '+') return primary(`$number(${part.expression})`, 'number');
    return primary(`-${held(part, PRIMARY)}`, 'number');
  }

  #member(): Part {
    const token = this.#tokens[this.#at++];
    if (token === undefined) refuse(this.#written);
    if (token === '(') {
      const inner = this.#choice();
      this.#expect(')');
      return this.#tokens[this.#at] === '.' ? this.#behind(inner) : inner;
    }
    if (/^\d/.test(token)) return primary(token, 'number');
    if (/^["']/.test(token)) return this.#behind(primary(quotedText(unquoted(token, this.#written)), 'text'));
    if (/^(true|false)$/.test(token)) return primary(token, 'truth');
    if (/^(null|undefined)$/.test(token)) return primary('null', 'nothing');
    if (!/^[A-Za-z_$]/.test(token) || /^(new|function|typeof|void|in|this|instanceof|delete)$/.test(token))
      refuse(this.#written);
    return this.#name(token);
  }

  #name(first: string): Part {
    const path = [first];
    for (;;) {
      if (this.#takes('.') !== undefined) {
        const name = this.#tokens[this.#at++] ?? '';
        if (!/^[A-Za-z_$]/.test(name)) refuse(this.#written);
        path.push(name);
      } else if (
        /^(["']|\d+$)/.test(this.#tokens[this.#at + 1] ?? '') &&
        this.#tokens[this.#at + 2] === ']' &&
        this.#takes('[')
      ) {
        const key = this.#tokens[this.#at]!;
        this.#at += 2;
        path.push(/^\d/.test(key) ? key : unquoted(key, this.#written));
      } else break;
    }
    if (this.#tokens[this.#at] === '(') return this.#behind(this.#called(path));
    if (path.length > 1 && path.at(-1) === 'length') {
      const of = this.#nameOf(path.slice(0, -1));
      return primary(`($type(${of}) = 'array' ? $count(${of}) : $length(${of}))`, 'number');
    }
    return primary(this.#nameOf(path));
  }

  #called(path: readonly string[]): Part {
    const args = this.#arguments();
    const name = path.at(-1)!;
    if (path.length === 1 && Object.hasOwn(FUNCTIONS, name) && args.length >= 1) {
      const kind: Kind = name === 'String' ? 'text' : name === 'Boolean' ? 'truth' : 'number';
      return primary(`${FUNCTIONS[name]}(${args[0]})`, kind);
    }
    if (path.length === 2 && path[0] === 'Math' && Object.hasOwn(OF_MATH, name) && args.length === 1) {
      return primary(`${OF_MATH[name]}(${args[0]})`, 'number');
    }
    if (path.length === 1) refuse(this.#written);
    return this.#method(this.#nameOf(path.slice(0, -1)), name, args);
  }

  #method(of: string, name: string, args: readonly string[]): Part {
    const make = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (make === undefined || args.length > 2) refuse(this.#written);
    return primary(make(of, ...args), 'text');
  }

  /** Parses methods of a value that is not a name, such as `'A'.toLowerCase()`. */
  #behind(part: Part): Part {
    let made = part;
    while (this.#takes('.') !== undefined) {
      const name = this.#tokens[this.#at++] ?? '';
      if (name === 'length') made = primary(`$length(${made.expression})`, 'number');
      else if (this.#tokens[this.#at] === '(') made = this.#method(made.expression, name, this.#arguments());
      else made = primary(pathBelow(held(made, PRIMARY), [name]));
    }
    return made;
  }

  #arguments(): string[] {
    this.#expect('(');
    const args: string[] = [];
    if (this.#takes(')') !== undefined) return args;
    do args.push(this.#choice().expression);
    while (this.#takes(',') !== undefined);
    this.#expect(')');
    return args;
  }
}

function joined(left: Part, operator: string, right: Part, level: number): Part {
  const truth = (expression: string): Part => ({ expression, kind: 'truth', binds: level });
  if (operator === '||' || operator === '&&') {
    const word = operator === '||' ? 'or' : 'and';
    const both = truth(`${held(truthOf(left), level)} ${word} ${held(truthOf(right), level)}`);
    if (left.kind === 'truth' && right.kind === 'truth') return both;
    // The result is the value of one side: `name || 'friend'`.
    const [yes, no] = operator === '||' ? [left, right] : [right, left];
    const value = `(${truthOf(left).expression} ? ${yes.expression} : ${no.expression})`;
    return { ...primary(value, left.kind === right.kind ? left.kind : 'name'), truth: both };
  }
  if (/^[!=]/.test(operator)) return equality(left, right, operator.startsWith('!'), level);
  if (/^[<>]/.test(operator)) return truth(`${numeric(left, level + 1)} ${operator} ${numeric(right, level + 1)}`);
  if (operator === '+') return sum(left, right, level);
  return {
    expression: `${numeric(left, level)} ${operator} ${numeric(right, level + 1)}`,
    kind: 'number',
    binds: level,
  };
}

function equality(left: Part, right: Part, isNot: boolean, level: number): Part {
  const [nothing, other] = left.kind === 'nothing' ? [left, right] : [right, left];
  if (nothing.kind === 'nothing') {
    const is = `${held(other, level + 1)} = null`;
    const exists = `$exists(${other.expression})`;
    return primary(isNot ? `(${exists} and $not(${is}))` : `($not(${exists}) or ${is})`, 'truth');
  }
  // JavaScript compares '5' and 5 as equal.
  const isUnsaved = left.kind === 'number' || right.kind === 'number';
  const [a, b] = [left, right].map((part) => (isUnsaved ? `$string(${part.expression})` : held(part, level + 1)));
  return isNot ? primary(`$not(${a} = ${b})`, 'truth') : { expression: `${a} = ${b}`, kind: 'truth', binds: level };
}

/** `+` adds numbers and concatenates texts. If neither type is known, it can only be decided during the call. */
function sum(left: Part, right: Part, level: number): Part {
  if (left.kind === 'text' || right.kind === 'text') {
    return { expression: `${held(left, level)} & ${held(right, level + 1)}`, kind: 'text', binds: level };
  }
  if (left.kind === 'number' || right.kind === 'number') {
    return { expression: `${numeric(left, level)} + ${numeric(right, level + 1)}`, kind: 'number', binds: level };
  }
  const [a, b] = [held(left, level), held(right, level + 1)];
  return primary(`($type(${a}) = 'number' and $type(${b}) = 'number' ? ${a} + ${b} : $string(${a}) & $string(${b}))`);
}

const numeric = (part: Part, level: number): string =>
  part.kind === 'number' ? held(part, level) : `$number(${part.expression})`;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Text of a JavaScript string literal. */
function unquoted(token: string, written: string): string {
  if (/\\[ux0-7bfv]/.test(token)) refuse(written);
  return token.slice(1, -1).replaceAll(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char);
}
