/** RTCP reports and SRTP protection of a leg, and its quality figures at the end. */
import type { LegQuality } from '../../../base/core/leg.ts';
import { headerEnd } from '../../toolbox/rtp/packet.ts';
import { Reception } from '../../toolbox/rtp/reception.ts';
import { SrtpDirection } from '../../toolbox/rtp/srtp.ts';
import { SAMPLES_PER_MS } from '../audio.ts';
import type { Latch } from './latch.ts';
import type { MediaRemote } from './media-port.ts';
import { meanOpinionScore } from './quality.ts';
import { Rtcp } from './rtcp.ts';
import type { RtpSender } from './rtp-sender.ts';

export interface LegControlOptions {
  sendControl?(packet: Uint8Array, host: string, port: number): void;
  name?: string;
  epochMs?: number;
}

export class LegControl {
  readonly #sender: RtpSender;
  readonly #options: LegControlOptions;
  /** Created with the first packet or report. */
  #statistics: { reception: Reception; rtcp: Rtcp } | undefined;
  #remote: MediaRemote | undefined;
  #sealing: SrtpDirection | undefined;
  #opening: SrtpDirection | undefined;

  constructor(sender: RtpSender, options: LegControlOptions) {
    this.#sender = sender;
    this.#options = options;
  }

  #counted(): { reception: Reception; rtcp: Rtcp } {
    if (!this.#statistics) {
      const reception = new Reception(SAMPLES_PER_MS);
      this.#statistics = { reception, rtcp: new Rtcp(this.#sender.ssrc, this.#options.name ?? 'media', reception) };
    }
    return this.#statistics;
  }

  connect(remote: MediaRemote): void {
    const before = this.#remote?.srtp;
    const { srtp } = remote;
    this.#remote = remote;
    // The same keys keep their counters: a new context would reuse the key stream.
    if (!same(before?.local, srtp?.local)) this.#sealing = srtp && new SrtpDirection(srtp.local);
    if (!same(before?.remote, srtp?.remote)) this.#opening = srtp && new SrtpDirection(srtp.remote);
    this.#sender.protection = this.#sealing;
  }

  /** Returns the decrypted packet; undefined if it fails authentication. */
  unprotect(packet: Uint8Array): Uint8Array | undefined {
    if (!this.#opening) return packet;
    const start = headerEnd(packet);
    return start === undefined ? undefined : this.#opening.unprotectRtp(packet, start);
  }

  count(header: { ssrc: number; sequence: number; timestamp: number }, nowMs: number): void {
    this.#counted().reception.packet(header, nowMs);
  }

  /** False for a packet that fails authentication. */
  receive(packet: Uint8Array, nowMs: number): boolean {
    const plain = this.#opening ? this.#opening.unprotectRtcp(packet) : packet;
    if (plain) this.#counted().rtcp.receive(plain, this.#wallMs(nowMs));
    return plain !== undefined;
  }

  report(remote: MediaRemote, latch: Latch, nowMs: number): void {
    const { packetsSent: packets, bytesSent: bytes } = this.#sender;
    const send = this.#options.sendControl;
    if (!send || packets + (this.#statistics?.reception.received ?? 0) === 0) return;
    const timestamp = this.#sender.timestampAt(nowMs);
    const report = this.#counted().rtcp.report({ packets, bytes, timestamp }, this.#wallMs(nowMs));
    const multiplexed = remote.rtcpPort === remote.port;
    const port = multiplexed ? latch.port : (remote.rtcpPort ?? latch.port + 1);
    if (port < 65_536) send(this.#sealing ? this.#sealing.protectRtcp(report) : report, latch.host, port);
  }

  get quality(): LegQuality | undefined {
    const packetsSent = this.#sender.packetsSent;
    const remote = this.#remote;
    if (!remote || (this.#statistics?.reception.received ?? 0) + packetsSent === 0) return undefined;
    const { reception, rtcp } = this.#counted();
    const { received, lost, jitterMs } = reception;
    const far = rtcp.far;
    const roundTrip = far?.roundTripMs === undefined ? {} : { roundTripMs: Math.round(far.roundTripMs) };
    return {
      codec: remote.codec,
      packetsSent,
      packetsReceived: received,
      packetsLost: lost,
      jitterMs: Math.round(jitterMs * 10) / 10,
      ...(far ? { farPacketsLost: far.packetsLost, farJitterMs: Math.round(far.jitterTicks / 0.8) / 10 } : {}),
      ...roundTrip,
      mos: meanOpinionScore({ packetsReceived: received, packetsLost: lost, jitterMs, ...roundTrip }),
      ...(remote.srtp ? { encrypted: true } : {}),
    };
  }

  #wallMs(nowMs: number): number {
    return (this.#options.epochMs ?? 0) + nowMs;
  }
}

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);
