/** Quality of the connection of one handle since the previous sample, from the counters of Janus' admin API. */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { QualitySample, TrackSource } from '../sfu.ts';

type Direction = QualitySample['direction'];

/** Counters since the start of the connection. */
interface Counted {
  octets: number;
  packets: number;
  lost: number;
}

export class JanusQuality {
  readonly #direction: Direction;
  readonly #before = new Map<string, Counted>();

  /** `send`: media that a browser publishes; `receive`: media that it receives. */
  constructor(direction: Direction) {
    this.#direction = direction;
  }

  sample(info: JsonObject, nameOf: (mid: string) => TrackSource | undefined, seconds: number): QualitySample[] {
    return mediaOf(info).flatMap((media): QualitySample[] => {
      const mid = String(media['mid']);
      const source = nameOf(mid);
      const now = countedOf(media, this.#direction);
      const before = this.#before.get(mid) ?? { octets: 0, packets: 0, lost: 0 };
      this.#before.set(mid, now);
      const packets = now.packets - before.packets;
      if (source === undefined || packets <= 0) return [];
      const lost = Math.max(0, now.lost - before.lost);
      const roundTripMs = numberOf(rtcpOf(media)['rtt']);
      return [
        {
          ...{ direction: this.#direction, source, bitsPerSecond: ((now.octets - before.octets) * 8) / seconds },
          lost: lost / (packets + lost),
          ...(roundTripMs > 0 ? { roundTripMs } : {}),
        },
      ];
    });
  }
}

function mediaOf({ webrtc }: JsonObject): JsonObject[] {
  const media = isObject(webrtc) ? webrtc['media'] : undefined;
  return isObject(media) ? Object.values(media).filter(isObject) : [];
}

/** Janus has counters for each simulcast layer. */
function countedOf({ stats, ...media }: JsonObject, direction: Direction): Counted {
  const side = direction === 'send' ? 'in' : 'out';
  const layers = isObject(stats) ? Object.entries(stats).filter(([key]) => key.startsWith(side)) : [];
  const sum = (name: string): number =>
    layers.reduce((total, [, layer]) => total + numberOf(isObject(layer) ? layer[name] : undefined), 0);
  const lost = numberOf(rtcpOf(media)[direction === 'send' ? 'lost' : 'lost-by-remote']);
  return { octets: sum('bytes'), packets: sum('packets'), lost };
}

function rtcpOf({ rtcp }: JsonObject): JsonObject {
  const main = isObject(rtcp) ? rtcp['main'] : undefined;
  return isObject(main) ? main : {};
}

const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0);
