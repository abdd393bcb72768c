/**
 * Writes SDP (RFC 8866) for browsers. libdatachannel does only ICE, DTLS and SRTP: it always sees a single m-line
 * (`coreDescription`). Media negotiation is read in `offered-media.ts` and written here.
 *
 * Invariants
 *  - m-lines of an answer are in the order of the offer, and complete (RFC 9429);
 *  - an m-line that was offered to a subscriber is never removed: it becomes inactive, and is used again.
 */
import { EXTENSIONS } from '../../toolbox/rtp/extensions.ts';
import { candidateLines, type IceParameters, iceLines } from '../../toolbox/sdp/ice.ts';
import { attributeOf, isRejected, mediaLineOf, sectionsOf, textOf } from '../../toolbox/sdp/lines.ts';
import { type Endpoint, webrtcMedia, webrtcSession } from '../../toolbox/sdp/webrtc.ts';
import { type Codec, codecLines } from './codecs.ts';
import type { OfferedMedia } from './offered-media.ts';

export type MediaKind = 'audio' | 'video';

/** M-line of an offer to a subscriber. */
export interface SubscriberLine {
  mid: string;
  kind: MediaKind;
  /** Absent if the line is inactive. */
  stream?: { ssrc: number; paddingSsrc: number; streamId: string; trackId: string; codec: Codec };
}

export const SUBSCRIBER_PAYLOAD_TYPES: Readonly<Record<Codec, number>> = { VP8: 96, VP9: 98, H264: 100, opus: 111 };
/** Payload type of padding packets: it is negotiated as retransmission (RFC 4588). */
export const PADDING_PAYLOAD_TYPE = 97;
/** The only header extension in packets to subscribers. */
export const SEND_TIME_ID = 3;

/** Description of the remote end for libdatachannel, with a single m-line. */
export const coreDescription = (ice: IceParameters, setup: string): string =>
  textOf([
    ...webrtcSession(1, ['0']),
    ...webrtcMedia({ kind: 'video', port: 9, payloadTypes: 96, mid: '0', direction: 'sendrecv' }),
    'a=rtcp-mux',
    'a=rtpmap:96 VP8/90000',
    ...iceLines(ice, setup),
  ]);

/** Writes the answer to an offer; lines for which `isTaken` is false become inactive. */
export function answerTo(
  media: readonly OfferedMedia[],
  { ice, setup, candidates }: Endpoint,
  version: number,
  isTaken: (media: OfferedMedia) => boolean,
): string {
  const taken = media.filter(isTaken);
  const written = media.flatMap((each) => {
    const { mid, codec, payloadType, extensions, sentExtensions, rids, takesLoneFeedback } = each;
    if (!taken.includes(each) || !codec) return refusalOf(each);
    const wanted = Object.entries(extensions).filter(([, name]) => name !== 'sendTime');
    const direction = (id: string): string => (sentExtensions.includes(Number(id)) ? '/recvonly' : '');
    return [
      ...webrtcMedia({ kind: each.kind, port: 9, payloadTypes: payloadType, mid, direction: 'recvonly' }),
      ...['a=rtcp-mux', ...(takesLoneFeedback ? ['a=rtcp-rsize'] : [])],
      ...codecLines(codec),
      ...iceLines(ice, setup),
      ...candidateLines(candidates),
      ...wanted.map(([id, name]) => `a=extmap:${id}${direction(id)} ${EXTENSIONS[name]}`),
      ...rids.map((rid) => `a=rid:${rid} recv`),
      ...(rids.length > 0 ? [`a=simulcast:recv ${rids.join(';')}`] : []),
    ];
  });
  return textOf([
    ...webrtcSession(
      version,
      taken.map(({ mid }) => mid),
    ),
    ...written,
  ]);
}

/** Rejects an m-line (RFC 3264 §6): its formats are ignored for media, but not for data channels. */
function refusalOf({ kind, mid, protocol, format, payloadType }: OfferedMedia): string[] {
  const isMedia = protocol.includes('RTP');
  const [, ...attributes] = webrtcMedia({ kind, port: 0, payloadTypes: 0, mid, direction: 'inactive' });
  const head = `m=${kind} 0 ${protocol} ${isMedia ? Math.max(payloadType, 0) : format}`;
  return [head, ...attributes.filter((each) => each !== 'a=mid:')];
}

/** Writes the offer to a subscriber. */
export function offerOf(
  offered: readonly SubscriberLine[],
  { ice, setup, candidates }: Endpoint,
  version: number,
): string {
  const written = offered.flatMap(({ mid, kind, stream }) => {
    const first: Codec = kind === 'video' ? 'VP8' : 'opus';
    const codecs = [...new Set([first, stream?.codec ?? first])];
    const payloadTypes = codecs.map((codec) => SUBSCRIBER_PAYLOAD_TYPES[codec]);
    if (kind === 'video') payloadTypes.splice(1, 0, PADDING_PAYLOAD_TYPE);
    return [
      ...webrtcMedia({
        ...{ kind, port: 9, payloadTypes: payloadTypes.join(' '), mid },
        direction: stream ? 'sendonly' : 'inactive',
      }),
      ...['a=rtcp-mux', 'a=rtcp-rsize'],
      ...codecs.flatMap((codec) => codecLines({ codec, payloadType: SUBSCRIBER_PAYLOAD_TYPES[codec] })),
      ...(kind === 'video' ? paddingLines(SUBSCRIBER_PAYLOAD_TYPES.VP8) : []),
      `a=extmap:${SEND_TIME_ID} ${EXTENSIONS.sendTime}`,
      ...iceLines(ice, setup),
      ...candidateLines(candidates),
      ...(stream ? streamLines(kind, stream) : []),
    ];
  });
  return textOf([
    ...webrtcSession(
      version,
      offered.map(({ mid }) => mid),
    ),
    ...written,
  ]);
}

/** False if the answer rejects the line, or accepts it in other codecs only. */
export function isReceived(answer: string, mid: string, codec: Codec): boolean {
  const section = sectionsOf(answer).media.find((each) => attributeOf(each, 'mid') === mid);
  if (section === undefined) return true;
  const formats = mediaLineOf(section)?.formats.split(' ') ?? [];
  return !isRejected(section) && formats.includes(String(SUBSCRIBER_PAYLOAD_TYPES[codec]));
}

function streamLines(
  kind: MediaKind,
  { ssrc, paddingSsrc, streamId, trackId }: NonNullable<SubscriberLine['stream']>,
): string[] {
  const all = kind === 'video' ? [ssrc, paddingSsrc] : [ssrc];
  return [
    `a=msid:${streamId} ${trackId}`,
    ...(all.length > 1 ? [`a=ssrc-group:FID ${all.join(' ')}`] : []),
    ...all.map((each) => `a=ssrc:${each} cname:${streamId}`),
  ];
}

const paddingLines = (payloadType: number): string[] => [
  `a=rtpmap:${PADDING_PAYLOAD_TYPE} rtx/90000`,
  `a=fmtp:${PADDING_PAYLOAD_TYPE} apt=${payloadType}`,
];
