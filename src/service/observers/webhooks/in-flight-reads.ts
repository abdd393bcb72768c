/**
 * Tracks deliveries that leave memory during a read of the outbox: the reply may still show them as pending, but they
 * must not be sent again.
 */
export interface ReadAnswer<Answer> {
  found: Answer;
  /** Deliveries that left memory or were deleted since the read began: the reply is outdated for them. */
  left: ReadonlySet<string>;
}

export class InFlightReads {
  readonly #inFlight = new Set<Set<string>>();

  async read<Answer>(ask: () => Promise<Answer>): Promise<ReadAnswer<Answer>> {
    const left = new Set<string>();
    this.#inFlight.add(left);
    try {
      return { found: await ask(), left };
    } finally {
      this.#inFlight.delete(left);
    }
  }

  /** Called when a delivery has left memory. */
  left(id: string): void {
    for (const one of this.#inFlight) one.add(id);
  }
}
