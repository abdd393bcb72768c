/**
 * SIP messages: received ones, which are parsed once and keep their header lines, and outgoing ones, which are written
 * at once. Header text has one character per byte; bodies are bytes. `decodeText` decodes the UTF-8 of display names.
 */
import type { CSeq, NameAddress, Via } from './headers.ts';
import { splitList } from './scan.ts';
import { parseUri, type Uri } from './uri.ts';

/** Header lines by lower-case name; without inherited members, because names come from the network. */
export type Headers = Record<string, string[] | undefined>;

interface Received {
  headers: Headers;
  body: Buffer;
  /** Topmost Via. */
  via: Via;
  from: NameAddress;
  to: NameAddress;
  callId: string;
  cseq: CSeq;
}

export interface SipRequest extends Received {
  method: string;
  uri: Uri;
}

export interface SipResponse extends Received {
  status: number;
  reason: string;
}

export type HeaderLine = readonly [name: string, value: string];

/** RFC 3261 §20.33, in seconds. */
export const RETRY_SOON: HeaderLine[] = [['Retry-After', '5']];

export interface MessageBody {
  type: string;
  content: string;
}

/** Outgoing request. The transaction adds Via, the writer adds Content-Length. */
export interface OutgoingRequest {
  method: string;
  uri: string;
  routes: readonly string[];
  from: string;
  to: string;
  callId: string;
  cseq: number;
  headers: readonly HeaderLine[];
  body?: MessageBody;
}

export interface ResponseExtras {
  reason?: string;
  /** Added to To if the request has none. */
  toTag?: string;
  headers?: readonly HeaderLine[];
  body?: MessageBody;
}

const MAX_PLAIN_TEXT = 128;

/**
 * Headers without lines. All messages have the same hidden class in V8, which makes reading the headers that most of
 * them have, or that are read from most, several times as fast: thus one assignment for each, and no loop.
 */
function HeaderFields(this: Headers): void {
  this['via'] = undefined;
  this['from'] = undefined;
  this['to'] = undefined;
  this['call-id'] = undefined;
  this['cseq'] = undefined;
  this['max-forwards'] = undefined;
  this['contact'] = undefined;
  this['content-type'] = undefined;
  this['content-length'] = undefined;
  this['allow'] = undefined;
  this['supported'] = undefined;
  this['require'] = undefined;
  this['record-route'] = undefined;
  this['user-agent'] = undefined;
  this['accept'] = undefined;
  this['session-expires'] = undefined;
  this['authorization'] = undefined;
  this['replaces'] = undefined;
}
HeaderFields.prototype = Object.freeze(Object.create(null));

export const newHeaders = (): Headers => new (HeaderFields as unknown as new () => Headers)();

export const headerOf = (message: { headers: Headers }, name: string): string | undefined => message.headers[name]?.[0];

/** All values of a list header, in order over all lines. */
export function listOf(message: { headers: Headers }, name: string): string[] {
  const lines = message.headers[name];
  if (!lines) return [];
  return lines.length === 1 ? splitList(lines[0]!) : lines.flatMap(splitList);
}

/** True if a token list (`Supported`, `Require`, `Allow`) contains `token`, case-insensitively. */
export const names = (message: { headers: Headers }, header: string, token: string): boolean =>
  listOf(message, header).some((value) => value.toLowerCase() === token);

/** Text for people and logs: limited in length, without control characters. */
export const plainText = (text: string): string => text.replace(/[\x00-\x1f\x7f]/g, '').slice(0, MAX_PLAIN_TEXT);

/** A media type without its parameters, lower-case. */
export const mediaType = (value: string | undefined): string => (value ?? '').split(';', 1)[0]!.trim().toLowerCase();

export function writeRequest(request: OutgoingRequest, via: string): Buffer {
  let text = `${request.method} ${request.uri} SIP/2.0\r\nVia: ${via}\r\n`;
  for (const route of request.routes) text += `Route: ${route}\r\n`;
  text += `Max-Forwards: 70\r\nFrom: ${request.from}\r\nTo: ${request.to}\r\nCall-ID: ${request.callId}\r\n`;
  text += `CSeq: ${request.cseq} ${request.method}\r\n`;
  return finish(text, request.headers, request.body);
}

/** Copies the mandatory fields (RFC 3261 §8.2.6.2); a malformed request may lack any of them. */
export function writeResponse(
  request: { headers: Headers; to?: NameAddress },
  status: number,
  { reason, toTag, headers, body }: ResponseExtras = {},
): Buffer {
  let text = `SIP/2.0 ${status} ${reason ?? REASONS[status] ?? REASONS[Math.floor(status / 100) * 100] ?? 'Unknown'}\r\n`;
  for (const via of request.headers['via'] ?? []) text += `Via: ${via}\r\n`;
  const addedTag = toTag === undefined || request.to?.params['tag'] !== undefined ? '' : `;tag=${toTag}`;
  for (const name of ['From', 'To', 'Call-ID', 'CSeq']) {
    const value = headerOf(request, name.toLowerCase());
    if (value !== undefined) text += `${name}: ${value}${name === 'To' ? addedTag : ''}\r\n`;
  }
  return finish(text, headers ?? [], body);
}

function finish(start: string, headers: readonly HeaderLine[], body: MessageBody | undefined): Buffer {
  let text = start;
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  if (!body) return Buffer.from(`${text}Content-Length: 0\r\n\r\n`, 'latin1');
  const content = Buffer.from(body.content, 'utf8');
  text += `Content-Type: ${body.type}\r\nContent-Length: ${content.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(text, 'latin1'), content]);
}

/** From or To value of an outgoing message. */
export function nameAddressText(uri: string, tag: string | undefined): string {
  return tag === undefined ? `<${uri}>` : `<${uri}>;tag=${tag}`;
}

/** Returns the URI of the first Contact, if requests can be sent to it. */
export function contactUri(message: { headers: Headers }): Uri | undefined {
  const value = listOf(message, 'contact')[0];
  if (value === undefined || value === '*') return undefined;
  const open = value.indexOf('<');
  const text = open < 0 ? value.split(';', 1)[0]!.trim() : value.slice(open + 1, value.indexOf('>', open));
  const uri = parseUri(text);
  return uri && uri.host !== '' ? uri : undefined;
}

/** RFC 3261 §21, with RFC 3262, 3311, 3515, 4028 and 6665. */
export const REASONS: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  181: 'Call Is Being Forwarded',
  182: 'Queued',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Moved Temporarily',
  305: 'Use Proxy',
  380: 'Alternative Service',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  410: 'Gone',
  413: 'Request Entity Too Large',
  414: 'Request-URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  421: 'Extension Required',
  422: 'Session Interval Too Small',
  423: 'Interval Too Brief',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  483: 'Too Many Hops',
  484: 'Address Incomplete',
  485: 'Ambiguous',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  489: 'Bad Event',
  491: 'Request Pending',
  493: 'Undecipherable',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  505: 'Version Not Supported',
  513: 'Message Too Large',
  600: 'Busy Everywhere',
  603: 'Decline',
  604: 'Does Not Exist Anywhere',
  606: 'Not Acceptable',
};
