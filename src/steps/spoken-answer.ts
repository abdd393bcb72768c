/** Listening to a caller who may speak: what is asked of the line, and what the words amount to. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { ListenOptions } from '../core/leg.ts';
import { count, durationMs, list, text } from './arguments.ts';
import type { StepContext } from './step.ts';

/** The prompt is a part of it: who listens while it plays may hear nothing for long. */
const MAX_LISTENING_MS = 300_000;
/** What takes longer to say is no answer. */
export const MAX_SPEECH_MS = 60_000;
const END_SILENCE_MS = 2_000;
const MIN_CONFIDENCE = 0.5;

/** `hints` are those of the step itself, beside those of its `speech`. */
export function listenOptions(context: StepContext, args: JsonObject, hints: readonly string[]): ListenOptions {
  const speech = isObject(args['speech']) ? args['speech'] : {};
  const { grammar } = speech;
  return {
    language: text(speech['language'], context.locale),
    hints: [...new Set([...hints, ...list(speech['hints']).map(String)])],
    minConfidence: count(speech['min_confidence'], MIN_CONFIDENCE),
    endSilenceMs: durationMs(args['recognizer_timeout'], END_SILENCE_MS),
    maxLengthMs: MAX_LISTENING_MS,
    ...(grammar === 'digits' || grammar === 'yes_no' ? { grammar } : {}),
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
export function spokenChoice(said: string, choices: ReadonlyMap<string, readonly string[]>): string | undefined {
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

/** `choices` of a menu: name → phrases. */
export function choicePhrases(choices: Json | undefined): Map<string, string[]> {
  const written = isObject(choices) ? Object.entries(choices) : [];
  return new Map(
    written.flatMap(([name, choice]): [string, string[]][] => {
      const said = isObject(choice) ? list(choice['say']).map(String) : [];
      return said.length === 0 ? [] : [[name, said]];
    }),
  );
}
