/**
 * Receipts in Redis, and the right to be the one node that carries out a request. Neighbour: `shared.lua`.
 *
 * Invariants
 *  - the receipt of a call is written before its first decision, and counts from that on: a node that dies between the two
 *    leaves neither a call without its receipt nor, to those who ask, a receipt without its call;
 *  - a right that its node does not renew any more ends within ten seconds.
 */
import type { ReceiptStore } from '../../calls/receipt-store.ts';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Receipt } from '../../core/receipt.ts';
import type { CommandGroups } from './command-groups.ts';
import type { Reader } from './reader.ts';
import { TAGS, tagOf } from './shards.ts';

export interface RedisReceiptParts {
  groups: CommandGroups;
  reader: Reader;
  /** Has those that go with what nodes do not share. */
  local: ReceiptStore;
  /** The life of this node. */
  node: string;
  /** Whether there is, or was, such a call. */
  isCall(callId: string): Promise<boolean>;
  clock: Clock;
}

export interface RedisReceipts extends Required<ReceiptStore> {
  /** Before the first decision of this call. */
  addOfCall(receipt: Receipt, callId: string): Promise<void>;
}

const HELD_MS = 10_000;
const RENEW_EVERY_MS = 3000;
const ROWS_AT_ONCE = 500;

export function redisReceipts({ groups, reader, local, node, isCall, clock }: RedisReceiptParts): RedisReceipts {
  let claims = 0;

  const put = async (receipt: Receipt, callId?: string): Promise<void> => {
    const { projectId, key, createdMs } = receipt;
    const kept = { ...receipt, createdMs: Math.round(createdMs) };
    const text = JSON.stringify({ receipt: kept, callId });
    await groups.call('cw_receipt', tagOf(projectId), [projectId, key, `${kept.createdMs}`, text]);
  };

  return {
    async find(projectId, key) {
      const text = await reader.run((client) => client.hget(`${tagOf(projectId)}:receipts:${projectId}`, key));
      if (text === null) return local.find(projectId, key);
      const { receipt, callId } = JSON.parse(text) as { receipt: Receipt; callId?: string };
      return callId === undefined || (await isCall(callId)) ? receipt : undefined;
    },
    add: (receipt) => put(receipt),
    addOfCall: put,
    async prune({ beforeMs, most }) {
      const args = [beforeMs, most, ROWS_AT_ONCE].map(String);
      let gone = await local.prune({ beforeMs, most });
      let left: readonly string[] = TAGS;
      while (left.length > 0) {
        const counts = await Promise.all(left.map((tag) => groups.call('cw_prune_receipts', tag, args)));
        gone += counts.reduce<number>((sum, count) => sum + Number(count), 0);
        left = left.filter((_, index) => Number(counts[index]) >= ROWS_AT_ONCE);
      }
      return gone;
    },
    async hold(projectId, key) {
      const tag = tagOf(projectId);
      const args = [`${projectId} ${key}`, `${node} ${++claims}`];
      const take = async (): Promise<boolean> => (await groups.call('cw_hold', tag, [...args, `${HELD_MS}`])) === 1;
      if (!(await take())) return undefined;
      let renewal: Timer;
      const renewLater = (): void => {
        renewal = clock.after(RENEW_EVERY_MS, () => {
          void take().catch(() => undefined);
          renewLater();
        });
      };
      renewLater();
      return () => {
        renewal.cancel();
        // Where it cannot be said, the right ends by itself.
        groups.call('cw_let_go', tag, args).catch(() => undefined);
      };
    },
  };
}
