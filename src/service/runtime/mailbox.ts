/** Mailbox of a call: inputs wait here for their turn, so that a call needs no locks. */
export class Mailbox<Item> {
  #items: Item[] = [];
  #waiting: ((item: Item) => void) | undefined;
  #closed = false;

  post(item: Item): void {
    if (this.#closed) return;
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting(item);
    } else {
      this.#items.push(item);
    }
  }

  take(): Promise<Item> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Removes the items that `isMeant` selects, in order. */
  extract(isMeant: (item: Item) => boolean): Item[] {
    const meant = this.#items.filter(isMeant);
    this.#items = this.#items.filter((item) => !isMeant(item));
    return meant;
  }

  /** Ignores later posts, and returns the unread items. */
  close(): Item[] {
    this.#closed = true;
    return this.#items.splice(0);
  }
}
