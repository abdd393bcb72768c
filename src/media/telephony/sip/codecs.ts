/** Codecs that are offered and accepted, in order of preference: the only place that names them in signalling. */
import type { RtpMap } from '../../toolbox/sdp/lines.ts';
import type { G711Codec } from '../media/media-port.ts';

export interface CodecRow {
  name: G711Codec;
  /** RFC 3551 table 4: static, without an `rtpmap` line. */
  payloadType: number;
  clockRate: number;
}

export const CODECS: readonly CodecRow[] = [
  { name: 'PCMU', payloadType: 0, clockRate: 8000 },
  { name: 'PCMA', payloadType: 8, clockRate: 8000 },
];

/** Returns the codec of an `rtpmap`, or of a static payload type; undefined if it is not supported. */
export function codecOf(payloadType: number, map: RtpMap | undefined): CodecRow | undefined {
  if (!map) return CODECS.find((row) => row.payloadType === payloadType);
  return CODECS.find((row) => row.name === map.encoding.toUpperCase() && row.clockRate === map.clockRate);
}
