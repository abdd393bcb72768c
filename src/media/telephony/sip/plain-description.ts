/**
 * Fast reader of the session descriptions that most phones send: one plain audio stream with an IPv4 address, and lines
 * without effect. Descriptions in any other form are read by `parseDescription`, with which this reader always agrees.
 */
import { isIPv4 } from 'node:net';
import type { MediaDirection, RtpMap } from '../../toolbox/sdp/lines.ts';
import { codecOf } from './codecs.ts';
import {
  isTelephoneEvent,
  MAX_SDP,
  packetTime,
  parseDescription,
  type RemoteAudio,
  type RemoteDescription,
} from './sdp.ts';
import type { SrtpPolicy } from './srtp-policy.ts';

/** Lines of the session: attributes and bandwidths are ignored, except a direction. Then the m-line. */
const HEAD =
  /^v=0\r\no=[^\s]+ [^\s]+ [^\s]+ IN IP[46] [^\s]+\r\n(?:s=[^\r\n]*\r\n)?c=IN IP4 ([\d.]{7,15})\r\n(?:b=[^\r\n]*\r\n)?t=[^\r\n]*\r\n(?:a=(?!sendrecv|sendonly|recvonly|inactive)[^\r\n]*\r\n)*m=audio ([1-9]\d{0,4}) RTP\/AVP (\d{1,3}(?: \d{1,3})*)\r\n/;
const RTP_MAP = /a=rtpmap:(\d{1,3}) ([\w.-]+)\/(\d{1,6})\r\n/y;
const PACKET_TIME = /a=ptime:(\d{1,3})\r\n/y;
/** Attributes with an effect, which only `parseDescription` reads, or reads in another spelling. */
const OTHER_EFFECT = /a=(?:rtpmap|ptime|maxptime|rtcp|sendrecv|sendonly|recvonly|inactive)/y;
/** A line without an effect. */
const IGNORED = /[ab]=[^\r\n]*\r\n/y;
const DIRECTION = /a=(sendrecv|sendonly|recvonly|inactive)\r\n/y;

/** The description that was read last: an INVITE is checked several times before it is answered. */
let last: { text: string; description: RemoteDescription } | undefined;

/** Reads the far end's description; undefined if the text is malformed. */
export function readDescription(text: string, srtp: SrtpPolicy): RemoteDescription | undefined {
  if (srtp === 'required') return parseDescription(text, srtp);
  if (last?.text === text) return last.description;
  const description = readPlainDescription(text);
  if (!description) return parseDescription(text, srtp);
  last = { text, description };
  return description;
}

/** Undefined if the text has another form. Valid for all SRTP policies that permit plain audio. */
export function readPlainDescription(text: string): RemoteDescription | undefined {
  if (text.length > MAX_SDP) return undefined;
  const head = HEAD.exec(text);
  if (!head) return undefined;
  const [start, host, portText, formats] = head as unknown as [string, string, string, string];
  const port = Number(portText);
  if (port > 65_535 || !isIPv4(host) || host === '0.0.0.0') return undefined;
  const attributes = readAttributes(text, start.length);
  if (!attributes) return undefined;
  const media = [{ kind: 'audio', port, protocol: 'RTP/AVP', formats }];
  return { media, audioIndex: 0, audio: audioOf(host, port, formats, attributes) };
}

interface PlainAttributes {
  maps: RtpMap[];
  ptimeMs: number;
  direction: MediaDirection;
}

function readAttributes(text: string, start: number): PlainAttributes | undefined {
  const attributes: PlainAttributes = { maps: [], ptimeMs: packetTime(Number.NaN, Number.NaN), direction: 'sendrecv' };
  let hasPacketTime = false;
  for (let at = start; at < text.length; ) {
    const map = matchAt(RTP_MAP, text, at);
    const time = map ? undefined : matchAt(PACKET_TIME, text, at);
    const direction = map || time ? undefined : matchAt(DIRECTION, text, at);
    if (map) attributes.maps.push({ payloadType: Number(map[1]), encoding: map[2]!, clockRate: Number(map[3]) });
    else if (time) {
      if (hasPacketTime) return undefined;
      hasPacketTime = true;
      attributes.ptimeMs = packetTime(Number(time[1]), Number.NaN);
    } else if (direction) attributes.direction = direction[1] as MediaDirection;
    else if (matchAt(OTHER_EFFECT, text, at)) return undefined;
    const line = map ?? time ?? direction ?? matchAt(IGNORED, text, at);
    if (!line) return undefined;
    at += line[0].length;
  }
  return attributes;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function audioOf(host: string, port: number, formats: string, attributes: PlainAttributes): RemoteAudio | undefined {
  const { maps, ptimeMs, direction } = attributes;
  let audio: RemoteAudio | undefined;
  let telephoneEvent: number | undefined;
  for (const word of formats.split(' ')) {
    const payloadType = Number(word);
    if (payloadType > 127) continue;
    const map = maps.findLast((one) => one.payloadType === payloadType);
    if (isTelephoneEvent(map)) telephoneEvent ??= payloadType;
    const codec = codecOf(payloadType, map);
    if (codec) audio ??= { host, port, codec: codec.name, payloadType, ptimeMs, direction };
  }
  if (audio && telephoneEvent !== undefined) audio.telephoneEventPayloadType = telephoneEvent;
  return audio;
}
