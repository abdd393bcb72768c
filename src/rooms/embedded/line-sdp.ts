/**
 * SDP (RFC 8866) of a phone in a browser: one audio line in PCMU, with digits as telephone events (RFC 4733). Other
 * m-lines and codecs of the offer are rejected. The input is untrusted.
 */
import { firstOf, isRejected } from './offered-media.ts';
import { candidateLines, type Endpoint, iceOf, line, lines, security, session } from './sdp.ts';

export interface LineOffer {
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
const MID = /^[\w+/.:!#$%&'*^`{|}~-]{1,64}$/;

/** Returns the offer, or a text that describes the error in it. */
export function readLineOffer(sdp: string): LineOffer | string {
  if (sdp.length > MAX_SDP_LENGTH) return `the offer is longer than ${MAX_SDP_LENGTH} characters`;
  if (!/^v=0\r?\n/.test(sdp)) return 'the offer is not SDP';
  if (!iceOf(sdp)) return 'the offer has no ICE and DTLS parameters';
  const sections = sdp.split(/\r?\n(?=m=)/).slice(1);
  if (sections.length > MAX_LINES) return `the offer has more than ${MAX_LINES} media`;
  const media = sections.map((section) => ({
    kind: firstOf(section, /^m=([a-z]{1,16}) /) ?? '',
    mid: firstOf(section, /^a=mid:(\S+)/m) ?? '',
  }));
  if (media.some(({ kind, mid }) => kind === '' || !MID.test(mid))) return 'a media line of the offer is malformed';
  const audio = sections.findIndex(isTaken);
  if (audio < 0) return 'the offer has no sound in PCMU';
  const section = sections[audio]!;
  const direction = firstOf(section, /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/m) ?? 'sendrecv';
  if (direction === 'inactive') return 'the offer has no sound in PCMU';
  const telephoneEvent = Number(firstOf(section, /^a=rtpmap:(\d{1,3}) telephone-event\/8000(?:\/1)?\s*$/im) ?? -1);
  return {
    ...{ media, audio },
    ...{ sends: direction !== 'recvonly', receives: direction !== 'sendonly' },
    ...(telephoneEvent >= 96 && telephoneEvent <= 127 ? { telephoneEvent } : {}),
  };
}

const isTaken = (section: string): boolean => {
  const formats =
    firstOf(section, /^m=audio \d{1,5} UDP\/TLS\/RTP\/SAVPF ([\d ]{1,200})/)
      ?.trim()
      .split(' ') ?? [];
  return !isRejected(section) && formats.includes(String(PCMU));
};

export function lineAnswer(offer: LineOffer, { ice, setup, candidates }: Endpoint): string {
  const { media, audio, sends, receives, telephoneEvent } = offer;
  const direction = sends && receives ? 'sendrecv' : sends ? 'recvonly' : 'sendonly';
  const payloadTypes = [PCMU, ...(telephoneEvent === undefined ? [] : [telephoneEvent])].join(' ');
  const written = media.flatMap(({ kind, mid }, index) => {
    if (index !== audio) return line(kind, 0, 0, mid, 'inactive');
    return [
      ...line('audio', 9, payloadTypes, mid, direction),
      'a=rtcp-mux',
      `a=rtpmap:${PCMU} PCMU/8000`,
      ...(telephoneEvent === undefined
        ? []
        : [`a=rtpmap:${telephoneEvent} telephone-event/8000`, `a=fmtp:${telephoneEvent} 0-15`]),
      'a=ptime:20',
      'a=msid:callweave call',
      ...security(ice, setup),
      ...candidateLines(candidates),
    ];
  });
  return lines([...session(1, [media[audio]!.mid]), ...written]);
}
