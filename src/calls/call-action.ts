/** What a call may be asked to do, checked and in our own words; `api/` reads it from requests and answers. */
import type { Json, JsonObject } from '../core/json.ts';
import type { StreamTrack } from '../core/leg.ts';
import type { SipHeaders } from '../core/sip-headers.ts';
import type { PlayOrder } from './play-order.ts';

/** What a call may begin with when it is answered. */
export type CallAction =
  | { type: 'play'; play: PlayOrder }
  | { type: 'connect'; connect: ConnectOrder }
  | { type: 'room'; room: RoomOrder }
  | { type: 'stream'; stream: StreamOrder }
  /** `args` as of the verb. */
  | { type: 'conference'; args: JsonObject; after?: AfterMeeting }
  | { type: 'flow'; flow: string | JsonObject; input: JsonObject };

export interface ConnectOrder {
  to: string;
  /** The number to show; the call's own when absent. */
  from?: string;
  /** SIP headers of the INVITE. */
  headers?: SipHeaders;
}

export interface HangupOrder {
  /** SIP headers of the BYE, CANCEL or refusal. */
  headers?: SipHeaders;
}

export interface RoomOrder {
  roomId: string;
  displayName?: string;
  after?: AfterMeeting;
}

/**
 * Fate of a call that a request brought into a conference or a room, once that ends or sends it away. By default the
 * call is hung up, because nobody is left on the other side.
 */
export type AfterMeeting = 'hang_up' | 'stay';

/** As commands and the flow under REST control have it. */
export const endOf = (after: AfterMeeting | undefined): { after?: 'hang_up' } =>
  after === 'stay' ? {} : { after: 'hang_up' };

export interface StreamOrder {
  /** `ws:` or `wss:` */
  url: string;
  tracks: readonly StreamTrack[];
  bidirectional: boolean;
}

/** What the answer to an event may ask for besides. */
export type SteeringAction =
  | CallAction
  | ({ type: 'hangup' } & HangupOrder)
  | { type: 'hold'; hold: boolean; music?: Json }
  | { type: 'outcome'; outcome: string; set: JsonObject };
