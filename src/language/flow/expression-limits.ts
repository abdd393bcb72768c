/**
 * Limits of evaluation: counts steps and processor time, limits the size of values, replaces regular expressions with
 * those of `linear-regex.ts`, and copies the result. `expression.ts` installs these into the evaluator. Invariant: a
 * refusal is thrown as `{code, message}`, the shape of the evaluator's own errors.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { type LinearPattern, linearPattern, problemOfPattern } from '../../base/schema/linear-regex.ts';
import type { CpuLease } from './cpu-scheduler.ts';

/** Limit for expressions with at least `BUSY_STEPS` steps; the other limits usually stop an expression long before. */
const TIMEOUT_MS = 250;
const BUSY_STEPS = 1_000;
/** Limit for expressions with fewer steps: on a busy host, other work used the processor in between. */
const IDLE_TIMEOUT_MS = 2_500;
export const MAX_SEQUENCE = 10_000;
export const MAX_STRING_LENGTH = 1_000_000;
/** Maximum number of values and characters in any value that an expression makes. */
const MAX_WEIGHT = 4_000_000;
const MAX_RESULT_NODES = 100_000;
const MAX_RESULT_DEPTH = 100;
const MAX_PICTURE_LENGTH = 500;
const MAX_REGEX_SUBJECT_LENGTH = 50_000;

/** Steps and processor time used by an evaluation. */
export class EvaluationBudget {
  readonly #share: CpuLease;
  #steps = 0;

  constructor(cpu: CpuLease) {
    this.#share = cpu;
  }

  /** Returns a promise if the evaluation must yield to other work. */
  pause(): Promise<unknown> | undefined {
    return this.#share.yieldSlice();
  }

  countStep(): void {
    this.#steps++;
    const tookMs = this.#share.usedMs;
    if (tookMs < TIMEOUT_MS || (this.#steps < BUSY_STEPS && tookMs < IDLE_TIMEOUT_MS)) return;
    throw evaluatorError('expression-timeout', 'the expression took too long');
  }
}

export const evaluatorError = (code: string, message: string) => ({ code, message });

export function checkLength(picture: unknown): void {
  if (typeof picture !== 'string' || picture.length <= MAX_PICTURE_LENGTH) return;
  throw evaluatorError('expression-size', `a picture is longer than ${MAX_PICTURE_LENGTH} characters`);
}

/**
 * The library builds a backtracking regex from the picture, one group for each component. A short text, and no two
 * adjacent components of open width, prevent exponential time.
 */
export function checkPicture(text: string, picture: string): void {
  const openNeighbours = /\[[^\]]*\][0-9A-Za-z]*(?=\[)/g;
  for (const [part] of picture.matchAll(openNeighbours)) {
    if (!/^\[[YMDdHhmsf]0+1\]$/.test(part)) {
      throw evaluatorError(
        'expression-size',
        'in a $toMillis picture, components must be separated or have a width ([Y0001])',
      );
    }
  }
  if (picture.length > 100 || (text?.length ?? 0) > 100) {
    throw evaluatorError('expression-size', '$toMillis is given too long a text');
  }
}

/**
 * Weights of values already measured. Shared parts count each time, because copying and comparing visit them each time.
 */
const weights = new WeakMap<object, { length: number; weight: number }>();

export function checkSize(value: unknown): void {
  if (typeof value === 'string') {
    if (value.length > MAX_STRING_LENGTH) throw evaluatorError('expression-size', 'a text grew too long');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw evaluatorError('expression-type', 'a number grew out of range');
  } else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value) && value.length > MAX_SEQUENCE)
      throw evaluatorError('expression-size', 'a list grew too long');
    if (weightOf(value, 0) > MAX_WEIGHT) throw evaluatorError('expression-size', 'a value grew too big');
  }
}

function weightOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null || isFunction(value)) return 1;
  if (depth > MAX_RESULT_DEPTH * 5) throw evaluatorError('expression-size', 'a value is nested too deeply');
  const items = Array.isArray(value) ? value : Object.values(value);
  const known = weights.get(value);
  if (known !== undefined && known.length === items.length) return known.weight;
  let weight = 1;
  for (const item of items) weight += weightOf(item, depth + 1);
  weights.set(value, { length: items.length, weight });
  return weight;
}

const isFunction = (value: object): boolean =>
  typeof value === 'function' || '_jsonata_lambda' in value || '_jsonata_function' in value;

/**
 * Returns a plain copy: objects of the evaluator have no prototype, its lists are marked, and its functions are
 * circular.
 */
export function toJson(found: unknown): Json | undefined {
  let nodes = 0;
  const copy = (value: unknown, depth: number): Json => {
    nodes += 1;
    if (nodes > MAX_RESULT_NODES || depth > MAX_RESULT_DEPTH)
      throw evaluatorError('expression-size', 'the result is too big');
    if (value === null || value === undefined) return null;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value;
      throw evaluatorError('expression-type', 'the result is not a finite number');
    }
    if (typeof value !== 'object' || isFunction(value)) {
      throw evaluatorError('expression-result', 'the result is a function, which is not a value; call it: $name()');
    }
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    const made: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined && key !== '__proto__') made[key] = copy(item, depth + 1);
    }
    return made;
  };
  return found === undefined ? undefined : copy(found, 0);
}

/** Replacement of `RegExp` in the evaluator, with the part of its interface that the evaluator uses. */
export class LinearRegex {
  lastIndex = 0;
  readonly #pattern: LinearPattern;
  #tookMs = 0;

  constructor(written: RegExp) {
    this.#pattern = linearPattern(LinearRegex.#sourceOf(written), written.flags);
  }

  static problem(written: RegExp): string | undefined {
    return problemOfPattern(LinearRegex.#sourceOf(written), written.flags);
  }

  static #sourceOf(written: RegExp): string {
    return written.source.replaceAll('\\/', '/');
  }

  exec(text: string): RegExpExecArray | null {
    if (text.length > MAX_REGEX_SUBJECT_LENGTH)
      throw evaluatorError('expression-size', 'the text is too long for a regex');
    // Each search is linear, but a text may have many matches, and each search scans the rest of the text.
    if (this.#tookMs > TIMEOUT_MS) throw evaluatorError('expression-timeout', 'the expression took too long');
    const beganMs = performance.now();
    const found = this.#pattern.find(text, this.lastIndex);
    this.#tookMs += performance.now() - beganMs;
    this.lastIndex = found?.end ?? 0;
    return found === undefined
      ? null
      : (Object.assign(found.groups, { index: found.start, input: text }) as unknown as RegExpExecArray);
  }
}
