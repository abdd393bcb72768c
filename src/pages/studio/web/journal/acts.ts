/** Actions of the caller in a journal: keys, speech, hold, hangup. `sounds.ts` has what the caller hears. */
import { beginOf, type Entry, legEventOf, type Span } from './entries.ts';
import { endWithCall } from './visits.ts';

export type CallerAct = Span & { seq: number } & (
    | { act: 'pressed'; digit: string }
    /** `text` is absent if the speech was not understood or is not stored. */
    | { act: 'spoke'; text?: string; confidence?: number; understood: boolean }
    | { act: 'held'; held: boolean }
    | { act: 'referred'; to: string }
    | { act: 'hung_up' }
  );

export function callerActsOf(journal: readonly Entry[]): CallerAct[] {
  const begin = beginOf(journal);
  const acts: CallerAct[] = [];
  const speaking = new Map<string, Extract<CallerAct, { act: 'spoke' }>>();
  for (const entry of journal) {
    const { seq } = entry;
    const fromMs = entry.atMs - begin;
    const heard = legEventOf(entry);
    if (heard === undefined || heard.leg !== undefined) continue;
    const { event } = heard;
    switch (event.type) {
      case 'digit':
        acts.push({ act: 'pressed', digit: event.digit, seq, fromMs, toMs: fromMs });
        break;
      case 'speech_started': {
        const speech = { act: 'spoke' as const, understood: false, seq, fromMs };
        speaking.set(event.listenId, speech);
        acts.push(speech);
        break;
      }
      case 'listen_ended': {
        const known = speaking.get(event.listenId);
        if (known === undefined && event.text === undefined) break;
        const speech = known ?? { act: 'spoke' as const, understood: false, seq, fromMs };
        if (known === undefined) acts.push(speech);
        speech.toMs = fromMs;
        speech.understood = event.reason === 'recognized';
        if (event.text !== undefined) speech.text = event.text;
        if (event.confidence !== undefined) speech.confidence = event.confidence;
        break;
      }
      case 'far_hold':
        acts.push({ act: 'held', held: event.held, seq, fromMs, toMs: fromMs });
        break;
      case 'referred':
        acts.push({ act: 'referred', to: event.to, seq, fromMs, toMs: fromMs });
        break;
      case 'ended':
        if (event.by === 'far') acts.push({ act: 'hung_up', seq, fromMs, toMs: fromMs });
        break;
      default:
    }
  }
  return endWithCall(acts, journal);
}
