/**
 * Encodes values in URLs that are written as text. Each value is percent-encoded for its position, so that data of a
 * caller, an agent or a server stays one part of the URL and changes neither its path nor its host. `template.ts`
 * renders texts; `lint-urls.ts` reports URLs that are built inside an expression.
 *
 * Invariants
 *  - A value at the very beginning is the base of the URL and is not encoded; neither is literal text.
 *  - No value makes a segment `.` or `..`: `template.ts` refuses such a URL.
 */
import { WEB_URL } from '../../base/core/url-segments.ts';
import type { AstNode } from './expression-tree.ts';

/**
 * Encoding of an expression's value in a URL. `encoded`: the author has encoded it; `own`: it comes from `env` and may
 * be part of an address, with slashes; `value`: any other value.
 */
export type UrlPart = 'value' | 'encoded' | 'own';

const SIP = /^sips?:/i;

/** True if a text begins like a URL. The caller must check that it contains no spaces. */
export const isUrl = (text: string): boolean => WEB_URL.test(text) || SIP.test(text);

/** `before` is the whole URL up to the value; `after` is the literal text after the value. */
export function valueInUrl(value: string, where: { before: string; after: string; as: UrlPart }): string {
  const { before, after, as } = where;
  if (as === 'encoded' || (as === 'own' && !/[?#]/.test(before))) return value;
  const encoded = encodeURIComponent(value.toWellFormed());
  if (SIP.test(before)) return inSip(encoded, before, after);
  const isHost = !/[/?#]/.test(before.replace(WEB_URL, ''));
  return isHost ? withPort(encoded) : encoded;
}

/** Keeps `:`, `[` and `]` literal in addresses such as `host:8080` and `[::1]`. */
const withPort = (encoded: string): string => encoded.replace(/%(3A|5B|5D)/g, decodeURIComponent);

/** A `+` is allowed in the user part (RFC 3261 section 25.1). Without a literal `@` the value is the whole address. */
function inSip(encoded: string, before: string, after: string): string {
  if (/[;?]/.test(before)) return encoded;
  if (before.includes('@')) return withPort(encoded);
  const user = encoded.replaceAll('%2B', '+');
  return after.includes('@') ? user : withPort(user).replace('%40', '@');
}

/** True for a plain name without a filter. */
const isPlainName = ({ type, predicate, stages }: AstNode): boolean => type === 'name' && !predicate && !stages;

const ENCODERS = ['encodeUrlComponent', 'encodeUrlPath'];

/** Encoding that the value of an expression needs in a URL. */
export function urlPartOf({ type, value, lhs, rhs, procedure, expressions, steps, ...node }: AstNode): UrlPart {
  const isEncoder = (called: unknown): boolean => ENCODERS.includes(String((called as AstNode | undefined)?.value));
  const all = (parts: unknown[]): UrlPart =>
    parts.every((part) => urlPartOf(part as AstNode) === 'encoded') ? 'encoded' : 'value';
  switch (type) {
    // A literal is written into the URL as it is.
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
