/**
 * Port: gateway between a browser and the media of a leg. It does ICE, DTLS and SRTP with the browser, and relays plain
 * RTP (PCMU and telephone-event) and RTCP between it and the address of the leg. Implemented by the embedded engine of
 * rooms, whose process has the library for it.
 */
export interface LineGateway {
  /** Reason why the gateway is not available; undefined if it is. */
  readonly unusable: string | undefined;
  /** `rtp`: address on which the leg receives. No event is reported from inside this call. */
  open(lineId: string, line: { sdp: string; rtp: LineAddress }, report: (event: LineEvent) => void): void;
  /** No event is reported for the line after this call. */
  close(lineId: string): void;
}

export interface LineAddress {
  host: string;
  port: number;
}

export type LineEvent =
  /** The offer was accepted: the answer for the browser, and the address at which the leg sends and receives audio. */
  | { type: 'described'; sdp: string; rtp: LineAddress; telephoneEventPayloadType?: number; audio: LineDirection }
  /** The offer was rejected. */
  | { type: 'refused'; why: string }
  /** Audio flows. */
  | { type: 'open' }
  | { type: 'lost'; why: string };

/** Direction from the view of the service. */
export interface LineDirection {
  send: boolean;
  receive: boolean;
}
