/** Maps the end of a channel to the end of a leg. */
import {
  type Cause,
  causeOf,
  causeOfSip,
  NORMAL_CLEARING,
  sipStatusOf,
  TEMPORARY_FAILURE,
} from '../../../base/core/causes.ts';
import type { JsonObject } from '../../../base/core/json.ts';

export interface LegEnd {
  cause: Cause;
  by: 'far' | 'near' | 'network';
  sipStatus?: number;
}

/** Q.850 cause, and final SIP status; 0: unknown. */
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

/** `isRinging`: the party has not answered. */
export function endByFar({ cause, techCause }: Causes, isRinging: boolean): LegEnd {
  if (isRinging && techCause >= 300 && techCause < 700) {
    return { cause: causeOfSip(techCause), by: 'far', sipStatus: techCause };
  }
  return { cause: cause === 0 ? NORMAL_CLEARING : causeOf(cause), by: 'far' };
}

/** Asterisk cannot create such a channel, or cannot be reached. */
export function refusalToDial(status: number): LegEnd {
  const cause = status === 0 || status >= 500 ? TEMPORARY_FAILURE : causeOf(3);
  return { cause, by: 'network', sipStatus: sipStatusOf(cause) };
}
