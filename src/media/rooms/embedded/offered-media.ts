/** Parser of SDP offers from browsers (RFC 8866). The input is untrusted. */
import { EXTENSIONS, type ExtensionMap, type ExtensionName } from '../../toolbox/rtp/extensions.ts';
import { TOKEN } from '../../toolbox/sdp/ice.ts';
import {
  attributeOf,
  attributesOf,
  directionOf,
  hasFlag,
  headerExtensionsOf,
  isRejected,
  mediaLineOf,
  type Section,
  sectionsOf,
} from '../../toolbox/sdp/lines.ts';
import { type Codec, codecOf, type NegotiatedCodec, PICTURE_CODECS } from './codecs.ts';

/** One m-line of an offer. */
export interface OfferedMedia {
  kind: string;
  mid: string;
  /** Transport protocol of the line, which its answer repeats. */
  protocol: string;
  /** First format of the line. */
  format: string;
  /** Undefined if none of the offered codecs is forwarded. */
  codec: NegotiatedCodec | undefined;
  /** -1 if none of the offered codecs is forwarded. */
  payloadType: number;
  extensions: ExtensionMap;
  /** Ids of extensions that the browser sends and does not receive. */
  sentExtensions: readonly number[];
  /** Layers of simulcast, the best first. */
  rids: readonly string[];
  ssrcs: readonly number[];
  /** True if feedback may be sent without a report in front of it (RFC 5506). */
  takesLoneFeedback: boolean;
  /** True if the browser sends no media on this line: it is rejected, inactive or receive-only. */
  isUnsent: boolean;
  /** True if the line cannot be received: it is unsent, or has no codec that is forwarded. */
  isOff: boolean;
}

/** Parts of an offered line that a published source keeps. */
export type SentMedia = Pick<OfferedMedia, 'mid' | 'codec' | 'payloadType' | 'rids' | 'ssrcs' | 'takesLoneFeedback'>;

/** More than any browser offers. */
const MAX_LINES = 64;
/** Layers of simulcast that browsers send. */
const MAX_LAYERS = 3;
const FORMAT = /^[\w-]{1,32}/;
const SENT_RID = /^([A-Za-z0-9_-]{1,32}) send/;
const SSRC = /^(\d{1,10}) /;
const SOUND_CODECS: readonly Codec[] = ['opus'];

/** `pictureCodecs`: codecs that the engine forwards, in order of preference. */
export function parseOffer(sdp: string, pictureCodecs: readonly Codec[] = PICTURE_CODECS): OfferedMedia[] {
  return sectionsOf(sdp)
    .media.slice(0, MAX_LINES)
    .map((section): OfferedMedia => {
      const line = mediaLineOf(section);
      const kind = line?.kind ?? 'unknown';
      const mid = attributeOf(section, 'mid') ?? '';
      const codec = codecOf(section, kind === 'video' ? pictureCodecs : kind === 'audio' ? SOUND_CODECS : []);
      const direction = directionOf(section);
      const isUnsent = isRejected(section) || direction === 'inactive' || direction === 'recvonly';
      return {
        ...{ kind, mid: TOKEN.test(mid) ? mid : '', codec, payloadType: codec?.payloadType ?? -1 },
        protocol: line?.protocol ?? 'UDP/TLS/RTP/SAVPF',
        format: FORMAT.exec(line?.formats ?? '')?.[0] ?? '0',
        ...extensionsOf(section),
        rids: matchesOf(section, 'rid', SENT_RID).slice(0, MAX_LAYERS),
        ssrcs: [...new Set(matchesOf(section, 'ssrc', SSRC).map(Number))],
        takesLoneFeedback: hasFlag(section, 'rtcp-rsize'),
        ...{ isUnsent, isOff: isUnsent || codec === undefined || !TOKEN.test(mid) },
      };
    });
}

/** First groups of the attributes that match. */
const matchesOf = (section: Section, name: string, pattern: RegExp): string[] =>
  attributesOf(section, name).flatMap((value) => pattern.exec(value)?.[1] ?? []);

/** Header extensions of a line, and those that the browser sends. */
function extensionsOf(section: Section): Pick<OfferedMedia, 'extensions' | 'sentExtensions'> {
  const extensions: Record<number, ExtensionName> = {};
  const sentExtensions: number[] = [];
  for (const { id, direction, uri } of headerExtensionsOf(section)) {
    const name = (Object.keys(EXTENSIONS) as ExtensionName[]).find((each) => EXTENSIONS[each] === uri);
    if (name === undefined || direction === 'recvonly' || direction === 'inactive') continue;
    extensions[id] = name;
    if (direction === 'sendonly') sentExtensions.push(id);
  }
  return { extensions, sentExtensions };
}
