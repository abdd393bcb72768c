/** Gives numbers of a broadcast that will not be called their result. */
import { setImmediate as turn } from 'node:timers/promises';
import { RESULT_REASONS } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';

/** Numbers that are settled in one turn of the event loop. */
const SETTLE_BATCH = 2000;

type Parts = Pick<BroadcastParts, 'store' | 'clock'>;

/** Settles all queued numbers as stopped. `onSettled` receives the count of each batch. */
export async function settleQueued(
  broadcastId: string,
  { store, clock }: Parts,
  onSettled: (count: number) => void,
): Promise<void> {
  for (;;) {
    const end = { result: { code: 'failed', reason: RESULT_REASONS.stopped }, atMs: clock.now() } as const;
    const count = await store.settleQueued(broadcastId, { ...end, most: SETTLE_BATCH });
    onSettled(count);
    if (count < SETTLE_BATCH) return;
    await turn();
  }
}

/** Settles these queued numbers as forgotten. `onSettled` is called for each. */
export async function settleForgotten(
  broadcastId: string,
  { numbers, store, clock }: Parts & { numbers: readonly number[] },
  onSettled: () => void,
): Promise<void> {
  for (const number of numbers) {
    const result = { code: 'failed', reason: RESULT_REASONS.forgotten } as const;
    await store.settle(broadcastId, number, { result, atMs: clock.now() });
    onSettled();
  }
}
