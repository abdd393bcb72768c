/**
 * Describes how a replayed journal entry differs from the recorded one. `compare-entries.ts` detects the difference.
 *
 * Invariant: `cause` is equal for all calls that differ for the same reason: it contains no values of a single call.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { equalExceptMasks } from './masked.ts';

export interface Difference {
  message: string;
  cause: string;
}

const MAX_VALUE = 120;

/** `was` and `now` are the compared parts of the entries. `step` is the step in the current flow. */
export function wordsOfDifference(
  recorded: JournalEntry,
  was: JsonObject,
  now: JsonObject,
  step: string | undefined,
): Difference {
  const { path, one, other } = firstDifference(was, now, []);
  const what = partOf(recorded, path, step);
  const isNew = one === undefined;
  const message = isNew
    ? `${what} is ${inWords(other)}, and there was none`
    : other === undefined
      ? `there is no ${what}, and it was ${inWords(one)}`
      : `${what} is ${inWords(other)}, and was ${inWords(one)}`;
  return { message, cause: `${what} is another` };
}

interface FoundDifference {
  path: readonly string[];
  one: Json | undefined;
  other: Json | undefined;
}

/** Innermost differing value whose parents exist on both sides. */
function firstDifference(one: Json | undefined, other: Json | undefined, path: readonly string[]): FoundDifference {
  const isList = Array.isArray(one) && Array.isArray(other);
  if (!isList && !(isObject(one) && isObject(other))) return { path, one, other };
  const [left, right] = [one as JsonObject, other as JsonObject];
  const key = [...new Set([...Object.keys(left), ...Object.keys(right)])].find(
    (name) => !equalExceptMasks(left[name], right[name]),
  );
  return key === undefined ? { path, one, other } : firstDifference(left[key], right[key], [...path, key]);
}

/**
 * Name of the differing part in terms of the flow language: `what greet says`, `the URL of look_up`, `body.customer of
 * login`.
 */
function partOf(entry: JournalEntry, path: readonly string[], step: string | undefined): string {
  const of = step === undefined ? '' : ` of ${step}`;
  const [first, ...rest] = path;
  switch (entry.kind) {
    case 'request':
      if (first === 'url') return `the URL${of}`;
      return first === 'body' ? `${['the body', ...rest].join('.')}${of}` : `the ${first}${of}`;
    case 'command':
      return partOfCommand(entry.command.type, path.slice(1), step);
    case 'rendered':
      return rest.length === 0 ? `what ${step ?? 'a step'} is given` : `${rest.join('.')}${of}`;
    case 'timer':
      return `the time-out${of}, in milliseconds,`;
    case 'vars':
      return `the variable ${nameOf(rest, 'set')}`;
    case 'left':
      return first === 'result' ? `${['result', ...rest].join('.')}${of}` : `the ${first}${of}`;
    case 'notified':
      return first === 'body' ? `${['the body', ...rest].join('.')} of the event ${entry.event}` : 'the event';
    case 'dialled':
      return `${first === 'to' ? 'the number that is called' : `the ${first} of the call that is made`}`;
    default:
      return `${nameOf(path, entry.kind)} of the entry ${entry.kind}${step === undefined ? '' : ` in ${step}`}`;
  }
}

function partOfCommand(type: string, path: readonly string[], step: string | undefined): string {
  const whose = step ?? 'the flow';
  if (type === 'play' && path[0] === 'audio') {
    return path.at(-1) === 'text' || path.at(-1) === 'file'
      ? `what ${whose} says`
      : `${path.join('.')} of what ${whose} says`;
  }
  return `${nameOf(path, type)} of the command ${type}${step === undefined ? '' : ` of ${step}`}`;
}

const nameOf = (path: readonly string[], otherwise: string): string => (path.length === 0 ? otherwise : path.join('.'));

function inWords(value: Json | undefined): string {
  const text = typeof value === 'string' ? `“${value}”` : (JSON.stringify(value) ?? 'nothing');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}
