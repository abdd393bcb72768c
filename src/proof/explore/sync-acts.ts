/** Synchronises the next act of a script with what the caller has heard since the last one. */
import type { HeardAudio } from '../../media/telephony/simulated/far-end.ts';
import { promptName } from '../testkit/prompt-names.ts';
import type { Act } from '../testkit/scenario-form.ts';
import type { Played } from './play-choices.ts';

/** Characters of a prompt's text that identify it in a test. */
const MAX_HEARD = 60;

/** Waits for the prompts heard since the last act or, if they have no name, for a time. */
export function syncOf({ heard, sinceActMs }: Played, heardBefore: number): Act[] {
  const names = heard
    .slice(heardBefore)
    .filter(hasName)
    .map(({ item }) => shortened(promptName(item)));
  const distinct = names.filter((name, index) => name !== names[index - 1]);
  if (distinct.length > 0) return [{ hear: distinct.length === 1 ? distinct[0]! : distinct }];
  return sinceActMs > 0 ? [{ wait: `${Math.round(sinceActMs)}ms` }] : [];
}

/** Number of sounds that began before the last act ended. */
export const heardBeforeAct = ({ heard, answeredMs, elapsedMs, sinceActMs }: Played): number =>
  heard.filter(({ fromMs }) => fromMs < answeredMs + elapsedMs - sinceActMs).length;

const hasName = ({ item }: HeardAudio): boolean =>
  item.type !== 'silence' && (item.name !== undefined || item.type === 'speech' || item.type === 'ssml');

/** Shortens a prompt's text to a prefix that ends at a word. */
function shortened(text: string): string {
  if (text.length <= MAX_HEARD) return text;
  const cut = text.slice(0, MAX_HEARD);
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_HEARD / 2));
}
