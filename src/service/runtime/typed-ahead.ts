/** Type-ahead buffer: digits pressed while no step was reading. */
const MAX_DIGITS = 64;

export class TypedAhead {
  #digits = '';
  #ignored: { digit: string; untilMs: number } | undefined;

  /** Keeps a digit for a later step. */
  add(digit: string): void {
    if (this.#digits.length < MAX_DIGITS) this.#digits += digit;
  }

  /** Removes and returns all digits, oldest first. */
  take(): string {
    const digits = this.#digits;
    this.#digits = '';
    return digits;
  }

  putBack(digits: string): void {
    this.#digits = digits + this.#digits;
  }

  /** Ignores `digit` if it is the very next one and arrives in time. */
  ignoreNext(digit: string, untilMs: number): void {
    if (this.#digits.startsWith(digit)) this.#digits = this.#digits.slice(digit.length);
    else if (this.#digits === '') this.#ignored = { digit, untilMs };
  }

  /** True if this digit is to be ignored. */
  swallows(digit: string, nowMs: number): boolean {
    const ignored = this.#ignored;
    this.#ignored = undefined;
    return ignored !== undefined && ignored.digit === digit && nowMs <= ignored.untilMs;
  }
}
