/** Messages between a phone in a browser and the service; described by `schemas/webphone/`. */
import { createMessageReader } from '../../../base/schema/message-reader.ts';

export type WebphoneClientMessage =
  | { type: 'prepare'; token: string }
  | { type: 'call'; token: string; sdp: string }
  | { type: 'hangup' }
  | { type: 'ping' };

export type WebphoneErrorCode =
  | 'bad_message'
  | 'token_invalid'
  | 'token_expired'
  | 'token_used'
  | 'token_unchecked'
  | 'too_many_calls'
  | 'too_many_messages'
  | 'unavailable'
  | 'already_called';

/** STUN or TURN server, in the format of `RTCConfiguration`. */
export interface WebphoneIceServer {
  urls: readonly string[];
  username?: string;
  credential?: string;
}

export type WebphoneServerMessage =
  | { type: 'prepared'; from: string; to: string; ice_servers: readonly WebphoneIceServer[] }
  | { type: 'calling'; voice_id: string; from: string; to: string }
  | { type: 'answer'; sdp: string }
  | { type: 'ringing' }
  | { type: 'connected' }
  | { type: 'held'; held: boolean }
  | { type: 'ended'; cause: number; reason: string; by: 'far' | 'near' | 'network'; why?: string }
  | { type: 'error'; code: WebphoneErrorCode; message: string }
  | { type: 'pong' };

/** Room for a token and an SDP offer. */
export const MAX_WEBPHONE_MESSAGE_LENGTH = 90_000;

export const readWebphoneMessage = createMessageReader<WebphoneClientMessage>(
  'webphone/client',
  MAX_WEBPHONE_MESSAGE_LENGTH,
);
