/** Reads the frame information that forwarding needs from a packet, for each codec. */
import type { RtpPacket } from '../../toolbox/rtp/packet.ts';
import type { Codec } from './codecs.ts';
import { parseH264 } from './h264.ts';
import type { PictureDescriptor } from './picture-descriptor.ts';
import { parseVp8 } from './vp8.ts';
import { parseVp9 } from './vp9.ts';

const PARSERS: Readonly<Record<Codec, (packet: RtpPacket<Buffer>) => PictureDescriptor | undefined>> = {
  ...{ VP8: parseVp8, VP9: parseVp9, H264: parseH264 },
  opus: () => undefined,
};

/** Undefined if the packet is truncated, or carries no payload. */
export const describePicture = (codec: Codec, packet: RtpPacket<Buffer>): PictureDescriptor | undefined =>
  PARSERS[codec](packet);
