/** What the nodes of a cluster share, beside the ports of the store. */
import type { LocatorOptions } from './call-locator.ts';
import type { LeaseStore } from './lease-store.ts';

export interface SharedParts extends Pick<LocatorOptions, 'ownershipOf' | 'archiveOf'> {
  leases: LeaseStore;
}
