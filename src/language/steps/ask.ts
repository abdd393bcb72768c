/**
 * Input of digits, speech or both, shared by `collect` and `menu`: prompts, attempts, time-outs, barge-in and
 * type-ahead. An attempt plays the prompt and waits for digits or speech, whichever comes first. `spoken-answer.ts` is
 * the speech input.
 *
 * Invariants
 *  A1 an attempt ends in exactly one way: an answer, silence (no input) or an invalid input (no match);
 *  - unused digits are kept for the next step; after an invalid input they are discarded, so that the caller hears the
 *     error prompt before any other input is accepted;
 *  - `start_timeout` runs from the end of the prompt until the caller begins to speak; `inter_digit_timeout` from the
 *     last digit;
 *  - the first digit stops speech recognition, the first word stops the prompt; a digit pressed during speech counts.
 */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { Json } from '../../base/core/json.ts';
import type { ListenOptions } from '../../base/core/leg.ts';
import { durationMs, list } from './arguments.ts';
import { ensureAnswered, hasEnded } from './playback.ts';
import { MAX_SPEECH_MS } from './spoken-answer.ts';
import type { StepContext, StepEvent, Waiting } from './step.ts';
import type { CollectArgs, MenuArgs } from './verb-types.ts';
import { until } from './waiting.ts';

/** Status of the digits so far: incomplete, complete, valid but extensible (`enough`), or invalid. */
export type DigitsStatus = 'more' | 'complete' | 'enough' | 'wrong';

/** Arguments that `collect` and `menu` share. */
export type AskArgs = Pick<CollectArgs, keyof CollectArgs & keyof MenuArgs>;

export interface Question {
  args: AskArgs;
  /** Digits that the question accepts, even if the flow has an interrupt for them; empty if it accepts none. */
  claims: string;
  terminator: string;
  check(typed: string): DigitsStatus;
  /** Set if the question accepts speech. */
  speech?: { options: ListenOptions; accepts(said: string): boolean };
}

export type CallerInput = { digits: string } | { speech: string; confidence: number };

type QuestionResult = CallerInput | 'no_input' | 'no_match';

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
    const answer: QuestionResult = yield* attempt(context, question, prompt);
    if (typeof answer !== 'string') return answer;
    if (round >= args.attempts) return { outcome: `exhausted.${answer}` };
    // One entry per attempt, the last one repeats; without entries the prompt of the question is repeated.
    const retries: readonly Json[] = list<Json>(args[answer]);
    prompt = retries[Math.min(failures[answer]++, retries.length - 1)] ?? args.prompt ?? [];
  }
}

async function* attempt(context: StepContext, question: Question, prompt: Json): Waiting<QuestionResult> {
  const { leg } = context;
  const { claims } = question;
  const { barge_in: bargeIn, typeahead, start_timeout } = question.args;
  const ahead = bargeIn && claims !== '' ? leg.takeTypedAhead() : '';
  if (ahead !== '') return yield* readDigits(context, question, ahead);

  const audio = await context.prompt(prompt);
  const listener = new SpeechListener(context, question);
  const startMs = durationMs(start_timeout);
  let playId = audio.length === 0 ? undefined : leg.play(audio);
  const stopPrompt = (): void => {
    if (playId !== undefined) leg.stopPlay(playId);
    playId = undefined;
  };
  if (bargeIn || playId === undefined) listener.open();
  let dueMs = playId === undefined ? context.now() + startMs : undefined;
  for (;;) {
    const takesDigits = claims !== '' && (bargeIn || playId === undefined);
    const event = yield { ...(takesDigits && { digits: { claims } }), ...until(context, dueMs) };
    if (event.type === 'digit') {
      listener.close();
      stopPrompt();
      if (typeahead === 'flush') leg.takeTypedAhead();
      return yield* readDigits(context, question, event.digit);
    }
    if (event.type === 'timeout') {
      listener.close();
      return listener.hasSpeech ? 'no_match' : 'no_input';
    }
    if (playId !== undefined && hasEnded(event, playId)) {
      playId = undefined;
      if (typeahead === 'flush') leg.takeTypedAhead();
      const typed = claims === '' ? '' : leg.takeTypedAhead();
      if (typed !== '') {
        listener.close();
        return yield* readDigits(context, question, typed);
      }
      listener.open();
      if (!listener.hasSpeech) dueMs = context.now() + startMs;
      continue;
    }
    const heard = listener.onEvent(event);
    if (heard === undefined) continue;
    stopPrompt();
    if (heard !== 'speech') return heard;
    dueMs = context.now() + MAX_SPEECH_MS;
  }
}

