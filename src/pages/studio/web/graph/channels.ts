/**
 * Channels between columns, which contain the vertical parts of lines. Lines to the same step share a track; other
 * overlapping lines do not. Channel 0 is left of the first column, channel n is right of column n − 1.
 */

export interface Vertical {
  y1: number;
  y2: number;
  /** Lines with the same key share a track. */
  key: string;
  track: number;
}

export const TRACK_WIDTH = 9;
/** Distance from a card to the first track, and from the last track to the next card. */
export const CHANNEL_MARGIN = 16;
const NARROWEST = 46;
/** Minimum vertical gap between lines on one track. */
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

  /**
   * Assigns tracks. Lines that go up come first, then lines that go down, those with upper sources further right: this
   * order minimises crossings. If a line enters at the height at which another one leaves, the leaving line gets the
   * track further left; otherwise the two would overlap.
   */
  assignTracks(): void {
    const bundles = bundlesOf(this.#verticals);
    const leftOf = whatTurnsFirst(bundles);
    const used: Bundle[][] = [];
    const tracks = new Map<Bundle, number>();
    for (const bundle of inOrder(bundles, leftOf)) {
      const isFree = (taken: readonly Bundle[] | undefined): boolean =>
        taken?.every(({ top, bottom }) => bundle.bottom < top - CLEARANCE || bundle.top > bottom + CLEARANCE) ?? true;
      let track = 0;
      for (const other of leftOf.get(bundle) ?? []) track = Math.max(track, (tracks.get(other) ?? -1) + 1);
      while (!isFree(used[track])) track += 1;
      while (used.length <= track) used.push([]);
      used[track]!.push(bundle);
      tracks.set(bundle, track);
      for (const vertical of bundle.verticals) vertical.track = track;
    }
    this.#tracks = used.length;
  }
}

/** Heights that differ by at most this count as equal. */
const SAME_HEIGHT = 3;

/** For each bundle, the bundles that leave a step at a height at which it enters. */
function whatTurnsFirst(bundles: readonly Bundle[]): Map<Bundle, Set<Bundle>> {
  const leaving = new Map<number, Set<Bundle>>();
  for (const bundle of bundles) {
    for (const { y1 } of bundle.verticals) {
      const height = Math.round(y1);
      leaving.set(height, (leaving.get(height) ?? new Set()).add(bundle));
    }
  }
  const first = new Map<Bundle, Set<Bundle>>();
  for (const bundle of bundles) {
    const found = new Set<Bundle>();
    for (const height of new Set(bundle.verticals.map(({ y2 }) => Math.round(y2)))) {
      for (let near = height - SAME_HEIGHT; near <= height + SAME_HEIGHT; near++) {
        for (const other of leaving.get(near) ?? []) if (other !== bundle) found.add(other);
      }
    }
    if (found.size > 0) first.set(bundle, found);
  }
  return first;
}

/** Keeps the order, except that bundles in `leftOf` come before their bundle. Cycles are ignored. */
function inOrder(bundles: readonly Bundle[], leftOf: ReadonlyMap<Bundle, ReadonlySet<Bundle>>): Bundle[] {
  const ordered: Bundle[] = [];
  const seen = new Set<Bundle>();
  const visit = (bundle: Bundle): void => {
    if (seen.has(bundle)) return;
    seen.add(bundle);
    for (const other of leftOf.get(bundle) ?? []) visit(other);
    ordered.push(bundle);
  };
  for (const bundle of bundles) visit(bundle);
  return ordered;
}

interface Bundle {
  verticals: Vertical[];
  top: number;
  bottom: number;
  /** Y coordinate of the uppermost source. */
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
