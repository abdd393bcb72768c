/**
 * Port: what stands between a browser and the media of a leg. It does ICE, DTLS and SRTP with the browser, and passes plain
 * RTP (PCMU and telephone-event) and RTCP between it and the address of the leg. Implemented by the embedded engine of
 * rooms, whose process has the library for it.
 */
export interface LineGateway {
  /** Why it cannot work here. */
  readonly unusable: string | undefined;
  /** `rtp`: where the leg receives. Nothing is reported from inside this call. */
  open(lineId: string, line: { sdp: string; rtp: LineAddress }, report: (event: LineEvent) => void): void;
  /** Nothing is reported of it any more. */
  close(lineId: string): void;
}

export interface LineAddress {
  host: string;
  port: number;
}

export type LineEvent =
  /** The offer was understood: the answer for the browser, and where the leg sends and receives its sound. */
  | { type: 'described'; sdp: string; rtp: LineAddress; telephoneEventPayloadType?: number; audio: LineDirection }
  /** The offer was not understood. */
  | { type: 'refused'; why: string }
  /** Sound flows. */
  | { type: 'open' }
  | { type: 'lost'; why: string };

/** As seen from here. */
export interface LineDirection {
  send: boolean;
  receive: boolean;
}
