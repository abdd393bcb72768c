/**
 * Counts the ways that calls take through one flow while they go on, so that no journal has to be kept. Says the same as
 * `visitsOf` of `coverage.ts` says of whole journals.
 */
import type { CallWrite } from '../../runtime/call-store.ts';

export class VisitCounter {
  readonly steps = new Map<string, number>();
  /** By `step outcome`. */
  readonly exits = new Map<string, number>();
  readonly #flow: string | undefined;
  /** Visits of the flow that go on, by call. */
  readonly #open = new Map<string, Set<number>>();

  constructor(flow: string | undefined) {
    this.#flow = flow;
  }

  get isOn(): boolean {
    return this.#flow !== undefined;
  }

  add({ record: { callId, endedMs }, entries }: CallWrite): void {
    if (!this.isOn) return;
    const open = this.#open.get(callId) ?? new Set();
    for (const entry of entries) {
      if (entry.kind === 'entered' && entry.flow === this.#flow) {
        open.add(entry.visit);
        increment(this.steps, entry.step);
      } else if (entry.kind === 'left' && open.delete(entry.visit)) {
        increment(this.exits, `${entry.step} ${entry.outcome}`);
      }
    }
    if (endedMs === undefined) this.#open.set(callId, open);
    else this.#open.delete(callId);
  }
}

const increment = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
