/**
 * Reasons to refuse an inbound call after its number was looked up, with cause and log text; the metrics count them.
 */
import {
  CALL_REJECTED,
  type Cause,
  CONGESTION,
  SUBSCRIBER_ABSENT,
  TEMPORARY_FAILURE,
  UNALLOCATED_NUMBER,
} from '../../base/core/causes.ts';
import { Tally } from '../../base/core/figures.ts';

export const CALL_REFUSALS = {
  unknown_number: { cause: UNALLOCATED_NUMBER, why: 'no such number' },
  outbound_only: { cause: SUBSCRIBER_ABSENT, why: 'the number is for calls out' },
  no_capacity: { cause: CONGESTION, why: 'the maximum number of calls is reached' },
  project_full: { cause: CONGESTION, why: 'the project has as many calls as it may' },
  not_ready: { cause: CONGESTION, why: 'new calls are refused for now: GET /health has the reason' },
  no_flow: { cause: TEMPORARY_FAILURE, why: 'the flow of the number is not there' },
  no_pin: { cause: CALL_REJECTED, why: 'no pin' },
  wrong_pin: { cause: CALL_REJECTED, why: 'no such pin' },
  too_many_wrong_pins: { cause: CALL_REJECTED, why: 'too many wrong pins' },
  guessed_number: { cause: CALL_REJECTED, why: 'too many wrong pins at this number' },
} as const satisfies Record<string, { cause: Cause; why: string }>;

export type CallRefusal = keyof typeof CALL_REFUSALS;
export type CallRefusals = Tally<CallRefusal>;

export const createCallRefusals = (): CallRefusals => new Tally(Object.keys(CALL_REFUSALS) as CallRefusal[]);
