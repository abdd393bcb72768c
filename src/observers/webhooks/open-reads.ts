/**
 * What leaves memory while the outbox is being read: an answer that was on its way may still have it as waiting, and nothing
 * is sent again because of that.
 */
export interface ReadAnswer<Answer> {
  found: Answer;
  /** Deliveries that left memory, or were deleted, since the question: what the answer says of them is out of date. */
  left: ReadonlySet<string>;
}

export class OpenReads {
  readonly #open = new Set<Set<string>>();

  async read<Answer>(ask: () => Promise<Answer>): Promise<ReadAnswer<Answer>> {
    const left = new Set<string>();
    this.#open.add(left);
    try {
      return { found: await ask(), left };
    } finally {
      this.#open.delete(left);
    }
  }

  /** A delivery is not in memory any more. */
  left(id: string): void {
    for (const one of this.#open) one.add(id);
  }
}
