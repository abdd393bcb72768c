/**
 * Limits the packet rate and bit rate of one source, by what was negotiated for it. A browser stays far below. Packets
 * above the limit are dropped, because each packet is forwarded to all other participants.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { TokenBucket } from '../../../base/core/token-bucket.ts';
import type { Quality } from './outgoing-stream.ts';
import type { MediaKind } from './sdp.ts';

/**
 * In bit/s. Answers of this service have no `maxaveragebitrate` (RFC 7587); without it browsers send 32 to 64 kbit/s,
 * with it they would use all of it.
 */
const SOUND_BITS = 128_000;
/** Maximum bit/s of all video of a browser, sent to it as REMB. */
export const MAX_PICTURE_BITS: Readonly<Record<Quality, number>> = { HD: 1_700_000, SD: 700_000, LD: 300_000 };

/**
 * Factor above the limit that is tolerated: browsers exceed an estimate for a moment, retransmit lost packets, and
 * probe the link.
 */
const TOLERANCE = 2;
/** Minimum limit, for headers and padding, and cameras that cannot send less. */
const LEAST_PICTURE_BITS = 600_000;
/** Audio in packets of 10 ms, which `minptime` allows; video in small packets. */
const PACKETS_PER_SECOND: Readonly<Record<MediaKind, number>> = { audio: 125, video: 1000 };
/** Covers packets that queue while the process or the network is blocked. */
const BURST_SECONDS = 3;

export class SourceLimit {
  readonly #packets: TokenBucket;
  readonly #octets: TokenBucket;
  #dropped = 0;

  constructor({ kind, quality, clock }: { kind: MediaKind; quality: Quality; clock: Clock }) {
    const packets = PACKETS_PER_SECOND[kind];
    const negotiated = kind === 'audio' ? SOUND_BITS : Math.max(LEAST_PICTURE_BITS, MAX_PICTURE_BITS[quality]);
    const octets = (negotiated * TOLERANCE) / 8;
    this.#packets = new TokenBucket(clock, packets, packets * BURST_SECONDS);
    this.#octets = new TokenBucket(clock, octets, octets * BURST_SECONDS);
  }

  /** False if the packet has to be dropped. */
  take(octets: number): boolean {
    if (this.#packets.take() && this.#octets.take(octets)) return true;
    this.#dropped++;
    return false;
  }

  /** Number of dropped packets since the previous sample. */
  sample(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