/** Speech recognition on the caller's leg, from `open` to `close`. */
class SpeechListener {
  hasSpeech = false;
  readonly #context: StepContext;
  readonly #question: Question;
  #listenId: string | undefined;
  #isClosed: boolean;

  constructor(context: StepContext, question: Question) {
    this.#context = context;
    this.#question = question;
    this.#isClosed = question.speech === undefined;
  }

  open(): void {
    if (!this.#isClosed)
      this.#listenId ??= this.#context.leg.request({ type: 'listen', ...this.#question.speech!.options });
  }

  close(): void {
    if (this.#listenId !== undefined) this.#context.leg.send({ type: 'stop_listen', listenId: this.#listenId });
    this.#listenId = undefined;
    this.#isClosed = true;
  }

  /** Returns `speech` if the caller begins to speak, or the result of the attempt. */
  onEvent(event: StepEvent): 'speech' | QuestionResult | undefined {
    if (event.type === 'speech_started' && event.listenId === this.#listenId) {
      this.hasSpeech = true;
      return 'speech';
    }
    if (event.type !== 'listen_ended' || event.listenId !== this.#listenId) return undefined;
    this.#listenId = undefined;
    this.#isClosed = true;
    const { reason, text = '', confidence = 0 } = event;
    switch (reason) {
      case 'recognized':
        return this.#question.speech?.accepts(text) ? { speech: text, confidence } : 'no_match';
      case 'no_match':
        return 'no_match';
      case 'failed': {
        const why = event.fault ?? fault('listen_failed', 'nothing could be understood');
        if (this.#question.claims === '') throw new FaultError(why);
        this.#context.log('warn', 'the step continues without speech', { code: why.code });
        return undefined;
      }
      default:
        // The recogniser's own time-out does not end the attempt: `start_timeout` does.
        return this.hasSpeech ? 'no_match' : undefined;
    }
  }
}

async function* readDigits(context: StepContext, question: Question, first: string): Waiting<QuestionResult> {
  const { args, claims } = question;
  const timeoutMs = durationMs(args.inter_digit_timeout ?? args.recognizer_timeout ?? '3s');
  let pending = first;
  let typed = '';
  for (;;) {
    while (pending !== '') {
      const digit = pending[0]!;
      pending = pending.slice(1);
      if (digit === question.terminator) {
        const result = finishDigits(question, typed);
        if (result !== 'no_match') context.leg.putBack(pending);
        return result;
      }
      typed += digit;
      const status = question.check(typed);
      if (status === 'wrong') return 'no_match';
      if (status !== 'complete') continue;
      context.leg.putBack(swallowTerminator(context, question, pending, timeoutMs));
      return { digits: typed };
    }
    const dueMs = context.now() + timeoutMs;
    let event = yield { withinMs: timeoutMs, digits: { claims } };
    while (event.type !== 'digit' && event.type !== 'timeout') {
      event = yield { ...until(context, dueMs), digits: { claims } };
    }
    if (event.type === 'timeout') return finishDigits(question, typed);
    pending = event.digit;
  }
}

/** Result of the digits after the terminator or the time-out. A terminator alone is not an answer. */
const finishDigits = (question: Question, typed: string): QuestionResult =>
  typed !== '' && question.check(typed) === 'enough' ? { digits: typed } : 'no_match';

/** Discards a terminator after complete digits: callers press it out of habit. */
function swallowTerminator(context: StepContext, question: Question, rest: string, withinMs: number): string {
  if (question.terminator === '') return rest;
  if (rest.startsWith(question.terminator)) return rest.slice(1);
  if (rest === '') context.leg.ignoreNext(question.terminator, withinMs);
  return rest;
}
