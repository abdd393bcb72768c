/** SDP as a browser writes it, for synthetic peers, which connect by libdatachannel. */
import type { TrackSource } from '../../../src/media/rooms/sfu.ts';
import type { IceParameters } from '../../../src/media/toolbox/sdp/ice.ts';
import type { Sending } from './peer-messages.ts';

export const PAYLOAD_TYPES = { audio: 111, video: 96, screen: 96 } as const;
/** The payload type of keys. */
export const TELEPHONE_EVENT = 126;
/** Ids of header extensions. */
export const EXTENSION = { level: 1, sendTime: 2, mid: 4, rid: 10 } as const;
export const MIDS: Readonly<Record<TrackSource, string>> = { audio: '0', video: '1', screen: '2' };

const EXTENSION_LINES = [
  `a=extmap:${EXTENSION.sendTime} http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time`,
  `a=extmap:${EXTENSION.mid} urn:ietf:params:rtp-hdrext:sdes:mid`,
];

const session = (mids: readonly string[], version: number): string[] => [
  ...['v=0', `o=- 4711 ${version} IN IP4 127.0.0.1`, 's=-', 't=0 0'],
  ...[`a=group:BUNDLE ${mids.join(' ')}`, 'a=extmap-allow-mixed', 'a=msid-semantic: WMS'],
];

const transport = ({ ufrag, password, fingerprint }: IceParameters, setup: string): string[] => [
  ...['c=IN IP4 0.0.0.0', 'a=rtcp:9 IN IP4 0.0.0.0', `a=ice-ufrag:${ufrag}`, `a=ice-pwd:${password}`],
  ...['a=ice-options:trickle', `a=fingerprint:${fingerprint}`, `a=setup:${setup}`],
];

const write = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`;

/** `sources`: in the order of their lines. The line of a source that has stopped is kept as inactive. */
export function publishOffer(
  sources: readonly TrackSource[],
  sending: Sending,
  { ice, ssrcOf, version }: { ice: IceParameters; ssrcOf(source: TrackSource): number; version: number },
): string {
  const media = sources.flatMap((source) => {
    const type = PAYLOAD_TYPES[source];
    const kind = source === 'audio' ? 'audio' : 'video';
    const shape = source === 'audio' ? undefined : sending[source];
    const rids = (shape?.layers ?? []).flatMap(({ rid }) => rid ?? []);
    const isSent = sending[source] !== undefined;
    return [
      `m=${kind} 9 UDP/TLS/RTP/SAVPF ${type}`,
      ...transport(ice, 'actpass'),
      ...[`a=mid:${MIDS[source]}`, ...EXTENSION_LINES],
      ...(kind === 'audio' ? [`a=extmap:${EXTENSION.level} urn:ietf:params:rtp-hdrext:ssrc-audio-level`] : []),
      ...(rids.length > 0 ? [`a=extmap:${EXTENSION.rid} urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id`] : []),
      ...[isSent ? 'a=sendonly' : 'a=inactive', `a=msid:stream ${source}`, 'a=rtcp-mux', 'a=rtcp-rsize'],
      ...codec(kind, type),
      ...rids.map((rid) => `a=rid:${rid} send`),
      ...(rids.length > 0 ? [`a=simulcast:send ${rids.join(';')}`] : [`a=ssrc:${ssrcOf(source)} cname:synthetic`]),
    ];
  });
  const mids = sources.map((source) => MIDS[source]);
  return write([...session(mids, version), ...media]);
}

const codec = (kind: 'audio' | 'video', type: number): string[] =>
  kind === 'audio'
    ? [`a=rtpmap:${type} opus/48000/2`, `a=fmtp:${type} minptime=10;useinbandfec=1`]
    : [
        `a=rtpmap:${type} VP8/90000`,
        ...['goog-remb', 'ccm fir', 'nack', 'nack pli'].map((feedback) => `a=rtcp-fb:${type} ${feedback}`),
      ];

/** Accepts every offered line with its first codec, and with retransmission. */
export function receiveAnswer(offer: string, ice: IceParameters): string {
  const sections = offer.split(/\r?\n(?=m=)/).slice(1);
  const media = sections.flatMap((section) => {
    const [, kind = '', type = ''] = /^m=(\S+) \d+ \S+ (\d+)/.exec(section) ?? [];
    const isOff = /^a=inactive/m.test(section) || /^m=\S+ 0 /.test(section);
    return [
      `m=${kind} 9 UDP/TLS/RTP/SAVPF ${type}`,
      ...transport(ice, 'active'),
      ...[`a=mid:${midOf(section)}`, isOff ? 'a=inactive' : 'a=recvonly', 'a=rtcp-mux', 'a=rtcp-rsize'],
      ...[...section.matchAll(/^a=extmap:[^\r\n]+/gm)].map(([line]) => line),
      ...[...section.matchAll(/^a=(?:rtpmap|fmtp|rtcp-fb):(\d+) [^\r\n]+/gm)].flatMap(([line, of]) =>
        of === type ? line : [],
      ),
    ];
  });
  return write([...session(sections.map(midOf), 1), ...media]);
}

/** Offer of a phone: audio in both directions, and telephone events. */
export const phoneOffer = (ice: IceParameters): string =>
  write([
    ...session([MIDS.audio], 1),
    `m=audio 9 UDP/TLS/RTP/SAVPF ${PAYLOAD_TYPES.audio} 0 8 ${TELEPHONE_EVENT}`,
    ...transport(ice, 'actpass'),
    ...[`a=mid:${MIDS.audio}`, 'a=sendrecv', 'a=msid:stream audio', 'a=rtcp-mux', 'a=rtcp-rsize'],
    ...[...codec('audio', PAYLOAD_TYPES.audio), 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:8 PCMA/8000'],
    `a=rtpmap:${TELEPHONE_EVENT} telephone-event/8000`,
  ]);

const midOf = (section: string): string => /^a=mid:(\S+)/m.exec(section)?.[1] ?? '';

/** Line of each announced SSRC, without the SSRCs for retransmission. */
export function ssrcsOf(offer: string): Map<number, string> {
  const sections = offer.split(/\r?\n(?=m=)/).slice(1);
  return new Map(
    sections.flatMap((section) => {
      const second = Number(/^a=ssrc-group:FID \d+ (\d+)/m.exec(section)?.[1]);
      const all = [...section.matchAll(/^a=ssrc:(\d+)/gm)].map(([, ssrc]) => Number(ssrc));
      return all.filter((ssrc) => ssrc !== second).map((ssrc): [number, string] => [ssrc, midOf(section)]);
    }),
  );
}
