/** Parts that the layers of one engine share. They are passed down once, so that no layer depends on a higher one. */
import type { Clock } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
import type { MediaPort } from '../media/media-port.ts';
import type { ReadHeaders } from './call-headers.ts';
import type { DialogSession } from './dialog-session.ts';
import type { Locator } from './locator.ts';
import type { HeaderLine } from './message.ts';
import type { ReferPolicy } from './refer-policy.ts';
import type { SessionTimerOptions } from './session-timer.ts';
import type { SrtpPolicy } from './srtp-policy.ts';
import type { Transactions } from './transactions.ts';
import type { Peer, TransportName } from './transport.ts';
import type { SipLog } from './transport-layer.ts';

export interface SipContext {
  clock: Clock;
  ids: Ids;
  random: () => number;
  log: SipLog;
  media: MediaPort;
  transactions: Transactions;
  locator: Locator;
  sessionTimer: SessionTimerOptions;
  /** Established and early dialogs, by `dialogKey`. */
  sessions: Map<string, DialogSession>;
  userAgent: string;
  /** Reads the headers that the host may see. */
  readHeaders: ReadHeaders;
  /** Returns a new unguessable token, for tags and Call-IDs. */
  token(): string;
  /**
   * Returns `host:port` of the engine for URIs, as the peer at `towards` can reach it, with the parameter for this
   * transport.
   */
  localUriHost(transport?: TransportName, towards?: string): string;
  referrals: ReferPolicy;
  /** Returns `<sip:…>` or `<sips:…>`: the Contact of the engine for this peer. */
  contact(peer: Pick<Peer, 'transport' | 'host'>, wishes?: { user?: string; secure?: boolean }): string;
  /** Returns the address to which this peer has to send audio that is received on `bound`. */
  mediaAddress(bound: string, peer: string): string;
  /** SRTP policy if neither user nor route has one. Undefined: it follows the encryption of the signalling. */
  srtp: SrtpPolicy | undefined;
  /** Time after which a call of an unknown caller without any packet is ended; 0: never. */
  unknownCallerSilenceMs: number;
  /**
   * Registers a pending BYE, CANCEL or de-registration, for which the engine waits when it stops. The returned function
   * has to be called when it is answered or has failed.
   */
  trackPendingBye(): () => void;
  /** Associates the dialog with this Call-ID with a leg, for the SIP trace. */
  associate(callId: string, legId: string): void;
  /** Emits an event to the host, later and in order. */
  emit(legId: string, event: LegEvent): void;
}

export const METHODS = 'INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, REFER, NOTIFY, REGISTER';
export const EXTENSIONS = '100rel, timer, replaces, norefersub';
export const ALLOW: HeaderLine = ['Allow', METHODS];
export const SUPPORTED: HeaderLine = ['Supported', EXTENSIONS];
