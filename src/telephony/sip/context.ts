/** What the layers of one engine share: passed down once, so that no layer reaches up. */
import type { Clock } from '../../core/clock.ts';
import type { Ids } from '../../core/ids.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { MediaPort } from '../media/media-port.ts';
import type { Locator } from './locator.ts';
import type { HeaderLine } from './message.ts';
import type { ReferPolicy } from './refer-policy.ts';
import type { SipSession } from './session.ts';
import type { SessionTimerOptions } from './session-timer.ts';
import type { SrtpPolicy } from './srtp-sdp.ts';
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
  sessions: Map<string, SipSession>;
  userAgent: string;
  /** A new unguessable word, for tags and Call-IDs. */
  token(): string;
  /**
   * `host:port`: how we are named in URIs of ours, for who has the address `towards`; with what has to be said to get
   * there by this transport.
   */
  localUriHost(transport?: TransportName, towards?: string): string;
  referrals: ReferPolicy;
  /** `<sip:…>`, or `<sips:…>`: where this peer reaches us. */
  contact(peer: Pick<Peer, 'transport' | 'host'>, wishes?: { user?: string; secure?: boolean }): string;
  /** Where this peer sends sound to that is received on `bound`. */
  mediaAddress(bound: string, peer: string): string;
  /** Which SRTP there may be, or has to be, with whom nothing else is said of; undefined: as signalling is encrypted. */
  srtp: SrtpPolicy | undefined;
  /** How long a stranger's call may be without any packet from there; 0: for ever. */
  unknownCallerSilenceMs: number;
  /** Somebody is being told that a call is over; to be called when that has been heard, or never will be. */
  trackGoodbye(): () => void;
  /** Tells the host, later and in order. */
  emit(legId: string, event: LegEvent): void;
}

export const METHODS = 'INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, REFER, NOTIFY, REGISTER';
export const EXTENSIONS = '100rel, timer, replaces, norefersub';
export const ALLOW: HeaderLine = ['Allow', METHODS];
export const SUPPORTED: HeaderLine = ['Supported', EXTENSIONS];
