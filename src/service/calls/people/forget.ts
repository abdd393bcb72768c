/**
 * Erasure of a person's data: finds and deletes everything stored about them, except their do-not-call entries.
 * Neighbours: `base/core/data-subject.ts` matches names, `people-store.ts` searches and deletes rows, `delete-call.ts`
 * deletes calls.
 *
 * Invariants
 *  - Nothing is deleted while a call or session with the person is active.
 *  - Neither the log nor the response identifies the person.
 *  - An interrupted erasure is completed by the same request.
 */
import { type DataSubject, dataSubjectOf } from '../../../base/core/data-subject.ts';
import { CallError } from '../call-error.ts';
import { type DeletionParts, deleteCalls, isLive } from './delete-call.ts';
import type { Traces } from './people-store.ts';

export interface ForgetOrder {
  /** All names of one person; checked by `dataSubjectProblem`. */
  names: readonly string[];
  /** Reports what would be deleted, and deletes nothing. */
  isDryRun: boolean;
  /** True if the store may block while its file is rewritten, whatever its size. */
  isPatient: boolean;
}

/** Counts of deleted items, or of those that would be deleted. */
export interface Forgotten {
  calls: number;
  recordings: number;
  /** Pending events, dead letters, and disabled webhook URLs. */
  events: number;
  /** Stored responses to requests with an `Idempotency-Key`. */
  answers: number;
  broadcasts: number;
  /** Numbers of broadcasts. */
  numbers: number;
  /** Rooms named after the person, or owned by them. */
  rooms: number;
  /** Sessions with their recordings, chat and timeline. */
  archives: number;
  /** Reports and journal entries of rooms. */
  roomEntries: number;
  /** Texts of flow versions that are not live. */
  flowVersions: number;
  /** Audit log entries in which the name was overwritten. */
  changes: number;
  /** Rows of other tables. */
  others: number;
}

export interface ForgetReport {
  forgotten: Forgotten;
  /** Active calls, broadcasts and sessions with the person: the order is refused while there are any. */
  live: string[];
  callIds: string[];
  /** Sessions whose archives are deleted. */
  confNums: string[];
  /** Count of settings that name the person and remain, by kind. */
  staying: Readonly<Record<string, number>>;
  /** True if no byte of the data is left in the files of the store; false: some may be. */
  isSealed: boolean;
}

export interface ForgetParts extends DeletionParts {
  broadcasts: {
    /** Settles these queued numbers; they are never called. */
    forget(broadcastId: string, numbers: readonly number[]): void;
    /** Deletes an ended broadcast. */
    remove(broadcastId: string): Promise<void>;
  };
  rooms: {
    /** Ids of active sessions with the person, or in their rooms. */
    liveSessions(person: DataSubject, rooms: Traces['rooms']): string[];
    /** True if the chat or timeline of a session names the person. */
    isInArchive(confNum: string, person: DataSubject): Promise<boolean>;
    removeArchive(confNum: string): Promise<void>;
    remove(projectId: string, roomId: string): void;
  };
  /** Kept queue positions of the person. */
  callbacks: { forget(person: DataSubject): void };
  /** PIN attempts of callers. */
  pins: { forget(person: DataSubject): void };
  /** True for a number of the service itself, whose calls belong to many people. */
  isOurs(name: string): boolean;
}

const CALLS_AT_ONCE = 50;

