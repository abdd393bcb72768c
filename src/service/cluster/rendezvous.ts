/**
 * Assigns a key, such as a webhook receiver, to a node by rendezvous hashing (Thaler and Ravishankar 1998): nodes with
 * the same view choose the same node, and only the keys of a lost node move.
 */
import { createHash } from 'node:crypto';

/** Returns the node for a key. Undefined if the list is empty. */
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
