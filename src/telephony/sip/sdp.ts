/**
 * Session descriptions and the offer/answer rules (RFC 4566, RFC 3264) for one audio stream with telephone-event, in
 * RTP or SRTP (RFC 4568). sdp-transform reads and writes the text, after a syntax check that the library does not make.
 */
import { isIP } from 'node:net';
import { type Media, parse, type Session, write } from 'sdp-transform';
import type { G711Codec } from '../media/media-port.ts';
import { CODECS, codecOf } from './codecs.ts';
import type { MessageBody } from './message.ts';
import { type Crypto, cryptoLine, readCrypto, type SrtpPolicy } from './srtp-sdp.ts';

export type SdpDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

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
  direction: SdpDirection;
  /** Key of the far end for SRTP. */
  crypto?: Crypto;
  /** RTCP port of the far end, if described (RFC 3605); equal to its RTP port if multiplexed (RFC 5761). */
  rtcpPort?: number;
}

export interface RemoteDescription {
  /** All m-lines: an answer mirrors each (RFC 3264 §6). */
  media: readonly { type: string; protocol: string; formats: string; port: number }[];
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
const LONGEST_SDP = 16_384;
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
const profileOf = (protocol: unknown) => PROFILES[String(protocol)];
const DIRECTIONS: ReadonlySet<unknown> = new Set(['sendrecv', 'sendonly', 'recvonly', 'inactive']);

/** Reads the far end's description; undefined if the text is malformed. */
export function readDescription(text: string, srtp: SrtpPolicy): RemoteDescription | undefined {
  if (text.length > LONGEST_SDP || !isWellFormed(text)) return undefined;
  const session = parse(text);
  const media: { type: string; protocol: string; formats: string; port: number }[] = [];
  let audio: RemoteAudio | undefined;
  let audioIndex = -1;
  for (const [index, line] of session.media.entries()) {
    const { type, port, protocol, payloads } = line;
    if (typeof type !== 'string' || typeof port !== 'number' || typeof protocol !== 'string') return undefined;
    if (payloads === undefined || port > 65_535) return undefined;
    media.push({ type, port, protocol, formats: String(payloads) });
    // If a stream has two lines, without and with encryption, the encrypted one is used.
    if (type !== 'audio' || !mayUse(protocol, srtp) || (audio && (audio.crypto || profileOf(protocol) === PLAIN)))
      continue;
    if (audioIndex < 0) audioIndex = index;
    if (port === 0) continue;
    const address = line.connection?.ip ?? session.connection?.ip;
    if (address === undefined) return undefined;
    const read = readAudio(session, line, port, String(address));
    if (!read || (profileOf(protocol) === SECURE && !read.crypto)) continue;
    audio = read;
    audioIndex = index;
  }
  return { media, audioIndex, audio };
}

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

function readAudio(session: Session, line: Media, port: number, host: string): RemoteAudio | undefined {
  if (isIP(host) === 0) return undefined;
  const mapped = new Map<number, { codec: string; rate: unknown }>();
  for (const { payload, codec, rate } of line.rtp) {
    mapped.set(Number(payload), { codec: String(codec).toUpperCase(), rate });
  }
  let found: { codec: G711Codec; payloadType: number } | undefined;
  let telephoneEvent: number | undefined;
  for (const word of String(line.payloads).split(' ')) {
    const payloadType = Number(word);
    if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > 127) continue;
    const map = mapped.get(payloadType);
    if (map?.codec === 'TELEPHONE-EVENT' && map.rate === 8000) telephoneEvent ??= payloadType;
    const row = codecOf(payloadType, map);
    if (row) found ??= { codec: row.name, payloadType };
  }
  if (!found) return undefined;
  const given = line.direction ?? session.direction;
  let direction = DIRECTIONS.has(given) ? (given as SdpDirection) : 'sendrecv';
  // RFC 3264 §8.4: hold in the old style. No media may be sent to such an address.
  if (host === '0.0.0.0' || host === '::')
    direction = direction === 'recvonly' ? 'inactive' : withoutReceiving(direction);
  const audio: RemoteAudio = {
    host,
    port,
    ...found,
    ptimeMs: packetTimeOf(line),
    direction,
  };
  if (telephoneEvent !== undefined) audio.telephoneEventPayloadType = telephoneEvent;
  const crypto = profileOf(line.protocol) === SECURE ? readCrypto(line.crypto) : undefined;
  if (crypto) audio.crypto = crypto;
  const rtcpPort = line.rtcpMux !== undefined ? port : Number(line.rtcp?.port);
  if (rtcpPort > 0 && rtcpPort <= 65_535) audio.rtcpPort = rtcpPort;
  return audio;
}

