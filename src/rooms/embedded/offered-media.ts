/** Parser of SDP offers from browsers (RFC 8866). The input is untrusted. */
import { EXTENSIONS, type ExtensionMap, type ExtensionName } from '../../media/rtp/extensions.ts';
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
/** Tokens that are repeated in an answer: without spaces and line ends. */
export const TOKEN = /^[\w+/.:!#$%&'*^`{|}~-]{1,256}$/;
const SOUND_CODECS: readonly Codec[] = ['opus'];

export const firstOf = (text: string, pattern: RegExp): string | undefined => pattern.exec(text)?.[1];

/** `pictureCodecs`: codecs that the engine forwards, in order of preference. */
export function parseOffer(sdp: string, pictureCodecs: readonly Codec[] = PICTURE_CODECS): OfferedMedia[] {
  const sections = sdp.split(/\r?\n(?=m=)/).slice(1, MAX_LINES + 1);
  return sections.map((section): OfferedMedia => {
    const kind = firstOf(section, /^m=([a-z]{1,16}) /) ?? 'unknown';
    const mid = firstOf(section, /^a=mid:(\S+)/m) ?? '';
    const codec = codecOf(section, kind === 'video' ? pictureCodecs : kind === 'audio' ? SOUND_CODECS : []);
    const isUnsent = isRejected(section) || /^a=(inactive|recvonly)\s*$/m.test(section);
    return {
      ...{ kind, mid: TOKEN.test(mid) ? mid : '', codec, payloadType: codec?.payloadType ?? -1 },
      protocol: firstOf(section, /^m=\S+ \d+ ([A-Z/]{1,32}) /) ?? 'UDP/TLS/RTP/SAVPF',
      format: firstOf(section, /^m=\S+ \d+ \S+ ([\w-]{1,32})/) ?? '0',
      ...extensionsOf(section),
      rids: [...section.matchAll(/^a=rid:([A-Za-z0-9_-]{1,32}) send/gm)].map((m) => m[1]!).slice(0, 3),
      ssrcs: [...new Set([...section.matchAll(/^a=ssrc:(\d{1,10}) /gm)].map((m) => Number(m[1])))],
      takesLoneFeedback: /^a=rtcp-rsize\s*$/m.test(section),
      ...{ isUnsent, isOff: isUnsent || codec === undefined || !TOKEN.test(mid) },
    };
  });
}

/**
 * Port 0 rejects an m-line (RFC 3264), except a `bundle-only` one (RFC 8843 §6): with the policy `max-bundle` Firefox
 * writes all lines but the first in this form.
 */
export const isRejected = (section: string): boolean =>
  /^m=\S+ 0 /.test(section) && !/^a=bundle-only\s*$/m.test(section);

/** Header extensions of a line, and those that the browser sends. */
function extensionsOf(section: string): Pick<OfferedMedia, 'extensions' | 'sentExtensions'> {
  const extensions: Record<number, ExtensionName> = {};
  const sentExtensions: number[] = [];
  for (const [, id, direction, uri] of section.matchAll(/^a=extmap:(\d{1,3})(?:\/(\w+))? (\S+)/gm)) {
    const name = (Object.keys(EXTENSIONS) as ExtensionName[]).find((each) => EXTENSIONS[each] === uri);
    if (name === undefined || direction === 'recvonly' || direction === 'inactive') continue;
    extensions[Number(id)] = name;
    if (direction === 'sendonly') sentExtensions.push(Number(id));
  }
  return { extensions, sentExtensions };
}
