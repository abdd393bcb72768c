/** State shared by the nodes of a cluster, in addition to the ports of the store. */
import type { DistributionReading } from '../../base/core/figures.ts';
import type { StudioTable } from '../calls/studio/studio-table.ts';
import type { LocatorOptions } from './call-locator.ts';
import type { LeaseStore } from './lease-store.ts';
import type { ReceiverClaims } from './receiver-ownership.ts';
import type { VenueStore } from './venues/venue-store.ts';

export interface SharedParts extends Pick<LocatorOptions, 'ownershipOf' | 'archiveOf'> {
  leases: LeaseStore;
  claims: ReceiverClaims;
  /** Absent: only calls of the same node can meet. */
  venueStore?: VenueStore;
  /** People in the studio. Absent: only those of this node. */
  studioTable?: StudioTable;
  /** Absent: the state of the store is unknown. */
  store?: SharedStore;
}

export interface SharedStore {
  /** Never rejects. */
  state(): Promise<StoreState>;
  readonly commitSeconds: DistributionReading;
}

/** State of the shared store. */
export interface StoreState {
  readonly isReachable: boolean;
  readonly durability: string;
  /** Product and version, such as `Redis 7.0.15`. */
  readonly version?: string;
  readonly replicas?: number;
  /** Absent without a replica. */
  readonly replicaLagBytes?: number;
  /** True if the append-only file is enabled (`appendonly yes`). */
  readonly isOnDisk?: boolean;
  readonly memoryBytes?: number;
  /** Absent without a limit. */
  readonly memoryLimitBytes?: number;
  /** Percentiles of the latest writes of this node. */
  readonly commitP50Ms?: number;
  readonly commitP99Ms?: number;
}
