/** The messages between the service and the process of the engine about phones in browsers. */
export type LineCommand = { type: 'open'; sdp: string; rtp: LineAddress } | { type: 'close' };

/** Where plain RTP goes. */
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
