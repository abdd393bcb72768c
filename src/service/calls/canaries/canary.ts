/**
 * A canary: a version of a flow that a share of the callers gets first, and its comparison with the live version.
 * Neighbours: `canaries.ts` starts and ends it, `canary-watch.ts` counts its calls, `canary-store.ts` persists it.
 *
 * Invariants
 *  C1 Only the far party's number and the version decide who gets the canary: the same caller always gets the same
 *     version, and a higher percentage only adds callers.
 *  - A side is worse only if the difference exceeds both the margin and the effect of chance.
 */
import { createHash } from 'node:crypto';
import { numberLookupKey } from '../../../base/core/phone-number.ts';
import type { CallRecord } from '../../runtime/journal.ts';

export interface Canary {
  /** Name of the flow. */
  name: string;
  version: string;
  /** Share of the callers, in percent. */
  percent: number;
  /** Own numbers to which it applies; absent: all. */
  numbers?: readonly string[];
  backWhen: BackWhen;
  sinceMs: number;
  compared: { canary: Side; inForce: Side };
  /** Absent while the canary is active. */
  ended?: CanaryEnd;
}

/** Conditions for an automatic end; margins are in percentage points. */
export interface BackWhen {
  errorsWorseBy: number;
  abandonedWorseBy: number;
  /** Minimum calls of the canary before it is judged. */
  afterCalls: number;
}

/** Criterion by which it is worse. */
export type Worse = 'errors' | 'abandoned';

export interface CanaryEnd {
  /** `broken`: the version no longer compiles. */
  why: Worse | 'stopped' | 'published' | 'broken';
  atMs: number;
  /** Name of the administrator, or `callweave` for an automatic end. */
  by: string;
}

/** `returned`: ended automatically because it was worse. */
export const stateOf = ({ ended }: Canary): 'on' | 'returned' | 'stopped' =>
  ended === undefined ? 'on' : ended.why === 'errors' || ended.why === 'abandoned' ? 'returned' : 'stopped';

/** Counts of the calls of one version that began during the canary and have ended. */
export interface Side {
  version: string;
  calls: number;
  /** Calls whose flow was ended by a fault. */
  errors: number;
  /** Calls in which the far party hung up before reaching another party. */
  abandoned: number;
  /** Counts by `step outcome`. */
  exits: Record<string, number>;
}

export const emptySide = (version: string): Side => ({ version, calls: 0, errors: 0, abandoned: 0, exits: {} });

/** Data of a call on which the choice of the version depends. */
export type CallOfCanary = Pick<CallRecord, 'callId' | 'direction' | 'from' | 'to'>;

/** True if the canary applies to the number of this call. */
export function isCandidateFor({ numbers }: Pick<Canary, 'numbers'>, { direction, from, to }: CallOfCanary): boolean {
  if (numbers === undefined) return true;
  const ours = numberLookupKey(direction === 'inbound' ? to : from);
  return numbers.some((number) => numberLookupKey(number) === ours);
}

/** C1 */
export const takesCanary = ({ version, percent }: Pick<Canary, 'version' | 'percent'>, call: CallOfCanary): boolean =>
  shareOf(version, call) < percent / 100;

const WITHOUT_NUMBER = new Set(['', 'anonymous', 'unknown', 'unavailable', 'restricted', 'withheld']);

/** Share in [0, 1) that decides about the canary. For a caller without a number it depends on the call id. */
function shareOf(version: string, { callId, direction, from, to }: CallOfCanary): number {
  const number = numberLookupKey(direction === 'inbound' ? from : to);
  const party = WITHOUT_NUMBER.has(number) ? `call ${callId}` : number;
  const bytes = createHash('sha256').update(`${version} ${party}`).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}

/** Criterion by which the canary is worse than the live version, once it has enough calls. */
export function worseIn({ compared, backWhen }: Pick<Canary, 'compared' | 'backWhen'>): Worse | undefined {
  const { canary, inForce } = compared;
  if (canary.calls < backWhen.afterCalls) return undefined;
  // At 100 % the canary has no live version to compare with: it is compared with its own rates and zero errors.
  const other = inForce.calls > 0 ? inForce : { ...canary, errors: 0 };
  if (isWorse(canary, other, 'errors', backWhen.errorsWorseBy)) return 'errors';
  if (isWorse(canary, other, 'abandoned', backWhen.abandonedWorseBy)) return 'abandoned';
  return undefined;
}

/** Quantile of the normal distribution: one in a hundred canaries as good as the live version exceeds it. */
const BEYOND_CHANCE = 2.33;

/** Two-proportion z-test: the difference against its standard error under equal rates. */
function isWorse(canary: Side, other: Side, what: Worse, points: number): boolean {
  const difference = canary[what] / canary.calls - other[what] / other.calls;
  if (difference * 100 <= points) return false;
  const pooled = (canary[what] + other[what]) / (canary.calls + other.calls);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / canary.calls + 1 / other.calls));
  return difference > BEYOND_CHANCE * deviation;
}
