/**
 * Key presses of a callee in a rehearsal, after each question. Other behaviour of its line (answer, greeting, hangup)
 * is in its plan (`media/telephony/simulated/callee.ts`).
 *
 * Invariant: each question uses one item of `presses`, whether or not a key is pressed; a prompt without a pause after
 * it is not a question.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { FarEnd, Notice } from '../../../media/telephony/simulated/far-end.ts';
import { type CalleeKeyPress, type DrawnCallee, drawDigits, drawMs } from './callees.ts';

export function pressKeysFor(farEnd: FarEnd, callee: DrawnCallee, clock: Clock): void {
  if (callee.plan.does === 'answer' && callee.presses.length > 0) new KeyPresser(farEnd, callee, clock);
}

class KeyPresser {
  readonly #farEnd: FarEnd;
  readonly #encounter: DrawnCallee;
  readonly #clock: Clock;
  /** Presses that wait for a question. */
  readonly #answers: CalleeKeyPress[] = [];
  readonly #timed = new Set<Timer>();
  #thinking: { timer: Timer; playId: string } | undefined;
  #heardLast = '';

  constructor(farEnd: FarEnd, callee: DrawnCallee, clock: Clock) {
    this.#farEnd = farEnd;
    this.#encounter = callee;
    this.#clock = clock;
    this.#answers = callee.presses.filter(({ when }) => 'after' in when);
    farEnd.observe((notice) => this.#notice(notice));
  }

  #notice(notice: Notice): void {
    switch (notice.type) {
      case 'answered':
        this.#startTimed();
        break;
      case 'hears':
        this.#heardLast = notice.heard.playId;
        // Another prompt follows, so the previous one was not a question.
        if (this.#thinking && this.#thinking.playId !== notice.heard.playId) this.#stopThinking();
        break;
      case 'round_over':
      case 'quiet':
        this.#think();
        break;
      case 'ended':
        this.#stopThinking();
        for (const timer of this.#timed) timer.cancel();
        break;
    }
  }

  #startTimed(): void {
    const { presses, random } = this.#encounter;
    for (const { when, choices } of presses) {
      if (!('at' in when)) continue;
      const timer = this.#clock.after(drawMs(when.at, random), () => {
        this.#timed.delete(timer);
        this.#press(choices);
      });
      this.#timed.add(timer);
    }
  }

  #think(): void {
    const [answer] = this.#answers;
    if (!answer || this.#thinking || !('after' in answer.when)) return;
    const timer = this.#clock.after(drawMs(answer.when.after, this.#encounter.random), () => {
      this.#thinking = undefined;
      this.#answers.shift();
      this.#press(answer.choices);
    });
    this.#thinking = { timer, playId: this.#heardLast };
  }

  #stopThinking(): void {
    this.#thinking?.timer.cancel();
    this.#thinking = undefined;
  }

  #press(choices: CalleeKeyPress['choices']): void {
    this.#farEnd.press(drawDigits(choices, this.#encounter.random));
  }
}
