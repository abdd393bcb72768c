/**
 * Session descriptions and the offer/answer rules (RFC 4566, RFC 3264) for one audio stream with telephone-event, in
 * RTP or SRTP (RFC 4568).
 */
import { isIP } from 'node:net';
import { type Crypto, cryptoLine, cryptoOf } from '../../toolbox/sdp/crypto.ts';
import {
  attributesOf,
  connectionLine,
  directionOf,
  hasFlag,
  type MediaDirection,
  type MediaLine,
  mediaLineOf,
  type RtpMap,
  rtpMapLine,
  rtpMapsOf,
  type Section,
  sectionsOf,
  sessionLines,
  textOf,
  valuesOf,
} from '../../toolbox/sdp/lines.ts';
import type { G711Codec } from '../media/media-port.ts';
import { CODECS, codecOf } from './codecs.ts';
import type { MessageBody } from './message.ts';
import type { SrtpPolicy } from './srtp-policy.ts';

/** Audio stream in the far end's description; directions are those of the far end. */
export interface RemoteAudio {
  host: string;
  /** Another address from which it may send: the source of its signalling. */
  otherHost?: string;
  /** True if a router translated the described address into `host`. */
  isTranslated?: true;
  /** True if it is not the source of the messages. */
  isElsewhere?: boolean;
  port: number;
  codec: G711Codec;
  payloadType: number;
  telephoneEventPayloadType?: number;
  ptimeMs: number;
  direction: MediaDirection;
  /** Key of the far end for SRTP. */
  crypto?: Crypto;
  /** RTCP port of the far end, if described (RFC 3605); equal to its RTP port if multiplexed (RFC 5761). */
  rtcpPort?: number;
}

export interface RemoteDescription {
  /** All m-lines: an answer mirrors each (RFC 3264 §6). */
  media: readonly MediaLine[];
  /** Index of the line of `audio`; of the first audio line if its stream is disabled; else -1. */
  audioIndex: number;
  /** Undefined if there is no supported stream, or it is disabled with port 0. */
  audio: RemoteAudio | undefined;
}

/** Local side of the description; `version` is incremented with each change that is sent (RFC 3264 §8). */
export interface LocalDescription {
  host: string;
  port: number;
  sessionId: number;
  version: number;
  /** Local key for SRTP. */
  key: Uint8Array;
}

export const SDP_TYPE = 'application/sdp';
/** Message body with a description; none without one. */
export const sdpBody = (content: string | undefined): { body?: MessageBody } =>
  content === undefined ? {} : { body: { type: SDP_TYPE, content } };
/** Maximum characters of a description. */
export const MAX_SDP = 16_384;
const DEFAULT_PTIME_MS = 20;
const LEAST_PTIME_MS = 10;
/** Payload type in local offers. */
const TELEPHONE_EVENT = 101;
const PLAIN = 'RTP/AVP';
const SECURE = 'RTP/SAVP';
/**
 * Profiles with feedback (RFC 4585, RFC 5124): handled like those without, because no feedback has to be sent, and
 * repeated in answers.
 */
const PROFILES: Readonly<Record<string, typeof PLAIN | typeof SECURE>> = {
  [PLAIN]: PLAIN,
  'RTP/AVPF': PLAIN,
  [SECURE]: SECURE,
  'RTP/SAVPF': SECURE,
};
const profileOf = (protocol: string) => PROFILES[protocol];
/** Offered telephone events (RFC 4733 §7.1.1): digits, `*`, `#` and A to D. */
const OFFERED_EVENTS = '0-15';
const CONNECTION = /^IN IP\d (\S+)/;

/** Reads a description in any form; undefined if the text is malformed. `plain-description.ts` reads the usual form. */
export function parseDescription(text: string, srtp: SrtpPolicy): RemoteDescription | undefined {
  if (text.length > MAX_SDP || !isWellFormed(text)) return undefined;
  const { session, media: sections } = sectionsOf(text);
  const media: MediaLine[] = [];
  let audio: RemoteAudio | undefined;
  let audioIndex = -1;
  for (const [index, section] of sections.entries()) {
    const line = mediaLineOf(section);
    if (!line || line.port > 65_535) return undefined;
    const { kind, port, protocol } = line;
    media.push(line);
    // If a stream has two lines, without and with encryption, the encrypted one is used.
    if (kind !== 'audio' || !mayUse(protocol, srtp) || (audio && (audio.crypto || profileOf(protocol) === PLAIN)))
      continue;
    if (audioIndex < 0) audioIndex = index;
    if (port === 0) continue;
    const host = addressOf(section) ?? addressOf(session);
    if (host === undefined) return undefined;
    const direction = directionOf(section) ?? directionOf(session) ?? 'sendrecv';
    const read = readAudio(section, line, direction, host);
    if (!read || (profileOf(protocol) === SECURE && !read.crypto)) continue;
    audio = read;
    audioIndex = index;
  }
  return { media, audioIndex, audio };
}

