/**
 * Parses packets into messages (RFC 3261 §7, §25): the only reader of raw packets.
 *
 * Invariants
 *  - never throws, takes linear time, is bounded by `LIMITS`;
 *  - reads only the headers that every request needs (Via, From, To, Call-ID, CSeq), the rest on demand;
 *  - an unusable packet is either `malformed`, a request that can be answered, or `garbage`.
 */
import { type NameAddress, parseCSeq, parseNameAddress, parseVia } from './headers.ts';
import { type Headers, newHeaders, type SipRequest, type SipResponse } from './message.ts';
import { MAX_USUAL_HEAD, rememberedNameAddress, rememberedUri } from './remembered-addresses.ts';
import { isToken, parseNumber, splitList } from './scan.ts';
import { parseUri, type Uri } from './uri.ts';

export const LIMITS = { messageBytes: 65_536, headerLines: 256 } as const;

export type Parsed =
  | { kind: 'request'; request: SipRequest }
  | { kind: 'response'; response: SipResponse }
  | { kind: 'malformed'; method: string; headers: Headers; status: number; reason: string }
  | { kind: 'garbage'; reason: string };

/** RFC 3261 §7.3.3 and §20, RFC 3515, RFC 4028, RFC 6665, RFC 3891. */
const COMPACT: Readonly<Record<string, string>> = {
  i: 'call-id',
  m: 'contact',
  e: 'content-encoding',
  l: 'content-length',
  c: 'content-type',
  f: 'from',
  s: 'subject',
  k: 'supported',
  t: 'to',
  v: 'via',
  r: 'refer-to',
  b: 'referred-by',
  x: 'session-expires',
  o: 'event',
  u: 'allow-events',
  a: 'accept-contact',
  j: 'reject-contact',
  d: 'request-disposition',
};

const SINGLE = ['from', 'to', 'call-id', 'cseq', 'max-forwards', 'content-length', 'content-type'] as const;

interface KnownName {
  spelling: string;
  /** Lower-case, not compact. */
  name: string;
}
const NO_NAMES: readonly KnownName[] = [];

/**
 * Usual spellings by length and first character: the common case needs neither lower-casing, validation nor the hash of
 * a new string.
 */
const KNOWN_NAMES: KnownName[][][] = [];
const USUAL_NAMES = [
  'Via From To Call-ID CSeq Max-Forwards Contact Content-Length Content-Type Allow Supported Require User-Agent Server',
  'Record-Route Route Expires Session-Expires Min-SE Authorization Proxy-Authorization WWW-Authenticate Accept RSeq RAck',
  'Proxy-Authenticate Subject Date Reason Allow-Events P-Asserted-Identity Privacy Timestamp Organization Warning',
]
  .join(' ')
  .split(' ')
  .flatMap((name) => [name, name.toLowerCase()])
  .map((spelling): KnownName => ({ spelling, name: spelling.toLowerCase() }));
const COMPACT_NAMES = Object.entries(COMPACT).flatMap(([letter, name]): KnownName[] => [
  { spelling: letter, name },
  { spelling: letter.toUpperCase(), name },
]);
for (const known of [...USUAL_NAMES, ...COMPACT_NAMES]) {
  const { length } = known.spelling;
  const code = known.spelling.charCodeAt(0);
  KNOWN_NAMES[length] ??= [];
  KNOWN_NAMES[length][code] = [...(KNOWN_NAMES[length][code] ?? []), known];
}

const garbage = (reason: string): Parsed => ({ kind: 'garbage', reason });

