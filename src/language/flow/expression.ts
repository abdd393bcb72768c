/**
 * Guarded JSONata: the only user of `jsonata`. `expression-limits.ts` bounds time and size, `expression-fast-path.ts`
 * evaluates simple expressions without the evaluator, `template.ts` finds expressions in text, `expression-tree.ts`
 * reads their trees, and the runtime evaluates them.
 *
 * Invariants
 *  - Every evaluation ends: steps, processor time, depth, lengths and total size are bounded, and no regex can
 *    backtrack.
 *  - A result depends on scope, `nowMs` and `random` only, so that a replay computes the recorded result again.
 *  - A result is plain JSON or `undefined`, never a function or an object of the evaluator.
 *  - Every failure is an `ExpressionError`, which has the position and is also a `Fault`.
 */
import jsonata from 'jsonata';
import { type Fault, fault } from '../../base/core/fault.ts';
import { canonical, type Json } from '../../base/core/json.ts';
import { remembered } from '../../base/core/remembered.ts';
import { isOffset, offsetAt } from '../../base/core/time-zone.ts';
import { urlPath } from '../../base/core/url-segments.ts';
import { SPOKEN_TYPES, spokenValue } from '../spoken/spoken-value.ts';
import type { EvaluationContext, Expression, Scope } from './compiled-flow.ts';
import { unlimitedCpu } from './cpu-scheduler.ts';
import { compileFastPath, type FastPath, UNDECIDED } from './expression-fast-path.ts';
import {
  checkLength,
  checkPicture,
  checkSize,
  EvaluationBudget,
  evaluatorError,
  LinearRegex,
  MAX_SEQUENCE,
  MAX_STRING_LENGTH,
  toJson,
} from './expression-limits.ts';
import { type AstNode, nodesOf } from './expression-tree.ts';
import { isCurrency } from './money.ts';

const MAX_STACK = 200;
const MAX_SOURCE_LENGTH = 10_000;

export interface ExpressionProblem {
  code: string;
  message: string;
  /** Offset in the expression, in characters. */
  position: number;
  hint?: string;
}

/** A failed evaluation. */
export class ExpressionError extends Error {
  readonly fault: Fault;
  readonly code: string;
  readonly position: number | undefined;
  constructor(code: string, message: string, source: string, position?: number) {
    super(message);
    this.name = 'ExpressionError';
    this.code = code;
    this.position = position;
    this.fault = fault(code, message, { cause: source.slice(0, 200) });
  }
}

interface Compiled extends Expression {
  readonly program: jsonata.Expression;
  readonly ast: AstNode;
  /** Evaluates the expression without JSONata; undefined if the expression is not simple enough. */
  readonly plain: FastPath | undefined;
}

/** Compiles each text once. A mistake in the expression is returned as `error`, never thrown. */
export const compileExpression: (source: string) => Expression | { error: ExpressionProblem } = remembered(compile);

/** The tree of a compiled expression. */
export const astOf = (expression: Expression): AstNode => (expression as Compiled).ast;

/** Returns `undefined` if the expression finds no value. */
export async function evaluate(
  expression: Expression,
  scope: Scope,
  context: EvaluationContext,
): Promise<Json | undefined> {
  const { program, source, plain } = expression as Compiled;
  const rest = context.yieldTurn?.();
  if (rest) await rest;
  try {
    const found = plain ? plain(scope) : UNDECIDED;
    return found === UNDECIDED ? await evaluateFully(program, scope, context) : toJson(found);
  } catch (error) {
    throw explainEvaluatorError(error, source);
  }
}

/** Runs in slices of its processor share: the evaluator awaits the exit hook after each node of the tree. */
async function evaluateFully(
  program: jsonata.Expression,
  scope: Scope,
  context: EvaluationContext,
): Promise<Json | undefined> {
  const entered = context.acquireCpu?.() ?? unlimitedCpu();
  const cpu = entered instanceof Promise ? await entered : entered;
  try {
    return toJson(await program.evaluate(scope, { [CONTEXT]: context, [EXPENSE]: new EvaluationBudget(cpu) }));
  } finally {
    cpu.release();
  }
}

