/**
 * Asking for digits, speech or both: prompts, attempts, time-outs, barge-in and type-ahead, as `collect` and `menu` share
 * them. Neighbours: `ask-attempt.ts` is one attempt, `spoken-answer.ts` knows words.
 *
 * Invariants
 *  A1 an attempt ends in exactly one way: an answer, silence (no input) or something wrong (no match);
 *  A2 digits beyond what was needed stay for the next step; after a wrong input those typed ahead are forgotten, so that
 *     the caller hears what was wrong before anything else is taken.
 */
import type { Json } from '../core/json.ts';
import type { ListenOptions } from '../core/leg.ts';
import { list } from './arguments.ts';
import { type AttemptResult, attempt } from './ask-attempt.ts';
import { ensureAnswered } from './playback.ts';
import type { StepContext, StepEvent, StepResult, Wait } from './step.ts';
import type { CollectArgs, MenuArgs } from './step-arguments.ts';

/** Whether the digits so far need more, are all there, are all there unless more come, or cannot become an answer. */
export type DigitsStatus = 'more' | 'complete' | 'enough' | 'wrong';

/** What `collect` and `menu` say of how they ask. */
export type AskArgs = Pick<CollectArgs, keyof CollectArgs & keyof MenuArgs>;

export interface Question {
  args: AskArgs;
  /** Digits that belong to the question even where the flow has an interrupt for them; empty: none are taken. */
  claims: string;
  terminator: string;
  check(typed: string): DigitsStatus;
  /** Set where the caller may speak. */
  speech?: { options: ListenOptions; accepts(said: string): boolean };
}

export type CallerInput = { digits: string } | { speech: string; confidence: number };

/** The answer, or the outcome of a step that got none. */
export async function* ask(
  context: StepContext,
  question: Question,
): AsyncGenerator<Wait, CallerInput | StepResult, StepEvent> {
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
