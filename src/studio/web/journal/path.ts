/** The way of a call through the graph of one flow, as the canvas marks it. Outcomes are those of the journal. */
import { beginOf, type Entry } from './entries.ts';

export interface Path {
  /** How often each step was entered. */
  steps: ReadonlyMap<string, number>;
  /** How often each was left by an outcome, by `step outcome`. */
  exits: ReadonlyMap<string, number>;
  /** The step where the call is, or where it ended. */
  now?: string;
}

export interface PathOptions {
  /** By default the flow of the call. */
  flow?: string;
  /** Entries up to this one. */
  untilSeq?: number;
  /** Entries up to this moment, since the beginning. */
  untilMs?: number;
}

export function pathOf(journal: readonly Entry[], { flow, untilSeq, untilMs }: PathOptions = {}): Path {
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
