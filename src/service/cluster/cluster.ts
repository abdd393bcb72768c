/**
 * View of one node on the nodes that form a service. A single process is a cluster of one, whose lease is always valid.
 * `membership.ts` implements a cluster of several nodes.
 */
import type { NotReady } from '../../base/core/not-ready.ts';

export interface Cluster {
  /** Epoch id of this node. */
  readonly me: string;
  /** True if this node may make decisions: no other node can consider it lost yet. */
  isLeaseValid(): boolean;
  /** Reason, in its lease or clock, why this node must not make decisions or take calls. Undefined if there is none. */
  problem(): NotReady | undefined;
  /** Lead of its clock over that of the store, in ms. Undefined without a clock to compare with. */
  clockOffsetMs(): number | undefined;
  /**
   * Time for which it has held its lease without a gap in which others could consider it lost, in ms; 0 without a
   * lease.
   */
  leaseHeldMs(): number;
  /** Nodes with a valid lease: this one first, the others by name. */
  nodes(): readonly NodeInfo[];
  /** Last reports of the other nodes with a valid lease. */
  others(): readonly NodeReport[];
  /**
   * Reports nodes that joined or were lost since the last call; both lists are empty if a node starts or stops
   * draining. Returns a function that unsubscribes.
   */
  onChange(listener: (change: ClusterChange) => void): () => void;
}

export interface ClusterChange {
  readonly joined: readonly NodeInfo[];
  readonly lost: readonly NodeInfo[];
}

/** Status that a node reports. */
export interface NodeReport {
  /** Epoch id. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Name of its data directory, which holds the calls that ended on the node. The next epoch keeps it. */
  readonly archive: string;
  /** Base URL of its API for other nodes, such as `http://10.0.0.5:8080`. */
  readonly address: string;
  readonly startedMs: number;
  readonly liveCalls: number;
  /** Live calls as a fraction of the node's limit. */
  readonly load: number;
  readonly isDraining: boolean;
  /** Maximum live calls (`limits.calls`). */
  readonly maxCalls?: number;
  /** Live calls of each project that has some. */
  readonly callsOf?: Readonly<Record<string, number>>;
  /** Legs of live calls, including called parties. */
  readonly liveLegs?: number;
  /** Active sessions of video rooms. */
  readonly liveSessions?: number;
  /**
   * Reason why it takes no new calls although it is not draining. Absent if it takes them, or runs an earlier version.
   */
  readonly notReady?: NotReady;
  /** Lead of its clock over that of the store, in ms. Absent without a clock to compare with. */
  readonly clockOffsetMs?: number;
  /** Digest of the live flows: equal on nodes with the same flows. */
  readonly flows?: string;
  /** Resource usage. Like the optional members above, absent if an earlier version does not report it. */
  readonly process?: ProcessLoad;
}

export interface ProcessLoad {
  /** Fraction of one core: 1 is one core fully used. */
  readonly cpu: number;
  readonly memoryBytes: number;
  /** 99th percentile of the delay of timers. */
  readonly loopDelayMs: number;
}

export interface NodeInfo extends NodeReport {
  /** Age of its lease's last renewal, as known to this node. */
  readonly leaseAgeMs: number;
  /** Time until its lease expires; absent without leases. */
  readonly leaseLeftMs?: number;
}

/** Cluster of a single process. */
export function clusterOfOne(me: string, report: () => Omit<NodeReport, 'id'>): Cluster {
  return {
    me,
    isLeaseValid: () => true,
    problem: () => undefined,
    clockOffsetMs: () => undefined,
    leaseHeldMs: () => Number.POSITIVE_INFINITY,
    nodes: () => [{ id: me, ...report(), leaseAgeMs: 0 }],
    others: () => [],
    onChange: () => () => undefined,
  };
}
