/**
 * Asking for digits: prompts, attempts, time-outs, barge-in and type-ahead, as `collect` and `menu` share them.
 *
 * Invariants
 *  A1 `start_timeout` runs from the end of the prompt, `inter_digit_timeout` from the last digit;
 *  A2 an attempt ends in exactly one way: a match, silence (no input) or something wrong (no match);
 *  A3 digits beyond what was needed stay for the next step; after a wrong input those typed ahead are forgotten, so that
 *     the caller hears what was wrong before anything else is taken.
 */
import type { Fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { count, durationMs, flag, list } from './arguments.ts';
import { hear, openLine } from './line.ts';
import type { StepContext, StepEvent, Wait } from './step.ts';

/** What the digits so far amount to: go on reading, all there, all there unless more comes, or hopeless. */
export type Reading = 'more' | 'complete' | 'enough' | 'wrong';

export interface Question {
  args: JsonObject;
  /** Digits that belong to the question even where the flow has an interrupt for them. */
  claims: string;
  terminator: string;
  read(typed: string): Reading;
}

export type Answer =
  | { how: 'matched'; digits: string }
  | { how: 'exhausted'; why: 'no_input' | 'no_match' }
  | { how: 'broken'; fault: Fault };

type Attempt =
  | { how: 'matched'; digits: string }
  | { how: 'no_input' }
  | { how: 'no_match' }
  | { how: 'broken'; fault: Fault };

export async function* ask(context: StepContext, question: Question): AsyncGenerator<Wait, Answer, StepEvent> {
  const { args } = question;
  const attempts = Math.max(1, count(args['attempts'], 3));
  const failures = { no_input: 0, no_match: 0 };
  if (args['typeahead'] === 'flush') context.leg.takeTypedAhead();
  yield* openLine(context);
  let prompt: Json = args['prompt'] ?? [];
  for (let attempt = 1; ; attempt++) {
    const result = yield* listen(context, question, prompt);
    if (result.how === 'matched' || result.how === 'broken') return result;
    if (attempt >= attempts) return { how: 'exhausted', why: result.how };
    prompt = retryPrompt(args, result.how, failures[result.how]++);
  }
}

/** One entry per attempt, the last repeats; without entries the question itself is asked again. */
function retryPrompt(args: JsonObject, why: 'no_input' | 'no_match', failure: number): Json {
  const entries = list(args[why]);
  return entries[Math.min(failure, entries.length - 1)] ?? args['prompt'] ?? [];
}

async function* listen(
  context: StepContext,
  question: Question,
  prompt: Json,
): AsyncGenerator<Wait, Attempt, StepEvent> {
  const { args, claims } = question;
  const { leg } = context;
  const bargeIn = flag(args['barge_in'], true);
  let pending = bargeIn ? leg.takeTypedAhead() : '';
  if (pending === '') {
    const heard = yield* hear(context, prompt, bargeIn ? { claims } : undefined);
    if (heard.how === 'broken') return heard;
    pending = heard.how === 'interrupted' ? heard.digit : args['typeahead'] === 'flush' ? '' : leg.takeTypedAhead();
    if (args['typeahead'] === 'flush') leg.takeTypedAhead();
  }

  const startTimeoutMs = durationMs(args['start_timeout'], 10_000);
  const interDigitTimeoutMs = durationMs(args['inter_digit_timeout'] ?? args['recognizer_timeout'], 3_000);
  let typed = '';
  for (;;) {
    while (pending !== '') {
      const digit = pending[0]!;
      pending = pending.slice(1);
      if (digit === question.terminator) {
        const settled = settle(question, typed);
        if (settled.how === 'matched') leg.putBack(pending);
        return settled;
      }
      typed += digit;
      const reading = question.read(typed);
      if (reading === 'more' || reading === 'enough') continue;
      if (reading === 'wrong') return { how: 'no_match' };
      leg.putBack(swallowTerminator(context, question, pending, interDigitTimeoutMs));
      return { how: 'matched', digits: typed };
    }
    const dueMs = context.now() + (typed === '' ? startTimeoutMs : interDigitTimeoutMs);
    let event = yield { withinMs: dueMs - context.now(), digits: { claims } };
    while (event.type !== 'digit' && event.type !== 'timeout') {
      event = yield { withinMs: Math.max(0, dueMs - context.now()), digits: { claims } };
    }
    if (event.type === 'timeout') return typed === '' ? { how: 'no_input' } : settle(question, typed);
    pending = event.digit;
  }
}

/** The caller has finished: what is there must do. A terminator alone is an empty answer. */
function settle(question: Question, typed: string): Attempt {
  if (typed === '') return { how: 'no_match' };
  return question.read(typed) === 'enough' ? { how: 'matched', digits: typed } : { how: 'no_match' };
}

/** Callers press the terminator out of habit even when the last digit already completed the input. */
function swallowTerminator(context: StepContext, question: Question, rest: string, withinMs: number): string {
  if (question.terminator === '') return rest;
  if (rest.startsWith(question.terminator)) return rest.slice(1);
  if (rest === '') context.leg.ignoreNext(question.terminator, withinMs);
  return rest;
}
