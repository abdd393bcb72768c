/**
 * Lines of session descriptions (RFC 8866), which telephones and browsers have in common: split into sections, read by
 * type and attribute, and written. The input is untrusted: lines that do not match are ignored.
 */

export type MediaDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** Lines of the session, or of one medium, whose first line is its m-line. */
export type Section = readonly string[];

/** M-line (§5.14). */
export interface MediaLine {
  kind: string;
  port: number;
  protocol: string;
  /** As written, separated by spaces. */
  formats: string;
}

/** Attribute `rtpmap` (§6.6). */
export interface RtpMap {
  payloadType: number;
  encoding: string;
  clockRate: number;
  channels?: number;
}

const DIRECTION = /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/;
const MEDIA_LINE = /^m=(\w{1,32}) (0|[1-9]\d{0,4}) ([\w/]{1,32}) (\S.*)$/;
const RTP_MAP = /^(\d{1,3}) ([\w.-]*)(?:\s*\/(\d{1,6})(?:\s*\/(\d{1,2}))?)?/;
const EXTENSION = /^(\d{1,3})(?:\/(\w+))? (\S+)/;

export const linesOf = (text: string): Section => text.split(/\r\n|\n|\r/);

export function sectionsOf(text: string): { session: Section; media: Section[] } {
  const session: string[] = [];
  const media: string[][] = [];
  for (const line of linesOf(text)) {
    if (line.startsWith('m=')) media.push([]);
    (media.at(-1) ?? session).push(line);
  }
  return { session, media };
}

/** Undefined if the section does not begin with a valid m-line. */
export function mediaLineOf([first = '']: Section): MediaLine | undefined {
  const [, kind, port, protocol, formats] = MEDIA_LINE.exec(first) ?? [];
  return kind === undefined ? undefined : { kind, port: Number(port), protocol: protocol!, formats: formats! };
}

/** Values of the lines of a type, such as `c`. */
export const valuesOf = (section: Section, type: string): string[] => after(section, `${type}=`);

/** Values of the lines `a=NAME:VALUE`. */
export const attributesOf = (section: Section, name: string): string[] => after(section, `a=${name}:`);

export const attributeOf = (section: Section, name: string): string | undefined => attributesOf(section, name)[0];

const after = (section: Section, head: string): string[] =>
  section.filter((line) => line.startsWith(head)).map((line) => line.slice(head.length).trimEnd());

/** True if the section has a line `a=NAME`. */
export const hasFlag = (section: Section, name: string): boolean =>
  section.some((line) => line.startsWith(`a=${name}`) && line.trimEnd().length === name.length + 2);

/** Undefined if the section has none: then that of the session applies, and at last `sendrecv`. */
export const directionOf = (section: Section): MediaDirection | undefined =>
  section.map((line) => DIRECTION.exec(line)?.[1]).findLast((found) => found !== undefined) as
    | MediaDirection
    | undefined;

/**
 * Port 0 rejects an m-line (RFC 3264), except a `bundle-only` one (RFC 8843 §6): with the policy `max-bundle` Firefox
 * writes all lines but the first in this form.
 */
export const isRejected = (section: Section): boolean =>
  mediaLineOf(section)?.port === 0 && !hasFlag(section, 'bundle-only');

export function rtpMapsOf(section: Section): RtpMap[] {
  return attributesOf(section, 'rtpmap').flatMap((value) => {
    const [, payloadType, encoding, clockRate, channels] = RTP_MAP.exec(value) ?? [];
    if (payloadType === undefined) return [];
    const map: RtpMap = { payloadType: Number(payloadType), encoding: encoding!, clockRate: Number(clockRate ?? 0) };
    if (channels !== undefined) map.channels = Number(channels);
    return [map];
  });
}

/** Parameters of a format (§6.15). */
export const formatParametersOf = (section: Section, payloadType: number): string | undefined =>
  attributesOf(section, 'fmtp')
    .find((value) => value.startsWith(`${payloadType} `))
    ?.slice(`${payloadType} `.length)
    .trim();

/** Header extensions (RFC 8285 §5). `direction`: absent if both ends send them. */
export const headerExtensionsOf = (section: Section): { id: number; direction: string | undefined; uri: string }[] =>
  attributesOf(section, 'extmap').flatMap((value) => {
    const [, id, direction, uri] = EXTENSION.exec(value) ?? [];
    return id === undefined ? [] : [{ id: Number(id), direction, uri: uri! }];
  });

/** Lines of the session: the version, an origin and a name; `address` is that of the origin. */
export const sessionLines = (id: number, version: number, address: string): string[] => [
  ...['v=0', `o=- ${id} ${version} ${networkOf(address)}`, 's=-'],
];

/** Connection line (§5.7). */
export const connectionLine = (address: string): string => `c=${networkOf(address)}`;

const networkOf = (address: string): string => `IN IP${address.includes(':') ? 6 : 4} ${address}`;

export const rtpMapLine = ({ payloadType, encoding, clockRate, channels }: RtpMap): string =>
  `a=rtpmap:${payloadType} ${encoding}/${clockRate}${channels === undefined ? '' : `/${channels}`}`;

export const textOf = (lines: Section): string => `${lines.join('\r\n')}\r\n`;
