/**
 * Values inside of URLs that are written as text: each is percent-encoded for its place, so that what a caller, an agent or a
 * server said stays one part of the URL and changes neither its path nor its host. Neighbours: `template.ts` writes texts,
 * `lint-urls.ts` finds URLs that are put together otherwise.
 *
 * Invariants
 *  - a value at the very beginning is the base of the URL and stays as it is; so does the author's own text;
 *  - no value makes a segment `.` or `..`: `template.ts` refuses such a URL.
 */
import { WEB_URL } from '../core/url-segments.ts';
import type { AstNode } from './expression-tree.ts';

/**
 * How the value of an expression is written in a URL. `encoded`: the author has done it; `own`: it comes from `env`, and
 * may be a part of the address with slashes in it; all else is a `value`.
 */
export type UrlPart = 'value' | 'encoded' | 'own';

const SIP = /^sips?:/i;

/** Text that begins like this, and has no blanks, is a URL. */
export const isUrl = (text: string): boolean => WEB_URL.test(text) || SIP.test(text);

/** `before` is all of the URL so far; `after` is the author's text behind the value. */
export function valueInUrl(value: string, where: { before: string; after: string; as: UrlPart }): string {
  const { before, after, as } = where;
  if (as === 'encoded' || (as === 'own' && !/[?#]/.test(before))) return value;
  const encoded = encodeURIComponent(value.toWellFormed());
  if (SIP.test(before)) return inSip(encoded, before, after);
  const isHost = !/[/?#]/.test(before.replace(WEB_URL, ''));
  return isHost ? withPort(encoded) : encoded;
}

/** `host:8080` and `[::1]` are addresses. */
const withPort = (encoded: string): string => encoded.replace(/%(3A|5B|5D)/g, decodeURIComponent);

/** RFC 3261 section 25.1: a `+` may stand in the user part. Without an `@` of the author the value is the whole address. */
function inSip(encoded: string, before: string, after: string): string {
  if (/[;?]/.test(before)) return encoded;
  if (before.includes('@')) return withPort(encoded);
  const user = encoded.replaceAll('%2B', '+');
  return after.includes('@') ? user : withPort(user).replace('%40', '@');
}

/** True for a plain name without a filter. */
const isPlainName = ({ type, predicate, stages }: AstNode): boolean => type === 'name' && !predicate && !stages;

const ENCODERS = ['encodeUrlComponent', 'encodeUrlPath'];

/** Returns how the value of an expression stands in a URL. */
export function urlPartOf({ type, value, lhs, rhs, procedure, expressions, steps, ...node }: AstNode): UrlPart {
  const isEncoder = (called: unknown): boolean => ENCODERS.includes(String((called as AstNode | undefined)?.value));
  const all = (parts: unknown[]): UrlPart =>
    parts.every((part) => urlPartOf(part as AstNode) === 'encoded') ? 'encoded' : 'value';
  switch (type) {
    // A literal stands in the URL as the author wrote it.
    case 'string':
    case 'number':
      return 'encoded';
    case 'function':
      return isEncoder(procedure) ? 'encoded' : 'value';
    case 'apply':
      return isEncoder(rhs) ? 'encoded' : 'value';
    case 'binary':
      return value === '&' ? all([lhs, rhs]) : 'value';
    case 'condition':
      return all([node['then'], ...(node['else'] === undefined ? [] : [node['else']])]);
    case 'block':
      return all([(expressions as unknown[]).at(-1)]);
    case 'path': {
      const names = (steps as AstNode[]).map((step) => (isPlainName(step) ? step.value : undefined));
      return names.length === 2 && names[0] === 'env' && names[1] !== undefined ? 'own' : 'value';
    }
    default:
      return 'value';
  }
}
