/**
 * Voices as flows write them: `female`, `male`, the name of a voice of an engine, or a list of them in which the next one
 * speaks where the one before is not there.
 */
import type { Voice } from './leg.ts';

export type WrittenVoice = string | string[];

/** `voice` speaks where none of `voices` is there. */
export interface SpokenBy {
  voice: Voice;
  voices?: string[];
}

const isKind = (name: string): name is Voice => name === 'female' || name === 'male';

/** What comes after `female` or `male` is never needed. */
export function spokenBy(written: WrittenVoice): SpokenBy {
  const names = typeof written === 'string' ? [written] : written;
  const end = names.findIndex(isKind);
  const voices = end < 0 ? [...names] : names.slice(0, end);
  const voice = names.find(isKind) ?? 'female';
  return voices.length === 0 ? { voice } : { voice, voices };
}

/** The names in what is written. */
export const voiceNames = (written: WrittenVoice): readonly string[] => spokenBy(written).voices ?? [];

/** Of an engine's voice, flows may write the name alone, or with that of its engine: `Polly.Joanna`. */
export const isSameVoice = (written: string, name: string, engine: string): boolean => {
  const wanted = written.toLowerCase();
  return wanted === name.toLowerCase() || wanted === `${engine}.${name}`.toLowerCase();
};

/** The voices of an engine, by the names that the configuration gives them, and by those that the engine has for them. */
export const namedVoices = (voices: Readonly<Record<string, string>>): { name: string; own: string }[] => [
  ...Object.entries(voices).flatMap(([name, own]) => (isKind(name) ? [] : [{ name, own }])),
  ...Object.values(voices).map((own) => ({ name: own, own })),
];
