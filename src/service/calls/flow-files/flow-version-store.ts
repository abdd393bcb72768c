/**
 * Store of flow texts by version: kept when a flow goes live, so that old calls can be drawn as they ran, or earlier,
 * as candidates.
 */
export interface FlowVersion {
  hash: string;
  name: string;
  text: string;
  /** Name of the author; absent if the text existed when the service started. */
  author?: string;
  firstMs: number;
}

export interface KeptVersion extends FlowVersion {
  /** Number of the version among those of its flow, from 1. It never changes, and no other version gets it. */
  number: number;
}

export interface ListedVersion extends Omit<KeptVersion, 'name'> {
  isInForce: boolean;
  /** Count among the latest calls of all flows, a bounded number of them. */
  calls: number;
}

export interface FlowVersionStore {
  /**
   * Marks these versions as live, in place of other versions of their flows. A known version keeps its first time and
   * its author; its text is updated. The 300 latest versions of a flow are kept.
   */
  keep(versions: readonly FlowVersion[]): void;
  /** Adds a candidate, which is not live. A version that is live stays unchanged. */
  add(version: FlowVersion): void;
  /** The flow was removed: none of its versions is live. */
  end(name: string, atMs: number): void;
  find(hash: string): KeptVersion | undefined;
  /** Number of the version. Undefined if it is not kept. */
  numberOf(hash: string): number | undefined;
  /** The live version first, then the most recently replaced. */
  list(name: string): ListedVersion[];
}
