/**
 * Fingerprints of the templates of masked values: the journal contains the template's fingerprint instead of the value,
 * so that a replay detects a request that now sends another variable as the PIN.
 */
import { createHash } from 'node:crypto';
import { canonical, isObject, type Json } from '../../base/core/json.ts';
import { MASK } from './journal.ts';

/** True if a mask is anywhere inside. */
export function containsMask(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MASK);
  return value !== null && typeof value === 'object' && Object.values(value).some(containsMask);
}

/**
 * Fingerprints of the templates in `written` that produced the masked values in `shown`, by JSON pointer (RFC 6901).
 * Undefined if no value is masked.
 */
export function maskedTemplates(shown: Json, written: Json): Record<string, string> | undefined {
  if (!containsMask(shown)) return undefined;
  const found: Record<string, string> = {};
  collect(shown, written, '', found);
  return found;
}

function collect(shown: Json, written: Json, path: string, found: Record<string, string>): void {
  if (!containsMask(shown)) return;
  if (isContainer(shown) && isContainer(written)) {
    for (const [key, inner] of Object.entries(shown))
      collect(inner, memberOf(written, key), `${path}/${escaped(key)}`, found);
    return;
  }
  const text = canonical(written);
  // A fixed text that equals a sensitive value must not be recognisable by its fingerprint.
  if (text.includes('${')) found[path] = createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Pointer of a template in `written` that differs from the recorded one. Undefined if all are the same. */
export function changedTemplate(recorded: Readonly<Record<string, string>>, written: Json): string | undefined {
  return Object.keys(recorded).find((path) => {
    const now: Record<string, string> = {};
    const at = path.split('/').slice(1).map(unescaped).reduce(memberOf, written);
    collect(MASK, at, path, now);
    return now[path] !== recorded[path];
  });
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

const isContainer = (value: Json): value is Json[] | { [key: string]: Json } => Array.isArray(value) || isObject(value);

const memberOf = (value: Json, key: string): Json =>
  isContainer(value) && Object.hasOwn(value, key) ? (value as { [key: string]: Json })[key]! : null;
