/**
 * Calls that other nodes took over, or ended, while this node had no lease. A call on which something happens notices it by
 * its next commit. A bridged call may be quiet for long: its legs are let go when this node holds its lease again.
 */
import type { LocatorOptions } from './call-locator.ts';
import type { Cluster } from './cluster.ts';

export interface TakenCallsParts extends Pick<LocatorOptions, 'ownershipOf' | 'archiveOf'> {
  cluster: Pick<Cluster, 'me'>;
  /** The archive of this node. */
  archive: string;
  /** Calls that this node carries. */
  liveCalls(): readonly string[];
  /** Ends the call here alone: its legs are hung up, and nothing of it is written. */
  letGo(callId: string): void;
}

/** Rejects if the store cannot be read. A call that the store does not have yet stays. */
export async function letGoOfTaken(parts: TakenCallsParts): Promise<void> {
  const { liveCalls, letGo } = parts;
  for (const callId of liveCalls()) if (await isTaken(callId, parts)) letGo(callId);
}

async function isTaken(
  callId: string,
  { cluster, archive, ownershipOf, archiveOf }: TakenCallsParts,
): Promise<boolean> {
  const ownership = await ownershipOf(callId);
  if (ownership) return ownership.owner !== cluster.me;
  const keeper = await archiveOf(callId);
  return keeper !== undefined && keeper !== archive;
}
