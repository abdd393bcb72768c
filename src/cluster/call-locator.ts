/** Which node has a call: the one that carries it, or the one whose archive has it after its end. */
import type { Cluster, NodeInfo } from './cluster.ts';

/** `lost`: its node is gone, and nobody has adopted it yet. */
export type CallPlace = 'here' | 'lost' | NodeInfo;

export interface LocatorOptions {
  cluster: Pick<Cluster, 'me' | 'nodes'>;
  /** Whether this node carries the call. */
  isHere(callId: string): boolean;
  ownershipOf(callId: string): Promise<{ owner: string; isEnded: boolean } | undefined>;
  /** The archive that has an ended call; undefined: none is known to have it. */
  archiveOf(callId: string): Promise<string | undefined>;
}

export type LocateCall = (callId: string) => 'here' | Promise<CallPlace>;

export function createCallLocator({ cluster, isHere, ownershipOf, archiveOf }: LocatorOptions): LocateCall {
  const elsewhere = async (callId: string): Promise<CallPlace> => {
    const ownership = await ownershipOf(callId);
    const nodes = cluster.nodes();
    if (ownership && !ownership.isEnded) {
      if (ownership.owner === cluster.me) return 'here';
      return nodes.find(({ id }) => id === ownership.owner) ?? 'lost';
    }
    const archive = await archiveOf(callId);
    const keeper = archive === undefined ? undefined : nodes.find((node) => node.archive === archive);
    // Of one that nobody knows, this node says so itself.
    return keeper && keeper.id !== cluster.me ? keeper : 'here';
  };
  return (callId) => (isHere(callId) ? 'here' : elsewhere(callId));
}
