/**
 * Which node serves a key, such as a receiver of webhooks: all nodes that see the same others choose the same one, and only
 * what a lost node served moves (rendezvous hashing, Thaler and Ravishankar 1998).
 */
import { createHash } from 'node:crypto';

/** One of `nodes`; undefined: there is none. */
export function nodeFor(key: string, nodes: readonly string[]): string | undefined {
  let best: { node: string; weight: bigint } | undefined;
  for (const node of nodes) {
    const weight = createHash('sha1').update(`${node}\n${key}`).digest().readBigUInt64BE();
    if (best === undefined || weight > best.weight || (weight === best.weight && node < best.node)) {
      best = { node, weight };
    }
  }
  return best?.node;
}