/** Truth by JSONata's rules: null, 0, empty text, empty maps and lists without a true item are false. */
export function isTrue(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(isTrue);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function compile(source: string): Compiled | { error: ExpressionProblem } {
  const problem = (code: string, message: string, position = 0, hint?: string) => ({
    error: { code, message, position, ...(hint === undefined ? {} : { hint }) },
  });
  if (source.length > MAX_SOURCE_LENGTH) return problem('expression-syntax', 'the expression is too long');
  if (source.trim() === '') return problem('expression-syntax', 'the expression is empty');
  try {
    const program = jsonata(source, {
      stack: MAX_STACK,
      sequence: MAX_SEQUENCE,
      RegexEngine: LinearRegex as unknown as RegExpConstructor,
    });
    const ast = program.ast() as unknown as AstNode;
    for (const node of nodesOf(ast)) {
      if (node.type !== 'regex') continue;
      const bad = LinearRegex.problem(node.value as RegExp);
      if (bad !== undefined) {
        const hint = 'look-around and back references are not supported';
        // JSONata's `position` is the end of the node.
        const length = (node.value as RegExp).source.length + 2;
        return problem('expression-regex', bad, Math.max(0, (node.position ?? 0) - length), hint);
      }
    }
    guard(program);
    return { source, program, ast, plain: compileFastPath(ast) };
  } catch (error) {
    if (error instanceof RangeError) return problem('expression-syntax', 'the expression is nested too deeply');
    const { message, position } = error as { message?: string; position?: number };
    const words = message ?? 'the expression cannot be read';
    return problem('expression-syntax', words, Math.max(0, (position ?? 1) - 1), hintForSyntax(source));
  }
}

// --- guards ---------------------------------------------------------------------------------------------------------

/** Names of variables that no expression can read, because they contain spaces. */
const CONTEXT = 'evaluation context';
const EXPENSE = 'evaluation expense';
const ON_EXIT = Symbol.for('jsonata.__evaluate_exit');

interface Frame {
  bind(name: string | symbol, value: unknown): void;
  lookup(name: string | symbol): unknown;
}
interface Focus {
  environment: Frame;
}
interface BuiltIn {
  implementation(...args: unknown[]): unknown;
}

const contextOf = (frame: Frame) => frame.lookup(CONTEXT) as EvaluationContext;
const builtIn = (frame: Frame, name: string) => (frame.lookup(`original ${name}`) as BuiltIn).implementation;

function guard(program: jsonata.Expression): void {
  const { bind } = bindable(program);
  bind('eval', undefined);
  bind('shuffle', undefined);
  bind(ON_EXIT, (_node: unknown, _input: unknown, frame: Frame, result: unknown) => {
    const expense = frame.lookup(EXPENSE) as EvaluationBudget;
    expense.countStep();
    checkSize(result);
    return expense.pause();
  });
  for (const name of ['fromMillis', 'toMillis', 'pad', 'distinct']) bind(`original ${name}`, originals.get(name));
  for (const [name, made] of pictured) bind(name, made);
  program.registerFunction('random', random, '<:n>');
  program.registerFunction('millis', millis, '<:n>');
  program.registerFunction('now', now, '<s?s?:s>');
  program.registerFunction('local', local, '<s?s?:s>');
  program.registerFunction('spoken', spoken, '<(sn)s?s?:s>');
  program.registerFunction('encodeUrlPath', encodeUrlPath, '<s-:s>');
  program.registerFunction('pad', pad, '<s-ns?:s>');
  program.registerFunction('toMillis', toMillis, '<s-s?:n>');
  program.registerFunction('distinct', distinct, '<x:x>');
}

function random(this: Focus): number {
  return contextOf(this.environment).random();
}

function millis(this: Focus): number {
  return contextOf(this.environment).nowMs;
}

function now(this: Focus, picture?: string, zone?: string): unknown {
  checkLength(picture);
  const { nowMs } = contextOf(this.environment);
  return builtIn(this.environment, 'fromMillis')(nowMs, picture, offsetOf(nowMs, zone));
}

/** Local time in the named zone, else in the flow's zone. */
function local(this: Focus, picture?: string, zone?: string): unknown {
  return now.call(this, picture, zone ?? contextOf(this.environment).timezone);
}

/** A date, a time, an amount or another value in words of the language of the step. */
function spoken(this: Focus, value: string | number | undefined, type = 'cardinal', detail?: string): unknown {
  if (value === undefined) return undefined;
  if (!SPOKEN_TYPES.includes(type))
    throw evaluatorError('expression-failed', `$spoken: the type is one of ${SPOKEN_TYPES.join(', ')}`);
  if (type === 'currency' && detail !== undefined && !isCurrency(detail))
    throw evaluatorError('expression-failed', '$spoken: there is no such currency');
  checkLength(detail);
  return spokenValue(value, type, detail, contextOf(this.environment).locale ?? 'en-US');
}

/** Encodes a path of several segments for a URL. */
function encodeUrlPath(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const path = urlPath(text);
  if (path === undefined)
    throw evaluatorError('expression-url', '$encodeUrlPath: a segment of the path is `.` or `..`');
  return path;
}

function pad(this: Focus, text: string, width: number, char?: string): unknown {
  if (Math.abs(width) > MAX_STRING_LENGTH) throw evaluatorError('expression-size', '$pad makes too long a text');
  return builtIn(this.environment, 'pad')(text, width, char);
}

function toMillis(this: Focus, text: string, picture?: string): unknown {
  if (picture !== undefined) checkPicture(text, picture);
  // A picture without a date means today.
  const today = { environment: { timestamp: new Date(contextOf(this.environment).nowMs) } };
  return builtIn(this.environment, 'toMillis').call(today, text, picture);
}

/** `assign` also accepts symbols, although its type does not declare it. */
function bindable(program: jsonata.Expression) {
  return { bind: (name: string | symbol, value: unknown) => program.assign(name as string, value) };
}

/** Functions with a picture argument, the format of a number or time. */
const PICTURED = ['fromMillis', 'formatNumber', 'formatInteger', 'parseInteger'];
const originals = await findOriginals();
const pictured = PICTURED.map((name) => [name, withShortPicture(originals.get(name) as BuiltIn)] as const);

async function findOriginals(): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const name of ['toMillis', 'pad', ...PICTURED]) found.set(name, await jsonata(`$${name}`).evaluate({}));
  return found;
}

