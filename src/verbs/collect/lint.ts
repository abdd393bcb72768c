/** Checks of the digits that a question accepts: their number, and patterns that no keys match. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { problemOfPattern } from '../../base/schema/linear-regex.ts';
import type { StepDraft } from '../../language/flow/flow-draft.ts';
import { keyLengths, lengthsOfDigits } from '../../language/flow/key-patterns.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check(step, args) {
    yield* digits(step, args);
    yield* patterns(step, args);
  },
};

function* digits({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const { digits: written } = args;
  if (!isObject(written)) return;
  const pointer = `${argsPointer}/digits`;
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
