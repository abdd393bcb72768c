/**
 * Provisioned numbers: targets of inbound calls, and caller IDs that a project may present. Numbers are compared
 * without formatting characters: `+33 1 99-00` is `3319900`.
 */
import type { Json, JsonObject } from '../../../base/core/json.ts';

export { normalizeNumber } from '../../../base/core/phone-number.ts';

export interface ProvisionedNumber {
  /** The number in the spelling of the configuration. */
  number: string;
  projectId: string;
  /** Name of the flow that inbound calls run; absent: the built-in `inbound-webhook`. */
  flow?: string;
  /** Input of that flow. */
  input?: JsonObject;
  /** Greeting prompt for callers; only without a flow. */
  greeting?: Json;
  /** Time of the greeting: before `incomingcall` is sent (default), or as the first prompt of the accepted call. */
  greetingHeard?: 'before_accept' | 'after_connect';
  /** First prompt of outbound calls without an action that present this number. */
  outboundGreeting?: Json;
  /** True if calls are answered automatically; only without a flow. */
  autoAccept?: boolean;
  /** URL for the events of inbound calls. */
  webhook?: string;
  /** PIN that selects this entry of a shared number (`shared-number-gate.ts`). */
  pin?: string;
}

export interface NumberDirectory {
  /** Finds a number that is not shared. */
  find(number: string): ProvisionedNumber | undefined;
  /** All entries of a shared number, each with its own PIN. */
  shared(number: string): readonly ProvisionedNumber[];
  belongsTo(projectId: string, number: string): boolean;
  /** All numbers of a project, in their configured spelling. */
  of(projectId: string): readonly string[];
  /** First prompt of the project's outbound calls without an action that present this number. */
  outboundGreeting(projectId: string, number: string): JsonObject | undefined;
}
