/**
 * The nodes that are one service, as each of them sees them. A single process is a cluster of one, whose lease is always
 * valid. Neighbours: `membership.ts` is the cluster of many.
 */
import type { NotReady } from '../core/not-ready.ts';

export interface Cluster {
  /** The id of this node's life. */
  readonly me: string;
  /** Whether this node may decide anything: the others do not take it for lost yet. */
  isLeaseValid(): boolean;
  /** Why this node may not decide or be called, by its lease and its clock; undefined: it may. */
  problem(): NotReady | undefined;
  /** How far its clock is ahead of that of the store, in ms; undefined: there is none to compare with. */
  clockOffsetMs(): number | undefined;
  /** For how long it has held its lease without a gap in which others could take it for lost; 0 while it has none. */
  leaseHeldMs(): number;
  /** Those whose lease is valid, this one first, the rest by name. */
  nodes(): readonly NodeInfo[];
  /** Who has been lost, or came, since the last time; nobody where one begins to drain or stops that. Returns what ends it. */
  onChange(listener: (change: ClusterChange) => void): () => void;
}

export interface ClusterChange {
  readonly joined: readonly NodeInfo[];
  readonly lost: readonly NodeInfo[];
}

/** What a node says of itself. */
export interface NodeReport {
  /** Of its life. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Its data directory, which has the calls that ended on it: the same in its next life. */
  readonly archive: string;
  /** Where the others reach its API, such as `http://10.0.0.5:8080`. */
  readonly address: string;
  readonly startedMs: number;
  readonly liveCalls: number;
  /** Live calls as a share of those it may carry. */
  readonly load: number;
  readonly isDraining: boolean;
  /** Of live calls, those of parties that are called included. */
  readonly liveLegs?: number;
  /** Sessions of video rooms. */
  readonly liveSessions?: number;
  /** Why it takes no new calls although it is not drained. Absent: it takes them, or is of an earlier version. */
  readonly notReady?: NotReady;
  /** How far its clock is ahead of that of the store, in ms. Absent: there is none to compare with. */
  readonly clockOffsetMs?: number;
  /** A digest of the flows that new calls take: nodes that have the same flows have the same. */
  readonly flows?: string;
  /** What it costs its machine. Absent, as those above: an earlier version does not say it. */
  readonly process?: ProcessLoad;
}

export interface ProcessLoad {
  /** Of one core: 1 is a core in use all the time. */
  readonly cpu: number;
  readonly memoryBytes: number;
  /** How late 99 % of its timers were at most. */
  readonly loopDelayMs: number;
}

export interface NodeInfo extends NodeReport {
  /** How long ago it renewed its lease, as far as this node knows. */
  readonly leaseAgeMs: number;
  /** How long its lease lasts unless it is renewed; absent: there are no leases. */
  readonly leaseLeftMs?: number;
}

/** The cluster of a single process. */
export function clusterOfOne(me: string, report: () => Omit<NodeReport, 'id'>): Cluster {
  return {
    me,
    isLeaseValid: () => true,
    problem: () => undefined,
    clockOffsetMs: () => undefined,
    leaseHeldMs: () => Number.POSITIVE_INFINITY,
    nodes: () => [{ id: me, ...report(), leaseAgeMs: 0 }],
    onChange: () => () => undefined,
  };
}
