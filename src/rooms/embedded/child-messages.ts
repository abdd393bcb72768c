/** The messages between the service and the process of the engine. */
import type { EngineCommand, EngineEvent } from '../sfu.ts';
import type { LineCommand, LineEvent } from './line-messages.ts';
import type { MediaSpec } from './media-session.ts';
import type { TransportOptions } from './media-transport.ts';

export type ToChild =
  | { type: 'begin'; options: TransportOptions; towardsEngine?: TransportOptions | undefined }
  | { type: 'open'; spec: MediaSpec }
  | { type: 'command'; confNum: string; command: EngineCommand }
  | { type: 'line'; id: string; command: LineCommand }
  /** It ends as soon as what was recorded is whole. */
  | { type: 'finish' }
  /** Answered at once, as long as it lives. */
  | { type: 'ping' };

/** Those for the engine itself, whatever its process does. */
export type EngineOrder = Exclude<ToChild, { type: 'begin' | 'finish' | 'ping' }>;

export type FromChild =
  | { type: 'ready' }
  | { type: 'pong' }
  /** It cannot work here; its end follows. */
  | { type: 'unusable'; why: string }
  | { type: 'event'; confNum: string; event: EngineEvent }
  | { type: 'line'; id: string; event: LineEvent }
  | { type: 'warning'; message: string; why: string }
  /** The last. */
  | { type: 'finished' };
