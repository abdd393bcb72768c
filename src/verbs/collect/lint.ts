/**
 * Checks of the answers that a question accepts: the number of digits, patterns that no keys match, dates that do not
 * exist, periods and ranges that are empty, and a confirmation without a question.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { problemOfPattern } from '../../base/schema/linear-regex.ts';
import type { StepDraft } from '../../language/flow/flow-draft.ts';
import { keyLengths, lengthsOfDigits } from '../../language/flow/key-patterns.ts';
import { isCurrency } from '../../language/flow/money.ts';
import { hasExpression } from '../../language/flow/outcome-conditions.ts';
import { surely } from '../../language/flow/types/type.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';
import { isoDate } from '../../language/spoken/calendar.ts';
import { saidInQuestion } from './said.ts';

/** Types of answers, each a key of the arguments and a field of the result. */
const TYPES = ['date', 'time', 'amount', 'code'];

export const lint: VerbLint = {
  *check(step, args, draft) {
    yield* lengths(step, args, 'digits');
    yield* lengths(step, args, 'code');
    yield* patterns(step, args);
    yield* dates(step, args);
    yield* emptyRange(step, args, 'date', ['earliest', 'latest']);
    yield* emptyRange(step, args, 'time', ['earliest', 'latest']);
    yield* emptyRange(step, args, 'amount', ['min', 'max']);
    yield* currencies(step, args);
    yield* confirmations(step, args);
    yield* saidInQuestion(step, args, draft);
  },
  resultFields(fields, args) {
    const typed = TYPES.filter((name) => args[name] !== undefined);
    for (const name of TYPES) if (!typed.includes(name)) fields.delete(name);
    if (typed.length === 0) fields.delete('spoken');
    for (const name of [...typed, 'spoken']) if (fields.has(name)) fields.set(name, surely(fields.get(name)!));
  },
};

function* lengths({ argsPointer }: StepDraft, args: JsonObject, key: string): Generator<Issue> {
  const written = args[key];
  if (!isObject(written)) return;
  const pointer = `${argsPointer}/${key}`;
  const { min, max, length, pattern } = written;
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    yield valueIssue('digits-range', `${pointer}/min`, quoting`${'min'} is more than ${'max'}`);
  }
  if (length !== undefined && (min !== undefined || max !== undefined)) {
    const message = quoting`${'length'} is ${'min'} and ${'max'} in one`;
    yield keyIssue('digits-range', `${pointer}/length`, message, 'remove min and max');
  }
  if (typeof pattern === 'string') {
    const problem = problemOfPattern(pattern);
    if (problem !== undefined) yield valueIssue('bad-pattern', `${pointer}/pattern`, problem);
  }
}

function* patterns({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const { digits } = args;
  if (!isObject(digits) || typeof digits['pattern'] !== 'string') return;
  const lengths = keyLengths(digits['pattern']);
  if (lengths === undefined) return;
  const pointer = `${argsPointer}/digits/pattern`;
  if (lengths === 0n) {
    const hint = 'callers press 0 to 9, * and #';
    yield valueIssue('pattern-never', pointer, 'no keys of a phone match this pattern', hint);
    return;
  }
  const { bits, words } = lengthsOfDigits(digits);
  if (bits === undefined || (lengths & bits) !== 0n) return;
  yield valueIssue('pattern-never', pointer, `nothing of ${words} matches this pattern`, 'change one of the two');
}

function* dates({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const { date } = args;
  if (!isObject(date)) return;
  for (const key of ['earliest', 'latest']) {
    const [year = 0, month = 0, day = 0] = String(fixed(date[key]) ?? '')
      .split('-')
      .map(Number);
    if (fixed(date[key]) === undefined || isoDate(year, month, day) !== undefined) continue;
    yield valueIssue('no-such-day', `${argsPointer}/date/${key}`, `there is no day ${String(date[key])}`);
  }
}

/** No answer is accepted if the first value is above the last. */
function* emptyRange(
  { argsPointer }: StepDraft,
  args: JsonObject,
  type: string,
  [first, last]: [first: string, last: string],
): Generator<Issue> {
  const rules = args[type];
  if (!isObject(rules)) return;
  const [from, to] = [fixed(rules[first]), fixed(rules[last])];
  if (from === undefined || to === undefined || from <= to) return;
  const message = quoting`${first} is after ${last}, so that no answer is accepted`;
  yield valueIssue('empty-range', `${argsPointer}/${type}/${first}`, message, 'swap the two');
}

const fixed = (value: Json | undefined): string | number | undefined =>
  (typeof value === 'string' && !hasExpression(value)) || typeof value === 'number' ? value : undefined;

function* currencies({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const code = isObject(args['amount']) ? fixed(args['amount']['currency']) : undefined;
  if (typeof code !== 'string' || !/^[A-Z]{3}$/.test(code) || isCurrency(code)) return;
  const message = quoting`there is no currency ${code}`;
  yield valueIssue('unknown-currency', `${argsPointer}/amount/currency`, message, 'such as EUR, USD or GBP (ISO 4217)');
}

/** Only the types of answers have a built-in question. */
function* confirmations({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const { confirm } = args;
  const isTyped = TYPES.some((name) => args[name] !== undefined);
  if (isTyped || !isObject(confirm) || confirm['prompt'] !== undefined) return;
  const message = quoting`${'confirm'} needs a ${'prompt'} that reads the input back`;
  yield keyIssue('missing-key', `${argsPointer}/confirm`, message);
}
