/**
 * The texts of flows, by their versions: kept when a flow is taken, so that calls of then can be drawn as they ran, and
 * before that, as candidates.
 */
export interface FlowVersion {
  hash: string;
  name: string;
  text: string;
  /** Who saved it; absent: it was there when the service started. */
  author?: string;
  firstMs: number;
}

export interface ListedVersion extends Omit<FlowVersion, 'name'> {
  isInForce: boolean;
  /** Of the latest calls of all flows, a bounded number of them. */
  calls: number;
}

export interface FlowVersionStore {
  /**
   * These are in force from now on, in place of other versions of their flows. A version that is known keeps when it was
   * first seen and who saved it; its text is the latest. Of a flow the 300 latest are kept.
   */
  keep(versions: readonly FlowVersion[]): void;
  /** A candidate: it is not in force. A version that is in force stays as it is. */
  add(version: FlowVersion): void;
  /** The flow is not there any more: none of its versions is in force. */
  end(name: string, atMs: number): void;
  find(hash: string): FlowVersion | undefined;
  /** The one in force first, then those that gave way last. */
  list(name: string): ListedVersion[];
}
