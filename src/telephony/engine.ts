/**
 * The engine port: connects calls to a network. Engines own sockets, SIP timers and RTP; they know nothing about flows.
 *
 * Invariants, proved for every engine by the contract suite (`contracts/engine/engine-contract.ts`):
 *  E1 every leg ends with exactly one `ended`, and nothing follows it;
 *  E2 every `play`, `record`, `send_digits`, `stream`, `listen`, `detect_machine` and `refer` is answered by exactly one
 *     final event of its id, before `ended`;
 *  E3 a command for a leg that is gone, or that does not fit its state, is ignored and never throws;
 *  E4 events of one leg arrive in order, and never from inside a call of `send` or `dial`.
 */
import type { Cause } from '../core/causes.ts';
import type { LegCommand, LegEvent, SipPeer } from '../core/leg.ts';
import type { SipHeaders } from '../core/sip-headers.ts';

export interface Engine {
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** Resolves when calls can come in. */
  start(host: EngineHost): Promise<void>;
  /** Refuses new calls (503), hangs up the others, frees all sockets, threads and timers. */
  stop(): Promise<void>;
  /** Starts an outbound leg; everything that happens, failures included, arrives as events of `legId`. */
  dial(request: DialRequest): void;
  send(legId: string, command: LegCommand): void;
  /**
   * Lets go of a leg whose call another node has adopted: it goes on there, and nothing of it comes here any more. Absent:
   * media die with their process, and the leg is hung up.
   */
  release?(legId: string): void;
}

export interface EngineCapabilities {
  earlyMedia: boolean;
  sendDigits: boolean;
  record: boolean;
  /** `join`, `leave`, `mute`, `hold`, `resume`. */
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
  /** An inbound call; the engine made `leg.legId`. The host answers with commands, at once or later. */
  incoming(leg: IncomingLeg): void;
  event(legId: string, event: LegEvent): void;
  /**
   * The project of a call or a user: calls are taken over within one project only. Undefined: none. Without this
   * method, all belong to one project.
   */
  projectOf?(of: { legId: string } | { user: string }): string | undefined;
}

export interface DialRequest {
  legId: string;
  /** Caller line identification: a number. */
  from: string;
  /** A number, a SIP URI, or `user:NAME` for a registered user. */
  to: string;
  /** How long the far end may ring; then the leg ends with Q.850 19. */
  ringTimeoutMs: number;
  /** Shown beside the number (display name of From). */
  fromName?: string;
  /** Of the INVITE. */
  headers?: SipHeaders;
  /** A leg this one will talk to: both are best placed together. */
  nearLegId?: string;
}

export interface IncomingLeg {
  legId: string;
  from: string;
  fromName?: string;
  to: string;
  /** Name of the user who authenticated, when one did. */
  user?: string;
  /** Those of the INVITE that may be read, by lower-case name. */
  headers?: SipHeaders;
  /** For logs: the peer's address. */
  remote?: string;
  /** For the journal, of a telephone. */
  sip?: SipPeer;
}

/** An engine whose legs outlive the node that commands them: other nodes go on with its calls. */
export interface SurvivingEngine {
  /**
   * From here on commands to these legs are taken under this fence only, and their events come here. What arrives late of
   * an adopter with a lower fence changes nothing.
   */
  take(legs: readonly TakenLeg[], fence: number): Promise<void>;
  inspect(legId: string): Promise<LegAtEngine>;
}

export interface TakenLeg {
  legId: string;
  isInbound: boolean;
  /** All that its call has decided to send to it, in order, whether or not it arrived. */
  commands: readonly LegCommand[];
}

export interface LegAtEngine {
  /** `none`: the engine does not have it. `created`: it has not dialled it yet. */
  state: 'none' | 'created' | 'ringing' | 'connected' | 'ended';
  /** Of one that has ended. */
  cause?: Cause;
  /** How many commands have arrived for it, whatever became of them: they arrive in the order in which they were sent. */
  commands: number;
  /** Whether the request with this key (`requestKeyOf`) has not been answered yet. */
  isOpen(requestKey: string): boolean;
}
