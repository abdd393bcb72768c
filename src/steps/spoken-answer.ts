/** Listening to a caller who may speak: what is asked of the recogniser, and what the words amount to. */
import type { ListenOptions } from '../core/leg.ts';
import { durationMs } from './arguments.ts';
import type { StepContext } from './step.ts';
import type { CollectArgs } from './step-arguments.ts';

/** The prompt is a part of it: who listens while it plays may hear nothing for long. */
const MAX_LISTENING_MS = 300_000;
/** What takes longer to say is not an answer. */
export const MAX_SPEECH_MS = 60_000;

/** Phrases by the name of the choice. */
export type Choices = ReadonlyMap<string, readonly string[]>;

/** `hints` are those of the step itself, beside those of its `speech`. */
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

/** Lower case, words only: how phrases are compared. */
export const normalizeSpeech = (said: string): string =>
  said
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * What was chosen by saying one of the phrases, alone or within a sentence. A phrase within another one that was said
 * does not count; undefined when several choices are named.
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
