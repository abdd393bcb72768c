/**
 * The plan that a seed stands for: callers, their behaviour, and faults. It is plain data, so that a failing plan can
 * be made smaller: with any part removed, the rest is still a plan.
 *
 * Not planned, because not promised (docs/cluster.md): two failovers of the store that overlap, and a primary that dies
 * while its replica lags behind.
 */
import { seededRandom } from '../../src/base/core/ids.ts';

export const NODES = 3;
/** The nodes have found each other by then: the times of a plan count from here. */
export const FIRST_MS = 1_000;

const LAST_CALL_MS = 3_000;
const LAST_FAULT_MS = 6_000;
/** Late messages have arrived by then. */
const AFTERMATH_MS = 1_000;

export interface Plan {
  seed: number;
  /** Legs outlive the node that commands them. */
  hasSwitch: boolean;
  calls: CallPlan[];
  faults: Fault[];
}

export interface CallPlan {
  number: string;
  direction: 'inbound' | 'outbound';
  flow: string;
  node: number;
  atMs: number;
  /** Behaviour of the far end, counted from the answer. */
  keys: { afterMs: number; digit: string }[];
  hangsUpAfterMs: number | undefined;
  callee: 'answers' | 'busy' | 'silent';
}

export type Fault =
  /** The process is suspended; its messages queue up. */
  | { fault: 'pause'; node: number; atMs: number; forMs: number }
  | { fault: 'death'; node: number; atMs: number; backAfterMs: number }
  /** Messages of a node to an engine that outlives it arrive late, and the node dies before that. */
  | { fault: 'stall'; node: number; atMs: number; forMs: number; diesAfterMs: number; backAfterMs: number }
  /** Between a node and the store: all messages are lost. */
  | { fault: 'cut'; node: number; atMs: number; forMs: number }
  /** Between a node and the store: some messages are lost. */
  | { fault: 'loss'; node: number; atMs: number; forMs: number }
  /** The replica lags behind. */
  | { fault: 'lag'; atMs: number; forMs: number }
  /** The primary dies, or is cut off with one node; the replica is promoted, and later gets its own replica. */
  | {
      fault: 'failover';
      atMs: number;
      primaryDies: boolean;
      /** Number of the node that stays with the old primary; no node if the number does not exist. */
      solo: number;
      promotedAfterMs: number;
      /** Time until each node knows the new primary. */
      noticedAfterMs: number[];
      healedAfterMs: number;
    };

export const FLOWS = ['menu', 'bridge', 'speak'] as const;

export function planOf(seed: number): Plan {
  const random = seededRandom(seed * 2 + 1);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const calls = Array.from({ length: int(2, 4) }, (_, index): CallPlan => callPlan(index, int, random));
  const faults: Fault[] = [];
  for (let count = int(1, 4); count > 0; count--) {
    const fault = faultOf(int, random);
    const isOfStore = (one: Fault): boolean => one.fault === 'lag' || one.fault === 'failover';
    if (isOfStore(fault) && faults.some(isOfStore)) continue;
    faults.push(fault);
  }
  return { seed, hasSwitch: random() < 0.5, calls, faults };
}

function callPlan(index: number, int: (from: number, to: number) => number, random: () => number): CallPlan {
  const keys = Array.from({ length: int(0, 3) }, () => ({
    afterMs: int(100, 6_000),
    digit: '1234'[int(0, 3)]!,
  }));
  return {
    number: `+3310000000${index}`,
    direction: random() < 0.5 ? 'inbound' : 'outbound',
    flow: FLOWS[int(0, FLOWS.length - 1)]!,
    node: int(0, NODES - 1),
    atMs: int(0, LAST_CALL_MS),
    keys,
    hangsUpAfterMs: random() < 0.3 ? int(200, 8_000) : undefined,
    callee: random() < 0.8 ? 'answers' : random() < 0.5 ? 'busy' : 'silent',
  };
}

function faultOf(int: (from: number, to: number) => number, random: () => number): Fault {
  const node = int(0, NODES - 1);
  const atMs = int(100, LAST_FAULT_MS);
  const kind = random();
  if (kind < 0.25) return { fault: 'pause', node, atMs, forMs: int(100, 3_500) };
  if (kind < 0.35) return { fault: 'death', node, atMs, backAfterMs: int(300, 3_000) };
  if (kind < 0.45) {
    const forMs = int(1_500, 4_500);
    return { fault: 'stall', node, atMs, forMs, diesAfterMs: int(100, 1_500), backAfterMs: int(300, 3_000) };
  }
  if (kind < 0.55) return { fault: 'cut', node, atMs, forMs: int(200, 3_500) };
  if (kind < 0.65) return { fault: 'loss', node, atMs, forMs: int(500, 4_000) };
  if (kind < 0.75) return { fault: 'lag', atMs, forMs: int(200, 1_500) };
  return {
    fault: 'failover',
    atMs,
    primaryDies: random() < 0.5,
    solo: int(0, NODES),
    promotedAfterMs: int(500, 1_500),
    noticedAfterMs: Array.from({ length: NODES }, () => int(0, 800)),
    healedAfterMs: int(2_500, 4_000),
  };
}

/** No fault starts after this time. */
export function healedMs({ faults }: Plan): number {
  const endOf = (fault: Fault): number => {
    if (fault.fault === 'stall') return fault.atMs + Math.max(fault.forMs, fault.diesAfterMs + fault.backAfterMs);
    if (fault.fault === 'death') return fault.atMs + fault.backAfterMs;
    return fault.atMs + (fault.fault === 'failover' ? fault.healedAfterMs : fault.forMs);
  };
  return Math.max(LAST_CALL_MS, ...faults.map(endOf)) + AFTERMATH_MS;
}
