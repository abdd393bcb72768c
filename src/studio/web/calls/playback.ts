/**
 * What is heard from a moment of a call on, and when: exactly as far apart as it was, but without the waits that are
 * folded. Neighbours: `timeline.ts` has the folds, `player.ts` plays.
 */
import type { Span } from '../journal/entries.ts';
import type { Fold } from './timeline.ts';

export interface Cue<Source> {
  source: Source;
  /** From now. */
  afterMs: number;
  /** Where in the sound it begins. */
  skipMs: number;
  /** How long it is heard. */
  lengthMs: number;
}

/** The time of listening until a moment: folds take none. */
export function listeningAt(folds: readonly Fold[], ms: number): number {
  return folds.reduce((left, { fromMs, toMs }) => left - Math.max(0, Math.min(ms, toMs) - fromMs), ms);
}

/** The moment after so much listening from another one. */
export function momentAfter(folds: readonly Fold[], fromMs: number, heardMs: number): number {
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

/** In order. A sound that goes on within a fold is heard before it and after it. */
export function cuesFrom<Source extends Span>(
  sources: readonly Source[],
  folds: readonly Fold[],
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

/** A span without what is folded of it. */
function outOf(folds: readonly Fold[], fromMs: number, toMs: number): Fold[] {
  const parts: Fold[] = [];
  let at = fromMs;
  for (const fold of folds) {
    if (fold.toMs <= at || fold.fromMs >= toMs) continue;
    if (fold.fromMs > at) parts.push({ fromMs: at, toMs: fold.fromMs });
    at = fold.toMs;
  }
  if (at < toMs) parts.push({ fromMs: at, toMs });
  return parts;
}
