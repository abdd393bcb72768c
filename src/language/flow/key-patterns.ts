/**
 * Computes the numbers of keys that a pattern can match, as a set of lengths in the bits of an integer. Supports the
 * regular expressions that authors write for digits; other patterns give undefined.
 */
import type { JsonObject } from '../../base/core/json.ts';

/** Maximum number of digits if `digits` does not define one. */
const MAX_DIGITS = 32;
/** Maximum number of digits that `digits` may ask for. */
const MAX_KEYS = 100;
const ALL = (1n << BigInt(MAX_KEYS + 1)) - 1n;
const KEYS = '0123456789ABCD*#';

/** Bit n is set if a text of n keys can match the whole pattern; undefined if the pattern is not supported. */
export function keyLengths(pattern: string): bigint | undefined {
  const reader = new PatternReader(pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''));
  try {
    const lengths = reader.alternatives();
    return reader.isAtEnd ? lengths : undefined;
  } catch {
    return undefined;
  }
}

/** Set of the lengths from `min` to `max`. */
const lengthsBetween = (min: number, max: number): bigint =>
  max < min ? 0n : ((1n << BigInt(Math.min(max, MAX_KEYS) - min + 1)) - 1n) << BigInt(min);

/** Lengths that `digits` of a question accepts, undefined if they are templates, and their description in words. */
export function lengthsOfDigits({ length, min = 1, max = MAX_DIGITS }: JsonObject): { bits?: bigint; words: string } {
  const [least, most] = [length ?? min, length ?? max];
  const words = least === most ? `${String(least)} digits` : `${String(least)} to ${String(most)} digits`;
  if (typeof least !== 'number' || typeof most !== 'number') return { words };
  return { bits: lengthsBetween(least, most), words };
}

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): bigint {
    let lengths = this.#sequence();
    while (this.#take('|')) lengths |= this.#sequence();
    return lengths;
  }

  #sequence(): bigint {
    let lengths = 1n;
    while (!this.isAtEnd && !'|)'.includes(this.#source[this.#at]!)) lengths = joined(lengths, this.#quantified());
    return lengths;
  }

  #quantified(): bigint {
    const one = this.#atom();
    const bounds = /^(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})\??/.exec(this.#source.slice(this.#at));
    if (!bounds) return one;
    this.#at += bounds[0].length;
    const [, sign, least, comma, most] = bounds;
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const max = sign === '?' ? 1 : sign !== undefined || (comma && !most) ? MAX_KEYS : Number(most || least);
    let lengths = 0n;
    let times = 1n;
    for (let count = 0; count <= Math.min(max, MAX_KEYS) && times !== 0n; count++) {
      if (count >= min) lengths |= times;
      times = joined(times, one);
    }
    return lengths;
  }

  #atom(): bigint {
    if (this.#take('(')) {
      if (this.#take('?') && !this.#take(':')) throw new Error('not understood');
      const lengths = this.alternatives();
      if (!this.#take(')')) throw new Error('not closed');
      return lengths;
    }
    const matched = /^(?:\[(\^?)((?:\\.|[^\]\\])+)\]|\\(.)|([^\\[\](){}*+?^$]))/.exec(this.#source.slice(this.#at));
    if (!matched) throw new Error('not understood');
    this.#at += matched[0].length;
    const [, not, members, escaped, plain] = matched;
    const isKey = members === undefined ? charTest(escaped, plain) : classTest(members, not === '^');
    return [...KEYS].some(isKey) ? 2n : 0n;
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }
}

type CharTest = (key: string) => boolean;

function charTest(escaped: string | undefined, plain: string | undefined): CharTest {
  if (plain !== undefined) return (key) => plain === '.' || plain === key;
  if (escaped === 'd') return (key) => /\d/.test(key);
  if (escaped === undefined || /[a-zA-Z0-9]/.test(escaped)) throw new Error('not understood');
  return (key) => key === escaped;
}

function classTest(members: string, isNegated: boolean): CharTest {
  if (/\\[^d\]\\*#.^-]|\[/.test(members)) throw new Error('not understood');
  const own = new RegExp(`[${members}]`);
  return (key) => own.test(key) !== isNegated;
}

/** Sums of each length of one set and each length of the other. */
function joined(one: bigint, other: bigint): bigint {
  let lengths = 0n;
  for (let count = 0; count <= MAX_KEYS && one >> BigInt(count) !== 0n; count++) {
    if ((one >> BigInt(count)) & 1n) lengths |= other << BigInt(count);
  }
  return lengths & ALL;
}
