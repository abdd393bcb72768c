/**
 * How long callers of a queue are likely to wait, by how long the latest conversations of the queue lasted. Kept in
 * memory: after a start nothing is known until the first conversation is over.
 */

/** As a `type`, so that it is JSON. */
export type QueueFigures = {
  position: number;
  waiting: number;
  /** Seconds; absent where nothing is known. */
  estimated_wait?: number;
  /** Whether the caller may ask to be called back. */
  callback?: boolean;
};

/** What somebody sees who is not in the queue. Waits are in seconds. */
export type QueueLook = {
  waiting: number;
  talking: number;
  agents: number;
  /** Agents who could take a call now. */
  free: number;
  longest_wait: number;
  estimated_wait?: number;
};

/** What the latest conversation weighs in the mean. */
const NEWEST_WEIGHS = 0.2;
/** Queues whose mean is kept: the one that had no conversation for the longest time is forgotten. */
const MAX_KEPT = 10_000;

export class TalkTimes {
  /** Milliseconds by queue, the queue of the latest conversation last. */
  readonly #means = new Map<string, number>();

  add(group: string, talkMs: number): void {
    const known = this.#means.get(group);
    this.#means.delete(group);
    this.#means.set(group, known === undefined ? talkMs : known + NEWEST_WEIGHS * (talkMs - known));
    if (this.#means.size > MAX_KEPT) this.#means.delete(this.#means.keys().next().value!);
  }

  estimatedWaitS(group: string, position: number, agents: number): number | undefined {
    const mean = this.#means.get(group);
    return mean === undefined || agents === 0 ? undefined : Math.round((position * mean) / agents / 1000);
  }
}
