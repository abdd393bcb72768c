/**
 * Validates the numbers of a new broadcast: reports all invalid numbers at once and drops duplicates. A hundred
 * thousand numbers take a few hundred milliseconds, in batches that yield to live calls.
 */
import { destinationProblem } from '../../../base/core/address-syntax.ts';
import { createEventLoopYield } from '../../../base/core/event-loop-yield.ts';
import type { InvalidNumber } from '../call-error.ts';
import { CallError } from '../call-error.ts';
import { phoneKey } from '../numbers/phone-key.ts';
import type { Callee } from './broadcast.ts';

/** Numbers checked between two reads of the clock. */
const CHECKED_AT_ONCE = 100;

export interface CheckedNumbers {
  /** The callees without duplicates; the first occurrence is kept. */
  callees: Callee[];
  duplicates: number;
}

/** `wrongInput` returns the error in the input of a number. Throws `numbers_invalid`. */
export async function checkNumbers(
  callees: readonly Callee[],
  { most, wrongInput }: { most: number; wrongInput(input: NonNullable<Callee['input']>): string | undefined },
): Promise<CheckedNumbers> {
  if (callees.length === 0) throw new CallError('numbers_invalid', 'the list of numbers is empty');
  if (callees.length > most) {
    throw new CallError('numbers_invalid', `a broadcast may have at most ${most} numbers, got ${callees.length}`);
  }
  const rest = createEventLoopYield();
  const known = new Set<string>();
  const kept: Callee[] = [];
  const invalidNumbers: InvalidNumber[] = [];
  for (const [index, callee] of callees.entries()) {
    if (index % CHECKED_AT_ONCE === 0) await rest();
    const { phone, input } = callee;
    const message = destinationProblem(phone) ?? (input && wrongInput(input));
    if (message !== undefined) {
      invalidNumbers.push({ index, value: phone, message });
      continue;
    }
    const key = phoneKey(phone);
    if (known.has(key)) continue;
    known.add(key);
    kept.push(callee);
  }
  if (invalidNumbers.length > 0) throw invalidNumbersError(invalidNumbers, callees.length);
  return { callees: kept, duplicates: callees.length - kept.length };
}

export function invalidNumbersError(invalidNumbers: readonly InvalidNumber[], count: number): CallError {
  const { index, value, message } = invalidNumbers[0]!;
  const first = `number ${index + 1}, ${JSON.stringify(value.slice(0, 64))}: ${message}`;
  const wrong = invalidNumbers.length;
  const text = wrong === 1 ? first : `${wrong} of ${count} numbers are wrong; the first is ${first}`;
  return new CallError('numbers_invalid', text, { invalidNumbers });
}
