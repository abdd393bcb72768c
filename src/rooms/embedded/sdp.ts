/**
 * SDP (RFC 8866) between browsers and the engine. libdatachannel does ICE, DTLS and SRTP alone: it sees one media line for
 * ever (`coreDescription`); all that browsers negotiate is read and written here. VP8 and Opus, nothing else.
 *
 * Invariants
 *  - lines of an answer stand in the order of the offer, and none is left out (RFC 9429);
 *  - a line that was once offered to a viewer is never removed: it becomes inactive, and is used again.
 */
import { EXTENSIONS, type ExtensionMap, type ExtensionName } from './rtp.ts';

export type MediaKind = 'audio' | 'video';

/** Of one end of a connection. */
export interface IceParameters {
  ufrag: string;
  password: string;
  fingerprint: string;
  setup: string;
}

/** One line of what a browser offers to send. */
export interface OfferedMedia {
  kind: string;
  mid: string;
  /** -1: it has no codec of ours. */
  payloadType: number;
  extensions: ExtensionMap;
  /** Of simulcast, the best layer first. */
  rids: readonly string[];
  ssrcs: readonly number[];
  /** Feedback may come to it by itself, without a report before it (RFC 5506). */
  takesLoneFeedback: boolean;
  /** The browser sends nothing here, or nothing that we take. */
  isOff: boolean;
}

/** One line of what a viewer gets. */
export interface ViewerLine {
  mid: string;
  kind: MediaKind;
  /** Absent: the line is inactive. */
  stream?: { ssrc: number; paddingSsrc: number; streamId: string; trackId: string };
}

export interface Endpoint {
  ice: IceParameters;
  setup: string;
  candidates: readonly string[];
}

