/**
 * Ranks the engines and voices for a language tag, the best first; the next one is used if the first fails. An engine
 * that failed is ranked last for a while, so that not every prompt waits for it.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { Voice } from '../../base/core/leg.ts';
import { isSameVoice, type SpokenBy } from '../../base/core/voice.ts';
import type { Synthesizer } from './synthesizer.ts';

export interface VoiceChoice {
  synthesizer: Synthesizer;
  language: string;
  voice: Voice;
  /** True if another variety of the language is spoken, such as en-US for en-GB. */
  otherLanguage: boolean;
  /** True if the gender of the voice differs from the requested one. */
  otherVoice: boolean;
  /** Requested voice name. */
  asked?: string;
  /** The engine's name of that voice. */
  voiceName?: string;
}

export type VoiceRouter = ReturnType<typeof createVoiceRouter>;

const FIRST_COOLDOWN_MS = 5000;
const MAX_COOLDOWN_MS = 60_000;

export function createVoiceRouter(synthesizers: readonly Synthesizer[], clock: Clock) {
  const resting = new Map<Synthesizer, { untilMs: number; restMs: number }>();
  const rests = (synthesizer: Synthesizer): boolean => (resting.get(synthesizer)?.untilMs ?? 0) > clock.monotonicMs();

  return {
    /** Empty if no engine speaks the language. */
    choices(language: string, { voice, voices = [] }: SpokenBy, style?: string): VoiceChoice[] {
      const byKind = rankVoices(synthesizers, language, voice, style);
      const ranked = [...namedVoices(byKind, voices), ...byKind];
      return ranked.sort((a, b) => Number(rests(a.synthesizer)) - Number(rests(b.synthesizer)));
    },
    failed(synthesizer: Synthesizer): void {
      const restMs = Math.min(MAX_COOLDOWN_MS, 2 * (resting.get(synthesizer)?.restMs ?? FIRST_COOLDOWN_MS / 2));
      resting.set(synthesizer, { untilMs: clock.monotonicMs() + restMs, restMs });
    },
    succeeded: (synthesizer: Synthesizer) => void resting.delete(synthesizer),
  };
}

/** Voices with these names, in the order of the names, of engines that speak the language. */
function namedVoices(byKind: readonly VoiceChoice[], names: readonly string[]): VoiceChoice[] {
  return names.flatMap((asked) =>
    byKind.flatMap((choice): VoiceChoice[] => {
      const { synthesizer } = choice;
      const found = synthesizer.capabilities.named?.find(({ name }) => isSameVoice(asked, name, synthesizer.name));
      return found ? [{ ...choice, otherVoice: false, asked, voiceName: found.own }] : [];
    }),
  );
}

/**
 * The best voice of each engine that speaks the language. The order is: the exact tag with the requested voice, another
 * variety of the language with that voice, then both with the other voice, so that a male voice stays male where
 * possible. Among equals, engines with the style come first, then the configured order decides.
 */
export function rankVoices(
  synthesizers: readonly Synthesizer[],
  language: string,
  voice: Voice,
  style?: string,
): VoiceChoice[] {
  const wanted = language.toLowerCase().replaceAll('_', '-');
  const base = wanted.split('-')[0];
  const hasStyle = ({ capabilities }: Synthesizer) =>
    style !== undefined && (capabilities.styles ?? []).includes(style);
  return synthesizers
    .flatMap((synthesizer) =>
      synthesizer.capabilities.voices.map((offered) => {
        const tag = offered.language.toLowerCase();
        const isExact = tag === wanted;
        const rank = (isExact ? 0 : 2) + (offered.voice === voice ? 0 : 4) + (hasStyle(synthesizer) ? 0 : 1);
        const otherLanguage = !isExact && wanted !== base;
        return { synthesizer, ...offered, otherLanguage, otherVoice: offered.voice !== voice, rank, tag };
      }),
    )
    .filter(({ tag }) => base !== '' && tag.split('-')[0] === base)
    .sort((a, b) => a.rank - b.rank)
    .filter(
      ({ synthesizer }, index, ranked) => ranked.findIndex((other) => other.synthesizer === synthesizer) === index,
    )
    .map(({ rank: _rank, tag: _tag, ...choice }) => choice);
}
