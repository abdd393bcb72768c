/** Messages between the service and the media process about webphones. */
export type WebphoneCommand = { type: 'open'; sdp: string; rtp: WebphoneAddress } | { type: 'close' };

/** Address for plain RTP. */
export interface WebphoneAddress {
  host: string;
  port: number;
}

export type WebphoneEvent =
  | {
      type: 'described';
      sdp: string;
      rtp: WebphoneAddress;
      telephoneEventPayloadType?: number;
      audio: { send: boolean; receive: boolean };
    }
  | { type: 'refused'; why: string }
  | { type: 'open' }
  | { type: 'lost'; why: string };

/** Message to the process, and from it, about one webphone. */
export type ToWebphone = { type: 'webphone'; id: string; command: WebphoneCommand };
export type FromWebphone = { type: 'webphone'; id: string; event: WebphoneEvent };
