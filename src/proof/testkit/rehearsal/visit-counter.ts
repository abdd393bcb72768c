/**
 * Counts visits to the steps of one flow during the calls, so that no journals are needed. Gives the same result as
 * `visitsOf` in `coverage.ts` for complete journals.
 */
import type { CallWrite } from '../../../service/runtime/call-store.ts';

export class VisitCounter {
  readonly steps = new Map<string, number>();
  /** By `step outcome`. */
  readonly exits = new Map<string, number>();
  readonly #flow: string | undefined;
  /** Open visits of the flow, by call. */
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
