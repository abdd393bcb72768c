/** Text for the clock of a simulated call and for what it waits for. */

import { listText, t } from '../../../shared/web/words/translate.ts';
import { clockOf, lengthInWords } from '../journal/moment.ts';
import type { SimulationData } from './simulation.ts';

export function wordsOfWaiting(now: SimulationData | undefined): string {
  if (now === undefined) return '';
  if (now.state === 'ended') return t('call ended');
  if (now.stopped_at?.reason === 'breakpoint') return t('stopped before {step}', { step: now.stopped_at.step });
  if (now.requests.some(({ state, mocked }) => state === 'open' && !mocked))
    return t('waits for an answer from outside');
  if (now.parties.some(({ state, mocked }) => state === 'ringing' && !mocked)) return t('waits for a party to answer');
  const { keys, words, until_ms, recording, signals, prompt } = now.waits_for ?? {};
  const wanted = [
    ...(keys === undefined ? [] : [t('a key')]),
    ...(words === undefined ? [] : [t('words')]),
    ...(signals === undefined ? [] : [t('the event {signals}', { signals: listText(signals, 'disjunction') })]),
  ];
  const most = until_ms === undefined ? undefined : lengthInWords(until_ms - now.clock_ms);
  if (recording === true) return most === undefined ? t('records') : t('records, at most {length}', { length: most });
  if (prompt === true) return t('plays a prompt');
  if (wanted.length === 0) return t('not waiting for input');
  const awaited = listText(wanted, 'disjunction');
  return most === undefined
    ? t('waits for {wanted}', { wanted: awaited })
    : t('waits for {wanted}, at most {length}', { wanted: awaited, length: most });
}

export const wordsOfClock = (now: SimulationData | undefined): string =>
  now === undefined ? '' : t('simulated time {clock}', { clock: clockOf(now.clock_ms) });
