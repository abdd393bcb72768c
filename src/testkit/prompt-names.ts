/** What was heard, in words. */
import { formatDuration } from '../core/duration.ts';
import type { AudioItem } from '../core/leg.ts';
import type { HeardAudio } from '../telephony/simulated/far-end.ts';
import { textOfSsml } from './silent-audio.ts';

/** A prompt by its name, or by words of its text. */
export function matchesPrompt(wanted: string, item: AudioItem): boolean {
  if (item.name === wanted) return true;
  if (item.type === 'ssml') return textOfSsml(item.ssml).includes(wanted);
  return item.type === 'speech' && item.text.includes(wanted);
}

/** What was heard, in words: each prompt once, however often it was repeated; pauses are not heard. */
export function promptNames(heard: readonly HeardAudio[]): string[] {
  return withoutRepeats(heard).map(({ item }) => promptName(item));
}

/** Prompts without the repetitions of an endless one, each sound of one name once, and without silence. */
export function withoutRepeats(heard: readonly HeardAudio[]): HeardAudio[] {
  const seen = new Map<string, Set<AudioItem | string>>();
  return heard.filter(({ playId, item }) => {
    const sounds = seen.get(playId) ?? new Set<AudioItem | string>();
    seen.set(playId, sounds);
    const sound = item.type === 'tone' && item.name !== undefined ? item.name : item;
    if (item.type === 'silence' || sounds.has(sound)) return false;
    sounds.add(sound);
    return true;
  });
}

export function promptName(item: AudioItem): string {
  if (item.name !== undefined) return item.name;
  switch (item.type) {
    case 'speech':
      return item.text;
    case 'ssml':
      return textOfSsml(item.ssml);
    case 'file':
      return item.file;
    default:
      return `${item.type} of ${formatDuration(item.durationMs)}`;
  }
}
