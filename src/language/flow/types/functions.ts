/**
 * Signatures of the JSONata functions that flows may use (`expression.ts` removes `$eval` and `$shuffle`), in JSONata's
 * notation: `s` text, `n` number, `b` boolean, `l` null, `o` map, `a` list, `f` function, `x` any value, `(…)` one of
 * several, `-` taken from the context if omitted, `?` optional, `+` one or more, `a<n>` a list of numbers (or one
 * number).
 */
import { ANY, BOOLEAN, KIND, listOf, mapOf, NUMBER, perhaps, TEXT, type Type } from './type.ts';

const SIGNATURES: Readonly<Record<string, string>> = {
  sum: 'a<n>:n',
  count: 'a:n',
  max: 'a<n>:n',
  min: 'a<n>:n',
  average: 'a<n>:n',
  string: 'x-b?:s',
  substring: 's-nn?:s',
  substringBefore: 's-s:s',
  substringAfter: 's-s:s',
  lowercase: 's-:s',
  uppercase: 's-:s',
  length: 's-:n',
  trim: 's-:s',
  pad: 's-ns?:s',
  match: 's-fn?:x',
  contains: 's-(sf):b',
  replace: 's-(sf)(sf)n?:s',
  split: 's-(sf)n?:a<s>',
  join: 'a<s>s?:s',
  formatNumber: 'n-so?:s',
  formatBase: 'n-n?:s',
  formatInteger: 'n-s:s',
  parseInteger: 's-s:n',
  number: '(nsb)-:n',
  floor: 'n-:n',
  ceil: 'n-:n',
  round: 'n-n?:n',
  abs: 'n-:n',
  sqrt: 'n-:n',
  power: 'n-n:n',
  random: ':n',
  boolean: 'x-:b',
  not: 'x-:b',
  map: 'af:x',
  zip: 'a+:x',
  filter: 'af:x',
  single: 'af?:x',
  reduce: 'afx?:x',
  sift: 'o-f?:x',
  keys: 'x-:x',
  lookup: 'x-s:x',
  append: 'xx:x',
  exists: 'x:b',
  spread: 'x-:x',
  merge: 'a<o>:o',
  reverse: 'a:a',
  each: 'o-f:x',
  error: 's?:x',
  assert: 'bs?:x',
  type: 'x:s',
  sort: 'af?:a',
  distinct: 'x:x',
  base64encode: 's-:s',
  base64decode: 's-:s',
  encodeUrlComponent: 's-:s',
  encodeUrl: 's-:s',
  encodeUrlPath: 's-:s',
  decodeUrlComponent: 's-:s',
  decodeUrl: 's-:s',
  toMillis: 's-s?:n',
  fromMillis: 'n-s?s?:s',
  clone: '(oa)-:x',
  now: 's?s?:s',
  local: 's?s?:s',
  millis: ':n',
  spoken: '(sn)s?s?:s',
};

export interface Parameter {
  /** Accepted kinds, as a bit set. */
  kinds: number;
  /** Accepted kinds of a list's items. */
  itemKinds?: number;
  /** True if the argument is optional. */
  isOptional: boolean;
  /** True if an omitted argument is taken from the context. */
  isFromContext: boolean;
  /** True if the parameter may be repeated. */
  isRest: boolean;
}

export interface FunctionType {
  parameters: readonly Parameter[];
  result: Type;
}

const LETTERS: Readonly<Record<string, number>> = {
  s: KIND.text,
  n: KIND.number,
  b: KIND.boolean,
  l: KIND.null,
  o: KIND.map,
  a: KIND.list,
  f: KIND.function,
  x: ANY.kinds,
};

const RESULTS: Readonly<Record<string, Type>> = {
  s: TEXT,
  n: NUMBER,
  b: BOOLEAN,
  o: mapOf(new Map(), 'any'),
  a: listOf(ANY),
  'a<s>': listOf(TEXT),
  x: ANY,
};

/** Functions that return a value for any arguments. */
const ALWAYS_THERE = ['exists', 'count', 'random', 'now', 'local', 'millis', 'type'];

function parse(name: string, signature: string): FunctionType {
  const [written = '', result = 'x'] = signature.split(':');
  const parameters = [...written.matchAll(/(\([a-z]+\)|[a-z])(?:<([a-z])>)?([-?+]?)/g)].map(
    ([, letters = '', items, mark]): Parameter => ({
      kinds: [...letters.replaceAll(/[()]/g, '')].reduce((sum, letter) => sum | LETTERS[letter]!, 0),
      ...(items !== undefined && { itemKinds: LETTERS[items]! }),
      isOptional: mark === '?',
      isFromContext: mark === '-',
      isRest: mark === '+',
    }),
  );
  const made = RESULTS[result]!;
  return { parameters, result: ALWAYS_THERE.includes(name) ? made : perhaps(made) };
}

export const FUNCTIONS: ReadonlyMap<string, FunctionType> = new Map(
  Object.entries(SIGNATURES).map(([name, signature]) => [name, parse(name, signature)]),
);
