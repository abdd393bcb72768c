/**
 * Parses packets into messages (RFC 3261 §7, §25): the only reader of raw packets.
 *
 * Invariants
 *  - never throws, takes linear time, is bounded by `LIMITS`;
 *  - reads only the headers that every request needs (Via, From, To, Call-ID, CSeq), the rest on demand;
 *  - an unusable packet is either `malformed`, a request that can be answered, or `garbage`.
 */
import { parseCSeq, parseNameAddress, parseVia } from './headers.ts';
import { type Headers, newHeaders, type SipRequest, type SipResponse } from './message.ts';
import { isToken, parseNumber, splitList } from './scan.ts';
import { parseUri } from './uri.ts';

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

/** Usual spellings, so that the common case needs neither lower-casing nor validation. */
const KNOWN_NAMES = new Map<string, string>();
for (const name of [
  'Via From To Call-ID CSeq Max-Forwards Contact Content-Length Content-Type Allow Supported Require User-Agent Server',
  'Record-Route Route Expires Session-Expires Min-SE Authorization Proxy-Authorization WWW-Authenticate Accept RSeq RAck',
  'Proxy-Authenticate Subject Date Reason Allow-Events P-Asserted-Identity Privacy Timestamp Organization Warning',
]
  .join(' ')
  .split(' ')) {
  for (const spelling of [name, name.toLowerCase()]) KNOWN_NAMES.set(spelling, name.toLowerCase());
}
for (const [letter, name] of Object.entries(COMPACT)) {
  KNOWN_NAMES.set(letter, name);
  KNOWN_NAMES.set(letter.toUpperCase(), name);
}

const garbage = (reason: string): Parsed => ({ kind: 'garbage', reason });

/** Parses one complete message: a datagram, or one message of a stream. */
export function parseMessage(received: Buffer): Parsed {
  if (received.length > LIMITS.messageBytes) return garbage('too large');
  const bytes = received.includes('\r\n') ? received : withLineEnds(received);
  const start = skipBlankLines(bytes);
  const headEnd = bytes.indexOf('\r\n\r\n', start, 'latin1');
  const head = bytes.toString('latin1', start, headEnd < 0 ? bytes.length : headEnd);
  const lineEnd = head.indexOf('\r\n');
  const startLine = lineEnd < 0 ? head : head.slice(0, lineEnd);
  const isResponse = startLine.startsWith('SIP/');
  if (!isResponse && !/ SIP\/\d+\.\d+[ \t]*$/i.test(startLine)) return garbage('not SIP');
  const headers = newHeaders();
  const headerDefect =
    lineEnd < 0 ? 'No header fields' : readHeaderLines(head.slice(lineEnd + 2).split('\r\n'), headers);
  const body = headEnd < 0 ? EMPTY : bytes.subarray(headEnd + 4);
  return isResponse
    ? readResponse(startLine, headers, headerDefect, body)
    : readRequest(startLine, headers, headerDefect, body);
}

const EMPTY = Buffer.alloc(0);

/** Messages written by hand that only have line feeds are accepted; mixed ones are read unchanged. */
const withLineEnds = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');

function skipBlankLines(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && (bytes[at] === 0x0d || bytes[at] === 0x0a)) at++;
  return at;
}

/** Fills `headers`. Returns the first defect of the lines, if any. */
function readHeaderLines(lines: readonly string[], headers: Headers): string | undefined {
  let defect: string | undefined;
  let last: string[] | undefined;
  for (const [index, line] of lines.entries()) {
    // End of a head without an empty line.
    if (line === '' && index === lines.length - 1) break;
    if (index === LIMITS.headerLines) return 'Too many header fields';
    if (line[0] === ' ' || line[0] === '\t') {
      // A folded line continues the one before (RFC 3261 §7.3.1).
      if (last) last.push(`${last.pop() ?? ''} ${line.trim()}`.trim());
      else defect ??= 'Folded first line';
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? undefined : headerName(line.slice(0, colon));
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

function headerName(text: string): string | undefined {
  const known = KNOWN_NAMES.get(text);
  if (known !== undefined) return known;
  const name = text.trimEnd().toLowerCase();
  if (!isToken(name)) return undefined;
  return name.length === 1 ? (COMPACT[name] ?? name) : name;
}

type Essentials = Pick<SipRequest, 'via' | 'from' | 'to' | 'callId' | 'cseq'>;

/** Returns the headers that every message must have (RFC 3261 §8.1.1), or the error text. */
function readEssentials(headers: Headers): Essentials | string {
  for (const name of SINGLE) if ((headers[name]?.length ?? 0) > 1) return `Multiple ${name} fields`;
  const firstVia = headers['via']?.[0];
  const via = firstVia === undefined ? undefined : parseVia(splitList(firstVia)[0] ?? '');
  if (!via) return 'Malformed Via';
  const from = parseNameAddress(headers['from']?.[0] ?? '');
  if (!from) return 'Malformed From';
  const to = parseNameAddress(headers['to']?.[0] ?? '');
  if (!to) return 'Malformed To';
  const callId = headers['call-id']?.[0];
  if (callId === undefined || callId === '') return 'Missing Call-ID';
  const cseq = parseCSeq(headers['cseq']?.[0] ?? '');
  if (!cseq) return 'Malformed CSeq';
  return { via, from, to, callId, cseq };
}

function readRequest(startLine: string, headers: Headers, headerDefect: string | undefined, body: Buffer): Parsed {
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
  const uri = lastSpace > firstSpace ? parseUri(startLine.slice(firstSpace + 1, lastSpace)) : undefined;
  // Headers in a Request-URI are forbidden (RFC 3261 §19.1.1, table 1).
  if (!uri || uri.headers !== undefined) return malformed(400, 'Malformed Request-URI');
  if (headerDefect !== undefined) return malformed(400, headerDefect);
  const essentials = readEssentials(headers);
  if (typeof essentials === 'string') return malformed(400, essentials);
  if (essentials.cseq.method !== method) return malformed(400, 'CSeq does not match the method');
  const maxForwards = headers['max-forwards']?.[0];
  if (maxForwards !== undefined && parseNumber(maxForwards, 999_999) === undefined) {
    return malformed(400, 'Malformed Max-Forwards');
  }
  const malformedContact = headers['contact']?.some(
    (line) => line !== '*' && splitList(line).some((value) => !parseNameAddress(value)),
  );
  if (malformedContact) return malformed(400, 'Malformed Contact');
  const content = cutBody(headers, body);
  if (!content) return malformed(400, 'Content-Length does not match the body');
  return { kind: 'request', request: { method, uri, headers, body: content, ...essentials } };
}

function readResponse(startLine: string, headers: Headers, headerDefect: string | undefined, body: Buffer): Parsed {
  const status = parseNumber(startLine.slice(8, 11), 699);
  const wellFormed = startLine.startsWith('SIP/2.0 ') && (startLine.length === 11 || startLine[11] === ' ');
  if (!wellFormed || status === undefined || status < 100) return garbage('malformed status line');
  if (headerDefect !== undefined) return garbage(headerDefect);
  const essentials = readEssentials(headers);
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
