/** Figures of the own connection, from the statistics of the browser. Pure; `network-figures.tsx` shows them. */

export interface LinkFigures {
  /** Undefined until the browser has measured it. */
  roundTripMs: number | undefined;
  /** In kbit/s. */
  received: number;
  sent: number;
  /** Shares of lost packets, 0 to 1. */
  receivedLoss: number;
  sentLoss: number;
  /** True if a TURN server relays the media. */
  isRelayed: boolean;
}

/** The fields of all kinds of statistics that are read here. */
interface Stats {
  id: string;
  type: string;
  nominated?: boolean;
  state?: string;
  currentRoundTripTime?: number;
  localCandidateId?: string;
  candidateType?: string;
  bytesReceived?: number;
  bytesSent?: number;
  packetsReceived?: number;
  packetsSent?: number;
  packetsLost?: number;
}

const COUNTED = ['bytesReceived', 'bytesSent', 'packetsReceived', 'packetsSent', 'packetsLost'] as const;
type Sum = Record<`${string} ${(typeof COUNTED)[number]}`, number>;

export class LinkMeter {
  #before = new Map<string, Stats>();
  #atMs: number | undefined;

  /** `reports` are the statistics of the connections. Returns undefined at the first call. */
  take(reports: readonly Iterable<Stats>[], nowMs: number): LinkFigures | undefined {
    const seconds = this.#atMs === undefined ? 0 : (nowMs - this.#atMs) / 1000;
    this.#atMs = nowMs;
    const now = new Map(reports.flatMap((report, index) => [...report].map((one) => [`${index} ${one.id}`, one])));
    const sum: Sum = {};
    for (const [key, one] of now) {
      const before = this.#before.get(key);
      for (const name of COUNTED) {
        const added = Math.max(0, (one[name] ?? 0) - (before?.[name] ?? 0));
        sum[`${one.type} ${name}`] = (sum[`${one.type} ${name}`] ?? 0) + added;
      }
    }
    this.#before = now;
    if (seconds <= 0) return undefined;
    const pairs = [...now].filter(([, { type, nominated, state }]) => {
      return type === 'candidate-pair' && nominated && state === 'succeeded';
    });
    const roundTrips = pairs.flatMap(([, { currentRoundTripTime: time }]) => (time === undefined ? [] : time * 1000));
    const isRelay = ([key, { localCandidateId: id }]: [string, Stats]) =>
      now.get(`${key.split(' ')[0]} ${id}`)?.candidateType === 'relay';
    return {
      roundTripMs: roundTrips.length > 0 ? Math.max(...roundTrips) : undefined,
      received: ((sum['inbound-rtp bytesReceived'] ?? 0) * 8) / seconds / 1000,
      sent: ((sum['outbound-rtp bytesSent'] ?? 0) * 8) / seconds / 1000,
      receivedLoss: shareOf(sum['inbound-rtp packetsLost'], sum['inbound-rtp packetsReceived']),
      sentLoss: shareOf(sum['remote-inbound-rtp packetsLost'], sum['outbound-rtp packetsSent']),
      isRelayed: pairs.some(isRelay),
    };
  }
}

/** Share of `lost` in `lost` and `arrived`. */
const shareOf = (lost = 0, arrived = 0): number => (lost === 0 ? 0 : Math.min(1, lost / (lost + arrived)));

const MODERATE = { loss: 0.02, roundTripMs: 250 };
const BAD = { loss: 0.05, roundTripMs: 500 };

export function gradeOf({ receivedLoss, sentLoss, roundTripMs = 0 }: LinkFigures): 'Good' | 'Moderate' | 'Poor' {
  const isAbove = ({ loss, roundTripMs: most }: typeof BAD): boolean =>
    receivedLoss > loss || sentLoss > loss || roundTripMs > most;
  return isAbove(BAD) ? 'Poor' : isAbove(MODERATE) ? 'Moderate' : 'Good';
}
