/** Session descriptions of WebRTC (RFC 9429): media of one bundled connection with ICE and DTLS. */
import type { IceParameters } from './ice.ts';
import { connectionLine, sessionLines } from './lines.ts';

/** Local end of a connection, as it is described to the remote end. */
export interface Endpoint {
  ice: IceParameters;
  /** Role in DTLS. */
  setup: string;
  candidates: readonly string[];
}

export interface WebrtcMediaLine {
  kind: string;
  /** 0 rejects the medium; any other is replaced by the candidates. */
  port: number;
  payloadTypes: number | string;
  mid: string;
  direction: string;
}

/** `mids`: media that are bundled. */
export const webrtcSession = (version: number, mids: readonly string[]): string[] => [
  ...[...sessionLines(1, version, '127.0.0.1'), 't=0 0'],
  ...(mids.length > 0 ? [`a=group:BUNDLE ${mids.join(' ')}`] : []),
  'a=msid-semantic: WMS *',
];

export const webrtcMedia = ({ kind, port, payloadTypes, mid, direction }: WebrtcMediaLine): string[] => [
  `m=${kind} ${port} UDP/TLS/RTP/SAVPF ${payloadTypes}`,
  ...[connectionLine('0.0.0.0'), `a=mid:${mid}`, `a=${direction}`],
];
