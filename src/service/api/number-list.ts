/**
 * Reads lists of up to a hundred thousand numbers from request bodies. The list is removed before the rest of the body
 * is validated by its schema, and is read in one loop, which costs a fraction of schema validation.
 *
 * Invariants
 * - one response names all invalid items by index;
 * - no key of an item changes a prototype.
 */
import { destinationProblem } from '../../base/core/address-syntax.ts';
import { isDeeperThan, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { Callee } from '../calls/broadcast/broadcast.ts';
import { invalidNumbersError } from '../calls/broadcast/check-numbers.ts';
import type { CallError, InvalidNumber } from '../calls/call-error.ts';
import { ApiError } from './api-error.ts';
import { badRequest } from './body-reader.ts';
import { limitBrackets, removeProtoKeys } from './json-body.ts';

/** Same depth as in other bodies. */
const MAX_DEPTH = 60;
const MAX_NAMED_KEYS = 10;
const MAX_KEY_LENGTH = 64;

export interface NumberList {
  callees: Callee[];
  /** Keys of items other than `phone`, the first few. */
  keys: string[];
}

/** Accepts a list, a list in a JSON text, or comma-separated numbers. `where` is the key in the body. */
export function readNumberList(written: Json, where: string, most: number): NumberList {
  const items = typeof written === 'string' ? itemsIn(written, where) : written;
  if (!Array.isArray(items)) throw notAList(where);
  if (items.length > most) {
    throw new ApiError('bad_request', `${where}: at most ${most} numbers, got ${items.length}`, {
      hint: 'split the list into several requests',
    });
  }
  const callees: Callee[] = [];
  const keys = new Set<string>();
  const invalidNumbers: InvalidNumber[] = [];
  for (let index = 0; index < items.length; index++) {
    const read = calleeOf(items[index]!, keys);
    if (typeof read === 'string') invalidNumbers.push({ index, value: excerptOf(items[index]!), message: read });
    else callees.push(read);
  }
  if (invalidNumbers.length > 0) throw invalidNumbersOf(items, invalidNumbers);
  return { callees, keys: [...keys].map((key) => key.slice(0, MAX_KEY_LENGTH)) };
}

/** Separators of numbers. */
const BETWEEN = /[,\r\n]/;

function itemsIn(text: string, where: string): Json {
  const trimmed = text.trim();
  if (!/^[[{"]/.test(trimmed)) return trimmed.split(BETWEEN).filter((number) => number.trim() !== '');
  limitBrackets(Buffer.from(trimmed));
  let parsed: Json;
  try {
    parsed = removeProtoKeys(JSON.parse(trimmed) as Json);
  } catch {
    throw notAList(where, 'the text looks like JSON, but is not valid');
  }
  if (!Array.isArray(parsed)) throw notAList(where, 'the text contains JSON, but not a list');
  return parsed;
}

const notAList = (where: string, why = 'must be a list of numbers'): ApiError =>
  new ApiError('bad_request', `${where}: ${why}`, {
    hint: 'send ["+33612345678", …] or [{"phone": "+33612345678"}, …], as it is or as a text, or "+33612345678,+33…"',
  });

/** Returns the callee, or the problem of the item. */
function calleeOf(item: Json, keys: Set<string>): Callee | string {
  if (!isObject(item)) {
    const phone = phoneOf(item);
    return typeof phone === 'string' ? { phone } : phone.wrong;
  }
  const { phone: written, ...input } = item;
  if (written === undefined) return 'has no phone';
  const phone = phoneOf(written);
  if (typeof phone !== 'string') return phone.wrong;
  let hasInput = false;
  for (const key of Object.keys(input)) {
    if (key === '__proto__') {
      Reflect.deleteProperty(input, key);
      continue;
    }
    const value = input[key]!;
    if (typeof value === 'object' && value !== null && isDeeperThan(value, MAX_DEPTH))
      return 'has too many nesting levels';
    hasInput = true;
    if (keys.size < MAX_NAMED_KEYS) keys.add(key);
  }
  return hasInput ? { phone, input } : { phone };
}

function phoneOf(value: Json): string | { wrong: string } {
  if (typeof value === 'string') {
    const phone = value.trim();
    return phone === '' ? { wrong: 'is empty' } : phone;
  }
  if (typeof value !== 'number') return { wrong: 'is not a number: write it as a string' };
  // JavaScript does not keep the digits of larger numbers.
  return Number.isSafeInteger(value) && value >= 0
    ? String(value)
    : { wrong: 'is not a valid phone number: write it as a string' };
}

/** Includes items that have the form of a number but are invalid, so that the whole list can be corrected at once. */
function invalidNumbersOf(items: readonly Json[], misshapen: readonly InvalidNumber[]): CallError {
  const byIndex = new Map(misshapen.map((offender) => [offender.index, offender]));
  const invalidNumbers = items.flatMap((item, index): InvalidNumber[] => {
    const known = byIndex.get(index);
    if (known) return [known];
    const phone = String(isObject(item) ? item['phone'] : item).trim();
    const message = destinationProblem(phone);
    return message === undefined ? [] : [{ index, value: phone, message }];
  });
  return invalidNumbersError(invalidNumbers, items.length);
}

function excerptOf(item: Json): string {
  const phone = isObject(item) ? item['phone'] : item;
  if (phone !== undefined && (phone === null || typeof phone !== 'object')) return String(phone);
  return Array.isArray(item) ? '[…]' : '{…}';
}

/** The only one of these keys with a value. Throws if several have one. */
export function singleKeyOf(body: JsonObject, names: readonly string[]): string | undefined {
  const given = names.filter((name) => Object.hasOwn(body, name) && !isBlank(body[name]!));
  if (given.length > 1) throw badRequest(`${given.join(' and ')} exclude each other: use one of them`);
  return given[0];
}

const isBlank = (value: Json): boolean =>
  value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0);
