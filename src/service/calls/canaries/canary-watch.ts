/**
 * Observes the journals of calls to flows with a canary, and reports the result of each call at its end. Neighbour:
 * `canaries.ts` selects the calls and adds up the results.
 *
 * Invariants
 *  - A call counts when it has ended, and only if it began while the canary was active.
 *  - The memory per live call is bounded.
 */
import { forKind, type KindTable } from '../../../base/core/kind-table.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';
import type { Canary } from './canary.ts';

export interface CanaryCall {
  /** True if a fault ended the flow. */
  isError: boolean;
  /** True if the far party hung up before it reached a bridge, an agent, a conference or a room. */
  isAbandoned: boolean;
  /** Each `step outcome` by which the call left a step of the flow. */
  exits: readonly string[];
}

interface Followed extends CanaryCall {
  canary: Canary;
  exits: string[];
  /** Step runs of the flow that have not ended yet. */
  visits: Set<number>;
  hasReached: boolean;
  isHungUp: boolean;
}

const MAX_EXITS = 2000;
const MAX_VISITS = 100;

export interface CanaryWatchParts {
  /** The canary for which a call that begins now counts. */
  follows(record: CallRecord): Canary | undefined;
  ended(canary: Canary, record: CallRecord, result: CanaryCall): void;
}

/** Observes written entries; `record` is the call's record after the entry. */
export function createCanaryWatch({ follows, ended }: CanaryWatchParts) {
  const calls = new Map<string, Followed>();

  const entries: KindTable<JournalEntry, [Followed, CallRecord], void> = {
    entered({ flow, visit }, call) {
      if (flow === call.canary.name && call.visits.size < MAX_VISITS) call.visits.add(visit);
    },
    left({ step, outcome, visit }, call) {
      if (call.visits.delete(visit) && call.exits.length < MAX_EXITS) call.exits.push(`${step} ${outcome}`);
    },
    bridge({ state }, call) {
      call.hasReached ||= state === 'bridged';
    },
    // An agent who takes a call from a queue shows up as a bridge.
    venue({ venue, event }, call) {
      call.hasReached ||= venue !== 'queue' && event === 'entered';
    },
    command({ command, leg }, call) {
      call.isHungUp ||= leg === undefined && command.type === 'hangup';
    },
    in({ input }, call) {
      if (input.type !== 'leg' || input.leg !== undefined || input.event.type !== 'ended') return;
      call.isAbandoned = input.event.by === 'far' && !call.isHungUp && !call.hasReached;
    },
    ended({ fault }, call, record) {
      calls.delete(record.callId);
      // The callee did not answer, so that the flow did not begin.
      if (record.direction === 'outbound' && record.answeredMs === undefined) return;
      const isError = fault !== undefined;
      ended(call.canary, record, { isError, isAbandoned: call.isAbandoned && !isError, exits: call.exits });
    },
  };

  return (entry: JournalEntry, record: CallRecord): void => {
    if (entry.kind === 'started') {
      const canary = follows(record);
      if (canary) calls.set(record.callId, follow(canary));
      return;
    }
    const call = calls.get(record.callId);
    if (call) forKind(entries, entry)?.(entry, call, record);
  };
}

const follow = (canary: Canary): Followed => ({
  canary,
  exits: [],
  visits: new Set(),
  hasReached: false,
  isHungUp: false,
  isError: false,
  isAbandoned: false,
});
