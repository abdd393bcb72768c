/** Orders of a flow for calls of their own (verbs `call` and `cancel_call`), as the service receives them. */
import type { JsonObject } from './json.ts';

/** Id of the order: the same on every attempt, so that a repeated order has no further effect. */
export type FlowCallOrder = { id: string } & ({ place: CallToPlace } | { cancel: string });

export interface CallToPlace {
  /** Called one after the other. */
  to: readonly string[];
  /** Caller ID. */
  from: string;
  flow: string | JsonObject;
  input: JsonObject;
  startsMs: number;
  until: 'answered' | 'accepted';
  key?: string;
  /** Allowed prefixes of the numbers. */
  allow?: readonly string[];
  hours?: JsonObject;
  /** Maximum calls to each number. */
  attempts: number;
  pauseMs: number;
  ringTimeoutMs: number;
  eventUrl?: string;
}

/** Reasons of a refused order. */
export type OrderRefusal =
  | 'no_number'
  | 'not_callable'
  | 'do_not_call'
  | 'not_presentable'
  | 'in_the_past'
  | 'too_far'
  | 'too_many'
  | 'unavailable';