const addressOf = (section: Section): string | undefined =>
  valuesOf(section, 'c')
    .map((value) => CONNECTION.exec(value)?.[1])
    .findLast((host) => host !== undefined);

const mayUse = (protocol: string, srtp: SrtpPolicy): boolean =>
  (profileOf(protocol) === PLAIN && srtp !== 'required') || (profileOf(protocol) === SECURE && srtp !== 'off');

/** RFC 4566 §5: lines of one lower-case letter and a value, starting with the version and an origin. */
function isWellFormed(text: string): boolean {
  const lines = text.split(/\r\n|\n|\r/);
  while (lines.at(-1) === '') lines.pop();
  let mediaLines = 0;
  for (const line of lines) {
    if (line.charCodeAt(1) !== 0x3d || line.charCodeAt(0) < 0x61 || line.charCodeAt(0) > 0x7a) return false;
    if (line[0] === 'm' && !/^m=\w+ \d{1,5}(\/\d+)? [\w/]+ \S/.test(line)) return false;
    if (line[0] === 'm') mediaLines++;
  }
  return lines[0] === 'v=0' && /^o=\S+ \S+ \S+ IN IP[46] \S+$/.test(lines[1] ?? '') && mediaLines > 0;
}

function readAudio(section: Section, line: MediaLine, given: MediaDirection, host: string): RemoteAudio | undefined {
  if (isIP(host) === 0) return undefined;
  const { port, protocol } = line;
  const mapped = new Map(rtpMapsOf(section).map((map) => [map.payloadType, map]));
  let found: { codec: G711Codec; payloadType: number } | undefined;
  let telephoneEvent: number | undefined;
  for (const word of line.formats.split(' ')) {
    const payloadType = Number(word);
    if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > 127) continue;
    const map = mapped.get(payloadType);
    if (isTelephoneEvent(map)) telephoneEvent ??= payloadType;
    const row = codecOf(payloadType, map);
    if (row) found ??= { codec: row.name, payloadType };
  }
  if (!found) return undefined;
  // RFC 3264 §8.4: hold in the old style. No media may be sent to such an address.
  const isHeld = host === '0.0.0.0' || host === '::';
  const held = given === 'recvonly' ? 'inactive' : withoutReceiving(given);
  const audio: RemoteAudio = {
    host,
    port,
    ...found,
    ptimeMs: packetTime(numberIn(section, 'ptime'), numberIn(section, 'maxptime')),
    direction: isHeld ? held : given,
  };
  if (telephoneEvent !== undefined) audio.telephoneEventPayloadType = telephoneEvent;
  const crypto = profileOf(protocol) === SECURE ? cryptoOf(section) : undefined;
  if (crypto) audio.crypto = crypto;
  const rtcpPort = hasFlag(section, 'rtcp-mux') ? port : numberIn(section, 'rtcp');
  if (rtcpPort > 0 && rtcpPort <= 65_535) audio.rtcpPort = rtcpPort;
  return audio;
}

export const isTelephoneEvent = (map: RtpMap | undefined): boolean =>
  map?.encoding.toLowerCase() === 'telephone-event' && map.clockRate === 8000;

/**
 * Packet time in ms that the far end requests (RFC 8866 §6.4), at most the maximum that it accepts (§6.5). NaN: not
 * described.
 */
export function packetTime(wantedMs: number, maxMs: number): number {
  const isUsable = wantedMs >= LEAST_PTIME_MS && wantedMs <= 60 && wantedMs % 10 === 0;
  const mostMs = maxMs > 0 ? Math.floor(maxMs / 10) * 10 : Number.POSITIVE_INFINITY;
  return Math.max(LEAST_PTIME_MS, Math.min(isUsable ? wantedMs : DEFAULT_PTIME_MS, mostMs));
}

