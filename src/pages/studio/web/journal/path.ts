/** Path of a call through the graph of one flow, as shown by the canvas. Outcomes are those of the journal. */
import { beginOf, type Entry } from './entries.ts';

export interface VisitedPath {
  /** Number of entries into each step. */
  steps: ReadonlyMap<string, number>;
  /** Number of exits, by `step outcome`. */
  exits: ReadonlyMap<string, number>;
  /** Current step, or the last one. */
  now?: string;
}

export interface PathOptions {
  /** Default: the flow of the call. */
  flow?: string;
  /** Last entry to include. */
  untilSeq?: number;
  /** Last time to include, since the start of the call. */
  untilMs?: number;
}

export function pathOf(journal: readonly Entry[], { flow, untilSeq, untilMs }: PathOptions = {}): VisitedPath {
  const lastMs = untilMs === undefined ? Number.POSITIVE_INFINITY : beginOf(journal) + untilMs;
  const steps = new Map<string, number>();
  const exits = new Map<string, number>();
  const own = new Set<number>();
  let wanted = flow;
  let now: string | undefined;
  for (const entry of journal) {
    if (entry.atMs > lastMs || entry.seq > (untilSeq ?? Number.POSITIVE_INFINITY)) break;
    if (entry.kind === 'entered') {
      wanted ??= entry.flow;
      if (entry.flow !== wanted) continue;
      own.add(entry.visit);
      count(steps, entry.step);
      now = entry.step;
    }
    if (entry.kind === 'left' && own.has(entry.visit)) count(exits, `${entry.step} ${entry.outcome}`);
  }
  return { steps, exits, ...(now !== undefined && { now }) };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
