/**
 * Actions that a call can be asked to perform, validated and in internal form. `api/` reads them from requests and from
 * responses to events.
 */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { StreamTrack } from '../../../base/core/leg.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import type { PlayOrder } from '../prompts/play-order.ts';

/** First action of a call after its answer. */
export type CallAction =
  | { type: 'play'; play: PlayOrder }
  | { type: 'connect'; connect: ConnectOrder }
  | { type: 'room'; room: RoomOrder }
  | { type: 'stream'; stream: StreamOrder }
  /** `args`: arguments of the verb `conference`. */
  | { type: 'conference'; args: JsonObject; after?: AfterMeeting }
  /** `version`: hash of a kept version of the named flow; default: the version that calls use. */
  | { type: 'flow'; flow: string | JsonObject; input: JsonObject; version?: string };

export interface ConnectOrder {
  to: string;
  /** Caller ID; by default the call's own number. */
  from?: string;
  /** SIP headers of the INVITE. */
  headers?: SipHeaders;
}

export interface HangupOrder {
  /** SIP headers of the BYE, the CANCEL or the final response. */
  headers?: SipHeaders;
}

export interface RoomOrder {
  roomId: string;
  displayName?: string;
  after?: AfterMeeting;
}

/**
 * What happens to a call that a request brought into a conference or room, once that ends or removes the call. By
 * default the call is hung up, because it has no other party left.
 */
export type AfterMeeting = 'hang_up' | 'stay';

/** The action in the form of commands and of the flow under REST control. */
export const endOf = (after: AfterMeeting | undefined): { after?: 'hang_up' } =>
  after === 'stay' ? {} : { after: 'hang_up' };

export interface StreamOrder {
  /** URL with `ws:` or `wss:`. */
  url: string;
  tracks: readonly StreamTrack[];
  bidirectional: boolean;
}

/** Further actions that the response to an event may request. */
export type SteeringAction =
  | CallAction
  | ({ type: 'hangup' } & HangupOrder)
  | { type: 'hold'; hold: boolean; music?: Json }
  | { type: 'outcome'; outcome: string; set: JsonObject };
