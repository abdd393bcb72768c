import type { G711Codec } from '../../toolbox/audio/g711.ts';
import type { RtpPacket } from '../../toolbox/rtp/packet.ts';

/** Audio of one packet, in the buffer in which it arrived or is sent. */
export interface AudioPacket extends Omit<RtpPacket, 'payloadType'> {
  codec: G711Codec;
}