/** Number at the start of an attribute; NaN without one. */
const numberIn = (section: Section, name: string): number =>
  Number(/^\d+(\.\d+)?/.exec(attributesOf(section, name).at(-1) ?? '')?.[0]);

const withoutReceiving = (direction: MediaDirection): MediaDirection =>
  direction === 'sendrecv' ? 'sendonly' : direction;

/** Permitted local direction, for the far end's direction. */
export const maySend = (theirs: MediaDirection): boolean => theirs === 'sendrecv' || theirs === 'recvonly';
export const mayReceive = (theirs: MediaDirection): boolean => theirs === 'sendrecv' || theirs === 'sendonly';

/** RFC 3264 §6.1, §8.4: direction of the answer, and of an offer, depending on holds. */
function answerDirection(theirs: MediaDirection, hold: boolean): MediaDirection {
  if (theirs === 'inactive') return 'inactive';
  if (theirs === 'sendonly') return hold ? 'inactive' : 'recvonly';
  return hold || theirs === 'recvonly' ? 'sendonly' : 'sendrecv';
}

export function offerDirection(hold: boolean, farHold: boolean): MediaDirection {
  if (!hold) return 'sendrecv';
  return farHold ? 'inactive' : 'sendonly';
}

export function writeOffer(local: LocalDescription, direction: MediaDirection, secure: boolean): string {
  const maps = CODECS.map(({ name, payloadType, clockRate }) => ({ payloadType, encoding: name, clockRate }));
  const written: WrittenAudio = {
    ...{ protocol: secure ? SECURE : PLAIN, maps, telephoneEvent: TELEPHONE_EVENT, ptimeMs: 20, direction },
    crypto: secure ? { tag: 1, key: local.key } : undefined,
    isMultiplexed: false,
  };
  return headOf(local) + audioText(local.port, written);
}

/** Accepts the one audio stream and rejects all others; every line of the offer gets its answer. */
export function writeAnswer(local: LocalDescription, offer: RemoteDescription, hold: boolean): string {
  const { audio, audioIndex } = offer;
  let text = headOf(local);
  for (const [index, { kind, protocol, formats }] of offer.media.entries()) {
    if (!audio || index !== audioIndex) text += `m=${kind} 0 ${protocol} ${formats}\r\n`;
    else {
      text += audioText(local.port, {
        protocol,
        maps: [{ payloadType: audio.payloadType, encoding: audio.codec, clockRate: 8000 }],
        telephoneEvent: audio.telephoneEventPayloadType,
        ptimeMs: audio.ptimeMs,
        direction: answerDirection(audio.direction, hold),
        crypto: audio.crypto && { tag: audio.crypto.tag, key: local.key },
        isMultiplexed: audio.rtcpPort === audio.port,
      });
    }
  }
  return text;
}

const headOf = ({ host, sessionId, version }: LocalDescription): string =>
  textOf([...sessionLines(sessionId, version, host), connectionLine(host), 't=0 0']);

interface WrittenAudio {
  protocol: string;
  maps: readonly RtpMap[];
  telephoneEvent: number | undefined;
  ptimeMs: number;
  direction: MediaDirection;
  crypto: Crypto | undefined;
  /** True if RTCP has the port of RTP. */
  isMultiplexed: boolean;
}

/** Lines of the audio stream. Built as one string, because every call gets one. */
function audioText(port: number, { protocol, maps, telephoneEvent, crypto, ...audio }: WrittenAudio): string {
  let formats = '';
  let lines = '';
  for (const map of maps) {
    formats += ` ${map.payloadType}`;
    lines += `${rtpMapLine(map)}\r\n`;
  }
  if (telephoneEvent !== undefined) {
    formats += ` ${telephoneEvent}`;
    lines += `a=rtpmap:${telephoneEvent} telephone-event/8000\r\na=fmtp:${telephoneEvent} ${OFFERED_EVENTS}\r\n`;
  }
  if (crypto) lines += `${cryptoLine(crypto)}\r\n`;
  lines += `a=ptime:${audio.ptimeMs}\r\na=${audio.direction}\r\n`;
  if (audio.isMultiplexed) lines += 'a=rtcp-mux\r\n';
  return `m=audio ${port} ${protocol}${formats}\r\n${lines}`;
}
