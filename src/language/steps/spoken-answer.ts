/** Speech input: options for the recogniser, and the match of recognised text with choices. */
import type { ListenOptions } from '../../base/core/leg.ts';
import { durationMs } from './arguments.ts';
import type { StepContext } from './step.ts';
import type { CollectArgs } from './verb-types.ts';

/** Limit for one recognition. It includes the prompt, during which the caller may be silent. */
const MAX_LISTENING_MS = 300_000;
/** Maximum duration of an answer. */
export const MAX_SPEECH_MS = 60_000;

/** Phrases, by name of the choice. */
export type Choices = ReadonlyMap<string, readonly string[]>;

/** `hints`: phrases of the choices, in addition to `speech.hints`. */
export function listenOptions(
  { locale }: StepContext,
  { speech, recognizer_timeout = '2s' }: Pick<CollectArgs, 'speech' | 'recognizer_timeout'>,
  hints: readonly string[] = [],
): ListenOptions {
  const { language = locale, hints: more = [], min_confidence = 0.5, grammar } = speech ?? {};
  return {
    language,
    hints: [...new Set([...hints, ...more])],
    minConfidence: min_confidence,
    endSilenceMs: durationMs(recognizer_timeout),
    maxLengthMs: MAX_LISTENING_MS,
    ...(grammar && { grammar }),
  };
}

/** Converts text to lower case and removes punctuation, for the comparison of phrases. */
export const normalizeSpeech = (said: string): string =>
  said
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * Returns the choice whose phrase occurs in the recognised text. A phrase inside a longer matching phrase is ignored.
 * Undefined if no choice or several choices match.
 */
export function spokenChoice(said: string, choices: Choices): string | undefined {
  const isIn = (phrase: string, words: string): boolean => ` ${words} `.includes(` ${phrase} `);
  const words = normalizeSpeech(said);
  const found = [...choices].flatMap(([name, phrases]) =>
    phrases
      .map(normalizeSpeech)
      .filter((phrase) => phrase !== '' && isIn(phrase, words))
      .map((phrase) => ({ name, phrase })),
  );
  const whole = found.filter(
    ({ phrase }) => !found.some((other) => other.phrase !== phrase && isIn(phrase, other.phrase)),
  );
  const names = new Set(whole.map(({ name }) => name));
  return names.size === 1 ? [...names][0] : undefined;
}
