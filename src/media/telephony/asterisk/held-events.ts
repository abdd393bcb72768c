/**
 * Holds events of legs that are being taken over. Events arrive on one connection and answers on others: the end of a
 * playback may arrive before the answer that it is playing. Such events are processed once the answers are known.
 */
export class HeldEvents<Event> {
  readonly #held = new Map<string, Event[]>();

  /** True if the event is held for later. */
  keep(legId: string, event: Event): boolean {
    const kept = this.#held.get(legId);
    kept?.push(event);
    return kept !== undefined;
  }

  /** Holds events of the leg during `work`, and processes them afterwards in order; drops them if it fails. */
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
