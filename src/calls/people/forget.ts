/**
 * Forgets somebody: finds and deletes all that is kept about them, except that they must not be called. Neighbours:
 * `core/person.ts` says what names them, `people-store.ts` where to look, `delete-call.ts` deletes calls.
 *
 * Invariants
 *  - while something goes on with them nothing is deleted;
 *  - neither the log nor an answer says who it was;
 *  - what is interrupted is done by the same request again.
 */
import { type Person, personOf } from '../../core/person.ts';
import { CallError } from '../call-error.ts';
import { type DeletionParts, deleteCalls, isLive } from './delete-call.ts';
import type { Traces } from './people-store.ts';

export interface ForgetOrder {
  /** All of one person; checked by `personProblem`. */
  names: readonly string[];
  /** Says what would go, and deletes nothing. */
  isDryRun: boolean;
  /** The store may stand still while its file is written anew, however large it is. */
  isPatient: boolean;
}

/** How many of each were deleted, or would be. */
export interface Forgotten {
  calls: number;
  recordings: number;
  /** Events still to be sent, those given up, and URLs of events that are out of use. */
  events: number;
  /** Answers to requests with an `Idempotency-Key`. */
  answers: number;
  broadcasts: number;
  /** Numbers of broadcasts. */
  numbers: number;
  /** Rooms that are named after them, or theirs. */
  rooms: number;
  /** Sessions with their recordings, chat and time line. */
  archives: number;
  /** Reports and entries of the journal of rooms. */
  roomEntries: number;
  /** Texts of flows that are not in force. */
  flowVersions: number;
  /** Entries of the list of changes, in which the name was overwritten. */
  changes: number;
  /** In other tables. */
  others: number;
}

export interface ForgetReport {
  forgotten: Forgotten;
  /** What goes on with them: the order is refused while there is any. */
  live: string[];
  callIds: string[];
  /** Sessions whose archives go. */
  confNums: string[];
  /** By what they are: settings, which stay, and name them. */
  staying: Readonly<Record<string, number>>;
  /** No byte of it is left in the files of the store; false: some may be. */
  isSealed: boolean;
}

export interface ForgetParts extends DeletionParts {
  broadcasts: {
    /** Never calls these numbers, which wait. */
    forget(broadcastId: string, numbers: readonly number[]): void;
    /** One that is over. */
    remove(broadcastId: string): Promise<void>;
  };
  rooms: {
    /** Ids of sessions that go on with them, or in their rooms. */
    liveSessions(person: Person, rooms: Traces['rooms']): string[];
    /** Whether chat or time line of a session name them. */
    isInArchive(confNum: string, person: Person): Promise<boolean>;
    removeArchive(confNum: string): Promise<void>;
    remove(projectId: string, roomId: string): void;
  };
  /** Places in queues that are kept for them. */
  callbacks: { forget(person: Person): void };
  /** What is remembered of callers who enter PINs. */
  pins: { forget(person: Person): void };
  /** A number that the service itself has: its calls are everybody's. */
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
  const person = personOf(order.names);
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
  if (live.length > 0) throw new CallError('still_live', 'something goes on with this person', { live });

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

/** How much went beside the calls. */
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

async function archivesWith(person: Person, { archives, sessions }: Traces, { rooms }: ForgetParts): Promise<string[]> {
  const found: string[] = [];
  for (const { confNum, isNaming } of archives) {
    if (isNaming || sessions.has(confNum) || (await rooms.isInArchive(confNum, person))) found.push(confNum);
  }
  return found;
}

async function liveIn(
  person: Person,
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

/** By `rows`, of each table. */
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
