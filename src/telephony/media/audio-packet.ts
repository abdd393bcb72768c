/** The audio of one RTP packet, in the buffer it arrived in or leaves with. */
import type { G711Codec } from './media-port.ts';

export interface AudioPacket {
  ssrc: number;
  sequence: number;
  timestamp: number;
  marker: boolean;
  codec: G711Codec;
  payload: Uint8Array;
  payloadStart: number;
  payloadEnd: number;
}
