/**
 * Port: legs whose far end is a web page in a browser instead of a phone. Permissions are checked before
 * (`service/calls/webphone`). Such a leg has the commands and events of any leg of the engine, and its invariants;
 * events that concern only the page are sent to `page`.
 */
import type { Cause } from '../../base/core/causes.ts';

export interface BrowserLegs {
  /** Reason why browsers cannot call; undefined if they can. */
  readonly unusable: string | undefined;
  /** `sdp`: offer of the browser. No event is reported from inside this call. */
  open(call: { legId: string; sdp: string }, page: BrowserPage): BrowserFarEnd;
}

/** Actions of the person at the browser, apart from talking. */
export interface BrowserFarEnd {
  hangUp(): void;
}

export type BrowserPage = (notice: BrowserNotice) => void;

export type BrowserNotice =
  /** Answers the offer of the browser. It does not mean that the call is answered. */
  | { type: 'answer'; sdp: string }
  | { type: 'ringing' }
  | { type: 'connected' }
  | { type: 'held'; held: boolean }
  /** Last notice. `why`: description of an error. */
  | { type: 'ended'; cause: Cause; by: 'far' | 'near' | 'network'; why?: string };
