/**
 * Part of the library's types that `sdp.ts` uses; values from the network are `unknown` until they are checked there.
 */
declare module 'sdp-transform' {
  export interface Connection {
    version?: unknown;
    ip?: unknown;
  }
  export interface Media {
    type?: unknown;
    port?: unknown;
    protocol?: unknown;
    payloads?: unknown;
    connection?: Connection;
    direction?: unknown;
    ptime?: unknown;
    maxptime?: unknown;
    crypto?: { id?: unknown; suite?: unknown; config?: unknown; sessionConfig?: unknown }[];
    rtcp?: { port?: unknown };
    rtcpMux?: unknown;
    rtp: { payload?: unknown; codec?: unknown; rate?: unknown }[];
    fmtp: { payload?: unknown; config?: unknown }[];
  }
  export interface Session {
    version?: unknown;
    origin?: {
      username: unknown;
      sessionId: unknown;
      sessionVersion: unknown;
      netType: string;
      ipVer: number;
      address: string;
    };
    name?: unknown;
    connection?: Connection;
    timing?: { start: unknown; stop: unknown };
    direction?: unknown;
    media: Media[];
  }
  export function parse(text: string): Session;
  export function write(session: Session): string;
}
