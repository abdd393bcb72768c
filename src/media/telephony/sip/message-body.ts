/**
 * Multipart bodies (RFC 5621, RFC 2046 §5.1): gateways send ISUP, location or certificates with the session
 * description. The description replaces the whole body; optional parts are dropped.
 *
 * Invariant: parts, their nesting and the boundary are bounded; no function throws.
 */
import { type Headers, mediaType } from './message.ts';
import { SDP_TYPE } from './sdp.ts';

/** `unsupported`: a required part is not supported (415); `malformed`: there are no parts. */
export type BodyReading = 'taken' | 'unsupported' | 'malformed';

const MAX_PARTS = 16;
const MAX_LEVELS = 3;
const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"\r\n]{1,70})"|([^\s;",]{1,70}))/i;

interface Part {
  type: string;
  disposition: string;
  body: string;
}

/** Replaces a multipart body by its session description; other bodies are unchanged. */
export function extractDescription(message: { headers: Headers; body: Buffer }): BodyReading {
  const [type = ''] = message.headers['content-type'] ?? [];
  if (!isMultipart(type)) return 'taken';
  const found = descriptionIn({ type, disposition: '', body: message.body.toString('latin1') }, 0);
  if (typeof found === 'string') return found;
  message.body = Buffer.from(found.description ?? '', 'latin1');
  message.headers['content-type'] = [SDP_TYPE];
  return 'taken';
}

const isMultipart = (type: string): boolean => mediaType(type).startsWith('multipart/');

function descriptionIn(whole: Part, level: number): { description: string | undefined } | 'unsupported' | 'malformed' {
  const parts = level < MAX_LEVELS ? partsOf(whole) : undefined;
  if (parts === undefined) return 'malformed';
  // RFC 2046 §5.1.4: all alternatives have the same content, the last one is the best, and one is enough.
  const isChoice = mediaType(whole.type) === 'multipart/alternative';
  let description: string | undefined;
  let isUnsupported = false;
  for (const part of parts) {
    const read = isMultipart(part.type) ? descriptionIn(part, level + 1) : ownDescription(part);
    if (read === 'malformed') return read;
    if (read === 'unsupported') isUnsupported ||= !isOptional(part);
    else description = isChoice ? (read.description ?? description) : (description ?? read.description);
  }
  if (isUnsupported && !(isChoice && description !== undefined)) return 'unsupported';
  return { description };
}

/** Returns the description of the session; not that of an early session (RFC 3959). */
const ownDescription = ({ type, disposition, body }: Part): { description: string | undefined } | 'unsupported' =>
  mediaType(type) === SDP_TYPE && /^\s*(session\b|$)/i.test(disposition) ? { description: body } : 'unsupported';

/** RFC 3261 §20.11: a part without `handling` is required. */
const isOptional = ({ disposition }: Part): boolean => /;\s*handling\s*=\s*"?optional\b/i.test(disposition);

function partsOf({ type, body }: Part): Part[] | undefined {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return undefined;
  const [, ...pieces] = `\r\n${body}`.split(`\r\n--${boundary}`, MAX_PARTS + 2);
  const end = pieces.findIndex((piece) => piece.startsWith('--'));
  const parts = end < 0 ? pieces : pieces.slice(0, end);
  return parts.length === 0 || parts.length > MAX_PARTS ? undefined : parts.map(partOf);
}

function partOf(piece: string): Part {
  // The rest of the boundary line may be padding; a part may have no headers.
  const text = piece.slice(piece.indexOf('\r\n'));
  const end = text.indexOf('\r\n\r\n');
  const head = (end < 0 ? text : text.slice(0, end)).replace(/\r\n[ \t]+/g, ' ');
  const body = end < 0 ? '' : text.slice(end + 4);
  const field = (names: string): string =>
    new RegExp(`\\r\\n(?:${names})[ \\t]*:([^\\r\\n]*)`, 'i').exec(head)?.[1]?.trim() ?? '';
  const isBase64 = field('content-transfer-encoding').toLowerCase() === 'base64';
  return {
    type: field('content-type|c') || 'text/plain',
    disposition: field('content-disposition'),
    body: isBase64 ? Buffer.from(body, 'base64').toString('latin1') : body,
  };
}
