/**
 * Events of legs that are being taken over. An engine says what happens on one connection and answers what it is asked on
 * others: that a sound has ended may be heard before the answer that it is played. Such events are heard when the answers
 * are known.
 */
export class HeldEvents<Event> {
  readonly #held = new Map<string, Event[]>();

  /** Whether the event is kept for later. */
  keep(legId: string, event: Event): boolean {
    const kept = this.#held.get(legId);
    kept?.push(event);
    return kept !== undefined;
  }

  /** Events of the leg that come during this work are heard after it, in their order; none where it fails. */
  async during(legId: string, work: () => Promise<void>, hear: (event: Event) => void): Promise<void> {
    const kept: Event[] = [];
    this.#held.set(legId, kept);
    try {
      await work();
    } finally {
      if (this.#held.get(legId) === kept) this.#held.delete(legId);
    }
    for (const event of kept) hear(event);
  }
}
