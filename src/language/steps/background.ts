/** The background media of a call: what `recording`, `stream` and `transcribe` have in common. */
import type { StreamTrack } from '../../base/core/leg.ts';
import type { BackgroundAnswer, ResultOf } from './step.ts';

const TRACKS: readonly StreamTrack[] = ['inbound', 'outbound'];

/** `idName`: key of the started medium's id in the result. */
export function backgroundResult(answer: BackgroundAnswer, idName?: string): ResultOf<'started' | 'done' | 'failed'> {
  if ('fault' in answer) {
    const { code, message } = answer.fault;
    return { outcome: 'failed', result: { code, message } };
  }
  return idName === undefined ? { outcome: 'done' } : { outcome: 'started', result: { [idName]: answer.id } };
}

/** Expands `both`, a track or a list of tracks. */
export const tracksOf = (written: string | readonly string[]): StreamTrack[] =>
  TRACKS.filter((track) => written === 'both' || written.includes(track));
