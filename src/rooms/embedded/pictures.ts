/** Reads the frame information that forwarding needs from a packet, for each codec. */
import type { Codec } from './codecs.ts';
import { parseH264 } from './h264.ts';
import { type PictureDescriptor, parseVp8, type RtpPacket } from './rtp.ts';
import { parseVp9 } from './vp9.ts';

const PARSERS: Readonly<Record<Codec, (packet: RtpPacket) => PictureDescriptor | undefined>> = {
  ...{ VP8: parseVp8, VP9: parseVp9, H264: parseH264 },
  opus: () => undefined,
};

/** Undefined if the packet is truncated, or carries no payload. */
export const describePicture = (codec: Codec, packet: RtpPacket): PictureDescriptor | undefined =>
  PARSERS[codec](packet);
