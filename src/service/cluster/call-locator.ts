/** Locates a call: the node that carries it, or the node whose archive holds it after its end. */
import type { Cluster, NodeInfo } from './cluster.ts';

/** `lost`: its node is gone and no other node has adopted it yet. */
export type CallPlace = 'here' | 'lost' | NodeInfo;

export interface LocatorOptions {
  cluster: Pick<Cluster, 'me' | 'nodes'>;
  /** True if this node carries the call. */
  isHere(callId: string): boolean;
  ownershipOf(callId: string): Promise<{ owner: string; isEnded: boolean } | undefined>;
  /** Archive of an ended call. Undefined if unknown. */
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
    // For an unknown call, this node responds that it does not exist.
    return keeper && keeper.id !== cluster.me ? keeper : 'here';
  };
  return (callId) => (isHere(callId) ? 'here' : elsewhere(callId));
}
