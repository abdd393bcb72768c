/**
 * Where several nodes call the numbers of each broadcast: takes up those that others have made, stops those that others
 * have stopped, leaves those that others have ended, and settles what lost nodes were calling. A pass each second finds all of it.
 */
import type { Timer } from '../../core/clock.ts';
import type { BroadcastParts } from './broadcasts.ts';
import type { Dialler } from './dialler.ts';
import { settleLostNodes, takeUp } from './recover-broadcasts.ts';

const EVERY_MS = 1000;

/** Call what it returns to end it. */
export function followBroadcasts(parts: BroadcastParts, dialler: Dialler): () => void {
  let timer: Timer | undefined;
  let isClosed = false;
  const pass = async (): Promise<void> => {
    try {
      await followOnce(parts, dialler);
    } catch (error) {
      parts.log.warn('broadcast.not_followed', { error });
    }
    if (!isClosed) timer = parts.clock.after(EVERY_MS, () => void pass());
  };
  timer = parts.clock.after(EVERY_MS, () => void pass());
  return () => {
    isClosed = true;
    timer?.cancel();
  };
}

async function followOnce(parts: BroadcastParts, dialler: Dialler): Promise<void> {
  // One that is made during the look is not missed in it.
  const before = [...dialler.runs];
  const open = await parts.store.unfinished();
  const states = new Map(open.map(({ order, state }) => [order.broadcastId, state]));
  for (const run of before) run.follow(states.get(run.broadcast.order.broadcastId));
  for (const broadcast of open) {
    if (!dialler.isClosed) await settleLostNodes(broadcast, parts);
    if (dialler.isClosed || dialler.run(broadcast.order.broadcastId)) continue;
    const end = await takeUp(broadcast, parts, dialler);
    await end?.();
  }
}
