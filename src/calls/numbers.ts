/**
 * The provisioned numbers: what an inbound call finds at its destination, and which callers' lines a project may show.
 * Numbers are compared without the marks that people put between digits: `+33 1 99-00` is `3319900`.
 */
import type { Json, JsonObject } from '../core/json.ts';

export { normalizeNumber } from '../core/phone-number.ts';

export interface ProvisionedNumber {
  /** As it was written. */
  number: string;
  projectId: string;
  /** Name of the flow that inbound calls run; absent: the built-in `inbound-webhook`. */
  flow?: string;
  /** Input of that flow. */
  input?: JsonObject;
  /** A written prompt: what callers hear first; only without a flow. */
  greeting?: Json;
  /** When they hear it: before `incomingcall` is sent (default), or as the first prompt of the accepted call. */
  greetingHeard?: 'before_accept' | 'after_connect';
  /** A written prompt: the first thing that calls without an action say, where they show this number. */
  outboundGreeting?: Json;
  /** Answered without being asked; only without a flow. */
  autoAccept?: boolean;
  /** Where the events of inbound calls go. */
  webhook?: string;
  /** Of a number that is several entries': who enters these digits is this one's caller (`reception.ts`). */
  pin?: string;
}

export interface Numbers {
  /** One that is not shared. */
  find(number: string): ProvisionedNumber | undefined;
  /** All that share this number, each with a pin of its own. */
  shared(number: string): readonly ProvisionedNumber[];
  belongsTo(projectId: string, number: string): boolean;
  /** All of a project, as they were written. */
  of(projectId: string): readonly string[];
  /** What calls of the project without an action say first, where they show this number. */
  outboundGreeting(projectId: string, number: string): JsonObject | undefined;
}
