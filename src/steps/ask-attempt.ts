/**
 * One attempt of a question: the prompt, and what the caller presses or says, whichever comes first.
 *
 * Invariants
 *  L1 `start_timeout` runs from the end of the prompt, and no more once the caller speaks; `inter_digit_timeout` from the
 *     last digit;
 *  L2 the first digit ends the listening, the first word the prompt; while the caller speaks a digit still counts.
 */
import { type Fault, fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import { durationMs, flag } from './arguments.ts';
import type { CallerInput, Question } from './ask.ts';
import { MAX_SPEECH_MS } from './spoken-answer.ts';
import type { StepContext, StepEvent, Wait } from './step.ts';

export type AskAttempt =
  | { how: 'matched'; input: CallerInput }
  | { how: 'no_input' }
  | { how: 'no_match' }
  | { how: 'broken'; fault: Fault };

const START_TIMEOUT_MS = 10_000;
const INTER_DIGIT_TIMEOUT_MS = 3_000;

export async function* runAttempt(
  context: StepContext,
  question: Question,
  prompt: Json,
): AsyncGenerator<Wait, AskAttempt, StepEvent> {
  const { leg } = context;
  const { args } = question;
  const bargeIn = flag(args['barge_in'], true);
  const ahead = bargeIn && question.claims !== '' ? leg.takeTypedAhead() : '';
  if (ahead !== '') return yield* readDigits(context, question, ahead);

  const audio = await context.prompt(prompt);
  const ear = new SpeechListener(context, question);
  let playId = audio.length === 0 ? undefined : leg.play(audio);
  if (bargeIn || playId === undefined) ear.open();
  let dueMs = playId === undefined ? context.now() + startTimeoutOf(question) : undefined;
  for (;;) {
    const takesDigits = question.claims !== '' && (bargeIn || playId === undefined);
    const event = yield {
      ...(takesDigits ? { digits: { claims: question.claims } } : {}),
      ...(dueMs === undefined ? {} : { withinMs: Math.max(0, dueMs - context.now()) }),
    };
    if (event.type === 'digit') {
      ear.close();
      if (playId !== undefined) leg.stopPlay(playId);
      if (args['typeahead'] === 'flush') leg.takeTypedAhead();
      return yield* readDigits(context, question, event.digit);
    }
    if (event.type === 'timeout') {
      const spoke = ear.hasSpeech;
      ear.close();
      return { how: spoke ? 'no_match' : 'no_input' };
    }
    if (event.type === 'play_ended' && event.playId === playId) {
      // A play that is stopped by the end of the line is not over for us: the hang-up follows.
      if (event.reason === 'stopped') continue;
      if (event.reason === 'failed') {
        return { how: 'broken', fault: event.fault ?? fault('play_failed', 'the prompt could not be played') };
      }
      playId = undefined;
      if (args['typeahead'] === 'flush') leg.takeTypedAhead();
      const typed = question.claims === '' ? '' : leg.takeTypedAhead();
      if (typed !== '') {
        ear.close();
        return yield* readDigits(context, question, typed);
      }
      ear.open();
      if (!ear.hasSpeech) dueMs = context.now() + startTimeoutOf(question);
      continue;
    }
    const heard = ear.take(event);
    if (heard === 'speech') {
      if (playId !== undefined) leg.stopPlay(playId);
      playId = undefined;
      dueMs = context.now() + MAX_SPEECH_MS;
    } else if (heard) {
      if (playId !== undefined) leg.stopPlay(playId);
      return heard;
    }
  }
}

const startTimeoutOf = ({ args }: Question): number => durationMs(args['start_timeout'], START_TIMEOUT_MS);

/** What the recogniser tells of the caller's line. */
class SpeechListener {
  hasSpeech = false;
  readonly #context: StepContext;
  readonly #question: Question;
  #listenId: string | undefined;
  #isDeaf: boolean;

  constructor(context: StepContext, question: Question) {
    this.#context = context;
    this.#question = question;
    this.#isDeaf = question.speech === undefined;
  }

  open(): void {
    const { speech } = this.#question;
    if (speech && !this.#isDeaf && this.#listenId === undefined) {
      this.#listenId = this.#context.leg.request({ type: 'listen', ...speech.options });
    }
  }

  close(): void {
    if (this.#listenId !== undefined) this.#context.leg.send({ type: 'stop_listen', listenId: this.#listenId });
    this.#listenId = undefined;
    this.#isDeaf = true;
  }

  /** `speech` when the caller begins to speak, or what the attempt came to. */
  take(event: StepEvent): 'speech' | AskAttempt | undefined {
    if (event.type === 'speech_started' && event.listenId === this.#listenId) {
      this.hasSpeech = true;
      return 'speech';
    }
    if (event.type !== 'listen_ended' || event.listenId !== this.#listenId) return undefined;
    this.#listenId = undefined;
    this.#isDeaf = true;
    const { reason, text = '', confidence = 0 } = event;
    switch (reason) {
      case 'recognized':
        if (!this.#question.speech?.accepts(text)) return { how: 'no_match' };
        return { how: 'matched', input: { speech: text, confidence } };
      case 'no_match':
        return { how: 'no_match' };
      case 'failed': {
        const why = event.fault ?? fault('listen_failed', 'nothing could be understood');
        if (this.#question.claims === '') return { how: 'broken', fault: why };
        this.#context.log('warn', 'the step goes on without speech', { code: why.code });
        return undefined;
      }
      default:
        // How long to wait for speech is the question's to say.
        return this.hasSpeech ? { how: 'no_match' } : undefined;
    }
  }
}

async function* readDigits(
  context: StepContext,
  question: Question,
  first: string,
): AsyncGenerator<Wait, AskAttempt, StepEvent> {
  const { args, claims } = question;
  const timeoutMs = durationMs(args['inter_digit_timeout'] ?? args['recognizer_timeout'], INTER_DIGIT_TIMEOUT_MS);
  let pending = first;
  let typed = '';
  for (;;) {
    while (pending !== '') {
      const digit = pending[0]!;
      pending = pending.slice(1);
      if (digit === question.terminator) {
        const settled = finishDigits(question, typed);
        if (settled.how === 'matched') context.leg.putBack(pending);
        return settled;
      }
      typed += digit;
      const reading = question.check(typed);
      if (reading === 'more' || reading === 'enough') continue;
      if (reading === 'wrong') return { how: 'no_match' };
      context.leg.putBack(swallowTerminator(context, question, pending, timeoutMs));
      return { how: 'matched', input: { digits: typed } };
    }
    const dueMs = context.now() + timeoutMs;
    let event = yield { withinMs: timeoutMs, digits: { claims } };
    while (event.type !== 'digit' && event.type !== 'timeout') {
      event = yield { withinMs: Math.max(0, dueMs - context.now()), digits: { claims } };
    }
    if (event.type === 'timeout') return finishDigits(question, typed);
    pending = event.digit;
  }
}

/** The caller has finished: what is there must do. A terminator alone is an empty answer. */
function finishDigits(question: Question, typed: string): AskAttempt {
  if (typed === '') return { how: 'no_match' };
  const fits = question.check(typed) === 'enough';
  return fits ? { how: 'matched', input: { digits: typed } } : { how: 'no_match' };
}

/** Callers press the terminator out of habit even when the last digit already completed the input. */
function swallowTerminator(context: StepContext, question: Question, rest: string, withinMs: number): string {
  if (question.terminator === '') return rest;
  if (rest.startsWith(question.terminator)) return rest.slice(1);
  if (rest === '') context.leg.ignoreNext(question.terminator, withinMs);
  return rest;
}
