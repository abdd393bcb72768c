/**
 * Parsers of single header values: Via, From, To, Contact, CSeq (RFC 3261 §20). They return `undefined` for malformed
 * values.
 */
import { hostText } from '../../../base/core/host-text.ts';
import { isToken, type Params, parseNumber, parseParams, splitParams, unquote } from './scan.ts';
import { parseHostPort, parseUri, type Uri } from './uri.ts';

export interface Via {
  /** Lower-case: `udp`, `tcp`, `tls` … */
  transport: string;
  host: string;
  port: number | undefined;
  params: Params;
}

export interface NameAddress {
  displayName: string | undefined;
  uri: Uri;
  params: Params;
}

export interface CSeq {
  number: number;
  method: string;
}

/** RFC 3261 §8.1.1.5: less than 2^31. */
const LAST_CSEQ = 2 ** 31 - 1;

/** Up to `sent-by`, with spaces around the slashes, as in RFC 4475 §3.1.1.1. */
const VIA_TRANSPORT = /^[ \t]*SIP[ \t]*\/[ \t]*2\.0[ \t]*\/[ \t]*([^ \t;]+)[ \t]+/i;

export function parseVia(text: string): Via | undefined {
  const start = VIA_TRANSPORT.exec(text);
  const transport = start?.[1]?.toLowerCase() ?? '';
  if (!start || !isToken(transport)) return undefined;
  const { value, params } = splitParams(text, start[0].length);
  const place = parseHostPort(value.replace(/[ \t]/g, ''));
  return place && params ? { transport, host: place.host, port: place.port, params } : undefined;
}

/** `sent-by` as text, for comparison. */
export const sentBy = (via: Via): string => `${hostText(via.host)}:${via.port ?? 5060}`;

/** A display name, quoted or of tokens, then a URI in brackets. */
const NAME_ADDRESS = /^[ \t]*(?:("(?:[^"\\]|\\.)*")[ \t]*|([^"< \t][^<]*)?)<([^>]*)>/s;

export function parseNameAddress(text: string): NameAddress | undefined {
  const match = NAME_ADDRESS.exec(text);
  if (!match) return text.includes('<') ? undefined : parseBareAddress(text.trim());
  const [start, quoted, words, uriText] = match;
  if (
    words
      ?.trim()
      .split(/[ \t]+/)
      .every(isToken) === false
  )
    return undefined;
  const uri = parseUri(uriText!);
  const params = parseParams(text, start.length);
  const displayName = quoted === undefined ? words?.trim() : unquote(quoted);
  return uri && params ? { displayName, uri, params } : undefined;
}

/** Without brackets, parameters belong to the header and `?` must not occur (RFC 3261 §20.10). */
function parseBareAddress(text: string): NameAddress | undefined {
  const { value, params } = splitParams(text);
  const uri = parseUri(value.trimEnd());
  return uri && params && uri.headers === undefined ? { displayName: undefined, uri, params } : undefined;
}

export function parseCSeq(text: string): CSeq | undefined {
  const [, digits = '', method = ''] = /^(\d+)[ \t]+(.+)$/.exec(text) ?? [];
  const number = parseNumber(digits, LAST_CSEQ);
  return number === undefined || !isToken(method) ? undefined : { number, method };
}

/** The seconds of an `Expires`-like value; too large ones are clipped, malformed ones undefined (RFC 4475 §3.1.2.4). */
export function parseSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const digits = text.trim();
  if (!/^\d{1,200}$/.test(digits)) return undefined;
  return Math.min(Number(digits), 2 ** 32 - 1);
}
