/** Text for the clock of a simulated call and for what it waits for. */
import { clockOf, lengthInWords } from '../journal/moment.ts';
import type { SimulationData } from './simulation.ts';

export function wordsOfWaiting(now: SimulationData | undefined): string {
  if (now === undefined) return '';
  if (now.state === 'ended') return 'call ended';
  if (now.stopped_at?.reason === 'breakpoint') return `stopped before ${now.stopped_at.step}`;
  if (now.requests.some(({ state, mocked }) => state === 'open' && !mocked)) return 'waits for an answer from outside';
  if (now.parties.some(({ state, mocked }) => state === 'ringing' && !mocked)) return 'waits for a party to answer';
  const { keys, words, until_ms, recording, signals, prompt } = now.waits_for ?? {};
  const wanted = [
    ...(keys === undefined ? [] : ['a key']),
    ...(words === undefined ? [] : ['words']),
    ...(signals === undefined ? [] : [`the event ${signals.join(' or ')}`]),
  ].join(' or ');
  const most = until_ms === undefined ? '' : `, at most ${lengthInWords(until_ms - now.clock_ms)}`;
  if (recording === true) return `records${most}`;
  if (prompt === true) return 'plays a prompt';
  return wanted === '' ? 'not waiting for input' : `waits for ${wanted}${most}`;
}

export const wordsOfClock = (now: SimulationData | undefined): string =>
  now === undefined ? '' : `simulated time ${clockOf(now.clock_ms)}`;