export const VIEWER_PAYLOAD_TYPES: Readonly<Record<MediaKind, number>> = { video: 96, audio: 111 };
/** Of packets that carry nothing: they go by as those of retransmission (RFC 4588). */
export const PADDING_PAYLOAD_TYPE = 97;
/** The only header extension towards viewers. */
export const SEND_TIME_ID = 3;
/** More than a browser ever offers. */
const MAX_LINES = 64;
/** What ends up in a description of ours: without spaces or line ends. */
const TOKEN = /^[\w+/.:!#$%&'*^`{|}~-]{1,256}$/;

const first = (text: string, pattern: RegExp): string | undefined => pattern.exec(text)?.[1];

/** Undefined: it does not say what a connection needs. */
export function iceOf(sdp: string): IceParameters | undefined {
  const ufrag = first(sdp, /^a=ice-ufrag:(\S+)/m);
  const password = first(sdp, /^a=ice-pwd:(\S+)/m);
  const fingerprint = first(sdp, /^a=fingerprint:([\w-]+ [\w:]+)\s*$/m);
  const setup = first(sdp, /^a=setup:(actpass|active|passive)\b/m);
  if (!ufrag || !password || !fingerprint || !setup || !TOKEN.test(ufrag) || !TOKEN.test(password)) return undefined;
  return { ufrag, password, fingerprint, setup };
}

export const candidatesOf = (sdp: string): string[] => [...sdp.matchAll(/^a=(candidate:[^\r\n]+)/gm)].map((m) => m[1]!);

/** The one line that libdatachannel gets of the other end. */
export const coreDescription = (ice: IceParameters, setup: string): string =>
  lines([
    ...session(1, ['0']),
    ...line('video', 9, 96, '0', 'sendrecv'),
    'a=rtcp-mux',
    'a=rtpmap:96 VP8/90000',
    ...security(ice, setup),
  ]);

export function parseOffer(sdp: string): OfferedMedia[] {
  const sections = sdp.split(/\r?\n(?=m=)/).slice(1, MAX_LINES + 1);
  return sections.map((section): OfferedMedia => {
    const kind = first(section, /^m=([a-z]{1,16}) /) ?? 'unknown';
    const mid = first(section, /^a=mid:(\S+)/m) ?? '';
    const codec = kind === 'video' ? /^a=rtpmap:(\d{1,3}) VP8\/90000/im : /^a=rtpmap:(\d{1,3}) opus\/48000\/2/im;
    const payloadType = Number(first(section, codec) ?? -1);
    return {
      ...{ kind, mid, payloadType },
      extensions: extensionsOf(section),
      rids: [...section.matchAll(/^a=rid:([A-Za-z0-9_-]{1,32}) send/gm)].map((m) => m[1]!).slice(0, 3),
      ssrcs: [...new Set([...section.matchAll(/^a=ssrc:(\d{1,10}) /gm)].map((m) => Number(m[1])))],
      takesLoneFeedback: /^a=rtcp-rsize\s*$/m.test(section),
      isOff:
        payloadType < 0 ||
        payloadType > 127 ||
        !TOKEN.test(mid) ||
        /^m=\S+ 0 /.test(section) ||
        /^a=(inactive|recvonly)\s*$/m.test(section),
    };
  });
}

function extensionsOf(section: string): ExtensionMap {
  const map: Record<number, ExtensionName> = {};
  for (const [, id, uri] of section.matchAll(/^a=extmap:(\d{1,3})(?:\/\w+)? (\S+)/gm)) {
    const name = (Object.keys(EXTENSIONS) as ExtensionName[]).find((each) => EXTENSIONS[each] === uri);
    if (name !== undefined) map[Number(id)] = name;
  }
  return map;
}

/** Answers an offer; lines for which `isTaken` is false become inactive. */
export function answerTo(
  media: readonly OfferedMedia[],
  { ice, setup, candidates }: Endpoint,
  version: number,
  isTaken: (media: OfferedMedia) => boolean,
): string {
  const taken = media.filter(isTaken);
  const written = media.flatMap((each) => {
    const { kind, mid, payloadType, extensions, rids, takesLoneFeedback } = each;
    if (!taken.includes(each)) return line(kind, 0, Math.max(payloadType, 0), mid, 'inactive');
    const wanted = Object.entries(extensions).filter(([, name]) => name !== 'sendTime');
    return [
      ...line(kind, 9, payloadType, mid, 'recvonly'),
      ...['a=rtcp-mux', ...(takesLoneFeedback ? ['a=rtcp-rsize'] : [])],
      ...codecLines(kind as MediaKind, payloadType),
      ...security(ice, setup),
      ...candidateLines(candidates),
      ...wanted.map(([id, name]) => `a=extmap:${id} ${EXTENSIONS[name]}`),
      ...rids.map((rid) => `a=rid:${rid} recv`),
      ...(rids.length > 0 ? [`a=simulcast:recv ${rids.join(';')}`] : []),
    ];
  });
  return lines([
    ...session(
      version,
      taken.map(({ mid }) => mid),
    ),
    ...written,
  ]);
}

/** Offers a viewer what it may get. */
export function offerOf(offered: readonly ViewerLine[], { ice, setup, candidates }: Endpoint, version: number): string {
  const written = offered.flatMap(({ mid, kind, stream }) => {
    const payloadType = VIEWER_PAYLOAD_TYPES[kind];
    return [
      ...line(
        kind,
        9,
        `${payloadType}${kind === 'video' ? ` ${PADDING_PAYLOAD_TYPE}` : ''}`,
        mid,
        stream ? 'sendonly' : 'inactive',
      ),
      ...['a=rtcp-mux', 'a=rtcp-rsize'],
      ...codecLines(kind, payloadType),
      ...(kind === 'video' ? paddingLines(payloadType) : []),
      `a=extmap:${SEND_TIME_ID} ${EXTENSIONS.sendTime}`,
      ...security(ice, setup),
      ...candidateLines(candidates),
      ...(stream ? streamLines(kind, stream) : []),
    ];
  });
  return lines([
    ...session(
      version,
      offered.map(({ mid }) => mid),
    ),
    ...written,
  ]);
}

function streamLines(
  kind: MediaKind,
  { ssrc, paddingSsrc, streamId, trackId }: NonNullable<ViewerLine['stream']>,
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

export const lines = (all: readonly string[]): string => `${all.join('\r\n')}\r\n`;

export const session = (version: number, mids: readonly string[]): string[] => [
  ...['v=0', `o=- 1 ${version} IN IP4 127.0.0.1`, 's=-', 't=0 0'],
  ...(mids.length > 0 ? [`a=group:BUNDLE ${mids.join(' ')}`] : []),
  'a=msid-semantic: WMS *',
];

export const line = (
  kind: string,
  port: number,
  payloadTypes: number | string,
  mid: string,
  direction: string,
): string[] => [
  `m=${kind} ${port} UDP/TLS/RTP/SAVPF ${payloadTypes}`,
  ...['c=IN IP4 0.0.0.0', `a=mid:${mid}`, `a=${direction}`],
];

export const security = ({ ufrag, password, fingerprint }: IceParameters, setup: string): string[] => [
  ...[`a=ice-ufrag:${ufrag}`, `a=ice-pwd:${password}`],
  ...[`a=fingerprint:${fingerprint}`, `a=setup:${setup}`],
];

export const candidateLines = (candidates: readonly string[]): string[] => [
  ...candidates.map((candidate) => `a=${candidate}`),
  'a=end-of-candidates',
];

const codecLines = (kind: MediaKind, type: number): string[] =>
  kind === 'video'
    ? [
        `a=rtpmap:${type} VP8/90000`,
        ...['goog-remb', 'ccm fir', 'nack', 'nack pli'].map((what) => `a=rtcp-fb:${type} ${what}`),
      ]
    : [`a=rtpmap:${type} opus/48000/2`, `a=fmtp:${type} minptime=10;useinbandfec=1;usedtx=0`, `a=rtcp-fb:${type} nack`];
