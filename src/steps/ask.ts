/**
 * Asking for digits, speech or both: prompts, attempts, time-outs, barge-in and type-ahead, as `collect` and `menu` share
 * them. Neighbours: `ask-attempt.ts` is one attempt, `spoken-answer.ts` knows words.
 *
 * Invariants
 *  A1 an attempt ends in exactly one way: an answer, silence (no input) or something wrong (no match);
 *  - digits beyond what was needed stay for the next step; after a wrong input those typed ahead are forgotten, so that
 *     the caller hears what was wrong before anything else is taken.
 */
import type { Json } from '../core/json.ts';
import { list } from './arguments.ts';
import { type AttemptResult, attempt, type CallerInput, type Question } from './ask-attempt.ts';
import { ensureAnswered } from './playback.ts';
import type { StepContext, StepResult, Waiting } from './step.ts';

/** The answer, or the outcome of a step that got none. */
export async function* ask(context: StepContext, question: Question): Waiting<CallerInput | StepResult> {
  const { args } = question;
  const failures = { no_input: 0, no_match: 0 };
  if (args.typeahead !== 'keep') context.leg.takeTypedAhead();
  yield* ensureAnswered(context);
  let prompt: Json = args.prompt ?? [];
  for (let round = 1; ; round++) {
    const answer: AttemptResult = yield* attempt(context, question, prompt);
    if (typeof answer !== 'string') return answer;
    if (round >= args.attempts) return { outcome: `exhausted.${answer}` };
    // One entry per attempt, the last repeats; without entries the question itself is asked again.
    const retries: readonly Json[] = list<Json>(args[answer]);
    prompt = retries[Math.min(failures[answer]++, retries.length - 1)] ?? args.prompt ?? [];
  }
}