/** Packet time that the far end requests (RFC 8866 §6.4), at most the maximum that it accepts (§6.5). */
function packetTimeOf({ ptime, maxptime }: Media): number {
  const wantedMs = Number(ptime);
  const isUsable = wantedMs >= LEAST_PTIME_MS && wantedMs <= 60 && wantedMs % 10 === 0;
  const mostMs = Number(maxptime) > 0 ? Math.floor(Number(maxptime) / 10) * 10 : Number.POSITIVE_INFINITY;
  return Math.max(LEAST_PTIME_MS, Math.min(isUsable ? wantedMs : DEFAULT_PTIME_MS, mostMs));
}

const withoutReceiving = (direction: SdpDirection): SdpDirection => (direction === 'sendrecv' ? 'sendonly' : direction);

/** Permitted local direction, for the far end's direction. */
export const maySend = (theirs: SdpDirection): boolean => theirs === 'sendrecv' || theirs === 'recvonly';
export const mayReceive = (theirs: SdpDirection): boolean => theirs === 'sendrecv' || theirs === 'sendonly';

/** RFC 3264 §6.1, §8.4: direction of the answer, and of an offer, depending on holds. */
function answerDirection(theirs: SdpDirection, hold: boolean): SdpDirection {
  if (theirs === 'inactive') return 'inactive';
  if (theirs === 'sendonly') return hold ? 'inactive' : 'recvonly';
  return hold || theirs === 'recvonly' ? 'sendonly' : 'sendrecv';
}

export function offerDirection(hold: boolean, farHold: boolean): SdpDirection {
  if (!hold) return 'sendrecv';
  return farHold ? 'inactive' : 'sendonly';
}

export function writeOffer(local: LocalDescription, direction: SdpDirection, secure: boolean): string {
  const codecs = CODECS.map(({ name, payloadType, clockRate }) => {
    return { payload: payloadType, codec: name, rate: clockRate };
  });
  const line = audioLine(local.port, codecs, TELEPHONE_EVENT, 20, direction);
  return write({ ...sessionHeader(local), media: [secure ? secured(line, { tag: 1, key: local.key }) : line] });
}

/** Accepts the one audio stream and rejects all others; every line of the offer gets its answer. */
export function writeAnswer(local: LocalDescription, offer: RemoteDescription, hold: boolean): string {
  const media = offer.media.map((line, index): Media => {
    const { audio } = offer;
    if (!audio || index !== offer.audioIndex) {
      return { type: line.type, port: 0, protocol: line.protocol, payloads: line.formats, rtp: [], fmtp: [] };
    }
    const codec = { payload: audio.payloadType, codec: audio.codec, rate: 8000 };
    const direction = answerDirection(audio.direction, hold);
    const answer = audioLine(local.port, [codec], audio.telephoneEventPayloadType, audio.ptimeMs, direction);
    if (audio.rtcpPort === audio.port) answer.rtcpMux = 'rtcp-mux';
    const made = audio.crypto ? secured(answer, { tag: audio.crypto.tag, key: local.key }) : answer;
    return { ...made, protocol: line.protocol };
  });
  return write({ ...sessionHeader(local), media });
}

const secured = (line: Media, crypto: Crypto): Media => ({
  ...line,
  protocol: SECURE,
  crypto: [cryptoLine(crypto)],
});

function sessionHeader(local: LocalDescription): Omit<Session, 'media'> {
  const ipVer = isIP(local.host) === 6 ? 6 : 4;
  return {
    version: 0,
    origin: {
      username: '-',
      sessionId: local.sessionId,
      sessionVersion: local.version,
      netType: 'IN',
      ipVer,
      address: local.host,
    },
    name: '-',
    connection: { version: ipVer, ip: local.host },
    timing: { start: 0, stop: 0 },
  };
}

function audioLine(
  port: number,
  codecs: readonly { payload: number; codec: string; rate: number }[],
  telephoneEvent: number | undefined,
  ptime: number,
  direction: SdpDirection,
): Media {
  const rtp = [...codecs];
  const fmtp: Media['fmtp'] = [];
  if (telephoneEvent !== undefined) {
    rtp.push({ payload: telephoneEvent, codec: 'telephone-event', rate: 8000 });
    fmtp.push({ payload: telephoneEvent, config: '0-15' });
  }
  const payloads = rtp.map((entry) => entry.payload).join(' ');
  return { type: 'audio', port, protocol: PLAIN, payloads, rtp, fmtp, ptime, direction };
}