/** Throws `in_use` for a number of the service, and `still_live`. */
export async function forget(order: ForgetOrder, parts: ForgetParts): Promise<ForgetReport> {
  if (order.names.some(parts.isOurs)) {
    throw new CallError('in_use', 'this is a number of the service: all calls to it would be deleted', {
      hint: 'remove the number first, if it is not the service’s any more',
    });
  }
  const person = dataSubjectOf(order.names);
  const traces = await parts.store.search(person);
  const confNums = await archivesWith(person, traces, parts);
  const live = await liveIn(person, traces, confNums, parts);
  const report: ForgetReport = {
    forgotten: countsOf(
      traces,
      confNums,
      mapOf(traces.rows, ({ length }) => length),
    ),
    ...{ live, callIds: traces.calls.map(({ callId }) => callId), confNums },
    ...{ staying: Object.fromEntries(traces.staying), isSealed: false },
  };
  if (order.isDryRun) return report;
  if (live.length > 0)
    throw new CallError('still_live', 'this person has calls or sessions that have not ended', { live });

  parts.pins.forget(person);
  await parts.callbacks.forget(person);
  for (const [broadcastId, queued] of Map.groupBy(traces.queued, (one) => one.broadcastId)) {
    const numbers = queued.map(({ number }) => number);
    await parts.broadcasts.forget(broadcastId, numbers);
  }
  const gone = await deleteAllCalls(traces, parts);
  for (const recordingId of traces.recordings) {
    const recording = parts.recordings.kept(recordingId);
    if (recording) await parts.recordings.remove(recording);
  }
  for (const confNum of confNums) await parts.rooms.removeArchive(confNum);
  for (const { projectId, roomId } of traces.rooms) parts.rooms.remove(projectId, roomId);
  for (const { broadcastId } of traces.broadcasts) await parts.broadcasts.remove(broadcastId);
  const { counts, deliveries } = await parts.store.erase(traces, person);
  parts.deliveries.forget(deliveries);
  const isSealed = await parts.store.seal(order);
  const forgotten = countsOf(traces, confNums, counts);
  for (const [what, count] of Object.entries(gone) as [keyof Forgotten, number][]) forgotten[what] += count;
  parts.log.info('person.forgotten', { ...forgotten, isSealed });
  return { ...report, forgotten, isSealed };
}

/** Counts of data deleted with the calls. */
async function deleteAllCalls({ calls }: Traces, parts: ForgetParts): Promise<Partial<Forgotten>> {
  const sum = { recordings: 0, events: 0, answers: 0, roomEntries: 0 };
  for (let first = 0; first < calls.length; first += CALLS_AT_ONCE) {
    const some = calls.slice(first, first + CALLS_AT_ONCE);
    const records = await Promise.all(some.map(({ callId }) => parts.callStore.call(callId)));
    const gone = await deleteCalls(
      records.filter((record) => record !== undefined),
      parts,
    );
    sum.recordings += gone.recordings;
    sum.events += gone.deliveries.length + gone.deadLetters;
    sum.answers += gone.receipts;
    sum.roomEntries += gone.roomEntries;
  }
  return sum;
}

async function archivesWith(
  person: DataSubject,
  { archives, sessions }: Traces,
  { rooms }: ForgetParts,
): Promise<string[]> {
  const found: string[] = [];
  for (const { confNum, isNaming } of archives) {
    if (isNaming || sessions.has(confNum) || (await rooms.isInArchive(confNum, person))) found.push(confNum);
  }
  return found;
}

async function liveIn(
  person: DataSubject,
  { calls, broadcasts, rooms, archives }: Traces,
  confNums: readonly string[],
  parts: ForgetParts,
): Promise<string[]> {
  const records = await Promise.all(calls.map(({ callId }) => parts.callStore.call(callId)));
  const liveCalls = records.filter((record) => record && isLive(record, parts));
  return [
    ...liveCalls.map((record) => record!.callId),
    ...broadcasts.filter(({ isOver }) => !isOver).map(({ broadcastId }) => broadcastId),
    ...new Set([
      ...parts.rooms.liveSessions(person, rooms),
      ...archives.filter(({ isOpen, confNum }) => isOpen && confNums.includes(confNum)).map(({ confNum }) => confNum),
    ]),
  ];
}

/** `rows`: count of deleted rows by table. */
function countsOf(
  { calls, recordings, broadcasts, rooms }: Traces,
  confNums: readonly string[],
  rows: ReadonlyMap<string, number>,
): Forgotten {
  const of = (...tables: string[]): number => tables.reduce((sum, table) => sum + (rows.get(table) ?? 0), 0);
  const named = {
    events: of('deliveries', 'dead_deliveries', 'disabled_urls'),
    answers: of('receipts'),
    numbers: of('broadcast_numbers'),
    roomEntries: of('room_journal', 'call_details'),
    flowVersions: of('flow_versions'),
    changes: of('changes'),
  };
  const others = of(...rows.keys()) - Object.values(named).reduce((sum, count) => sum + count, 0);
  return {
    ...{ calls: calls.length, recordings: recordings.length, broadcasts: broadcasts.length },
    ...{ rooms: rooms.length, archives: confNums.length, ...named, others },
  };
}

const mapOf = <Value, Made>(map: ReadonlyMap<string, Value>, make: (value: Value) => Made): Map<string, Made> =>
  new Map([...map].map(([key, value]) => [key, make(value)]));
