/** Names of the prompts that a party heard. */
import { formatDuration } from '../../base/core/duration.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import type { HeardAudio } from '../../media/telephony/simulated/far-end.ts';
import { textOfSsml } from './silent-audio.ts';

/** True if the audio is the wanted prompt, by its name or by part of its text. */
export function matchesPrompt(wanted: string, item: AudioItem): boolean {
  if (item.name === wanted) return true;
  if (item.type === 'ssml') return textOfSsml(item.ssml).includes(wanted);
  return item.type === 'speech' && item.text.includes(wanted);
}

/** Names of heard prompts, each once even if it was repeated, without pauses. */
export function promptNames(heard: readonly HeardAudio[]): string[] {
  return withoutRepeats(heard).map(({ item }) => promptName(item));
}

/** Languages of spoken prompts, in order, without adjacent duplicates. */
export const languagesOf = (heard: readonly HeardAudio[]): string[] =>
  heard
    .flatMap(({ item }) => (item.type === 'speech' || item.type === 'ssml' ? [item.language] : []))
    .filter((language, index, all) => language !== all[index - 1]);

/** Omits silence and the repetitions of an endless prompt; items with the same name count once. */
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
    case 'remote':
      return item.url;
    default:
      return `${item.type} of ${formatDuration(item.durationMs)}`;
  }
}
