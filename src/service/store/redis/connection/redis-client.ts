/** Open connections that the Redis stores share. */
import type { Cluster, Redis } from 'ioredis';

/** Failure that a confirmed write survives: death of the process, loss of the primary, or that and a power failure. */
export type Durability = 'memory' | 'replica' | 'disk';

export type RedisClient = Redis | Cluster;

export interface RedisConnection {
  readonly durability: Durability;
  /** Host and port of each configured server, for messages. */
  readonly addresses: string;
  /** Connection for reads and small commands. */
  readonly client: RedisClient;
  /** Connection for groups of writes: the final `WAIT` of a group must not delay other commands. */
  readonly writer: RedisClient;
  /** Connection for messages: a subscribed connection accepts no other commands. */
  readonly subscriber: RedisClient;
  close(): void;
}
