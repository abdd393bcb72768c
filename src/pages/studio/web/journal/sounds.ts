/** Audio played to the caller and to the parties that the flow called. */
import type { AudioItem } from '../../../../base/core/leg.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { beginOf, type Entry, legEventOf, type Span } from './entries.ts';
import { endWithCall } from './visits.ts';

export interface PlayedSound extends Span {
  playId: string;
  /** Text of the audio; `♪` stands for tones and files. */
  text: string;
  /** Names of the prompts in the flow. */
  names: string[];
  audio: readonly AudioItem[];
  /** Leg that heard it. Absent for the caller. */
  leg?: string;
  visit: number;
  seq: number;
  /** True if it repeats until it is stopped. */
  repeats: boolean;
  /** True if it was interrupted by a key, by speech, or because the step was left. */
  cut: boolean;
}

export function soundsOf(journal: readonly Entry[]): PlayedSound[] {
  const begin = beginOf(journal);
  const sounds = new Map<string, PlayedSound>();
  const end = (playId: string, atMs: number, cut: boolean): void => {
    const sound = sounds.get(playId);
    if (sound === undefined || sound.toMs !== undefined) return;
    sound.toMs = atMs - begin;
    sound.cut = cut;
  };
  for (const entry of journal) {
    if (entry.kind === 'command' && entry.command.type === 'play') {
      const { playId, audio, repeat = false } = entry.command;
      sounds.set(playId, {
        playId,
        text: wordsOfAudio(audio),
        names: [...new Set(audio.flatMap(({ name }) => name ?? []))],
        audio,
        visit: entry.visit,
        seq: entry.seq,
        fromMs: entry.atMs - begin,
        repeats: repeat,
        cut: false,
        ...(entry.leg !== undefined && { leg: entry.leg }),
      });
    }
    if (entry.kind === 'command' && entry.command.type === 'stop_play') end(entry.command.playId, entry.atMs, true);
    const heard = legEventOf(entry);
    if (heard?.event.type === 'play_ended') end(heard.event.playId, entry.atMs, heard.event.reason !== 'finished');
    if (heard?.event.type !== 'ended') continue;
    for (const sound of sounds.values()) if (sound.leg === heard.leg) end(sound.playId, entry.atMs, true);
  }
  return endWithCall([...sounds.values()], journal);
}

/** Text of the audio without pauses. */
export function wordsOfAudio(audio: readonly AudioItem[]): string {
  return audio
    .flatMap((item): string[] => {
      switch (item.type) {
        case 'speech':
          return [item.text];
        case 'ssml':
          return [textOfSsml(item.ssml)];
        case 'silence':
          return [];
        default:
          return [`♪ ${item.name ?? (item.type === 'file' ? nameOfFile(item.file) : t('tone'))}`];
      }
    })
    .join(' ');
}

/** Text of SSML without markup. */
export const textOfSsml = (ssml: string): string =>
  ssml
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();

const nameOfFile = (file: string): string => file.slice(file.lastIndexOf('/') + 1);
