/**
 * Asking for digits, speech or both: prompts, attempts, time-outs, barge-in and type-ahead, as `collect` and `menu` share
 * them. Neighbours: `listening.ts` hears one attempt, `speech.ts` knows words.
 *
 * Invariants
 *  A1 an attempt ends in exactly one way: a match, silence (no input) or something wrong (no match);
 *  A2 digits beyond what was needed stay for the next step; after a wrong input those typed ahead are forgotten, so that
 *     the caller hears what was wrong before anything else is taken.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { ListenOptions } from '../core/leg.ts';
import { count, list } from './arguments.ts';
import { type AskAttempt, runAttempt } from './ask-attempt.ts';
import { ensureAnswered } from './playback.ts';
import type { StepContext, StepEvent, Wait } from './step.ts';

/** What the digits so far amount to: go on reading, all there, all there unless more comes, or hopeless. */
export type DigitsStatus = 'more' | 'complete' | 'enough' | 'wrong';

export interface Question {
  args: JsonObject;
  /** Digits that belong to the question even where the flow has an interrupt for them; empty: none are taken. */
  claims: string;
  terminator: string;
  check(typed: string): DigitsStatus;
  /** Set where the caller may speak. */
  speech?: { options: ListenOptions; accepts(said: string): boolean };
}

export type CallerInput = { digits: string } | { speech: string; confidence: number };

export type AskResult =
  | { how: 'matched'; input: CallerInput }
  | { how: 'exhausted'; why: 'no_input' | 'no_match' }
  | Extract<AskAttempt, { how: 'broken' }>;

export async function* ask(context: StepContext, question: Question): AsyncGenerator<Wait, AskResult, StepEvent> {
  const { args } = question;
  const attempts = Math.max(1, count(args['attempts'], 3));
  const failures = { no_input: 0, no_match: 0 };
  if (args['typeahead'] === 'flush' || args['typeahead'] === 'from_prompt') context.leg.takeTypedAhead();
  yield* ensureAnswered(context);
  let prompt: Json = args['prompt'] ?? [];
  for (let round = 1; ; round++) {
    const result = yield* runAttempt(context, question, prompt);
    if (result.how === 'matched' || result.how === 'broken') return result;
    if (round >= attempts) return { how: 'exhausted', why: result.how };
    prompt = retryPrompt(args, result.how, failures[result.how]++);
  }
}

/** One entry per attempt, the last repeats; without entries the question itself is asked again. */
function retryPrompt(args: JsonObject, why: 'no_input' | 'no_match', failure: number): Json {
  const entries = list(args[why]);
  return entries[Math.min(failure, entries.length - 1)] ?? args['prompt'] ?? [];
}
