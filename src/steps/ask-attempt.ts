/**
 * One attempt of a question: the prompt, and what the caller presses or says, whichever comes first.
 *
 * Invariants
 *  - `start_timeout` runs from the end of the prompt, and no more once the caller speaks; `inter_digit_timeout` from the
 *     last digit;
 *  - the first digit ends the listening, the first word the prompt; while the caller speaks a digit still counts.
 */
import { FaultError, fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import type { ListenOptions } from '../core/leg.ts';
import { durationMs } from './arguments.ts';
import { hasEnded } from './playback.ts';
import { MAX_SPEECH_MS } from './spoken-answer.ts';
import type { StepContext, StepEvent, Waiting } from './step.ts';
import type { CollectArgs, MenuArgs } from './step-arguments.ts';
import { until } from './waiting.ts';

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

export type AttemptResult = CallerInput | 'no_input' | 'no_match';

export async function* attempt(context: StepContext, question: Question, prompt: Json): Waiting<AttemptResult> {
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

/** Speech recognition on the caller's leg, for as long as the attempt is open to it. */
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

  /** `speech` when the caller begins to speak, or what the attempt came to. */
  onEvent(event: StepEvent): 'speech' | AttemptResult | undefined {
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
        this.#context.log('warn', 'the step goes on without speech', { code: why.code });
        return undefined;
      }
      default:
        // How long to wait for speech is the question's to say.
        return this.hasSpeech ? 'no_match' : undefined;
    }
  }
}

async function* readDigits(context: StepContext, question: Question, first: string): Waiting<AttemptResult> {
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

/** The caller has finished: what is there must do. A terminator alone is an empty answer. */
const finishDigits = (question: Question, typed: string): AttemptResult =>
  typed !== '' && question.check(typed) === 'enough' ? { digits: typed } : 'no_match';

/** Callers press the terminator out of habit even when the last digit already completed the input. */
function swallowTerminator(context: StepContext, question: Question, rest: string, withinMs: number): string {
  if (question.terminator === '') return rest;
  if (rest.startsWith(question.terminator)) return rest.slice(1);
  if (rest === '') context.leg.ignoreNext(question.terminator, withinMs);
  return rest;
}
