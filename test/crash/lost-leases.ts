/**
 * Leases that nodes lost without a fault, because the machine was too busy to renew them: other nodes take over their
 * calls and receivers then, as after a fault.
 */
import type { Fault, NodeName } from './fault-nodes.ts';

/** Duration of a lease: the node may have stopped renewing it this long before it noticed. */
const LEASE_MS = 1500;
/** A fault of the node or the store may lose the lease for this long after its end. */
const AFTER_MS = 2000;

/** `logs`: the log of each life, by its number and node: `1-one`. */
export function lostLeases(logs: ReadonlyMap<string, string>, faults: readonly Fault[]): Fault[] {
  return [...logs].flatMap(([life, text]) => {
    const node = life.slice(life.indexOf('-') + 1) as NodeName;
    const lines = text.split('\n').filter((line) => line.includes('"cluster.lease_'));
    const events = lines.map((line) => JSON.parse(line) as { time: string; message: string });
    return events.flatMap(({ time, message }, index) => {
      if (message !== 'cluster.lease_lost') return [];
      const lostMs = Date.parse(time);
      const isExplained = faults.some(
        (fault) => (fault.node ?? node) === node && fault.fromMs <= lostMs && fault.untilMs + AFTER_MS >= lostMs,
      );
      if (isExplained) return [];
      const held = events.slice(index + 1).find((later) => later.message === 'cluster.lease_held');
      const healedMs = held ? Date.parse(held.time) : lostMs;
      return [{ kind: 'overload', node, fromMs: lostMs - LEASE_MS, healedMs, untilMs: healedMs } as const];
    });
  });
}
