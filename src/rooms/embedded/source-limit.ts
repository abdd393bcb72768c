/**
 * Limits what one source may send, by what was negotiated for it: packets and bits per second. A browser stays far below;
 * whatever exceeds it is dropped, because each packet is forwarded to everybody else.
 */
import type { Clock } from '../../core/clock.ts';
import { TokenBucket } from '../../core/token-bucket.ts';
import type { Quality } from './outgoing-stream.ts';
import type { MediaKind } from './sdp.ts';

/**
 * bit/s. Our answers have no `maxaveragebitrate` (RFC 7587), with which browsers send 32 to 64 kbit/s; with it they would send
 * all of it.
 */
const SOUND_BITS = 128_000;
/** bit/s of all pictures of a browser, as it is told by REMB. */
export const MAX_PICTURE_BITS: Readonly<Record<Quality, number>> = { HD: 1_700_000, SD: 700_000, LD: 300_000 };

/** Browsers exceed an estimate for a moment, send again what was lost, and fill a link to try it. */
const TOLERANCE = 2;
/** Headers and padding, and cameras that cannot send less. */
const LEAST_PICTURE_BITS = 600_000;
/** Sound in packets of 10 ms, which `minptime` allows; pictures in small packets. */
const PACKETS_PER_SECOND: Readonly<Record<MediaKind, number>> = { audio: 125, video: 1000 };
/** As much as waits while the process, or the network, is held up. */
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

  /** False: the packet is dropped. */
  take(octets: number): boolean {
    if (this.#packets.take() && this.#octets.take(octets)) return true;
    this.#dropped++;
    return false;
  }

  /** Packets dropped since the sample before. */
  sample(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
