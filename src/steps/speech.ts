/** Listening to a caller who may speak: what is asked of the line, and what the words amount to. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { ListenOptions } from '../core/leg.ts';
import { count, durationMs, list, text } from './arguments.ts';
import type { StepContext } from './step.ts';

/** The prompt is a part of it: who listens while it plays may hear nothing for long. */
const LONGEST_LISTENING_MS = 300_000;
/** What takes longer to say is no answer. */
export const LONGEST_SPEECH_MS = 60_000;
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
    maxLengthMs: LONGEST_LISTENING_MS,
    ...(grammar === 'digits' || grammar === 'yes_no' ? { grammar } : {}),
  };
}

/** Lower case, words only: how phrases are compared. */
export const wordsOf = (said: string): string =>
  said
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * What was chosen by saying one of the phrases, alone or within a sentence. The longest phrase counts; undefined when
 * two choices are named alike.
 */
export function chosenBy(said: string, choices: ReadonlyMap<string, readonly string[]>): string | undefined {
  const words = ` ${wordsOf(said)} `;
  let best: { names: Set<string>; length: number } = { names: new Set(), length: 1 };
  for (const [name, phrases] of choices) {
    for (const phrase of phrases) {
      const wanted = wordsOf(phrase);
      if (wanted === '' || wanted.length < best.length || !words.includes(` ${wanted} `)) continue;
      if (wanted.length > best.length) best = { names: new Set(), length: wanted.length };
      best.names.add(name);
    }
  }
  return best.names.size === 1 ? [...best.names][0] : undefined;
}

/** `choices` of a menu: name → phrases. */
export function phrasesOf(choices: Json | undefined): Map<string, string[]> {
  const written = isObject(choices) ? Object.entries(choices) : [];
  return new Map(
    written.flatMap(([name, choice]): [string, string[]][] => {
      const said = isObject(choice) ? list(choice['say']).map(String) : [];
      return said.length === 0 ? [] : [[name, said]];
    }),
  );
}