/** Parses one complete message: a datagram, or one message of a stream. */
export function parseMessage(received: Buffer): Parsed {
  if (received.length > LIMITS.messageBytes) return garbage('too large');
  const given = received.toString('latin1');
  // Messages written by hand that only have line feeds are accepted; mixed ones are read unchanged.
  const hasLineEnds = given.includes('\r\n');
  const text = hasLineEnds ? given : given.replaceAll('\n', '\r\n');
  const start = skipBlankLines(text);
  const headEnd = text.indexOf('\r\n\r\n', start);
  const head = text.slice(start, headEnd < 0 ? text.length : headEnd);
  const lineEnd = head.indexOf('\r\n');
  const startLine = lineEnd < 0 ? head : head.slice(0, lineEnd);
  const isResponse = startLine.startsWith('SIP/');
  if (!isResponse && !/ SIP\/\d+\.\d+[ \t]*$/i.test(startLine)) return garbage('not SIP');
  const headers = newHeaders();
  const headerDefect = lineEnd < 0 ? 'No header fields' : readHeaderLines(head, lineEnd + 2, headers);
  const body = headEnd < 0 ? EMPTY : (hasLineEnds ? received : Buffer.from(text, 'latin1')).subarray(headEnd + 4);
  const message = { startLine, headers, headerDefect, body };
  const addresses = head.length <= MAX_USUAL_HEAD ? REMEMBERED : ANEW;
  return isResponse ? readResponse(message, addresses) : readRequest(message, addresses);
}

/** A message before its start line and its headers are read. */
interface SplitMessage {
  startLine: string;
  headers: Headers;
  headerDefect: string | undefined;
  body: Buffer;
}

/** Readers of addresses. */
interface AddressReaders {
  nameAddress(text: string): NameAddress | undefined;
  uri(text: string): Uri | undefined;
}

const REMEMBERED: AddressReaders = { nameAddress: rememberedNameAddress, uri: rememberedUri };
const ANEW: AddressReaders = { nameAddress: parseNameAddress, uri: parseUri };

const EMPTY = Buffer.alloc(0);

function skipBlankLines(text: string): number {
  let at = 0;
  while (text[at] === '\r' || text[at] === '\n') at++;
  return at;
}

