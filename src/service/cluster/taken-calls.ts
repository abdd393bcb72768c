/**
 * Releases calls that other nodes adopted or ended while this node had no lease. An active call detects it at its next
 * commit. A bridged call may be quiet for long, so its legs are released when this node holds its lease again.
 */
import type { LocatorOptions } from './call-locator.ts';
import type { Cluster } from './cluster.ts';

export interface TakenCallsParts extends Pick<LocatorOptions, 'ownershipOf' | 'archiveOf'> {
  cluster: Pick<Cluster, 'me'>;
  /** Archive of this node. */
  archive: string;
  /** Calls that this node carries. */
  liveCalls(): readonly string[];
  /** Ends the call on this node only: hangs up its legs, and writes no end. */
  letGo(callId: string): void;
}

/** Rejects if the store cannot be read. A call that is not in the store yet is kept. */
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
