/**
 * SDP (RFC 8866) of a phone in a browser: one audio line in PCMU, with digits as telephone events (RFC 4733). Other
 * m-lines and codecs of the offer are rejected. The input is untrusted.
 */
import { candidateLines, iceLines, iceOf, TOKEN } from '../../toolbox/sdp/ice.ts';
import {
  attributeOf,
  directionOf,
  isRejected,
  mediaLineOf,
  type RtpMap,
  rtpMapLine,
  rtpMapsOf,
  type Section,
  sectionsOf,
  textOf,
} from '../../toolbox/sdp/lines.ts';
import { type Endpoint, webrtcMedia, webrtcSession } from '../../toolbox/sdp/webrtc.ts';

export interface WebphoneOffer {
  /** M-lines in order; `audio` is the index of the accepted one. */
  media: readonly { kind: string; mid: string }[];
  audio: number;
  /** True if the browser may send, or receive. */
  sends: boolean;
  receives: boolean;
  telephoneEvent?: number;
}

/** RFC 3551 §6. */
export const PCMU = 0;
const MAX_SDP_LENGTH = 65_536;
const MAX_LINES = 16;
const MAX_MID_LENGTH = 64;
/** Payload types that are assigned in offers (RFC 3551 §6). */
const FIRST_DYNAMIC = 96;
const TELEPHONE_EVENT = { encoding: 'telephone-event', clockRate: 8000 };

/** Returns the offer, or a text that describes the error in it. */
export function readWebphoneOffer(sdp: string): WebphoneOffer | string {
  if (sdp.length > MAX_SDP_LENGTH) return `the offer is longer than ${MAX_SDP_LENGTH} characters`;
  if (!/^v=0\r?\n/.test(sdp)) return 'the offer is not SDP';
  if (!iceOf(sdp)) return 'the offer has no ICE and DTLS parameters';
  const { media: sections } = sectionsOf(sdp);
  if (sections.length > MAX_LINES) return `the offer has more than ${MAX_LINES} media`;
  const media = sections.map((section) => ({
    kind: mediaLineOf(section)?.kind ?? '',
    mid: attributeOf(section, 'mid') ?? '',
  }));
  if (media.some(({ kind, mid }) => kind === '' || mid.length > MAX_MID_LENGTH || !TOKEN.test(mid)))
    return 'a media line of the offer is malformed';
  const audio = sections.findIndex(isTaken);
  if (audio < 0) return 'the offer has no sound in PCMU';
  const section = sections[audio]!;
  const direction = directionOf(section) ?? 'sendrecv';
  if (direction === 'inactive') return 'the offer has no sound in PCMU';
  const telephoneEvent = rtpMapsOf(section).find(isTelephoneEvent)?.payloadType;
  return {
    ...{ media, audio },
    ...{ sends: direction !== 'recvonly', receives: direction !== 'sendonly' },
    ...(telephoneEvent === undefined ? {} : { telephoneEvent }),
  };
}

function isTelephoneEvent({ payloadType, encoding, clockRate, channels = 1 }: RtpMap): boolean {
  const isMapped = encoding.toLowerCase() === TELEPHONE_EVENT.encoding && clockRate === TELEPHONE_EVENT.clockRate;
  return isMapped && channels === 1 && payloadType >= FIRST_DYNAMIC && payloadType <= 127;
}

function isTaken(section: Section): boolean {
  const line = mediaLineOf(section);
  const isAudio = line?.kind === 'audio' && line.protocol === 'UDP/TLS/RTP/SAVPF';
  return isAudio && !isRejected(section) && line.formats.trim().split(' ').includes(String(PCMU));
}

export function webphoneAnswer(offer: WebphoneOffer, { ice, setup, candidates }: Endpoint): string {
  const { media, audio, sends, receives, telephoneEvent } = offer;
  const direction = sends && receives ? 'sendrecv' : sends ? 'recvonly' : 'sendonly';
  const payloadTypes = [PCMU, ...(telephoneEvent === undefined ? [] : [telephoneEvent])].join(' ');
  const written = media.flatMap(({ kind, mid }, index) => {
    if (index !== audio) return webrtcMedia({ kind, port: 0, payloadTypes: 0, mid, direction: 'inactive' });
    return [
      ...webrtcMedia({ kind: 'audio', port: 9, payloadTypes, mid, direction }),
      'a=rtcp-mux',
      rtpMapLine({ payloadType: PCMU, encoding: 'PCMU', clockRate: 8000 }),
      ...(telephoneEvent === undefined
        ? []
        : [rtpMapLine({ payloadType: telephoneEvent, ...TELEPHONE_EVENT }), `a=fmtp:${telephoneEvent} 0-15`]),
      'a=ptime:20',
      'a=msid:callweave call',
      ...iceLines(ice, setup),
      ...candidateLines(candidates),
    ];
  });
  return textOf([...webrtcSession(1, [media[audio]!.mid]), ...written]);
}
