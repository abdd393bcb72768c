/**
 * Order of the messages of one connection, some of which are answered asynchronously: messages that arrive before the
 * answer wait.
 * Invariant: an error while an answer is processed is reported by `failed`, because no caller could catch it.
 */

/** Limit of waiting messages of one connection. */
const MAX_WAITING = 20;

export class MessageOrder {
  readonly #receive: (text: string) => void;
  readonly #failed: (error: unknown) => void;
  readonly #waiting: string[] = [];
  #isHeld = false;

  constructor(receive: (text: string) => void, failed: (error: unknown) => void) {
    this.#receive = receive;
    this.#failed = failed;
  }

  /** Returns false if too many messages wait already. */
  take(text: string): boolean {
    if (!this.#isHeld) this.#receive(text);
    else if (this.#waiting.push(text) > MAX_WAITING) return false;
    return true;
  }

  /** Holds messages back until the returned function is called with the answer. */
  untilAnswered<Answer>(take: (answer: Answer) => void): (answer: Answer) => void {
    this.#isHeld = true;
    return (answer) => {
      this.#isHeld = false;
      try {
        take(answer);
        while (!this.#isHeld && this.#waiting.length > 0) this.#receive(this.#waiting.shift()!);
      } catch (error) {
        this.#failed(error);
      }
    };
  }
}
