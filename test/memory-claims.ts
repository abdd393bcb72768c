/** Claims of receivers for nodes of one process. */
import type { ReceiverClaims } from '../src/service/cluster/receiver-ownership.ts';

export function createMemoryClaims(): ReceiverClaims {
  const holders = new Map<string, string>();
  return {
    async claim(receiver, { node, from }) {
      const holder = holders.get(receiver);
      if (holder !== undefined && holder !== node && holder !== from) return holder;
      holders.set(receiver, node);
      return node;
    },
    async release(receiver, node) {
      if (holders.get(receiver) === node) holders.delete(receiver);
    },
  };
}
