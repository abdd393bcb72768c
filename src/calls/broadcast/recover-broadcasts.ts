/**
 * At the start, before lost calls are closed (`recover-calls.ts`) and old ones deleted: broadcasts are resumed where an
 * earlier process left them.
 *
 * The crash rule. Every number ends in exactly one result, and nobody who answered is called again. When the service died
 * during the call of a number, the store knows what was decided until then:
 *  - the call was answered, or had ended: its record gives the result, as if the service had seen its end;
 *  - there is no such call: nothing was dialled, because a call is stored before its leg is made. The number waits as it
 *    did before, and this was no attempt;
 *  - the call was ringing or being set up: it may have been answered in that moment. The result is `Service Restarted`,
 *    unless the order says `redialLost`: then the number waits again.
 * A stopped broadcast calls nobody again. A broadcast whose flow, prompt or schedule is gone fails, with all numbers that
 * wait. A crash in the middle of this is harmless: what was not written is found again.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { TEMPORARY_FAILURE } from '../../core/causes.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import { type Broadcast, type NumberRow, RESULT_REASONS } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';
import type { Dialler } from './dialler.ts';
import { type BroadcastProgram, broadcastProgram } from './program.ts';
import { resultOf, writeResult } from './retry.ts';

const SETTLED_AT_ONCE = 500;
/** More than one broadcast ever calls at once. */
export const MOST_CALLING = 100_000;

/** Call what it returns when the ends of lost calls are written: broadcasts that cannot go on end then. */
export async function recoverBroadcasts(parts: BroadcastParts, dialler: Dialler): Promise<() => void> {
  const ends: (() => Promise<void>)[] = [];
  for (const broadcast of await parts.store.unfinished()) {
    // What other nodes call goes on (`follow-broadcasts.ts`).
    if (parts.gate) continue;
    await settleLost(broadcast, parts);
    const end = await takeUp(broadcast, parts, dialler);
    if (end) ends.push(end);
  }
  return () => {
    for (const end of ends.splice(0)) void end();
  };
}

async function settleLost(broadcast: Broadcast, parts: BroadcastParts): Promise<void> {
  const { store, log } = parts;
  const { broadcastId } = broadcast.order;
  let lost = 0;
  for (;;) {
    const rows = await store.calling(broadcastId, SETTLED_AT_ONCE);
    for (const row of rows) await settle(row, broadcast, parts);
    lost += rows.length;
    if (rows.length < SETTLED_AT_ONCE) break;
    await turn();
  }
  if (lost > 0) log.warn('broadcast.recovered', { broadcastId, calls: lost });
}

/**
 * The same for what nodes were calling that are gone, in a service that goes on. A node may only seem to be gone and wake
 * later: what it was about to call counts as called, too. A call that somebody has taken over and goes on with has its
 * result when it is over.
 */
export async function settleLostNodes(broadcast: Broadcast, parts: BroadcastParts): Promise<void> {
  const { store, log, isLost } = parts;
  if (!isLost || !store.callingNodes) return;
  const { broadcastId } = broadcast.order;
  if (!(await store.callingNodes(broadcastId)).some(isLost)) return;
  let lost = 0;
  for (const row of await store.calling(broadcastId, MOST_CALLING)) {
    if (row.node === undefined || !isLost(row.node)) continue;
    if (await goesOn(row, parts)) continue;
    await settle(row, broadcast, parts);
    lost++;
  }
  if (lost > 0) log.warn('broadcast.recovered', { broadcastId, calls: lost });
}

/** It is closed, or adopted, by whoever finds it first. */
async function goesOn({ callId }: NumberRow, { callStore }: BroadcastParts): Promise<boolean> {
  const record = callId === undefined ? undefined : await callStore.call(callId);
  return record !== undefined && record.endedMs === undefined;
}

async function settle(row: NumberRow, broadcast: Broadcast, parts: BroadcastParts): Promise<void> {
  const { number, callId, attempts, node } = row;
  const { store, callStore, clock } = parts;
  const { broadcastId, redialLost } = broadcast.order;
  const nowMs = clock.now();
  const stopped = broadcast.state === 'stopped';
  const record = callId === undefined ? undefined : await callStore.call(callId);
  if (!record && node === undefined) return store.release(broadcastId, number);
  if (!record || isUnknown(record, node)) {
    const attempt = { callId: callId!, endedMs: nowMs, cause: TEMPORARY_FAILURE };
    const result = { code: 'failed', reason: RESULT_REASONS.lost, cause: TEMPORARY_FAILURE.code } as const;
    const againMs = redialLost && !stopped ? nowMs : undefined;
    return writeResult(store, broadcastId, number, { attempt, result, againMs }, nowMs, node);
  }
  const ended = resultOf(record, broadcast.order, { attempts, stopped, nowMs });
  return writeResult(store, broadcastId, number, ended, nowMs, node);
}

/** Whether nobody can know how it ended: the call of a lost node may have been closed by another since. */
const isUnknown = ({ answeredMs, endedMs, cause }: CallRecord, node: string | undefined): boolean =>
  answeredMs === undefined && (endedMs === undefined || (node !== undefined && cause?.code === TEMPORARY_FAILURE.code));

/** How it ends, where it calls nobody any more. */
export async function takeUp(
  broadcast: Broadcast,
  parts: BroadcastParts,
  dialler: Dialler,
): Promise<(() => Promise<void>) | undefined> {
  const { broadcastId, projectId } = broadcast.order;
  const { queued } = await parts.store.counts(broadcastId);
  const { program, problem } = programOf(broadcast, parts);
  const run = dialler.open(broadcast, program, queued);
  if (broadcast.state === 'stopped') return () => run.stop({ hangUp: false });
  if (problem !== undefined) return () => run.fail(problem);
  parts.log.info('broadcast.resumed', { broadcastId, projectId, queued });
  return undefined;
}

export function programOf(
  { order }: Broadcast,
  parts: BroadcastParts,
): { program?: BroadcastProgram; problem?: string } {
  try {
    return { program: broadcastProgram(order, parts) };
  } catch (error) {
    if (error instanceof CallError) return { problem: error.message };
    // An order that cannot be read does not keep the service from starting.
    parts.log.error('broadcast.unreadable', { broadcastId: order.broadcastId, error });
    return { problem: 'its order cannot be read any more' };
  }
}
