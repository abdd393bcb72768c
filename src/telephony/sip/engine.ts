/**
 * Embedded SIP engine: the built-in SIP stack, with media by `MediaPort`. Wires the parts together: creates them from
 * the options, packets create legs, and commands reach their leg.
 * Invariants: E1–E4 of `../engine.ts`. Events are queued, and emitted after the call that caused them has returned.
 */
import { NO_ROUTE } from '../../core/causes.ts';
import type { Clock } from '../../core/clock.ts';
import { hostText } from '../../core/host-text.ts';
import type { LegCommand, LegEvent } from '../../core/leg.ts';
import { isWithin, networksOf } from '../../core/networks.ts';
import type { SipEnd, SipTap } from '../../core/sip-capture.ts';
import { ALL_CAPABILITIES, type DialRequest, type EngineHost } from '../engine.ts';
import { AbuseGuard } from './abuse-guard.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import { Authenticator } from './auth.ts';
import { headerReader } from './call-headers.ts';
import type { CallLeg } from './call-leg.ts';
import { Carriers } from './carriers.ts';
import { localContacts } from './contact-store.ts';
import type { SipContext } from './context.ts';
import type { SipEngine, SipEngineOptions, SipEnginePorts } from './engine-options.ts';
import { GatewayWatch } from './gateway-watch.ts';
import { InboundCall } from './inbound-call.ts';
import { KnownPeers } from './known-peers.ts';
import { Locator, systemLookup } from './locator.ts';
import { OutboundCall } from './outbound-call.ts';
import { dialPlanOf, redirectTarget } from './outbound-routes.ts';
import { familyOf, OwnAddress } from './own-address.ts';
import { ReferPolicy } from './refer-policy.ts';
import { Registrar } from './registrar.ts';
import { SdpHostNames } from './sdp-host-names.ts';
import type { SessionTimerOptions } from './session-timer.ts';
import { sipFigures } from './sip-figures.ts';
import { Transactions } from './transactions.ts';
import type { Peer, TransportName } from './transport.ts';
import { type BoundAddresses, type MessageTap, type SipLog, TransportLayer } from './transport-layer.ts';
import { tcpTransport } from './transport-tcp.ts';
import { tlsTransport } from './transport-tls.ts';
import { udpTransport } from './transport-udp.ts';
import { type UnknownCallerLimits, UnknownCallers } from './unknown-callers.ts';
import { escapeUser } from './uri.ts';
import { createUserAgent } from './user-agent.ts';

const SESSION_TIMER: SessionTimerOptions = { expiresS: 1800, minS: 90 };
const ADMISSION: Omit<AdmissionOptions, 'acceptFrom'> = {
  invitesPerSecond: 100,
  inviteBurst: 200,
  dropScanners: true,
};
const UNKNOWN_CALLERS: UnknownCallerLimits = { calls: 200, unansweredCalls: 50, silenceMs: 60_000 };
const REALM = 'callweave';
/** Maximum time that `stop` waits for the media of the last legs, and for far ends to acknowledge their end. */
const STOP_LIMIT_MS = 2000;

