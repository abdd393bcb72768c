/** What the embedded engine is made of: its options, the parts it is given, and what it offers beside the engine port. */
import type { Clock } from '../../core/clock.ts';
import type { FigureSource } from '../../core/figures.ts';
import type { Ids } from '../../core/ids.ts';
import type { SipTap } from '../../core/sip-capture.ts';
import type { Engine } from '../engine.ts';
import type { MediaPort } from '../media/media-port.ts';
import type { AdmissionOptions } from './admission.ts';
import type { Algorithm, SharedNonces } from './auth.ts';
import type { CarrierRoute } from './carriers.ts';
import type { ContactStore } from './contact-store.ts';
import type { CarrierState } from './gateway-watch.ts';
import type { Lookup } from './locator.ts';
import type { SessionTimerOptions } from './session-timer.ts';
import type { SrtpPolicy } from './srtp-sdp.ts';
import type { Transport } from './transport.ts';
import type { SipLog } from './transport-layer.ts';
import type { TlsOptions } from './transport-tls.ts';
import type { UnknownCallerLimits } from './unknown-callers.ts';

export interface SipEngineOptions {
  /** The address to bind. Default `127.0.0.1`. */
  host?: string;
  /** Default 5060; 0: any free port. */
  port?: number;
  /** TCP beside UDP, on the same port. Default true. */
  tcp?: boolean;
  /** TLS on its own port, default 5061; 0: any free port. */
  tls?: TlsOptions & { port?: number };
  /**
   * SRTP with keys in the session descriptions (RFC 4568), where neither route nor user has a policy. Default:
   * `optional` where signalling uses TLS, else `off`.
   */
  srtp?: SrtpPolicy;
  /** Our host in Via, Contact and From, if it is not the bound address. */
  advertisedHost?: string;
  /** Users who may register and call. */
  users?: readonly { name: string; password: string; srtp?: SrtpPolicy }[];
  /**
   * The algorithms of challenges, the preferred first (RFC 8760). Default MD5 alone: many phones fail on a response
   * with any challenge they do not know.
   */
  digestAlgorithms?: readonly Algorithm[];
  /** Callers whose From names one of our users have to authenticate. Default true. */
  requireAuth?: boolean;
  /** Carriers by number prefix; the longest match is tried first. */
  routes?: readonly CarrierRoute[];
  /** Hosts that SIP URIs may name. Default none. */
  allowSipUris?: readonly string[];
  userAgent?: string;
  /** Headers that the host may read beside those that it always may. */
  headers?: { readonly read: readonly string[] };
  sessionTimer?: Partial<SessionTimerOptions>;
  /** Accepted networks beside those of the carriers; absent: all. */
  acceptFrom?: readonly string[];
  /** Networks of proxies of ours, which phones register through: their Path counts, and no limit per source does. */
  edges?: readonly string[];
  limits?: Partial<Omit<AdmissionOptions, 'acceptFrom'> & UnknownCallerLimits>;
}

export interface SipEnginePorts {
  media: MediaPort;
  clock: Clock;
  ids: Ids;
  /** In [0, 1). Tags and branches are made of it, so it should be unguessable. */
  random: () => number;
  log: SipLog;
  /** Sees all messages. */
  tap?: SipTap | undefined;
  /** What several nodes share; absent: there is one. */
  shared?: { nonces: SharedNonces; contacts: ContactStore };
  /** Replaces the sockets that the options describe. */
  transports?: readonly Transport[];
  /** Replaces the system's name resolution. */
  lookup?: Lookup;
  /** Replaces the system's routing: our local address for packets to this peer. */
  routeTo?: (peer: string) => string;
}

/** `port`: of UDP and TCP, or of TLS if there is nothing else. */
export interface SipAddress {
  host: string;
  port: number;
  tlsPort?: number;
}

export interface SipEngine extends Engine {
  /** The listening address; only after `start`. */
  address(): SipAddress;
  /**
   * Replaces users, carriers and, where they are given, the hosts that SIP URIs may name, from the next call on; forgets
   * phones of users who are gone or have another password.
   */
  configure(lines: Required<Pick<SipEngineOptions, 'users' | 'routes'>> & Pick<SipEngineOptions, 'allowSipUris'>): void;
  /**
   * False: new calls and OPTIONS are refused with 503 and Retry-After, and registrations with carriers removed, so that calls
   * go elsewhere; the calls there are go on. True: as from the start.
   */
  acceptCalls(isAccepting: boolean): void;
  /** Replaces the TLS certificates from the next connection on; throws when they are unusable. */
  renewTls(tls: TlsOptions): void;
  /** How many registrations with carriers are configured, and how many are active. */
  registrations(): { wanted: number; registered: number };
  /** States of the gateways that are probed or registered with. */
  carriers(): readonly CarrierState[];
  /** For metrics. */
  readonly figures: FigureSource;
  /** Of what is there now, and of what could not be read. */
  counts(): {
    legs: number;
    sessions: number;
    transactions: number;
    malformed: number;
    dropped: number;
    crashed: number;
  };
}
