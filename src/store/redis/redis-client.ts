/** What the stores in Redis are given: open connections. */
import type { Cluster, Redis } from 'ioredis';

/** What survives: the death of the process, the loss of the primary, or that and a power failure. */
export type Durability = 'memory' | 'replica' | 'disk';

export type RedisClient = Redis | Cluster;

export interface RedisConnection {
  readonly durability: Durability;
  /** Host and port of each server of the configuration, for people. */
  readonly addresses: string;
  /** For reads and small commands. */
  readonly client: RedisClient;
  /** For the groups of writes: a `WAIT` at the end of one must not hold up the others. */
  readonly writer: RedisClient;
  /** For messages: nothing else can be sent on it once it has subscribed. */
  readonly subscriber: RedisClient;
  close(): void;
}
