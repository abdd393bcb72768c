/**
 * Playback schedule of a call from a moment on. The gaps are those of the call, except that folded waits are skipped.
 * `timeline.ts` computes the folds, `player.ts` plays the schedule.
 */
import type { Span } from '../journal/entries.ts';
import type { TimeFold } from './timeline.ts';

export interface Cue<Source> {
  source: Source;
  /** Delay from the start of playback. */
  afterMs: number;
  /** Start position in the audio. */
  skipMs: number;
  /** Playback length. */
  lengthMs: number;
}

/** Playback time of a moment: folds take no time. */
export function listeningAt(folds: readonly TimeFold[], ms: number): number {
  return folds.reduce((left, { fromMs, toMs }) => left - Math.max(0, Math.min(ms, toMs) - fromMs), ms);
}

/** Moment after `heardMs` of playback from another moment. */
export function momentAfter(folds: readonly TimeFold[], fromMs: number, heardMs: number): number {
  let left = heardMs;
  let at = fromMs;
  for (const fold of folds) {
    if (fold.toMs <= at) continue;
    const until = Math.max(0, fold.fromMs - at);
    if (left < until) break;
    left -= until;
    at = fold.toMs;
  }
  return at + left;
}

/** Cues in order. A sound that spans a fold is played before it and after it. */
export function cuesFrom<Source extends Span>(
  sources: readonly Source[],
  folds: readonly TimeFold[],
  fromMs: number,
  endMs: number,
): Cue<Source>[] {
  const begin = listeningAt(folds, fromMs);
  const cues = sources.flatMap((source) => {
    const soundTo = source.toMs ?? endMs;
    return outOf(folds, Math.max(fromMs, source.fromMs), soundTo).map(
      (part): Cue<Source> => ({
        source,
        afterMs: listeningAt(folds, part.fromMs) - begin,
        skipMs: part.fromMs - source.fromMs,
        lengthMs: part.toMs - part.fromMs,
      }),
    );
  });
  return cues.sort((one, other) => one.afterMs - other.afterMs);
}

/** Parts of a span outside of the folds. */
function outOf(folds: readonly TimeFold[], fromMs: number, toMs: number): TimeFold[] {
  const parts: TimeFold[] = [];
  let at = fromMs;
  for (const fold of folds) {
    if (fold.toMs <= at || fold.fromMs >= toMs) continue;
    if (fold.fromMs > at) parts.push({ fromMs: at, toMs: fold.fromMs });
    at = fold.toMs;
  }
  if (at < toMs) parts.push({ fromMs: at, toMs });
  return parts;
}
