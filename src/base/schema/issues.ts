/**
 * Converts validator errors to one issue for each mistake, in words for authors. `says` (message) and `code` of the
 * schema have priority.
 */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { quoting } from '../core/diagnostic.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { childPointer, type Issue, keyIssue, valueAt, valueIssue } from './document.ts';
import { listed, typesInWords, wordsOfError } from './schema-words.ts';
import { didYouMean } from './suggest.ts';

/** `root` is the validated value, located at `pointer`. */
export function issuesOf(errors: readonly ErrorObject[], root: Json, pointer: string): Issue[] {
  const telling = errors.filter(
    ({ keyword, schemaPath }) =>
      keyword !== 'if' && keyword !== 'propertyNames' && !/\/oneOf\/|\/not\//.test(schemaPath),
  );
  const unknownKeys = new Set(
    telling.filter(({ keyword }) => keyword === 'additionalProperties').map(({ instancePath }) => instancePath),
  );
  const byPlace = new Map<string, ErrorObject>();
  for (const error of telling) {
    // A missing key is probably the misspelt one.
    if (unknownKeys.has(error.instancePath) && (error.keyword === 'required' || error.keyword === 'oneOf')) continue;
    const key = error.params['additionalProperty'] ?? error.params['missingProperty'] ?? error.propertyName ?? '';
    const place = `${error.instancePath} ${key}`;
    const known = byPlace.get(place);
    if (known === undefined || weight(error) > weight(known)) byPlace.set(place, error);
  }
  return [...byPlace.values()].map((error) => issueOf(error, root, pointer));
}

const weight = (error: ErrorObject): number =>
  error.keyword === 'type' ? 2 : customMessage(error) === undefined ? 0 : 1;

const annotation = (error: ErrorObject, name: string): string | undefined => {
  const text = (error.parentSchema as JsonObject | undefined)?.[name];
  return typeof text === 'string' ? text : undefined;
};
const customMessage = (error: ErrorObject) => annotation(error, 'says');

function issueOf(error: ErrorObject, root: Json, pointer: string): Issue {
  const at = pointer + error.instancePath;
  const value = valueAt(root, error.instancePath);
  if (error.propertyName !== undefined) {
    const message = `${quoting`${error.propertyName}`}: ${customMessage(error) ?? wordsOfError(error)}`;
    return keyIssue('wrong-name', childPointer(at, error.propertyName), message);
  }
  const isTemplate = typeof value === 'string' && value.includes('${');
  if (isTemplate && ['pattern', 'enum', 'type'].includes(error.keyword)) {
    const code = error.keyword === 'type' ? 'wrong-type' : 'wrong-value';
    return valueIssue(code, at, 'no template may stand here', customMessage(error));
  }
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params['additionalProperty']);
      const written = valueAt(root, childPointer(error.instancePath, key));
      const hint = unknownKeyHint(key, written, knownKeys(error));
      return keyIssue('unknown-key', childPointer(at, key), quoting`unknown key ${key}`, hint);
    }
    case 'required':
      return missingKey(String(error.params['missingProperty']), at);
    case 'oneOf':
      return keyIssue('wrong-keys', at, customMessage(error) ?? 'the keys do not go together');
    case 'enum': {
      const allowed = error.params['allowedValues'] as Json[];
      const hint = typeof value === 'string' ? didYouMean(value, allowed.map(String)) : undefined;
      return valueIssue('wrong-value', at, `must be one of ${listed(allowed)}`, hint);
    }
    case 'type':
      return typeIssue(error, value, at);
    default: {
      const code = annotation(error, 'code') ?? 'wrong-value';
      return valueIssue(code, at, customMessage(error) ?? wordsOfError(error));
    }
  }
}

const knownKeys = ({ parentSchema }: ErrorObject): string[] =>
  Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});

function unknownKeyHint(key: string, value: Json | undefined, known: readonly string[]): string | undefined {
  const near = didYouMean(key, known);
  if (near !== undefined) return near;
  if (isPartOfText(key, value)) return 'inside { … } and [ … ] a text with a comma needs quotes';
  return known.length > 0 ? `the keys are ${known.join(', ')}` : undefined;
}

/** Rest of a text after its comma: `{ play: It is late, sorry }` has a key `sorry` without a value. */
const isPartOfText = (key: string, value: Json | undefined): boolean => value === null && /\s|[.!?]$/.test(key);

const missingKey = (key: string, pointer: string): Issue =>
  keyIssue('missing-key', pointer, quoting`the key ${key} is missing`, `add ${key}: …`);

function typeIssue(error: ErrorObject, value: Json | undefined, pointer: string): Issue {
  const code = annotation(error, 'code');
  if (code === 'duration' && typeof value === 'number') {
    return valueIssue(code, pointer, 'a duration carries its unit', `write ${value}s or ${value}ms`);
  }
  if (code === 'digit' && typeof value === 'number') {
    return valueIssue(code, pointer, 'digits are written in quotes', `write "${value}"`);
  }
  const wanted = [error.params['type'] as string | string[]].flat();
  const message = customMessage(error) ?? typesInWords(wanted);
  return valueIssue('wrong-type', pointer, message, quotesHint(value, wanted) ?? formHint(error, value, wanted));
}

/** Shows the notation of a map or list, for a single value in its place. */
function formHint(error: ErrorObject, value: Json | undefined, wanted: readonly string[]): string | undefined {
  if (value === null || typeof value === 'object') return undefined;
  if (wanted.includes('object')) {
    const keys = knownKeys(error);
    return keys.length === 0 ? undefined : `write { ${keys[0]}: … }; its keys are ${keys.join(', ')}`;
  }
  return wanted.includes('array') ? 'write it in brackets: [ … ]' : undefined;
}

function quotesHint(value: Json | undefined, wanted: readonly string[]): string | undefined {
  const isBare = typeof value === 'number' || typeof value === 'boolean';
  if (isBare && wanted.includes('string')) return 'write it in quotes';
  const isQuoted = typeof value === 'string' && ['integer', 'number', 'boolean'].some((type) => wanted.includes(type));
  return isQuoted ? 'write it without quotes' : undefined;
}