export function createSipEngine(options: SipEngineOptions, ports: SipEnginePorts): SipEngine {
  const host = options.host ?? '127.0.0.1';
  const { ids, log, media, random, tap } = ports;
  const clock = walledClock(ports.clock, log);
  const legs = new Map<string, CallLeg>();
  const sessions: SipContext['sessions'] = new Map();
  const queue: { legId: string; event: LegEvent }[] = [];
  let engineHost: EngineHost | undefined;
  let bound: BoundAddresses = {};
  /** True while the engine is started. */
  let running = false;
  /** True while new inbound calls are accepted. */
  let accepting = true;
  let farewells = 0;
  let allGone: (() => void) | undefined;

  const token = () => {
    const part = () => Math.floor(random() * 2 ** 32).toString(36);
    return part() + part();
  };
  const own = new OwnAddress({
    host,
    advertised: options.advertisedHost,
    clock,
    ...(ports.routeTo ? { routeTo: ports.routeTo } : {}),
  });
  const nameFor = (transport: TransportName, towards?: string) => {
    const { port = 5060 } = (transport === 'tls' ? bound.tls : (bound.plain ?? bound.tls)) ?? {};
    return `${hostText(own.hostFor(towards))}:${port}`;
  };
  const localUriHost = (transport: TransportName = 'udp', towards?: string) =>
    transport === 'udp' ? nameFor('udp', towards) : `${nameFor(transport, towards)};transport=${transport}`;

  /** Returns the local address at which messages from this peer arrive. */
  const localEnd = ({ transport, host: peer }: Peer): SipEnd => {
    const { port = 0 } = (transport === 'tls' ? bound.tls : bound.plain) ?? {};
    return { host: own.mediaHostFor(host, peer), port };
  };

  const flush = () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        engineHost?.event(next.legId, next.event);
      } catch (error) {
        log('error', 'sip.host_failed', { legId: next.legId, error: String(error) });
      }
    }
  };
  const emit = (legId: string, event: LegEvent) => {
    if (queue.push({ legId, event }) === 1) queueMicrotask(flush);
  };

  const authenticator = new Authenticator(
    clock,
    REALM,
    options.users ?? [],
    options.digestAlgorithms ?? ['MD5'],
    ports.shared?.nonces,
  );
  const edges = networksOf(options.edges ?? []);
  const isEdge = (host: string): boolean => isWithin(edges, host);
  const known: KnownPeers = new KnownPeers({
    clock,
    isCarrier: (from) => watch.isCarrier(from),
    isEdge,
    phones: () => registrar.registeredPeers(),
    farEnds: () => [...sessions.values()].map(({ dialog }) => dialog.peer),
  });
  const guard = new AbuseGuard(clock, (from) => known.isKnown(from));
  const registrar = new Registrar({
    ...{ authenticator, guard, isEdge },
    contacts: ports.shared?.contacts ?? localContacts(clock),
  });
  const tlsPart = options.tls && tlsTransport(options.tls, host, clock);
  const transports = ports.transports ?? [
    udpTransport(host),
    ...((options.tcp ?? true) ? [tcpTransport(host, clock)] : []),
    ...(tlsPart ? [tlsPart] : []),
  ];
  const admission: Admission = new Admission(
    { acceptFrom: options.acceptFrom, ...ADMISSION, ...options.limits },
    { clock, realm: REALM, guard, known },
  );
  const gate = {
    accepts: (from: string) => admission.accepts(from),
    knows: (peer: Peer) => known.isKnown(peer),
    expects: (from: string) => known.isExpected(from),
  };
  const transportLayer = new TransportLayer(transports, guard, log, gate, tap && messageTap(tap, localEnd));
  const lookup = ports.lookup ?? systemLookup();
  const locator = new Locator({
    clock,
    random,
    log,
    lookup,
    has: (transport) => transportLayer.has(transport),
    family: familyOf(host),
  });

  const unknownCallerLimits = { ...UNKNOWN_CALLERS, ...options.limits };
  const context: SipContext = {
    clock,
    ids,
    random,
    log,
    media,
    locator,
    sessions,
    token,
    emit,
    belongs: (callId, legId) => tap?.belongs(callId, legId),
    trackGoodbye() {
      farewells++;
      return () => {
        farewells--;
        checkGone();
      };
    },
    sessionTimer: { ...SESSION_TIMER, ...options.sessionTimer },
    userAgent: options.userAgent ?? 'Callweave',
    readHeaders: headerReader(options.headers?.read),
    localUriHost,
    srtp: options.srtp,
    unknownCallerSilenceMs: unknownCallerLimits.silenceMs,
    contact({ transport, host: peer }, { user = 'callweave', secure = false } = {}) {
      if (secure) return `<sips:${escapeUser(user)}@${nameFor(transport, peer)}>`;
      return `<sip:${escapeUser(user)}@${localUriHost(transport, peer)}>`;
    },
    mediaAddress: (bound, peer) => own.mediaHostFor(bound, peer),
    get referrals() {
      return referrals;
    },
    get transactions() {
      return transactions;
    },
  };

  const byName = (list: NonNullable<SipEngineOptions['users']>) =>
    new Map(list.map((user) => [user.name.toLowerCase(), user]));
  let users = byName(options.users ?? []);
  const userNamed = (name: string) => users.get(name.toLowerCase())?.name;
  const srtpOf = (name: string) => users.get(name.toLowerCase())?.srtp;
  const carriers = new Carriers(options.routes ?? [], clock);
  const watch = new GatewayWatch(context, carriers);
  let allowSipUris = options.allowSipUris ?? [];
  const table = {
    carriers,
    get allowSipUris() {
      return allowSipUris;
    },
    isCarrier: (address: string) => watch.knows(address),
    hasTls: transports.some(({ name }) => name === 'tls'),
    registrar,
    userNamed,
    srtpOf,
  };
  const referrals = new ReferPolicy({
    sessions,
    sessionOfLeg: (legId) => legs.get(legId)?.currentSession,
    userNamed,
    get allowSipUris() {
      return allowSipUris.map((name) => name.toLowerCase());
    },
    isCarrier: (name) => carriers.hasHost(name) || watch.knows(name),
    isFree: () => carriers.isEmpty,
    projectOf: (of) => (engineHost?.projectOf ? engineHost.projectOf(of) : ''),
    log,
    here: localUriHost,
  });

  const checkGone = () => {
    if (legs.size + farewells === 0) allGone?.();
  };
  const gone = (legId: string) => () => {
    legs.delete(legId);
    checkGone();
  };

  const transactions: Transactions = new Transactions({
    transport: transportLayer,
    clock,
    token,
    hostNames: new SdpHostNames(clock, (host) => lookup.addresses(host)),
    server: createUserAgent({
      context,
      authenticator,
      registrar,
      guard,
      admission,
      watch,
      srtpOf,
      unknownCallers: new UnknownCallers(unknownCallerLimits, clock, isEdge),
      requireAuth: options.requireAuth ?? true,
      acceptsCalls: () => running && accepting,
      takeOver(legId, invite, srtp) {
        const leg = legs.get(legId);
        if (leg) leg.takeOver(invite, srtp);
        else invite.respond(481);
      },
      call(invite, leg, caller) {
        const legId = ids.next('leg');
        const call = new InboundCall(context, { legId, gone: gone(legId) }, invite, caller);
        legs.set(legId, call);
        try {
          engineHost?.incoming({ ...leg, legId, sip: call.sipPeer });
        } catch (error) {
          log('error', 'sip.host_failed', { legId, error: String(error) });
          call.send({ type: 'reject', sipStatus: 500 });
        }
      },
    }),
  });

  const counts = () => ({
    legs: legs.size,
    sessions: sessions.size,
    transactions: transactions.size,
    malformed: guard.counts.malformed,
    dropped: guard.counts.dropped,
    crashed: guard.counts.crashed,
  });

  return {
    name: 'embedded',
    capabilities: ALL_CAPABILITIES,

    async start(givenHost) {
      engineHost = givenHost;
      await media.start((legId) => givenHost.projectOf?.({ legId }));
      try {
        const ports = { plain: options.port ?? 5060, tls: options.tls?.port ?? 5061 };
        bound = await transportLayer.listen(transactions, ports);
      } catch (error) {
        await media.stop();
        throw error;
      }
      transportLayer.setSentBy(({ transport, host: peer }) => nameFor(transport, peer));
      running = true;
      log('info', 'sip.listening', {
        ...this.address(),
        transports: transports.map((one) => one.name),
      });
      watch.start();
    },

    async stop() {
      if (!running) return;
      running = false;
      const ended = new Promise<void>((resolve) => {
        allGone = resolve;
      });
      for (const leg of [...legs.values()]) leg.send({ type: 'hangup', cause: 41 });
      watch.stop();
      if (legs.size + farewells > 0) {
        const limit = clock.after(STOP_LIMIT_MS, () => allGone?.());
        await ended;
        limit.cancel();
      }
      flush();
      for (const session of [...sessions.values()]) session.drop();
      transactions.stop();
      farewells = 0;
      await transportLayer.close();
      await media.stop();
      bound = {};
    },

    dial(request: DialRequest) {
      if (legs.has(request.legId)) return;
      if (!running) return emit(request.legId, { type: 'ended', cause: NO_ROUTE, by: 'near' });
      const plan = dialPlanOf(request.to, table);
      const redirected = (contact: string) => redirectTarget(contact, request.to, table);
      const leg = new OutboundCall(context, request, plan, redirected, gone(request.legId));
      legs.set(request.legId, leg);
      leg.start();
    },

    send(legId: string, command: LegCommand) {
      legs.get(legId)?.send(command);
    },

    address() {
      const place = bound.plain ?? bound.tls;
      if (!place) throw new Error('the engine is not started');
      return { ...place, ...(bound.tls ? { tlsPort: bound.tls.port } : {}) };
    },

    configure(lines) {
      const passwords = new Map(lines.users.map(({ name, password }) => [name, password]));
      registrar.retain((user) => passwords.get(user) === authenticator.passwordOf(user));
      authenticator.setUsers(lines.users);
      users = byName(lines.users);
      allowSipUris = lines.allowSipUris ?? allowSipUris;
      carriers.setRoutes(lines.routes);
      watch.update();
    },
    acceptCalls(isAccepting) {
      accepting = isAccepting;
      watch.register(isAccepting);
    },
    renewTls: (tls) => tlsPart?.renew(tls),
    registrations: () => watch.registrations,
    carriers: () => watch.carrierStates,

    counts,
    figures: sipFigures({ counts, isUp: () => running, guard, registrar, watch, carriers }),
  };
}

const messageTap =
  (tap: SipTap, localEnd: (peer: Peer) => SipEnd): MessageTap =>
  ({ peer, ...message }) => {
    const { transport, host, port } = peer;
    tap.message({ ...message, transport, local: () => localEnd(peer), remote: { host, port } });
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
