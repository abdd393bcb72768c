/** Messages between the service and the media process. */
import type { TransportOptions } from '../media-transport.ts';
import type { EngineCommand, EngineEvent } from '../sfu.ts';
import type { FromWebphone, ToWebphone } from '../webphone/webphone-messages.ts';
import type { MediaSpec } from './media-session.ts';

export type ToChild =
  | { type: 'begin'; options: TransportOptions; towardsEngine?: TransportOptions | undefined }
  | { type: 'open'; spec: MediaSpec }
  | { type: 'command'; confNum: string; command: EngineCommand }
  | ToWebphone
  /** Ends the process once its recordings are complete. */
  | { type: 'finish' }
  /** Liveness check, answered at once with `pong`. */
  | { type: 'ping' };

/** Messages that the engine in the process handles, regardless of the life cycle of the process. */
export type EngineOrder = Exclude<ToChild, { type: 'begin' | 'finish' | 'ping' }>;

export type FromChild =
  | { type: 'ready' }
  | { type: 'pong' }
  /** The engine cannot run on this machine; the process ends. */
  | { type: 'unusable'; why: string }
  | { type: 'event'; confNum: string; event: EngineEvent }
  | FromWebphone
  | { type: 'warning'; message: string; why: string }
  /** Last message of the process. */
  | { type: 'finished' };
