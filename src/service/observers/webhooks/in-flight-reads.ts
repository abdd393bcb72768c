/**
 * Detects outdated replies of the outbox: a reply may still contain a delivery that was sent or deleted after the reply
 * was computed. Such a delivery must not be sent again.
 */
export class InFlightReads {
  /** Ids that were invalidated since the start of each read. */
  readonly #outdated = new Set<Set<string>>();

  async read<Reply>(query: () => Promise<Reply>): Promise<{ reply: Reply; outdated: ReadonlySet<string> }> {
    const outdated = new Set<string>();
    this.#outdated.add(outdated);
    try {
      return { reply: await query(), outdated };
    } finally {
      this.#outdated.delete(outdated);
    }
  }

  /** Called when a delivery has left memory or its line, or was deleted. */
  invalidate(id: string): void {
    for (const outdated of this.#outdated) outdated.add(id);
  }
}
