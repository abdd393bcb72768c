/**
 * Prompts without audio, with durations only. The duration of speech is estimated from its text, that of a file is read
 * from its header. Unreadable files and audio at URLs, which is not fetched, take two seconds.
 */
import type { AudioItem } from '../../base/core/leg.ts';
import { probeAudioFile } from '../../media/speech/audio-file.ts';
import { AudioError, type AudioSource, SAMPLE_RATE_HZ } from '../../media/telephony/audio.ts';

const CHARACTERS_PER_SECOND = 14;
const UNKNOWN_MS = 2_000;

export interface SilentAudioOptions {
  /** Durations by prompt name, in place of estimates. */
  durationsMs?: Readonly<Record<string, number>>;
}

export function silentAudio(options: SilentAudioOptions = {}): AudioSource {
  const known = new Map(Object.entries(options.durationsMs ?? {}));
  const files = new Map<string, number>();
  const durationMs = (item: AudioItem): number => {
    const given = item.name === undefined ? undefined : known.get(item.name);
    if (given !== undefined) return given;
    switch (item.type) {
      case 'speech':
        return Math.round((item.text.length / CHARACTERS_PER_SECOND / (item.rate ?? 1)) * 1000);
      case 'ssml':
        return Math.round((textOfSsml(item.ssml).length / CHARACTERS_PER_SECOND) * 1000);
      case 'file': {
        const measured = files.get(item.file) ?? fileDurationMs(item.file) ?? UNKNOWN_MS;
        files.set(item.file, measured);
        return measured;
      }
      case 'remote':
        return UNKNOWN_MS;
      default:
        return item.durationMs;
    }
  };
  return {
    durationMs,
    load: async (item) => new Int16Array(Math.round((durationMs(item) * SAMPLE_RATE_HZ) / 1000)),
  };
}

/** Text of an SSML document without its tags. */
export const textOfSsml = (ssml: string): string =>
  ssml
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Duration of a sound file in ms. Undefined if a call could not play it. */
function fileDurationMs(file: string): number | undefined {
  try {
    return Math.round(probeAudioFile(file).durationMs);
  } catch (error) {
    if (error instanceof AudioError) return undefined;
    throw error;
  }
}
