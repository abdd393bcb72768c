/**
 * Where several nodes call the numbers of each broadcast: takes up those that others have made, stops those that others
 * have stopped, leaves those that others have ended, and settles what lost nodes were calling. A pass each second finds all of it.
 * A service that is about to stop follows those whose calls go on.
 */
import type { Timer } from '../../core/clock.ts';
import type { Broadcast } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';
import type { Dialler } from './dialler.ts';
import { programOf, settleLostNodes, takeUp } from './recover-broadcasts.ts';

const EVERY_MS = 1000;

/** Call what it returns to end it. */
export function followBroadcasts(parts: BroadcastParts, dialler: Dialler): () => void {
  let timer: Timer | undefined;
  let isClosed = false;
  /** Those that cannot be carried out here, as the log says once. */
  const unable = new Set<string>();
  const hasCalls = (): boolean => [...dialler.runs].some(({ liveCalls }) => liveCalls > 0);
  const pass = async (): Promise<void> => {
    try {
      await followOnce(parts, dialler, unable);
    } catch (error) {
      parts.log.warn('broadcast.not_followed', { error });
    }
    if (!isClosed || hasCalls()) timer = parts.clock.after(EVERY_MS, () => void pass());
  };
  timer = parts.clock.after(EVERY_MS, () => void pass());
  return () => {
    isClosed = true;
    if (!hasCalls()) timer?.cancel();
  };
}

async function followOnce(parts: BroadcastParts, dialler: Dialler, unable: Set<string>): Promise<void> {
  const { store, isLost = () => false } = parts;
  await store.repair?.(isLost);
  // One that is made during the look is not missed in it.
  const before = [...dialler.runs];
  const open = await store.unfinished();
  const found = new Map(open.map((broadcast) => [broadcast.order.broadcastId, broadcast]));
  for (const run of before) run.follow(found.get(run.broadcast.order.broadcastId));
  for (const id of unable) if (!found.has(id)) unable.delete(id);
  for (const broadcast of open) {
    if (dialler.isClosed) return;
    await settleLostNodes(broadcast, parts);
    if (!dialler.run(broadcast.order.broadcastId)) await takeUpHere(broadcast, parts, dialler, unable);
  }
}

/** One that this node cannot carry out is left to those that can: its flow may not be here yet, or not any more. */
async function takeUpHere(
  broadcast: Broadcast,
  parts: BroadcastParts,
  dialler: Dialler,
  unable: Set<string>,
): Promise<void> {
  const { broadcastId } = broadcast.order;
  const problem = broadcast.state === 'stopped' ? undefined : programOf(broadcast, parts).problem;
  if (problem === undefined) {
    const end = await takeUp(broadcast, parts, dialler);
    await end?.();
  } else if (!unable.has(broadcastId)) {
    unable.add(broadcastId);
    parts.log.warn('broadcast.left_to_others', { broadcastId, error: problem });
  }
}