/**
 * Limits the length of the picture: the time of these functions grows with its square, and a running call cannot be
 * stopped.
 */
function withShortPicture(original: BuiltIn): BuiltIn {
  return {
    ...original,
    // Partial application reads the names of the parameters.
    implementation(this: Focus, value: unknown, picture: unknown, options: unknown) {
      checkLength(picture);
      const moment = typeof value === 'number' && typeof options === 'string' ? offsetOf(value, options) : options;
      return original.implementation.call(this, value, picture, moment);
    },
  };
}

/**
 * The library knows offsets (`+0100`) only. For a zone name, returns its offset at that moment, including daylight
 * saving time.
 */
function offsetOf(atMs: number, zone: string | undefined): string | undefined {
  if (zone === undefined || isOffset(zone)) return zone;
  const offset = Number.isFinite(new Date(atMs).getTime()) ? offsetAt(atMs, zone) : undefined;
  if (offset === undefined) throw evaluatorError('expression-failed', 'there is no such time zone');
  return offset;
}

/** Compares canonical text, because the library's own function compares each pair of values. */
function distinct(this: Focus, values: unknown): unknown {
  if (!Array.isArray(values) || values.length <= 1) return values;
  const seen = new Set<string>();
  const isSequence = (values as { sequence?: boolean }).sequence === true;
  const kept = values.filter((value) => {
    const text = canonical(toJson(value) ?? null);
    return !seen.has(text) && seen.add(text);
  });
  return isSequence ? Object.assign(kept, { sequence: true }) : kept;
}

// --- what goes wrong ------------------------------------------------------------------------------------------------

/** Operators of other languages and how JSONata writes them. */
const OTHER_SYNTAX: readonly [pattern: RegExp, hint: string][] = [
  [/==/, 'write = to compare, and != where two values must differ'],
  [/&&|\|\|/, 'write and, or'],
  [/\b(AND|OR|IN)\b/, 'write and, or, in without capitals'],
  [/!(?!=)|\bnot\b/i, 'write $not(…)'],
  [/\b(is|eq|equals)\b/i, 'write = to compare'],
];

function hintForSyntax(source: string): string | undefined {
  const bare = source.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, "''");
  return OTHER_SYNTAX.find(([pattern]) => pattern.test(bare))?.[1];
}

/** Translates the library's error codes (S…, T…, D…) into this product's codes. */
function explainEvaluatorError(error: unknown, source: string): ExpressionError {
  if (error instanceof ExpressionError) return error;
  const { code, message, position } = error as { code?: string; message?: string; position?: number };
  const at = position === undefined ? undefined : Math.max(0, position - 1);
  if (error instanceof RangeError) return new ExpressionError('expression-size', 'the expression grew too big', source);
  if (code === 'D1011')
    return new ExpressionError('expression-depth', 'the expression recurses too deeply', source, at);
  if (code === 'D2014' || code === 'D2015') {
    return new ExpressionError('expression-size', 'a list grew too long', source, at);
  }
  if (code?.startsWith('expression-')) return new ExpressionError(code, message ?? code, source, at);
  const kind = code?.startsWith('T') ? 'expression-type' : 'expression-failed';
  return new ExpressionError(kind, withoutQuotedValues(message ?? 'the expression failed', error), source, at);
}

/**
 * Removes values that the library quotes in its message. Messages are logged, and a value may be digits that the caller
 * pressed.
 */
function withoutQuotedValues(message: string, error: unknown): string {
  const { value, value2 } = error as { value?: unknown; value2?: unknown };
  let text = message;
  for (const given of [value, value2]) {
    const quoted = given === undefined ? '' : (JSON.stringify(given) ?? '');
    if (quoted !== '') text = text.replaceAll(quoted, '…');
    if (typeof given === 'string' && given.length > 1) text = text.replaceAll(given, '…');
  }
  return text;
}
