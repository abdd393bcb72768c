/** Options and ports of the embedded SIP engine, and its interface beyond the engine port. */
import type { Clock } from '../../../base/core/clock.ts';
import type { FigureSource } from '../../../base/core/figures.ts';
import type { Ids } from '../../../base/core/ids.ts';
import type { SipTap } from '../../../base/core/sip-capture.ts';
import type { Engine, LegCarrier } from '../engine.ts';
import type { MediaPort } from '../media/media-port.ts';
import type { AdmissionOptions } from './admission.ts';
import type { Algorithm, SharedNonces } from './auth.ts';
import type { CarrierRoute } from './carriers.ts';
import type { ContactStore } from './contact-store.ts';
import type { CarrierState } from './gateway-watch.ts';
import type { Lookup } from './locator.ts';
import type { SessionTimerOptions } from './session-timer.ts';
import type { SrtpPolicy } from './srtp-policy.ts';
import type { Transport } from './transport.ts';
import type { SipLog } from './transport-layer.ts';
import type { TlsOptions } from './transport-tls.ts';
import type { UnknownCallerLimits } from './unknown-callers.ts';

export interface SipEngineOptions {
  /** Address to bind; default: `127.0.0.1`. */
  host?: string;
  /** Default: 5060; 0: any free port. */
  port?: number;
  /** True for TCP in addition to UDP, on the same port; default: true. */
  tcp?: boolean;
  /** TLS on its own port; default: 5061; 0: any free port. */
  tls?: TlsOptions & { port?: number };
  /**
   * SRTP with keys in session descriptions (RFC 4568), if neither route nor user has a policy. Default: `optional` if
   * signalling uses TLS, else `off`.
   */
  srtp?: SrtpPolicy;
  /** Host in Via, Contact and From, if it is not the bound address. */
  advertisedHost?: string;
  /** Users who may register and call. */
  users?: readonly { name: string; password: string; srtp?: SrtpPolicy }[];
  /**
   * Algorithms of challenges, in order of preference (RFC 8760). Default: only MD5, because many phones fail on a
   * response with a challenge that they do not support.
   */
  digestAlgorithms?: readonly Algorithm[];
  /** True if callers whose From names a local user have to authenticate; default: true. */
  requireAuth?: boolean;
  /** Carriers by number prefix; the longest match is tried first. */
  routes?: readonly CarrierRoute[];
  /** Hosts that SIP URIs may name; default: none. */
  allowSipUris?: readonly string[];
  userAgent?: string;
  /** Headers that the host may read, in addition to the standard ones. */
  headers?: { readonly read: readonly string[] };
  sessionTimer?: Partial<SessionTimerOptions>;
  /** Accepted networks, in addition to those of the carriers; absent: all. */
  acceptFrom?: readonly string[];
  /**
   * Networks of trusted edge proxies through which phones register: their Path is used, and limits by source do not
   * apply.
   */
  edges?: readonly string[];
  limits?: Partial<Omit<AdmissionOptions, 'acceptFrom'> & UnknownCallerLimits>;
}

export interface SipEnginePorts {
  media: MediaPort;
  clock: Clock;
  ids: Ids;
  /** Returns a number in [0, 1). Tags and branches are derived from it, so that it should be unguessable. */
  random: () => number;
  log: SipLog;
  /** Receives all messages. */
  tap?: SipTap | undefined;
  /** State that several nodes share; absent: there is one node. */
  shared?: { nonces: SharedNonces; contacts: ContactStore };
  /** Replaces the sockets that the options describe. */
  transports?: readonly Transport[];
  /** Replaces the system's name resolution. */
  lookup?: Lookup;
  /** Replaces the system's routing: the local address for packets to this peer. */
  routeTo?: (peer: string) => string;
}

/** `port`: of UDP and TCP, or of TLS if there is no other. */
export interface SipAddress {
  host: string;
  port: number;
  tlsPort?: number;
}

/** A phone that is registered now. */
export interface RegisteredPhone {
  transport: string;
  /** Source of its REGISTER. */
  host: string;
  port: number;
  /** First REGISTER, in milliseconds since 1970. Absent if it is not known. */
  sinceMs?: number;
  /** Time until it must register again, in ms. */
  leftMs: number;
}

export interface SipEngine extends Engine {
  /** Legs that are not SIP legs. */
  readonly attached: LegCarrier;
  /** Listening address; available after `start`. */
  address(): SipAddress;
  /**
   * Replaces users, carriers and, if given, the hosts that SIP URIs may name, from the next call on. Removes contacts
   * of users who were removed or have another password.
   */
  configure(lines: Required<Pick<SipEngineOptions, 'users' | 'routes'>> & Pick<SipEngineOptions, 'allowSipUris'>): void;
  /**
   * False: refuses new calls and OPTIONS with 503 and Retry-After, and removes registrations with carriers, so that
   * calls use other servers; active calls continue. True: accepts them again.
   */
  acceptCalls(isAccepting: boolean): void;
  /** Registered phones of a user, newest first. */
  phonesOf(user: string): RegisteredPhone[];
  /** Replaces the TLS certificates from the next connection on; throws if they are unusable. */
  renewTls(tls: TlsOptions): void;
  /** Number of configured and of active registrations with carriers. */
  registrations(): { wanted: number; registered: number };
  /** States of the gateways that are probed or registered with. */
  carriers(): readonly CarrierState[];
  /** Figures for metrics. */
  readonly figures: FigureSource;
  /** Numbers of current objects, and of malformed messages. */
  counts(): {
    legs: number;
    sessions: number;
    transactions: number;
    malformed: number;
    dropped: number;
    crashed: number;
  };
}
