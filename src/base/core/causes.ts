/**
 * Causes of the end of a call: one table of SIP status (RFC 3261 §21), Q.850 cause, wording in the API and outcome of a
 * dial. The mapping follows RFC 3398 §7.2.4.1 (ISUP interworking) where that defines one, and common practice
 * elsewhere.
 */
export interface Cause {
  /** ITU-T Q.850 cause value. */
  code: number;
  /** The wording of `disconnect_reason`. */
  reason: string;
}

/** Outcome of a dial, which flows route as `failed.busy` and so on. */
export type DialOutcome = 'no_answer' | 'busy' | 'declined' | 'unreachable';

interface CauseRow extends Cause {
  outcome: DialOutcome;
  /** SIP status sent if the service refuses a call with this cause. */
  sipStatus: number;
  /** SIP statuses from the far end that map to this cause. */
  meant: readonly number[];
}

const row = (
  code: number,
  reason: string,
  outcome: DialOutcome,
  sipStatus: number,
  meant: readonly number[] = [],
): CauseRow => ({ code, reason, outcome, sipStatus, meant });

const ROWS: readonly CauseRow[] = [
  row(1, 'Unallocated Number', 'unreachable', 404, [404, 485, 604]),
  row(3, 'No Route To Destination', 'unreachable', 404),
  row(16, 'Normal Clearing', 'declined', 603),
  row(17, 'User Busy', 'busy', 486, [486, 600]),
  row(18, 'No User Responding', 'no_answer', 408, [480]),
  row(19, 'No Answer', 'no_answer', 480, [487]),
  row(20, 'Subscriber Absent', 'unreachable', 480),
  row(21, 'Call Rejected', 'declined', 603, [401, 402, 403, 407, 603]),
  row(22, 'Number Changed', 'unreachable', 410, [410]),
  row(26, 'Non-Selected User Clearing', 'no_answer', 480),
  row(27, 'Destination Out Of Order', 'unreachable', 502),
  row(28, 'Invalid Number Format', 'unreachable', 484, [484]),
  row(31, 'Normal Unspecified', 'unreachable', 480),
  row(34, 'No Circuit Available', 'unreachable', 503),
  row(38, 'Network Out Of Order', 'unreachable', 503, [502]),
  row(41, 'Temporary Failure', 'unreachable', 503, [400, 481, 491, 500, 503]),
  row(42, 'Switching Equipment Congestion', 'unreachable', 503),
  row(57, 'Bearer Capability Not Authorized', 'declined', 403),
  row(63, 'Service Unavailable', 'unreachable', 503, [405]),
  row(65, 'Bearer Capability Not Implemented', 'unreachable', 488, [488, 606]),
  row(79, 'Service Not Implemented', 'unreachable', 501, [406, 415, 501]),
  row(102, 'Recovery On Timer Expiry', 'unreachable', 504, [408, 504]),
  row(111, 'Protocol Error', 'unreachable', 500),
  row(127, 'Interworking', 'unreachable', 500, [413, 414, 416, 420, 421, 423, 482, 483, 505, 513]),
];
const BY_CODE = new Map(ROWS.map((entry) => [entry.code, entry]));
const CODE_BY_SIP = new Map(ROWS.flatMap(({ code, meant }) => meant.map((status) => [status, code])));

export const UNALLOCATED_NUMBER: Cause = causeOf(1);
/** Non-selected user clearing: another party has answered the call. */
export const NOT_SELECTED = causeOf(26);
export const NORMAL_CLEARING: Cause = causeOf(16);
export const SUBSCRIBER_ABSENT: Cause = causeOf(20);
export const CALL_REJECTED: Cause = causeOf(21);
export const CONGESTION: Cause = causeOf(42);
export const NO_ANSWER: Cause = causeOf(19);
export const NO_ROUTE: Cause = causeOf(3);
export const TEMPORARY_FAILURE: Cause = causeOf(41);

/** The cause with this Q.850 value; an unknown value has the wording `Normal Unspecified`. */
export function causeOf(code: number): Cause {
  return { code, reason: BY_CODE.get(code)?.reason ?? 'Normal Unspecified' };
}

/** The cause that a final SIP failure response maps to. */
export function causeOfSip(status: number): Cause {
  return causeOf(CODE_BY_SIP.get(status) ?? (status >= 600 ? 21 : status >= 500 ? 41 : 31));
}

export function dialOutcome(cause: Cause): DialOutcome {
  return BY_CODE.get(cause.code)?.outcome ?? 'unreachable';
}

/** The SIP status that refuses a call with this cause. */
export function sipStatusOf(cause: Cause): number {
  return BY_CODE.get(cause.code)?.sipStatus ?? 480;
}

const NETWORK_FAULTS = new Set([3, 27, 34, 38, 41, 42, 63, 79, 102, 111, 127]);

/** Status of a cancelled INVITE. */
const SIP_CANCELLED = 487;

/** True if this final status is a refusal. A dial that the caller cancelled was not refused. */
export const isSipRefusal = (status = 0): boolean => status >= 300 && status !== SIP_CANCELLED;

/** True if the cause is a fault of the service or the network, not a decision of the called party. */
export function isNetworkFault(cause: Cause): boolean {
  return NETWORK_FAULTS.has(cause.code);
}
