/**
 * Engine port: connects calls to a network. Engines own sockets, SIP timers and RTP; they do not know flows.
 *
 * Invariants, proved for every engine by the contract suite (`test/contracts/engine/engine-contract.ts`):
 *  - E1 every leg ends with exactly one `ended`, and no event follows it;
 *  - E2 every `play`, `record`, `send_digits`, `stream`, `listen`, `detect_machine` and `refer` is answered by exactly
 *    one final event of its id, before `ended`;
 *  - E3 a command for a leg that has ended, or that does not fit its state, is ignored and never throws;
 *  - E4 events of one leg are emitted in order, and never from inside a call of `send` or `dial`.
 */
import type { Cause } from '../../base/core/causes.ts';
import type { LegCommand, LegEvent, SipPeer } from '../../base/core/leg.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';

export interface Engine {
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** Resolves when calls can arrive. */
  start(host: EngineHost): Promise<void>;
  /** Refuses new calls (503), hangs up the others, releases all sockets, threads and timers. */
  stop(): Promise<void>;
  /** Starts an outbound leg; all results, including failures, are reported as events of `legId`. */
  dial(request: DialRequest): void;
  send(legId: string, command: LegCommand): void;
  /**
   * Releases a leg whose call another node has adopted: it continues there, and no more events are reported here.
   * Absent: media end with their process, and the leg is hung up.
   */
  release?(legId: string): void;
}

export interface EngineCapabilities {
  earlyMedia: boolean;
  sendDigits: boolean;
  record: boolean;
  /** Commands `join`, `leave`, `mute`, `hold`, `resume`. */
  mix: boolean;
  stream: boolean;
  listen: boolean;
  detectMachine: boolean;
  refer: boolean;
}

export const ALL_CAPABILITIES: EngineCapabilities = {
  earlyMedia: true,
  sendDigits: true,
  record: true,
  mix: true,
  stream: true,
  listen: true,
  detectMachine: true,
  refer: true,
};

export interface EngineHost {
  /** An inbound call; the engine has created `leg.legId`. The host responds with commands, at once or later. */
  incoming(leg: IncomingLeg): void;
  event(legId: string, event: LegEvent): void;
  /**
   * Returns the project of a call or a user: calls can be taken over only within one project. Undefined: none. Without
   * this method, all belong to one project.
   */
  projectOf?(of: { legId: string } | { user: string }): string | undefined;
}

export interface DialRequest {
  legId: string;
  /** Caller ID: a number. */
  from: string;
  /** A number, a SIP URI, or `user:NAME` for a registered user. */
  to: string;
  /** Maximum ringing time; after that the leg ends with Q.850 19. */
  ringTimeoutMs: number;
  /** Display name of From. */
  fromName?: string;
  /** Headers for the INVITE. */
  headers?: SipHeaders;
  /** Leg to which this one will be connected: both are best placed in one thread. */
  nearLegId?: string;
}

export interface IncomingLeg {
  legId: string;
  from: string;
  fromName?: string;
  to: string;
  /** Name of the authenticated user, if any. */
  user?: string;
  /** Headers of the INVITE that the host may read, by lower-case name. */
  headers?: SipHeaders;
  /** Address of the peer, for logs. */
  remote?: string;
  /**
   * Source of the call for limits: the authenticated user, or the network of the peer. Absent for carriers and edge
   * proxies, which forward the calls of many callers.
   */
  source?: string;
  /** SIP data for the journal. */
  sip?: SipPeer;
}

/** A leg whose far end another part of the process connects, such as a browser. */
export interface AttachedLeg {
  readonly legId: string;
  send(command: LegCommand): void;
}

/** Engine that also carries attached legs: it passes their commands and events, and waits for their end when it stops. */
export interface LegCarrier {
  readonly isRunning: boolean;
  attach(leg: AttachedLeg): void;
  detach(legId: string): void;
  /** Emits an event to the host, later and in order. */
  emit(legId: string, event: LegEvent): void;
}

/** Engine whose legs survive the node that commands them, so that other nodes can continue its calls. */
export interface SurvivingEngine {
  /**
   * Takes over legs: after this call, commands to them are accepted only under this fence, and their events are
   * reported here. Late commands of an adopter with a lower fence have no effect.
   */
  take(legs: readonly TakenLeg[], fence: number): Promise<void>;
  inspect(legId: string): Promise<LegAtEngine>;
}

export interface TakenLeg {
  legId: string;
  isInbound: boolean;
  /** All commands that the call has issued for the leg, in order, whether or not they arrived. */
  commands: readonly LegCommand[];
}

export interface LegAtEngine {
  /** `none`: the engine does not have it. `created`: not dialled yet. */
  state: 'none' | 'created' | 'ringing' | 'connected' | 'ended';
  /** Cause, if the leg has ended. */
  cause?: Cause;
  /**
   * Number of commands that have arrived for it, whatever their result: they arrive in the order in which they were
   * sent.
   */
  commands: number;
  /** True if the request with this key (`requestKeyOf`) has not been answered yet. */
  isOpen(requestKey: string): boolean;
}
