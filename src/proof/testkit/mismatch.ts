/**
 * Expected and actual values: comparisons on which all checks of `expect` are based. Used by `expectations.ts`.
 */
import { canonical, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { HeardAudio } from '../../media/telephony/simulated/far-end.ts';
import { MASK } from '../../service/runtime/journal.ts';
import { matchesPrompt, promptNames, withoutRepeats } from './prompt-names.ts';

export interface Mismatch {
  /** JSON pointer into the scenario. */
  pointer: string;
  what: string;
  expected: string;
  actual: string;
  /** Journal entry at which the mismatch occurred. */
  seq?: number | undefined;
}

export const words = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);
export const listed = (items: readonly string[]): string => (items.length === 0 ? 'nothing' : items.join(' → '));

type Compared = Pick<Mismatch, 'what' | 'pointer'>;

/** Items that are compared; `seqOf` returns the journal entry of an actual item. */
interface ComparedList extends Compared {
  seqOf?: (index: number) => number | undefined;
}

export function same(
  { what, pointer, seq }: Compared & Pick<Mismatch, 'seq'>,
  wanted: Json,
  actual: Json | undefined,
): Mismatch[] {
  if (actual !== undefined && canonical(wanted) === canonical(actual) && actual !== MASK) return [];
  const shown = actual === MASK ? `${MASK}: it is sensitive, the journal does not hold it` : words(actual);
  return [{ pointer, what, expected: words(wanted), actual: shown, seq }];
}

export function sequence(
  { what, pointer, seqOf = () => undefined }: ComparedList,
  wanted: readonly string[],
  actual: readonly string[],
): Mismatch[] {
  if (wanted.length === actual.length && wanted.every((each, index) => each === actual[index])) return [];
  const first = wanted.findIndex((each, index) => each !== actual[index]);
  const at = first < 0 ? wanted.length : first;
  return [{ pointer, what, expected: listed(wanted), actual: listed(actual), seq: seqOf(at) ?? seqOf(at - 1) }];
}

export function heardAll(
  what: string,
  wanted: readonly string[],
  heard: readonly HeardAudio[],
  pointer: string,
): Mismatch[] {
  const played = withoutRepeats(heard);
  const fits = wanted.length === played.length && wanted.every((prompt, at) => matchesPrompt(prompt, played[at]!.item));
  return fits ? [] : sequence({ what, pointer }, wanted, promptNames(played));
}

/** Checks for the expected number of items, each with at least the given fields. */
export function eachIncludes(
  compared: ComparedList,
  wanted: readonly JsonObject[],
  actual: readonly JsonObject[],
): Mismatch[] {
  const fits = wanted.length === actual.length && wanted.every((each, index) => includes(each, actual[index]!));
  return fits ? [] : sequence(compared, wanted.map(words), actual.map(words));
}

/** True if `actual` contains everything in `wanted`. Objects may have further keys. */
export function includes(wanted: Json, actual: Json): boolean {
  if (isObject(wanted)) {
    return isObject(actual) && Object.entries(wanted).every(([key, value]) => includes(value, actual[key] ?? null));
  }
  return canonical(wanted) === canonical(actual);
}
