/** What the nodes of a cluster share, beside the ports of the store. */
import type { DistributionReading } from '../core/figures.ts';
import type { LocatorOptions } from './call-locator.ts';
import type { LeaseStore } from './lease-store.ts';
import type { PlaceStore } from './places/place-store.ts';
import type { ReceiverClaims } from './served-receivers.ts';

export interface SharedParts extends Pick<LocatorOptions, 'ownershipOf' | 'archiveOf'> {
  leases: LeaseStore;
  claims: ReceiverClaims;
  /** Absent: calls meet within their nodes. */
  places?: PlaceStore;
  /** Absent: nothing is known of how it is doing. */
  store?: SharedStore;
}

export interface SharedStore {
  /** Never rejects. */
  state(): Promise<StoreState>;
  readonly commitSeconds: DistributionReading;
}

/** How the store is doing that the nodes share. */
export interface StoreState {
  readonly isReachable: boolean;
  readonly durability: string;
  /** `Redis 7.0.15`. */
  readonly version?: string;
  readonly replicas?: number;
  /** Absent: there is no replica. */
  readonly replicaLagBytes?: number;
  /** Its log is on disk: `appendonly yes`. */
  readonly isOnDisk?: boolean;
  readonly memoryBytes?: number;
  /** Absent: there is no limit. */
  readonly memoryLimitBytes?: number;
  /** Of the latest writes of this node. */
  readonly commitP50Ms?: number;
  readonly commitP99Ms?: number;
}
