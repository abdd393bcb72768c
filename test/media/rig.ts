/** A leg without socket and clock, and packets to feed it, for the tests of media. */
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { LegMedia, type LegMediaEvent } from '../../src/media/telephony/media/leg-media.ts';
import type { G711Codec, MediaRemote } from '../../src/media/telephony/media/media-port.ts';
import { type RtpHeader, type RtpPacket, readRtp, writeRtpHeader } from '../../src/media/toolbox/rtp/packet.ts';

export const REMOTE: MediaRemote = {
  host: '192.0.2.7',
  port: 4000,
  codec: 'PCMU',
  payloadType: 0,
  telephoneEventPayloadType: 101,
  ptimeMs: 20,
  send: true,
  receive: true,
};

export const START = { ssrc: 0xdecafbad, sequence: 65_534, timestamp: 0xffff_ff00 };

export function tone(frequencyHz: number, ms: number, amplitude = 10_000): Int16Array<ArrayBuffer> {
  return Int16Array.from({ length: ms * 8 }, (_, at) => amplitude * Math.sin((2 * Math.PI * frequencyHz * at) / 8000));
}

export interface Sent extends RtpPacket {
  payload: Uint8Array;
  atMs: number;
  to: string;
}

export function rig(options: { remote?: Partial<MediaRemote> | null } = {}) {
  const sent: Sent[] = [];
  const events: LegMediaEvent[] = [];
  let nowMs = 0;
  const leg = new LegMedia({
    ...START,
    emit: (event) => events.push(event),
    send: (packet, host, port) => {
      const rtp = readRtp(packet)!;
      const payload = packet.slice(rtp.payloadStart, rtp.payloadEnd);
      sent.push({ ...rtp, payload, atMs: nowMs, to: `${host}:${port}` });
    },
  });
  if (options.remote !== null) leg.connect({ ...REMOTE, ...options.remote }, 0);
  return {
    leg,
    sent,
    events,
    /** Events without the chunks of recordings. */
    answers: () => events.filter((event) => event.type !== 'record_chunk'),
    recorded: () => concat(events.flatMap((event) => (event.type === 'record_chunk' ? [event.pcm] : []))),
    get nowMs() {
      return nowMs;
    },
    /** Ticks every packet interval, from now until `ms` later, excluded. */
    run(ms: number): void {
      const untilMs = nowMs + ms;
      for (; nowMs < untilMs; nowMs += leg.ptimeMs) leg.tick(nowMs);
    },
    receive(packet: Uint8Array, from: { host?: string; port?: number; atMs?: number } = {}): void {
      leg.receive(packet, from.host ?? REMOTE.host, from.port ?? REMOTE.port, from.atMs ?? nowMs);
    },
  };
}

export const items = (pcm: Int16Array[], codec: G711Codec = 'PCMU') =>
  pcm.map((samples) => ({ codec, bytes: encodeG711(samples, codec) }));

export function packetOf(header: Partial<RtpHeader>, payload: Uint8Array | number[]): Uint8Array {
  const packet = new Uint8Array(12 + payload.length);
  writeRtpHeader(packet, { payloadType: 0, marker: false, sequence: 1, timestamp: 0, ssrc: 99, ...header });
  packet.set(payload, 12);
  return packet;
}

export const eventPayload = (event: number, samples: number, end = false): number[] => [
  event,
  (end ? 0x80 : 0) | 10,
  samples >>> 8,
  samples & 0xff,
];

export function concat(parts: Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
