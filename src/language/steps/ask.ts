/**
 * Input of digits, speech or both, shared by `collect` and `menu`: prompts, attempts, time-outs, barge-in and
 * type-ahead. `ask-attempt.ts` is one attempt, `spoken-answer.ts` the speech input.
 *
 * Invariants
 *  A1 an attempt ends in exactly one way: an answer, silence (no input) or an invalid input (no match);
 *  - unused digits are kept for the next step; after an invalid input they are discarded, so that the caller hears the
 *     error prompt before any other input is accepted.
 */
import type { Json } from '../../base/core/json.ts';
import { list } from './arguments.ts';
import { type AttemptResult, attempt, type CallerInput, type Question } from './ask-attempt.ts';
import { ensureAnswered } from './playback.ts';
import type { StepContext, Waiting } from './step.ts';

/** Result of the step if the caller gave no answer. */
export interface Exhausted {
  outcome: `exhausted.${'no_input' | 'no_match'}`;
}

export async function* ask(context: StepContext, question: Question): Waiting<CallerInput | Exhausted> {
  const { args } = question;
  const failures = { no_input: 0, no_match: 0 };
  if (args.typeahead !== 'keep') context.leg.takeTypedAhead();
  yield* ensureAnswered(context);
  let prompt: Json = args.prompt ?? [];
  for (let round = 1; ; round++) {
    const answer: AttemptResult = yield* attempt(context, question, prompt);
    if (typeof answer !== 'string') return answer;
    if (round >= args.attempts) return { outcome: `exhausted.${answer}` };
    // One entry per attempt, the last one repeats; without entries the prompt of the question is repeated.
    const retries: readonly Json[] = list<Json>(args[answer]);
    prompt = retries[Math.min(failures[answer]++, retries.length - 1)] ?? args.prompt ?? [];
  }
}
