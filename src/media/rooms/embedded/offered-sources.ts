/** Chooses which sources of an offer are received, and says why the others are not. */
import type { BlockedSource, BlockReason, TrackSource } from '../sfu.ts';
import type { OfferedMedia } from './offered-media.ts';
import { kindOf } from './published-source.ts';

export interface OfferedSources {
  taken: ReadonlyMap<TrackSource, OfferedMedia>;
  blocked: readonly BlockedSource[];
}

/** `names`: the source of each mid, as the client says. A line that it does not send is neither taken nor blocked. */
export function offeredSources(
  media: readonly OfferedMedia[],
  names: Readonly<Record<string, TrackSource>>,
  granted: readonly TrackSource[],
): OfferedSources {
  const taken = new Map<TrackSource, OfferedMedia>();
  const reasons = new Map<TrackSource, BlockReason>();
  for (const [mid, source] of Object.entries(names)) {
    const line = media.find((each) => each.mid === mid && mid !== '');
    if (line?.isUnsent || taken.has(source)) continue;
    if (line?.kind !== kindOf(source)) reasons.set(source, 'not_offered');
    else if (!granted.includes(source)) reasons.set(source, 'not_allowed');
    else if (line.isOff) reasons.set(source, 'no_codec');
    else taken.set(source, line);
  }
  const blocked = [...reasons].filter(([source]) => !taken.has(source));
  return { taken, blocked: blocked.map(([source, reason]) => ({ source, reason })) };
}