/** Fills `headers` from the lines of `head` after the first. Returns the first defect of the lines, if any. */
function readHeaderLines(head: string, start: number, headers: Headers): string | undefined {
  let defect: string | undefined;
  let last: string[] | undefined;
  for (let at = start, count = 0; at <= head.length; count++) {
    const lineEnd = head.indexOf('\r\n', at);
    const end = lineEnd < 0 ? head.length : lineEnd;
    const line = head.slice(at, end);
    // End of a head without an empty line.
    if (line === '' && lineEnd < 0) break;
    at = end + 2;
    if (count === LIMITS.headerLines) return 'Too many header fields';
    if (line[0] === ' ' || line[0] === '\t') {
      // A folded line continues the one before (RFC 3261 §7.3.1).
      if (last) last.push(`${last.pop() ?? ''} ${line.trim()}`.trim());
      else defect ??= 'Folded first line';
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? undefined : headerName(line, colon);
    if (name === undefined) {
      defect ??= 'Malformed header field';
      last = undefined;
      continue;
    }
    last = headers[name] ??= [];
    last.push(line.slice(colon + 1).trim());
  }
  return defect;
}

/** Name of a header line whose first colon is at `colon`. */
function headerName(line: string, colon: number): string | undefined {
  for (const { spelling, name } of KNOWN_NAMES[colon]?.[line.charCodeAt(0)] ?? NO_NAMES) {
    if (line.startsWith(spelling)) return name;
  }
  const name = line.slice(0, colon).trimEnd().toLowerCase();
  if (!isToken(name)) return undefined;
  return name.length === 1 ? (COMPACT[name] ?? name) : name;
}

type Essentials = Pick<SipRequest, 'via' | 'from' | 'to' | 'callId' | 'cseq'>;

/** Returns the headers that every message must have (RFC 3261 §8.1.1), or the error text. */
function readEssentials(headers: Headers, addresses: AddressReaders): Essentials | string {
  for (const name of SINGLE) if ((headers[name]?.length ?? 0) > 1) return `Multiple ${name} fields`;
  const firstVia = headers['via']?.[0];
  const via = firstVia === undefined ? undefined : parseVia(splitList(firstVia)[0] ?? '');
  if (!via) return 'Malformed Via';
  const from = addresses.nameAddress(headers['from']?.[0] ?? '');
  if (!from) return 'Malformed From';
  const to = addresses.nameAddress(headers['to']?.[0] ?? '');
  if (!to) return 'Malformed To';
  const callId = headers['call-id']?.[0];
  if (callId === undefined || callId === '') return 'Missing Call-ID';
  const cseq = parseCSeq(headers['cseq']?.[0] ?? '');
  if (!cseq) return 'Malformed CSeq';
  return { via, from, to, callId, cseq };
}

function readRequest({ startLine, headers, headerDefect, body }: SplitMessage, addresses: AddressReaders): Parsed {
  const firstSpace = startLine.indexOf(' ');
  const lastSpace = startLine.lastIndexOf(' ');
  const method = startLine.slice(0, firstSpace);
  const version = startLine.slice(lastSpace + 1);
  const malformed = (status: number, reason: string): Parsed => ({
    kind: 'malformed',
    method,
    headers,
    status,
    reason,
  });
  if (!isToken(method)) return garbage('malformed method');
  if (version !== '' && version.toUpperCase() !== 'SIP/2.0') return malformed(505, 'Version Not Supported');
  const uri = lastSpace > firstSpace ? addresses.uri(startLine.slice(firstSpace + 1, lastSpace)) : undefined;
  // Headers in a Request-URI are forbidden (RFC 3261 §19.1.1, table 1).
  if (!uri || uri.headers !== undefined) return malformed(400, 'Malformed Request-URI');
  if (headerDefect !== undefined) return malformed(400, headerDefect);
  const essentials = readEssentials(headers, addresses);
  if (typeof essentials === 'string') return malformed(400, essentials);
  if (essentials.cseq.method !== method) return malformed(400, 'CSeq does not match the method');
  const maxForwards = headers['max-forwards']?.[0];
  if (maxForwards !== undefined && parseNumber(maxForwards, 999_999) === undefined) {
    return malformed(400, 'Malformed Max-Forwards');
  }
  const malformedContact = headers['contact']?.some(
    (line) => line !== '*' && splitList(line).some((value) => !addresses.nameAddress(value)),
  );
  if (malformedContact) return malformed(400, 'Malformed Contact');
  const content = cutBody(headers, body);
  if (!content) return malformed(400, 'Content-Length does not match the body');
  return { kind: 'request', request: { method, uri, headers, body: content, ...essentials } };
}

function readResponse({ startLine, headers, headerDefect, body }: SplitMessage, addresses: AddressReaders): Parsed {
  const status = parseNumber(startLine.slice(8, 11), 699);
  const wellFormed = startLine.startsWith('SIP/2.0 ') && (startLine.length === 11 || startLine[11] === ' ');
  if (!wellFormed || status === undefined || status < 100) return garbage('malformed status line');
  if (headerDefect !== undefined) return garbage(headerDefect);
  const essentials = readEssentials(headers, addresses);
  if (typeof essentials === 'string') return garbage(essentials);
  const content = cutBody(headers, body);
  if (!content) return garbage('truncated body');
  const reason = startLine.slice(12);
  return { kind: 'response', response: { status, reason, headers, body: content, ...essentials } };
}

/** RFC 3261 §18.3: bytes past the Content-Length of a datagram are dropped, missing ones are an error. */
function cutBody(headers: Headers, body: Buffer): Buffer | undefined {
  const text = headers['content-length']?.[0];
  if (text === undefined) return body;
  const length = parseNumber(text, body.length);
  // An empty slice would keep the packet in memory.
  if (length === 0) return EMPTY;
  return length === undefined ? undefined : body.subarray(0, length);
}
