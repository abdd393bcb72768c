/** What the layers of one engine share: passed down once, so that no layer reaches up. */
import type { Clock } from '../../core/clock.ts';
import type { Ids } from '../../core/ids.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { MediaPort } from '../media/media-port.ts';
import type { ReadHeaders } from './call-headers.ts';
import type { DialogSession } from './dialog-session.ts';
import type { Locator } from './locator.ts';
import type { HeaderLine } from './message.ts';
import type { ReferPolicy } from './refer-policy.ts';
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
  sessions: Map<string, DialogSession>;
  userAgent: string;
  /** What the host sees of a message. */
  readHeaders: ReadHeaders;
  /** A new unguessable token, for tags and Call-IDs. */
  token(): string;
  /** `host:port` for our own URIs as the peer at `towards` reaches us, with the parameter for this transport. */
  localUriHost(transport?: TransportName, towards?: string): string;
  referrals: ReferPolicy;
  /** `<sip:…>` or `<sips:…>`: our Contact for this peer. */
  contact(peer: Pick<Peer, 'transport' | 'host'>, wishes?: { user?: string; secure?: boolean }): string;
  /** The address to which this peer sends audio that is received on `bound`. */
  mediaAddress(bound: string, peer: string): string;
  /** The SRTP policy where neither user nor route has one; undefined: it follows the encryption of the signalling. */
  srtp: SrtpPolicy | undefined;
  /** How long an unknown caller's call may be without any packet; 0: for ever. */
  unknownCallerSilenceMs: number;
  /** A far end is being informed that its call ended. Call the result when that is acknowledged or has failed. */
  trackGoodbye(): () => void;
  /** The dialog with this Call-ID belongs to this leg: for those who keep messages. */
  belongs(callId: string, legId: string): void;
  /** Emits to the host, later and in order. */
  emit(legId: string, event: LegEvent): void;
}

export const METHODS = 'INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, REFER, NOTIFY, REGISTER';
export const EXTENSIONS = '100rel, timer, replaces, norefersub';
export const ALLOW: HeaderLine = ['Allow', METHODS];
export const SUPPORTED: HeaderLine = ['Supported', EXTENSIONS];
