/** Messages between the service and the media process about phones in browsers. */
export type LineCommand = { type: 'open'; sdp: string; rtp: LineAddress } | { type: 'close' };

/** Address for plain RTP. */
export interface LineAddress {
  host: string;
  port: number;
}

export type LineEvent =
  | {
      type: 'described';
      sdp: string;
      rtp: LineAddress;
      telephoneEventPayloadType?: number;
      audio: { send: boolean; receive: boolean };
    }
  | { type: 'refused'; why: string }
  | { type: 'open' }
  | { type: 'lost'; why: string };
