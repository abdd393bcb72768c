/**
 * Voices in flows: `female`, `male`, the name of an engine's voice, or a list of them in order of preference: a voice
 * is used if those before it are not available.
 */
import type { Voice } from './leg.ts';

export type WrittenVoice = string | string[];

/** `voice` is used if none of `voices` is available. */
export interface SpokenBy {
  voice: Voice;
  voices?: string[];
}

const isKind = (name: string): name is Voice => name === 'female' || name === 'male';

/** Names after `female` or `male` are ignored, because those are always available. */
export function spokenBy(written: WrittenVoice): SpokenBy {
  const names = typeof written === 'string' ? [written] : written;
  const end = names.findIndex(isKind);
  const voices = end < 0 ? [...names] : names.slice(0, end);
  const voice = names.find(isKind) ?? 'female';
  return voices.length === 0 ? { voice } : { voice, voices };
}

/** The engine-specific names in a written voice. */
export const voiceNames = (written: WrittenVoice): readonly string[] => spokenBy(written).voices ?? [];

/** True if a flow names this voice of an engine, alone or prefixed with the engine: `Polly.Joanna`. */
export const isSameVoice = (written: string, name: string, engine: string): boolean => {
  const wanted = written.toLowerCase();
  return wanted === name.toLowerCase() || wanted === `${engine}.${name}`.toLowerCase();
};

/** The voices of an engine, by their configured names and by the engine's own names. */
export const namedVoices = (voices: Readonly<Record<string, string>>): { name: string; own: string }[] => [
  ...Object.entries(voices).flatMap(([name, own]) => (isKind(name) ? [] : [{ name, own }])),
  ...Object.values(voices).map((own) => ({ name: own, own })),
];
