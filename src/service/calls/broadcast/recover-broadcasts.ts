/**
 * Recovery of broadcasts at the start, before lost calls are closed (`recover-calls.ts`) and old ones deleted: resumes
 * broadcasts in the state in which an earlier process left them.
 *
 * The crash rule. Every number gets exactly one result, and a callee who answered is not called again. If the service
 * died during the call of a number, the store decides:
 *  - The call was answered or had ended: its record gives the result, as if the service had observed the end.
 *  - The store has no such call: nothing was dialled, because a call is stored before its leg is created. The number is
 *    queued again, and this attempt does not count.
 *  - The call was ringing or being set up, and may have been answered just then. The result is `Service Restarted`;
 *    with `redialLost` the number is queued again. A stopped broadcast makes no further calls. A broadcast whose flow,
 *    prompt or schedule is gone fails, with all queued numbers. Recovery may crash at any point: the next start finds
 *    what was not written.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import { type Broadcast, type NumberRow, RESULT_REASONS } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';
import type { Dialler } from './dialler.ts';
import { type BroadcastProgram, broadcastProgram } from './program.ts';
import { resultOf, writeResult } from './retry.ts';

const SETTLED_AT_ONCE = 500;
/** Above the number of concurrent calls of any broadcast. */
export const MAX_CALLING = 100_000;

/**
 * Returns a function that ends the broadcasts which cannot continue: call it when the ends of lost calls are written.
 */
export async function recoverBroadcasts(parts: BroadcastParts, dialler: Dialler): Promise<() => void> {
  const ends: (() => Promise<void>)[] = [];
  for (const broadcast of await parts.store.unfinished()) {
    // Other nodes may still be calling these numbers (`follow-broadcasts.ts`).
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
 * Settles numbers that lost nodes were calling, while the service runs. A node that seems lost may wake up later, so a
 * number that it had only claimed counts as called too. A call that another node has adopted gets its result when it
 * ends.
 */
export async function settleLostNodes(broadcast: Broadcast, parts: BroadcastParts): Promise<void> {
  const { store, log, isLost } = parts;
  if (!isLost || !store.callingNodes) return;
  const { broadcastId } = broadcast.order;
  if (!(await store.callingNodes(broadcastId)).some(isLost)) return;
  let lost = 0;
  for (const row of await store.calling(broadcastId, MAX_CALLING)) {
    if (row.node === undefined || !isLost(row.node)) continue;
    if (await goesOn(row, parts)) continue;
    await settle(row, broadcast, parts);
    lost++;
  }
  if (lost > 0) log.warn('broadcast.recovered', { broadcastId, calls: lost });
}

/** True if the call is not closed yet: it will be closed or adopted by the first node that finds it. */
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
    return writeResult(store, { broadcastId, number, atMs: nowMs, node }, { attempt, result, againMs });
  }
  const ended = resultOf(record, broadcast.order, { attempts, stopped, nowMs });
  return writeResult(store, { broadcastId, number, atMs: nowMs, node }, ended);
}

/** True if the outcome cannot be known: another node may have closed the call of a lost node. */
const isUnknown = ({ answeredMs, endedMs, cause }: CallRecord, node: string | undefined): boolean =>
  answeredMs === undefined && (endedMs === undefined || (node !== undefined && cause?.code === TEMPORARY_FAILURE.code));

/** Opens the run. Returns a function that ends it if it must not call any more numbers. */
export async function takeUp(
  broadcast: Broadcast,
  parts: BroadcastParts,
  dialler: Dialler,
): Promise<(() => Promise<void>) | undefined> {
  const { broadcastId, projectId } = broadcast.order;
  const { queued, success } = await parts.store.counts(broadcastId);
  const { program, problem } = programOf(broadcast, parts);
  const run = dialler.open(broadcast, program, queued);
  if (broadcast.state === 'stopped') return () => run.stop({ hangUp: false });
  if (problem !== undefined) return () => run.fail(problem);
  // The service died after the call that counts, before it had stopped the others.
  if (broadcast.order.placed && success > 0) return () => run.stop({ hangUp: false });
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
    // An unreadable order must not keep the service from starting.
    parts.log.error('broadcast.unreadable', { broadcastId: order.broadcastId, error });
    return { problem: 'its order cannot be read any more' };
  }
}
