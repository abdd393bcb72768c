/**
 * Receipts in Redis, and the claim of the node that carries out a request. Neighbour: `shared.lua`.
 *
 * Invariants
 *  - The receipt of a call is written before its first commit, and counts only once the call exists: if a node dies
 *    between the two, there is neither a call without its receipt nor a visible receipt without its call.
 *  - A claim that its node no longer renews expires within ten seconds.
 */
import type { Clock, Timer } from '../../../../base/core/clock.ts';
import type { Receipt } from '../../../../base/core/receipt.ts';
import type { ReceiptStore } from '../../../calls/control/receipt-store.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { TAGS, tagOf } from '../connection/shards.ts';

export interface RedisReceiptParts {
  groups: CommandGroups;
  reader: Reader;
  /** Holds receipts of data that nodes do not share. */
  local: ReceiptStore;
  /** Epoch id of this node. */
  node: string;
  /** True if the call exists or has existed. */
  isCall(callId: string): Promise<boolean>;
  clock: Clock;
}

export interface RedisReceipts extends Required<ReceiptStore> {
  /** Written before the first commit of the call. */
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
        // If the release fails, the claim expires.
        groups.call('cw_let_go', tag, args).catch(() => undefined);
      };
    },
  };
}
