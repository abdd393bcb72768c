/**
 * Position of each live call in its flow, and conversion of journal entries to live events in the format of the API.
 * Every entry of every call passes through, so events are built only if there is a reader.
 */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { forKind, type KindTable } from '../../../base/core/kind-table.ts';
import type { CallRecord, JournalEntry, JournalEntryOf } from '../../runtime/journal.ts';
import type { LiveEvent } from './feed.ts';

/** A step that a call is in. */
export interface LiveStep {
  flow: string;
  step: string;
  verb: string;
  sinceMs: number;
  /** Branch of a `parallel` step. */
  branch?: string;
}

interface LiveCall {
  /** Step runs that have been entered and not left, by run number, innermost last. */
  steps: Map<number, LiveStep>;
  /** The first flow, and the flows entered since. */
  flows: string[];
}

/** Longer texts are cut, to keep events small. */
const MAX_TEXT = 256;

export class LiveCalls {
  readonly #calls = new Map<string, LiveCall>();

  /** The call's innermost step; within branches, the step that started them. */
  stepOf(callId: string): LiveStep | undefined {
    return [...(this.#calls.get(callId)?.steps.values() ?? [])].findLast(({ branch }) => branch === undefined);
  }

  /** Undefined if the entry produces no event. The returned function builds the event. */
  follow(entry: JournalEntry, record: CallRecord): (() => LiveEvent) | undefined {
    return forKind(this.#followed, entry)?.(entry, record);
  }

  readonly #followed: KindTable<JournalEntry, [CallRecord], (() => LiveEvent) | undefined> = {
    started: (entry, record) => {
      this.#calls.set(record.callId, { steps: new Map(), flows: [record.flow] });
      return this.#callEvent(entry, record);
    },
    state: (entry, record) =>
      entry.state === 'disconnected' || entry.state === 'failed' ? undefined : this.#callEvent(entry, record),
    entered: (entry, record) => {
      const { flow, step, verb, visit, branch } = entry;
      const call = this.#callOf(record);
      const entered = defined<LiveStep>({ flow, step, verb, sinceMs: entry.atMs, branch });
      call.steps.set(visit, entered);
      if (!call.flows.includes(flow)) call.flows.push(flow);
      return () => stepEvent(entry, record, entered);
    },
    left: (entry, record) => {
      const { steps } = this.#callOf(record);
      const left = steps.get(entry.visit);
      steps.delete(entry.visit);
      return left && (() => stepEvent(entry, record, left, entry.outcome));
    },
    ended: (entry, record) => {
      const { flows } = this.#callOf(record);
      this.#calls.delete(record.callId);
      return () => ({ name: 'ended', flows, data: endData(entry, record) });
    },
  };

  #callOf({ callId, flow }: CallRecord): LiveCall {
    return this.#calls.get(callId) ?? { steps: new Map(), flows: [flow] };
  }

  #callEvent(entry: JournalEntryOf<'started' | 'state'>, record: CallRecord): () => LiveEvent {
    const { flows } = this.#callOf(record);
    return () => ({ name: 'call', flows: [...flows], data: callData(entry, record) });
  }
}

function callData(entry: JournalEntryOf<'started' | 'state'>, record: CallRecord): JsonObject {
  const { direction, from, to, flow, flowHash, startedMs, answeredMs, ownerRef, broadcastId } = record;
  return defined({
    ...about(entry, record),
    state: entry.kind === 'state' ? entry.state : record.state,
    direction: direction === 'inbound' ? 'Inbound' : 'Outbound',
    from: cut(from),
    to: cut(to),
    flow,
    flow_hash: flowHash,
    started: iso(startedMs),
    connected: answeredMs === undefined ? undefined : iso(answeredMs),
    owner_ref: ownerRef && cut(ownerRef),
    app_instance: broadcastId,
  });
}

function endData(entry: JournalEntryOf<'ended'>, record: CallRecord): JsonObject {
  const { flow, state, cause } = record;
  return defined({
    ...about(entry, record),
    flow,
    state,
    reason: entry.reason,
    disconnect_reason: cause?.reason,
    disconnect_cause_code: cause?.code,
  });
}

/** `outcome`: outcome by which the step was left; absent when it was entered. */
const stepEvent = (
  entry: JournalEntry & { visit: number },
  record: CallRecord,
  { flow, step, verb, branch }: LiveStep,
  outcome?: string,
): LiveEvent => ({
  name: 'step',
  flows: [flow, record.flow],
  data: defined({ ...about(entry, record), flow, step, verb, visit: entry.visit, branch, outcome }),
});

/** Includes the entry's `seq`, because lists and journals read meanwhile may be newer than the event. */
const about = ({ seq, atMs }: JournalEntry, { callId }: CallRecord): JsonObject => ({
  voice_id: callId,
  seq,
  at: iso(atMs),
});

const cut = (text: string): string => text.slice(0, MAX_TEXT);
const iso = (atMs: number): string => new Date(atMs).toISOString();
