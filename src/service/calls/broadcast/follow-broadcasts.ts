/**
 * Synchronises broadcasts that several nodes share: starts those that other nodes created, stops and ends those that
 * other nodes stopped or ended, and settles the pending numbers of lost nodes. Runs once a second. A service that is
 * shutting down follows the broadcasts that still have live calls.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { Broadcast } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';
import type { Dialler } from './dialler.ts';
import { programOf, settleLostNodes, takeUp } from './recover-broadcasts.ts';

const EVERY_MS = 1000;

/** Returns a function that ends it. */
export function followBroadcasts(parts: BroadcastParts, dialler: Dialler): () => void {
  let timer: Timer | undefined;
  let isClosed = false;
  /** Broadcasts that this node cannot run; each is logged once. */
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
  // A snapshot before the read: a broadcast created during the read is not mistaken for one that is over.
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

/**
 * Leaves a broadcast that this node cannot run to the other nodes: its flow may not be deployed here yet, or may be
 * gone.
 */
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
