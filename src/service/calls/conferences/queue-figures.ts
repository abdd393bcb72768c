/**
 * Estimates the waiting time in a queue from the duration of its latest conversations. Kept in memory: after a start
 * there is no estimate until the first conversation ends.
 */

/** A `type` rather than an interface, so that it is assignable to JSON. */
export type QueuePosition = {
  position: number;
  waiting: number;
  /** Estimated waiting time, in seconds. Absent if unknown. */
  estimated_wait?: number;
  /** True if the caller may request a callback. */
  callback?: boolean;
};

/** Figures for an observer who is not in the queue. Waits are in seconds. */
export type QueueLook = {
  waiting: number;
  talking: number;
  agents: number;
  /** Agents who could take a call now. */
  free: number;
  longest_wait: number;
  estimated_wait?: number;
};

/** Weight of the latest conversation in the moving average. */
const NEWEST_WEIGHS = 0.2;
/** Maximum queues with an average; the one whose last conversation is oldest is dropped. */
const MAX_KEPT = 10_000;

export class TalkTimes {
  /** Milliseconds by queue, in the order of their latest conversation. */
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
