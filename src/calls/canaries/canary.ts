/**
 * A canary: a version of a flow that some of its callers get before all do, and how it compares with the version in force.
 * Neighbours: `canaries.ts` starts and ends it, `canary-watch.ts` counts its calls, `canary-store.ts` keeps it.
 *
 * Invariants
 *  C1 who gets the canary is decided by the number of the far party and the version alone: the same caller always gets the
 *     same, and a higher percentage takes nobody's away;
 *  - a side is worse only by more than the margin, and by more than chance explains.
 */
import { createHash } from 'node:crypto';
import { numberLookupKey } from '../../core/phone-number.ts';
import type { CallRecord } from '../../runtime/journal.ts';

export interface Canary {
  /** The flow. */
  name: string;
  version: string;
  /** Of the callers. */
  percent: number;
  /** Numbers of ours that it is for; absent: all. */
  numbers?: readonly string[];
  backWhen: BackWhen;
  sinceMs: number;
  compared: { canary: Side; inForce: Side };
  /** Absent: it is on. */
  ended?: CanaryEnd;
}

/** When new calls go back to the version in force by themselves; margins are percentage points. */
export interface BackWhen {
  errorsWorseBy: number;
  abandonedWorseBy: number;
  /** Of the canary, before anything is said of it. */
  afterCalls: number;
}

/** Why it is worse. */
export type Worse = 'errors' | 'abandoned';

export interface CanaryEnd {
  /** `broken`: the version does not compile any more. */
  why: Worse | 'stopped' | 'published' | 'broken';
  atMs: number;
  /** In words; `callweave` where nobody asked for it. */
  by: string;
}

/** `returned`: it was worse, and ended by itself. */
export const stateOf = ({ ended }: Canary): 'on' | 'returned' | 'stopped' =>
  ended === undefined ? 'on' : ended.why === 'errors' || ended.why === 'abandoned' ? 'returned' : 'stopped';

/** The calls of one version that began since the canary did, and have ended. */
export interface Side {
  version: string;
  calls: number;
  /** Their flow was ended by a fault. */
  errors: number;
  /** The far party hung up, and had reached nobody. */
  abandoned: number;
  /** By `step outcome`. */
  exits: Record<string, number>;
}

export const emptySide = (version: string): Side => ({ version, calls: 0, errors: 0, abandoned: 0, exits: {} });

/** What a choice is made by. */
export type CallOfCanary = Pick<CallRecord, 'callId' | 'direction' | 'from' | 'to'>;

/** Whether the call is one of those that the canary takes its share of. */
export function isCandidateFor({ numbers }: Pick<Canary, 'numbers'>, { direction, from, to }: CallOfCanary): boolean {
  if (numbers === undefined) return true;
  const ours = numberLookupKey(direction === 'inbound' ? to : from);
  return numbers.some((number) => numberLookupKey(number) === ours);
}

/** C1 */
export const takesCanary = ({ version, percent }: Pick<Canary, 'version' | 'percent'>, call: CallOfCanary): boolean =>
  shareOf(version, call) < percent / 100;

const WITHOUT_NUMBER = new Set(['', 'anonymous', 'unknown', 'unavailable', 'restricted', 'withheld']);

/** In [0, 1); of a caller without a number by the call. */
function shareOf(version: string, { callId, direction, from, to }: CallOfCanary): number {
  const number = numberLookupKey(direction === 'inbound' ? from : to);
  const party = WITHOUT_NUMBER.has(number) ? `call ${callId}` : number;
  const bytes = createHash('sha256').update(`${version} ${party}`).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}

/** What the canary is worse in than the version in force, once there are calls enough to say so. */
export function worseIn({ compared, backWhen }: Pick<Canary, 'compared' | 'backWhen'>): Worse | undefined {
  const { canary, inForce } = compared;
  if (canary.calls < backWhen.afterCalls) return undefined;
  // Where everybody gets the canary, there is none but itself to compare with; a flow without faults is what one may expect.
  const other = inForce.calls > 0 ? inForce : { ...canary, errors: 0 };
  if (isWorse(canary, other, 'errors', backWhen.errorsWorseBy)) return 'errors';
  if (isWorse(canary, other, 'abandoned', backWhen.abandonedWorseBy)) return 'abandoned';
  return undefined;
}

/** Quantile of the normal distribution: one canary of a hundred that is as good as the other goes beyond. */
const BEYOND_CHANCE = 2.33;

/** Two proportions: the difference against its standard error, had both sides the same rate. */
function isWorse(canary: Side, other: Side, what: Worse, points: number): boolean {
  const difference = canary[what] / canary.calls - other[what] / other.calls;
  if (difference * 100 <= points) return false;
  const pooled = (canary[what] + other[what]) / (canary.calls + other.calls);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / canary.calls + 1 / other.calls));
  return difference > BEYOND_CHANCE * deviation;
}
