/**
 * Reasons why a node takes no new calls although it is not drained, each with its meaning and its remedy, for
 * `/health`, `/ready`, the log, `callweave doctor` and the studio. Neighbour: `app/readiness.ts` determines which of
 * them apply.
 */
import { WRITE_ERROR_MESSAGES, type WriteErrorReason } from './write-error.ts';

/**
 * `no_lease`: the other nodes of the cluster may consider this node lost. `clock_off`: the clock of this node differs
 * so much that other nodes refuse its requests. `unreadable`: reads from the store fail.
 */
export type NotReadyReason = WriteErrorReason | 'no_lease' | 'clock_off' | 'unreadable';

export interface NotReady {
  readonly why: NotReadyReason;
  /** Wall-clock time. */
  readonly sinceMs: number;
}

const MEANINGS: Readonly<Record<NotReadyReason, string>> = {
  ...WRITE_ERROR_MESSAGES,
  no_lease: 'this node could not renew its lease in time, and the other nodes may take over its calls',
  clock_off: 'the clock of this machine differs so much from that of Redis that other nodes refuse its requests',
  unreadable: 'the store answers no reads',
};

const REMEDIES: Readonly<Record<NotReadyReason, string>> = {
  disk_full: 'free space on the disk of the data; limits.keep_recordings_days bounds what is kept',
  locked: 'end the other process that has callweave.db open',
  read_only: 'let the user of the service write to the data directory',
  broken: 'check the disk, then restore a backup',
  unreachable: 'start Redis, or restore the network to it; see cluster.redis',
  no_primary: 'make one of the servers of cluster.redis the primary',
  no_replica: 'start a replica of Redis; two replicas keep the nodes ready when one server is lost',
  redis_full: 'raise maxmemory of Redis',
  redis_disk: 'free space on the disk of Redis, and see its log',
  redis_busy: 'end the script: SCRIPT KILL',
  no_lease: 'look for a machine that is overloaded, or for a slow network to Redis',
  clock_off: 'let NTP set the clock of this machine',
  unreadable: 'see the log of the service and of Redis; else check the disk',
};

export const meaningOf = ({ why }: Pick<NotReady, 'why'>): string => MEANINGS[why];
export const remedyOf = ({ why }: Pick<NotReady, 'why'>): string => REMEDIES[why];
export const NOT_READY_REASONS = Object.keys(MEANINGS) as readonly NotReadyReason[];
