/**
 * Follows the journals of the calls of flows that have a canary, and tells at the end of each how it went. Neighbour:
 * `canaries.ts` says which calls are followed, and adds up.
 *
 * Invariants
 *  - a call counts when it has ended, and only if it began while the canary was on;
 *  - what is remembered of a live call is bounded.
 */
import { forKind, type KindTable } from '../../core/kind-table.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';
import type { Canary } from './canary.ts';

export interface CallResult {
  /** Its flow was ended by a fault. */
  isError: boolean;
  /** The far party hung up, and had reached nobody: no bridge, no agent, no conference, no room. */
  isAbandoned: boolean;
  /** Each `step outcome` by which a step of the flow was left. */
  exits: readonly string[];
}

interface Followed extends CallResult {
  canary: Canary;
  exits: string[];
  /** Step runs of the flow that are not left yet. */
  visits: Set<number>;
  hasReached: boolean;
  isHungUp: boolean;
}

const MAX_EXITS = 2000;
const MAX_VISITS = 100;

export interface CanaryWatchParts {
  /** The canary that a call which begins now counts for. */
  follows(record: CallRecord): Canary | undefined;
  ended(canary: Canary, record: CallRecord, result: CallResult): void;
}

/** Observes entries that were written; `record` is the call after the entry. */
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
    // An agent who takes a call out of a queue is a bridge.
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
      // Nobody answered: its flow did not begin.
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
