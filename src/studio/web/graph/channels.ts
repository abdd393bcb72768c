/**
 * Channels between columns, where the verticals of lines run: lines into the same step share a track, others that overlap
 * do not. Channel 0 is left of the first column, channel n right of column n − 1.
 */

export interface Vertical {
  y1: number;
  y2: number;
  /** Those with the same key share a track. */
  key: string;
  track: number;
}

export const TRACK_WIDTH = 9;
/** From a card to the first track, and from the last track to the next card. */
export const CHANNEL_MARGIN = 16;
const NARROWEST = 46;
/** Between verticals that share a track. */
const CLEARANCE = 6;

export class Channel {
  readonly #verticals: Vertical[] = [];
  #tracks = 0;

  add(y1: number, y2: number, key: string): Vertical {
    const vertical = { y1, y2, key, track: 0 };
    this.#verticals.push(vertical);
    return vertical;
  }

  get isEmpty(): boolean {
    return this.#verticals.length === 0;
  }

  get width(): number {
    return Math.max(NARROWEST, 2 * CHANNEL_MARGIN + this.#tracks * TRACK_WIDTH);
  }

  /** Lines that go up first, then those that go down with the upper sources to the right: so they cross least. */
  assignTracks(): void {
    const bundles = bundlesOf(this.#verticals);
    const used: Bundle[][] = [];
    for (const bundle of bundles) {
      const isFree = (taken: readonly Bundle[]): boolean =>
        taken.every(({ top, bottom }) => bundle.bottom < top - CLEARANCE || bundle.top > bottom + CLEARANCE);
      let track = used.findIndex(isFree);
      if (track < 0) track = used.push([]) - 1;
      used[track]!.push(bundle);
      for (const vertical of bundle.verticals) vertical.track = track;
    }
    this.#tracks = used.length;
  }
}

interface Bundle {
  verticals: Vertical[];
  top: number;
  bottom: number;
  /** The uppermost source. */
  source: number;
  goesDown: boolean;
}

function bundlesOf(verticals: readonly Vertical[]): Bundle[] {
  const bundles = new Map<string, Bundle>();
  const slope = new Map<Bundle, number>();
  for (const vertical of verticals) {
    const { y1, y2, key } = vertical;
    let bundle = bundles.get(key);
    if (bundle === undefined) {
      bundle = { verticals: [], top: Infinity, bottom: -Infinity, source: Infinity, goesDown: true };
      bundles.set(key, bundle);
    }
    bundle.verticals.push(vertical);
    bundle.top = Math.min(bundle.top, y1, y2);
    bundle.bottom = Math.max(bundle.bottom, y1, y2);
    bundle.source = Math.min(bundle.source, y1);
    slope.set(bundle, (slope.get(bundle) ?? 0) + Math.sign(y2 - y1));
    bundle.goesDown = slope.get(bundle)! >= 0;
  }
  return [...bundles.values()].sort((one, other) => {
    if (one.goesDown !== other.goesDown) return one.goesDown ? 1 : -1;
    return one.goesDown ? other.source - one.source : one.source - other.source;
  });
}
