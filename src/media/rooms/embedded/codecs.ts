/**
 * Codecs that a room forwards without transcoding, in SDP. VP8 is preferred, because every browser receives it; VP9 and
 * H.264 are accepted from browsers that cannot send VP8.
 */
import { formatParametersOf, type RtpMap, rtpMapLine, rtpMapsOf, type Section } from '../../toolbox/sdp/lines.ts';

export type PictureCodec = 'VP8' | 'VP9' | 'H264';
export type Codec = PictureCodec | 'opus';

/** In order of preference. */
export const PICTURE_CODECS: readonly PictureCodec[] = ['VP8', 'VP9', 'H264'];

/** Display names of codecs. */
export const CODEC_NAMES: Readonly<Record<Codec, string>> = { VP8: 'VP8', VP9: 'VP9', H264: 'H.264', opus: 'Opus' };

/** Payload type and its codec. */
export interface NegotiatedCodec {
  codec: Codec;
  payloadType: number;
  /** Parameters of `a=fmtp`. */
  format?: string;
}

const PICTURE = { clockRate: 90_000 };
const MAPPINGS: Readonly<Record<Codec, Pick<RtpMap, 'clockRate' | 'channels'>>> = {
  ...{ VP8: PICTURE, VP9: PICTURE, H264: PICTURE },
  opus: { clockRate: 48_000, channels: 2 },
};
/** Constrained Baseline 3.1 with fragmentation, which all browsers receive. */
const H264_FORMAT = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';
const PICTURE_FEEDBACK = ['goog-remb', 'ccm fir', 'nack', 'nack pli'];
const MAX_PAYLOAD_TYPE = 127;
const FORMAT = /^[\w=;. /-]{1,200}$/;

/** Returns the preferred codec of an offered m-section. Undefined if none of `codecs` is offered. */
export function codecOf(section: Section, codecs: readonly Codec[]): NegotiatedCodec | undefined {
  const maps = rtpMapsOf(section);
  for (const codec of codecs) {
    for (const { payloadType } of maps.filter((map) => isMapOf(codec, map))) {
      const format = formatParametersOf(section, payloadType);
      if (payloadType > MAX_PAYLOAD_TYPE || !isForwarded(codec, format)) continue;
      return { codec, payloadType, ...(format !== undefined && FORMAT.test(format) ? { format } : {}) };
    }
  }
  return undefined;
}

const isMapOf = (codec: Codec, { encoding, clockRate, channels }: RtpMap): boolean =>
  encoding.toLowerCase() === codec.toLowerCase() &&
  clockRate === MAPPINGS[codec].clockRate &&
  channels === MAPPINGS[codec].channels;

/** True if all browsers receive this variant of the codec. */
function isForwarded(codec: Codec, format = ''): boolean {
  if (codec === 'VP9') return /^0?$/.test(parameterOf(format, 'profile-id'));
  if (codec !== 'H264') return true;
  return parameterOf(format, 'packetization-mode') === '1' && /^42/.test(parameterOf(format, 'profile-level-id'));
}

const parameterOf = (format: string, name: string): string =>
  format
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

const FORMATS: Readonly<Record<Codec, string | undefined>> = {
  ...{ VP8: undefined, VP9: 'profile-id=0', H264: H264_FORMAT },
  opus: 'minptime=10;useinbandfec=1;usedtx=0',
};

/** SDP lines that describe a codec. A browser that offers H.264 receives its own parameters back. */
export function codecLines({ codec, payloadType, format: offered }: NegotiatedCodec): string[] {
  const format = (codec === 'H264' ? offered : undefined) ?? FORMATS[codec];
  const feedback = codec === 'opus' ? ['nack'] : PICTURE_FEEDBACK;
  return [
    rtpMapLine({ payloadType, encoding: codec, ...MAPPINGS[codec] }),
    ...(format === undefined ? [] : [`a=fmtp:${payloadType} ${format}`]),
    ...feedback.map((each) => `a=rtcp-fb:${payloadType} ${each}`),
  ];
}
