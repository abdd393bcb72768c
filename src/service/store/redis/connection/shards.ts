/**
 * Maps keys to shards. There are 256, whatever the size of the cluster: all keys of a call, and of a delivery queue,
 * share one hash tag and thus one slot
 * (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags).
 */
const SHARDS = 256;

/** FNV-1a. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export function shardOf(id: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), FNV_PRIME);
  return (hash >>> 0) % SHARDS;
}

/** Common prefix of the keys of each shard. */
export const TAGS: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => `cw:{${shard}}`);

/** Common prefix of all keys of a call, or of the queue of an order key. */
export const tagOf = (id: string): string => TAGS[shardOf(id)]!;
