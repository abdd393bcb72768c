/**
 * Generates texts that a regular expression matches, the simplest first, for patterns of digits in flows. Returns no
 * text for unsupported syntax (look-around, back references). Pure.
 */
const MAX_TEXTS = 24;
/** Repetitions for `*` and `+`. */
const MAX_REPEATS = 3;
const DIGITS = [...'1234567890'];

export function textsFor(pattern: string): string[] {
  const reader = new Reader(pattern.replace(/^\^/, '').replace(/\$$/, ''));
  try {
    const texts = reader.alternatives();
    return reader.isAtEnd ? [...new Set(texts)] : [];
  } catch (error) {
    if (error instanceof NotUnderstood) return [];
    throw error;
  }
}

class NotUnderstood extends Error {}

class Reader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  alternatives(): string[] {
    const texts = this.#sequence();
    while (this.#take('|')) texts.push(...this.#sequence());
    return texts.slice(0, MAX_TEXTS);
  }

  #sequence(): string[] {
    let texts = [''];
    while (!this.isAtEnd && !'|)'.includes(this.#pattern[this.#at]!)) {
      const one = this.#atom();
      const counts = this.#counts();
      const parts = counts.flatMap((count) => one.map((_, first) => repeated(one, first, count)));
      texts = texts.flatMap((text) => parts.map((part) => text + part)).slice(0, MAX_TEXTS);
    }
    return texts;
  }

  #atom(): string[] {
    const character = this.#pattern[this.#at++]!;
    if (character === '(') {
      if (this.#take('?') && !this.#take(':')) throw new NotUnderstood();
      const inner = this.alternatives();
      if (!this.#take(')')) throw new NotUnderstood();
      return inner;
    }
    if (character === '[') return this.#set();
    if (character === '.') return DIGITS;
    if (character === '\\') return this.#escaped();
    if ('*+?{}^$'.includes(character)) throw new NotUnderstood();
    return [character];
  }

  #escaped(): string[] {
    const character = this.#pattern[this.#at++] ?? '';
    if (character === 'd') return DIGITS;
    if (/\w/.test(character)) throw new NotUnderstood();
    return [character];
  }

  #set(): string[] {
    if (this.#take('^')) throw new NotUnderstood();
    const found: string[] = [];
    while (!this.#take(']')) {
      if (this.isAtEnd) throw new NotUnderstood();
      const from = this.#pattern[this.#at++]!;
      if (from === '\\') found.push(...this.#escaped());
      else if (this.#pattern[this.#at] === '-' && this.#pattern[this.#at + 1] !== ']') {
        const to = this.#pattern[this.#at + 1]!;
        this.#at += 2;
        for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) found.push(String.fromCharCode(code));
      } else found.push(from);
    }
    // As in `\d`: a number with a leading zero is not the simplest.
    return found.includes('0') ? [...found.filter((each) => each !== '0'), '0'] : found;
  }

  /** Reads a quantifier and returns a few of its possible counts. */
  #counts(): number[] {
    if (this.#take('?')) return [1, 0];
    if (this.#take('*')) return [1, 0, MAX_REPEATS];
    if (this.#take('+')) return [1, MAX_REPEATS];
    const [whole, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (whole === undefined) return [1];
    this.#at += whole.length;
    return comma === '' ? [Number(least)] : [Number(least), Number(most === '' ? Number(least) + 1 : most)];
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

/** Repeats an atom; if it has several texts, uses one after the other: `1234`, not `1111`. */
const repeated = (texts: readonly string[], first: number, count: number): string =>
  Array.from({ length: count }, (_, index) => texts[(first + index) % texts.length]!).join('');
