/** Why a channel has ended, in our words. */
import { type Cause, causeOf, causeOfSip, NORMAL_CLEARING, sipStatusOf, TEMPORARY_FAILURE } from '../../core/causes.ts';
import type { JsonObject } from '../../core/json.ts';

export interface LegEnd {
  cause: Cause;
  by: 'far' | 'near' | 'network';
  sipStatus?: number;
}

/** Of Q.850, and the final status of SIP; 0: unknown. */
export interface Causes {
  cause: number;
  techCause: number;
}

export const NO_CAUSES: Causes = { cause: 0, techCause: 0 };
export const LOST: LegEnd = { cause: TEMPORARY_FAILURE, by: 'network' };

export const causesOf = ({ cause, tech_cause: techCause }: JsonObject): Causes => ({
  cause: Number(cause ?? 0),
  techCause: Number(techCause ?? 0),
});

/** `isRinging`: of a party that has not answered. */
export function endByFar({ cause, techCause }: Causes, isRinging: boolean): LegEnd {
  if (isRinging && techCause >= 300 && techCause < 700) {
    return { cause: causeOfSip(techCause), by: 'far', sipStatus: techCause };
  }
  return { cause: cause === 0 ? NORMAL_CLEARING : causeOf(cause), by: 'far' };
}

/** Asterisk cannot make such a channel, or cannot be reached. */
export function refusalToDial(status: number): LegEnd {
  const cause = status === 0 || status >= 500 ? TEMPORARY_FAILURE : causeOf(3);
  return { cause, by: 'network', sipStatus: sipStatusOf(cause) };
}
