/**
 * Builds the parts of the embedded SIP engine from its options, each from earlier ones: sources and defence, transport,
 * transactions, calls. One connection runs backwards: the user agent, which is built last, serves the transactions.
 * `engine.ts` starts and stops the parts.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { isWithin, networksOf } from '../../../base/core/networks.ts';
import { AbuseGuard } from './abuse-guard.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import { Authenticator } from './auth.ts';
import { headerReader } from './call-headers.ts';
import { CarrierSources } from './carrier-sources.ts';
import { Carriers } from './carriers.ts';
import { localContacts, registeredPeers } from './contact-store.ts';
import type { SipContext } from './context.ts';
import { DialTable } from './dial-table.ts';
import type { SipEngineOptions, SipEnginePorts } from './engine-options.ts';
import { GatewayWatch } from './gateway-watch.ts';
import { InboundCall } from './inbound-call.ts';
import { KnownPeers } from './known-peers.ts';
import { LocalNames } from './local-names.ts';
import { Locator, systemLookup } from './locator.ts';
import { familyOf, OwnAddress } from './own-address.ts';
import { ReferPolicy } from './refer-policy.ts';
import { Registrar } from './registrar.ts';
import { SdpHostNames } from './sdp-host-names.ts';
import type { SessionTimerOptions } from './session-timer.ts';
import { SipLegs } from './sip-legs.ts';
import { Transactions } from './transactions.ts';
import { type MessageTap, type SipLog, TransportLayer } from './transport-layer.ts';
import { tcpTransport } from './transport-tcp.ts';
import { tlsTransport } from './transport-tls.ts';
import { udpTransport } from './transport-udp.ts';
import { type UnknownCallerLimits, UnknownCallers } from './unknown-callers.ts';
import { createUserAgent } from './user-agent.ts';

const SESSION_TIMER: SessionTimerOptions = { expiresS: 1800, minS: 90 };
const ADMISSION: Omit<AdmissionOptions, 'acceptFrom'> = {
  invitesPerSecond: 100,
  inviteBurst: 200,
  dropScanners: true,
};
const UNKNOWN_CALLERS: UnknownCallerLimits = { calls: 200, unansweredCalls: 50, silenceMs: 60_000 };
const REALM = 'callweave';
const LOOPBACK = '127.0.0.1';

export type SipParts = ReturnType<typeof buildSipEngine>;

export function buildSipEngine(options: SipEngineOptions, ports: SipEnginePorts) {
  const { host = LOOPBACK, users = [] } = options;
  const { ids, log, media, random, tap } = ports;
  const clock = walledClock(ports.clock, log);
  const token = tokensFrom(random);
  const lookup = ports.lookup ?? systemLookup();
  const sessions: SipContext['sessions'] = new Map();
  const legs = new SipLegs(log);
  const state = { isRunning: false, isAccepting: true };
  const names = new LocalNames(
    new OwnAddress({
      ...{ host, advertised: options.advertisedHost, clock },
      ...(ports.routeTo ? { routeTo: ports.routeTo } : {}),
    }),
  );

  const carriers = new Carriers(options.routes ?? [], clock);
  const sources = new CarrierSources(carriers);
  const edges = networksOf(options.edges ?? []);
  const isEdge = (from: string): boolean => isWithin(edges, from);
  const contacts = ports.shared?.contacts ?? localContacts(clock);
  const known = new KnownPeers({
    ...{ clock, isEdge, isCarrier: (from) => sources.isCarrier(from) },
    phones: () => registeredPeers(contacts),
    farEnds: () => [...sessions.values()].map(({ dialog }) => dialog.peer),
  });
  const guard = new AbuseGuard(clock, (from) => known.isKnown(from));
  const admission = new Admission(
    { acceptFrom: options.acceptFrom, ...ADMISSION, ...options.limits },
    { clock, realm: REALM, guard, known },
  );
  const algorithms = options.digestAlgorithms ?? ['MD5'];
  const authenticator = new Authenticator({ clock, realm: REALM, users, algorithms, nonces: ports.shared?.nonces });
  const registrar = new Registrar({ authenticator, guard, isEdge, contacts });

  const { transports, tls } = transportsOf(host, options, ports, clock);
  const transportLayer = new TransportLayer({
    ...{ transports, guard, log },
    gate: {
      accepts: (from) => admission.accepts(from),
      knows: (peer) => known.isKnown(peer),
      expects: (from) => known.isExpected(from),
    },
    tap: tap && messageTap(tap, names, host),
  });
  const locator = new Locator({
    ...{ clock, random, log, lookup, family: familyOf(host) },
    has: (transport) => transportLayer.has(transport),
  });
  const hostNames = new SdpHostNames(clock, (name) => lookup.addresses(name));
  const transactions = new Transactions({ transport: transportLayer, clock, token, hostNames });

  const hasTls = transports.some(({ name }) => name === 'tls');
  const table = new DialTable(options, { authenticator, registrar, carriers, sources, hasTls });
  const referrals = new ReferPolicy({
    ...{ sessions, table, log },
    sessionOfLeg: (legId) => legs.get(legId)?.currentSession,
    projectOf: (of) => (legs.host?.projectOf ? legs.host.projectOf(of) : ''),
    here: (transport, towards) => names.localUriHost(transport, towards),
  });
  const unknownCallerLimits = { ...UNKNOWN_CALLERS, ...options.limits };
  const context: SipContext = {
    ...{ clock, ids, random, log, media, transactions, locator, sessions, referrals, token },
    sessionTimer: { ...SESSION_TIMER, ...options.sessionTimer },
    userAgent: options.userAgent ?? 'Callweave',
    readHeaders: headerReader(options.headers?.read),
    localUriHost: (transport, towards) => names.localUriHost(transport, towards),
    contact: (peer, wishes) => names.contact(peer, wishes),
    mediaAddress: (bound, peer) => names.mediaAddress(bound, peer),
    srtp: options.srtp,
    unknownCallerSilenceMs: unknownCallerLimits.silenceMs,
    trackPendingBye: () => legs.trackPendingBye(),
    associate: (callId, legId) => tap?.associate(callId, legId),
    emit: legs.emit,
  };
  const watch = new GatewayWatch(context, carriers);
  const userAgent = createUserAgent({
    ...{ context, authenticator, registrar, guard, admission, sources },
    isContact: (user) => watch.isContact(user),
    srtpOf: (user) => table.srtpOf(user),
    unknownCallers: new UnknownCallers(unknownCallerLimits, clock, isEdge),
    requireAuth: options.requireAuth ?? true,
    acceptsCalls: () => state.isRunning && state.isAccepting,
    takeOver(legId, invite, srtp) {
      const leg = legs.get(legId);
      if (leg) leg.takeOver(invite, srtp);
      else invite.respond(481);
    },
    call(invite, leg, caller) {
      const legId = ids.next('leg');
      legs.offer(new InboundCall(context, { legId, invite, caller, ended: () => legs.remove(legId) }), leg);
    },
  });
  transactions.serve(userAgent);
  return {
    ...{ state, legs, names, sessions, context, table, watch, carriers, registrar, guard },
    ...{ transports, tls, transportLayer, transactions },
  };
}

function transportsOf(host: string, options: SipEngineOptions, ports: SipEnginePorts, clock: Clock) {
  const tls = options.tls && tlsTransport(options.tls, host, clock);
  const transports = ports.transports ?? [
    udpTransport(host),
    ...((options.tcp ?? true) ? [tcpTransport(host, clock)] : []),
    ...(tls ? [tls] : []),
  ];
  return { transports, tls };
}

function tokensFrom(random: () => number): () => string {
  const part = () => Math.floor(random() * 2 ** 32).toString(36);
  return () => part() + part();
}

const messageTap =
  (tap: NonNullable<SipEnginePorts['tap']>, names: LocalNames, bound: string): MessageTap =>
  ({ direction, bytes, callId, peer }) => {
    const { transport, host, port } = peer;
    const local = () => names.endTowards(bound, peer);
    tap.message({ direction, bytes, callId, transport, local, remote: { host, port } });
  };

/** Logs errors of timer callbacks, as the transport layer logs errors of packets. */
function walledClock(clock: Clock, log: SipLog): Clock {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, fire) =>
      clock.after(delayMs, () => {
        try {
          fire();
        } catch (error) {
          log('error', 'sip.timer_crashed', { error: error instanceof Error ? (error.stack ?? error.message) : error });
        }
      }),
  };
}
