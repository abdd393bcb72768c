/**
 * Limits what the remote end of a connection may send, before the packets are parsed: the number of streams (SSRCs) and
 * the packet rate. A connection that exceeds either is closed. The library keeps state for each SSRC until its
 * connection is closed, for RTP and RTCP alike, and searches all of it for each packet.
 *
 * Invariants
 *  - after a connection was closed here, only `lost` is reported for it;
 *  - memory for each connection is bounded by `MAX_STREAMS`.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { TokenBucket } from '../../../base/core/token-bucket.ts';
import { isRtcp } from '../../toolbox/rtp/packet.ts';
import type { OpenTransport } from '../media-transport.ts';

/** A browser has up to seven at a time, and keeps them for the life of a connection. */
export const MAX_STREAMS = 30;
/** Ten times the rate of a browser. The burst covers packets that queued while the process was blocked. */
export const MAX_PACKETS_PER_SECOND = 3000;
const BURST_PACKETS = 6000;

export type Overrun = 'streams' | 'packets';

/**
 * Wraps `open` and guards all its connections. `closed` is called with the name of a closed connection and the reason.
 */
export function guardConnections(
  open: OpenTransport,
  { clock, closed }: { clock: Clock; closed(name: string, why: Overrun): void },
): OpenTransport {
  return (name, events, isOfEngine) => {
    const limits = new ConnectionLimits(clock);
    let isClosed = false;
    const transport = open(
      name,
      {
        ...events,
        packet(bytes) {
          if (isClosed) return;
          const overrun = limits.overrun(bytes);
          if (overrun === undefined) return events.packet(bytes);
          isClosed = true;
          transport.close();
          events.changed('lost');
          closed(name, overrun);
        },
      },
      isOfEngine,
    );
    return transport;
  };
}

class ConnectionLimits {
  readonly #packets: TokenBucket;
  readonly #streams = new Set<number>();

  constructor(clock: Clock) {
    this.#packets = new TokenBucket(clock, MAX_PACKETS_PER_SECOND, BURST_PACKETS);
  }

  /** Counts a packet. Undefined if it is within the limits. */
  overrun(bytes: Buffer): Overrun | undefined {
    if (!this.#packets.take()) return 'packets';
    const at = isRtcp(bytes) ? RTCP_SSRC_AT : RTP_SSRC_AT;
    if (bytes.length < at + 4) return undefined;
    const ssrc = bytes.readUInt32BE(at);
    if (this.#streams.has(ssrc)) return undefined;
    if (this.#streams.size >= MAX_STREAMS) return 'streams';
    this.#streams.add(ssrc);
    return undefined;
  }
}

/** RFC 3550 §5.1 and §6.4. */
const RTP_SSRC_AT = 8;
const RTCP_SSRC_AT = 4;
