/**
 * Embedded SIP engine: the built-in SIP stack, with media by `MediaPort`. Starts and stops the parts that
 * `build-engine.ts` connects; `sip-legs.ts` has the live legs.
 * Invariants: E1–E4 of `../engine.ts`.
 */
import { NO_ROUTE, TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import { ALL_CAPABILITIES, type DialRequest } from '../engine.ts';
import { buildSipEngine, type SipParts } from './build-engine.ts';
import type { SipEngine, SipEngineOptions, SipEnginePorts } from './engine-options.ts';
import { OutboundCall } from './outbound-call.ts';
import { dialPlanOf, redirectTarget } from './outbound-routes.ts';
import { sipFigures } from './sip-figures.ts';

/** Maximum time that `stop` waits for the media of the last legs, and for far ends to acknowledge their end. */
const STOP_LIMIT_MS = 2000;

export function createSipEngine(options: SipEngineOptions, ports: SipEnginePorts): SipEngine {
  const { log, media } = ports;
  const parts = buildSipEngine(options, ports);
  const { state, legs, names, sessions, context, table, watch, transportLayer, transactions } = parts;
  const counts = countsOf(parts);
  return {
    name: 'embedded',
    capabilities: ALL_CAPABILITIES,

    async start(host) {
      legs.host = host;
      await media.start((legId) => host.projectOf?.({ legId }));
      try {
        const wanted = { plain: options.port ?? 5060, tls: options.tls?.port ?? 5061 };
        names.bound = await transportLayer.listen(transactions, wanted);
      } catch (error) {
        await media.stop();
        throw error;
      }
      transportLayer.setSentBy((peer) => names.sentBy(peer));
      state.isRunning = true;
      log('info', 'sip.listening', { ...this.address(), transports: parts.transports.map(({ name }) => name) });
      watch.start();
    },

    async stop() {
      if (!state.isRunning) return;
      state.isRunning = false;
      legs.hangUpAll(TEMPORARY_FAILURE.code);
      watch.stop();
      await legs.finish(context.clock, STOP_LIMIT_MS);
      for (const session of [...sessions.values()]) session.drop();
      transactions.stop();
      legs.dropPendingByes();
      await transportLayer.close();
      await media.stop();
      names.bound = {};
    },

    dial(request: DialRequest) {
      const { legId, to } = request;
      if (legs.get(legId)) return;
      if (!state.isRunning) return legs.emit(legId, { type: 'ended', cause: NO_ROUTE, by: 'near' });
      const leg = new OutboundCall(context, {
        request,
        plan: dialPlanOf(to, table),
        redirected: (contact) => redirectTarget(contact, to, table),
        ended: () => legs.remove(legId),
      });
      legs.add(leg);
      leg.start();
    },

    send: legs.send,

    attached: {
      get isRunning() {
        return state.isRunning;
      },
      attach: (leg) => legs.attach(leg),
      detach: (legId) => legs.detach(legId),
      emit: legs.emit,
    },

    address() {
      const { plain, tls } = names.bound;
      const address = plain ?? tls;
      if (!address) throw new Error('the engine is not started');
      return { ...address, ...(tls ? { tlsPort: tls.port } : {}) };
    },

    configure(lines) {
      table.replace(lines);
      watch.update();
    },
    acceptCalls(isAccepting) {
      state.isAccepting = isAccepting;
      watch.register(isAccepting);
    },
    phonesOf: (user) =>
      parts.registrar.contactsOf(user).map(({ peer: { transport, host, port }, sinceMs, leftMs }) => ({
        ...{ transport, host, port, leftMs },
        ...(sinceMs === undefined ? {} : { sinceMs }),
      })),
    renewTls: (tls) => parts.tls?.renew(tls),
    registrations: () => watch.registrations,
    carriers: () => watch.carrierStates,

    counts,
    figures: sipFigures({ ...parts, counts, isUp: () => state.isRunning }),
  };
}

const countsOf =
  ({ legs, sessions, transactions, guard }: SipParts): SipEngine['counts'] =>
  () => ({
    legs: legs.size,
    sessions: sessions.size,
    transactions: transactions.size,
    malformed: guard.counts.malformed,
    dropped: guard.counts.dropped,
    crashed: guard.counts.crashed,
  });
