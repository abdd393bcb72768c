/**
 * Port: legs whose far end is a browser that has opened a web page, not a phone of a network. Who may call, and whom, is
 * decided before (`calls/webphone`). Such a leg takes the commands and has the events of any leg of the engine, whose
 * invariants hold for it, too; what concerns the page alone goes to `page`.
 */
import type { Cause } from '../core/causes.ts';

export interface BrowserLegs {
  /** Why no browser can call here; undefined: they can. */
  readonly unusable: string | undefined;
  /** `sdp`: the offer of the browser. Nothing is reported from inside this call. */
  open(call: { legId: string; sdp: string }, page: BrowserPage): BrowserFarEnd;
}

/** What the person at the browser does, apart from talking. */
export interface BrowserFarEnd {
  hangUp(): void;
}

export type BrowserPage = (notice: BrowserNotice) => void;

export type BrowserNotice =
  /** Answers the offer of the browser. Whether the call is answered is another matter. */
  | { type: 'answer'; sdp: string }
  | { type: 'ringing' }
  | { type: 'connected' }
  | { type: 'held'; held: boolean }
  /** The last one. `why`: what went wrong, in words. */
  | { type: 'ended'; cause: Cause; by: 'far' | 'near' | 'network'; why?: string };
