/** Selects the two versions to compare. Pure. */
import type { CanaryData } from './canary-api.ts';
import type { Version } from './version-api.ts';

export interface Pair {
  before: Version;
  after: Version;
}

/**
 * The versions in the URL, by hash or etag (the audit log links by etag). Otherwise the live version and its possible
 * successor: the canary or the latest candidate; without one, the previous version.
 */
export function pairOf(
  versions: readonly Version[],
  { before, after }: { before?: string | undefined; after?: string | undefined },
  canary?: Pick<CanaryData, 'version' | 'state'>,
): Pair | undefined {
  const find = (wanted: string | undefined): Version | undefined =>
    versions.find(({ hash, etag }) => wanted !== undefined && (hash === wanted || etag === wanted));
  const inForce = versions.find((version) => version.in_force);
  const next = (canary?.state === 'on' ? find(canary.version) : undefined) ?? latestCandidate(versions);
  const newer = find(after) ?? next ?? inForce ?? versions[0];
  const older =
    find(before) ?? (newer === inForce ? undefined : inForce) ?? versions.find((version) => version !== newer);
  return newer === undefined || older === undefined ? undefined : { before: older, after: newer };
}

/** The pair after a version was chosen: it is compared with `kept`, the earlier one of both first. */
export function pairWith(chosen: Version, kept: Version): Pair {
  const [after, before] = byTime([chosen, kept]);
  return { before: before!, after: after! };
}

/** Versions in the order of the list, the newest first. */
export const byTime = (versions: readonly Version[]): Version[] =>
  versions.toSorted((one, other) => other.first_seen.localeCompare(one.first_seen));

/** True if the version is newer than the live one and is not live. */
export function isCandidate(version: Version, versions: readonly Version[]): boolean {
  const inForce = versions.find((each) => each.in_force);
  return inForce !== undefined && version !== inForce && version.first_seen > inForce.first_seen;
}

const latestCandidate = (versions: readonly Version[]): Version | undefined =>
  byTime(versions.filter((version) => isCandidate(version, versions)))[0];
