/**
 * Order of the messages of one connection, some of which are answered later: messages that arrive meanwhile wait.
 *
 * Invariant: a failure while an answer is taken is reported by `failed`, because nobody else could catch it.
 */

/** Waiting messages of one connection. */
const MOST_WAITING = 20;

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
    else if (this.#waiting.push(text) > MOST_WAITING) return false;
    return true;
  }

  /** Holds messages back until the function that it returns was called with the answer. */
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
