/**
 * Statistics of a flow: how often each step was entered and by which outcome it was left, from the journals of the
 * newest calls. Invariant: the work is bounded, runs one query at a time, and yields to live calls between two
 * journals.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { defined } from '../../../base/core/json.ts';
import type { CallCursor, CallStore } from '../../runtime/call-store.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { serialQueue } from '../serial-queue.ts';

export interface FiguresQuery {
  projectId: string;
  flow: string;
  sinceMs: number;
  /** Hash of a flow version: restricts the figures to calls that began with it. */
  version?: string;
}

export interface FlowFigures {
  /** Start of the covered range: all calls that began since were read. */
  sinceMs: number;
  /** Calls that entered the flow. */
  calls: number;
  steps: Record<string, number>;
  /** Counts by `step outcome`. */
  exits: Record<string, number>;
}

/** Maximum calls read; beyond that the figures cover only the newest. */
const MAX_CALLS = 2000;
const CALLS_AT_ONCE = 100;
/** Maximum entries read of one call. */
const MAX_ENTRIES = 2000;

export function createFlowFigures(callStore: Pick<CallStore, 'list' | 'journalPage'>) {
  const inTurn = serialQueue();

  async function count({ projectId, flow, sinceMs, version }: FiguresQuery): Promise<FlowFigures> {
    const tally = { calls: 0, steps: new Map<string, number>(), exits: new Map<string, number>() };
    let after: CallCursor | undefined;
    let looked = 0;
    for (let hasMore = true; hasMore && looked < MAX_CALLS; ) {
      const range = { projectId, fromMs: sinceMs, toMs: Number.MAX_SAFE_INTEGER - 1, limit: CALLS_AT_ONCE };
      const page = await callStore.list(defined({ ...range, after }));
      for (const { record } of page) {
        if (version === undefined || (record.flow === flow && record.flowHash === version)) await add(record);
        await turn();
      }
      looked += page.length;
      after = page.at(-1)?.cursor;
      hasMore = page.length === CALLS_AT_ONCE;
    }
    const oldestMs = looked < MAX_CALLS ? sinceMs : (after?.startedMs ?? sinceMs);
    const { calls, steps, exits } = tally;
    return { sinceMs: oldestMs, calls, steps: Object.fromEntries(steps), exits: Object.fromEntries(exits) };

    async function add({ callId }: CallRecord): Promise<void> {
      const visits = new Set<number>();
      const { entries } = await callStore.journalPage(callId, { afterSeq: 0, limit: MAX_ENTRIES });
      for (const entry of entries) {
        if (entry.kind === 'entered' && entry.flow === flow) {
          visits.add(entry.visit);
          increase(tally.steps, entry.step);
        } else if (entry.kind === 'left' && visits.has(entry.visit)) {
          increase(tally.exits, `${entry.step} ${entry.outcome}`);
        }
      }
      if (visits.size > 0) tally.calls++;
    }
  }

  return (query: FiguresQuery): Promise<FlowFigures> => inTurn(() => count(query));
}

export type CountFigures = ReturnType<typeof createFlowFigures>;

const increase = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
