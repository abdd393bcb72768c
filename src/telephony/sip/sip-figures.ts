/**
 * Figures of the SIP engine: active calls, refusals, phones, and each carrier. Gateways are named as in the
 * configuration or in the admin API; figures of a removed route are dropped with it.
 */
import type { Figure, FigureSource, Reading } from '../../core/figures.ts';
import type { AbuseGuard } from './abuse-guard.ts';
import type { Carriers } from './carriers.ts';
import type { SipEngine } from './engine-options.ts';
import type { GatewayFigures } from './gateway-figures.ts';
import type { GatewayWatch } from './gateway-watch.ts';
import type { Registrar } from './registrar.ts';

export interface SipFigureParts {
  counts: SipEngine['counts'];
  isUp(): boolean;
  guard: Pick<AbuseGuard, 'counts' | 'invitesRefused'>;
  registrar: Pick<Registrar, 'contactCount'>;
  watch: Pick<GatewayWatch, 'registrations' | 'states'>;
  carriers: Pick<Carriers, 'figures'>;
}

const OF_GATEWAY = ['route', 'gateway'];

export function sipFigures({ counts, isUp, guard, registrar, watch, carriers }: SipFigureParts): FigureSource {
  const gateways = (value: (figures: GatewayFigures) => Reading['value']): Reading[] =>
    carriers.figures.gateways.map((figures) => ({ labels: figures.labels, value: value(figures) }));
  const figures: Figure[] = [
    { name: 'sip_up', type: 'gauge', help: 'Whether the SIP engine listens', read: () => Number(isUp()) },
    { name: 'sip_legs', type: 'gauge', help: 'Legs of telephone calls', read: () => counts().legs },
    {
      name: 'sip_sessions',
      type: 'gauge',
      help: 'SIP dialogs, also of phones that ring',
      read: () => counts().sessions,
    },
    {
      name: 'sip_transactions',
      type: 'gauge',
      help: 'SIP transactions that are not over',
      read: () => counts().transactions,
    },
    {
      name: 'sip_messages_malformed_total',
      type: 'counter',
      help: 'Messages that are not SIP, or violate its grammar',
      read: () => counts().malformed,
    },
    {
      name: 'sip_messages_dropped_total',
      type: 'counter',
      help: 'Messages that got no answer: from scanners, after too many wrong passwords, or too many at once',
      read: () => counts().dropped,
    },
    {
      name: 'sip_crashes_total',
      type: 'counter',
      help: 'Messages whose handling failed by an error of the service',
      read: () => counts().crashed,
    },
    {
      name: 'sip_wrong_passwords_total',
      type: 'counter',
      help: 'Registrations and calls with a wrong password, or the name of an unknown user',
      read: () => guard.counts.wrongPasswords,
    },
    {
      name: 'sip_invites_refused_total',
      type: 'counter',
      help: 'Calls in that the SIP engine refused before a number was looked up',
      labels: ['reason'],
      read: () => guard.invitesRefused.readings('reason'),
    },
    {
      name: 'sip_phones_registered',
      type: 'gauge',
      help: 'Registered phones; one user may have several',
      read: () => registrar.contactCount,
    },
    {
      name: 'sip_registrations_wanted',
      type: 'gauge',
      help: 'Registrations with carriers that the routes ask for',
      read: () => watch.registrations.wanted,
    },
    {
      name: 'sip_registrations_active',
      type: 'gauge',
      help: 'Registrations that carriers have accepted',
      read: () => watch.registrations.registered,
    },
    {
      name: 'sip_gateway_registered',
      type: 'gauge',
      help: 'Whether this gateway has accepted our registration; absent: none is wanted',
      labels: OF_GATEWAY,
      read: () => states(watch, 'isRegistered'),
    },
    {
      name: 'sip_gateway_up',
      type: 'gauge',
      help: 'Whether this gateway answers OPTIONS; absent: its route has no keepalive',
      labels: OF_GATEWAY,
      read: () => states(watch, 'isUp'),
    },
    {
      name: 'sip_gateway_calls_live',
      type: 'gauge',
      help: 'Calls to this gateway that ring or go on',
      labels: OF_GATEWAY,
      read: () => gateways(({ callsLive }) => callsLive),
    },
    {
      name: 'sip_gateway_attempts_total',
      type: 'counter',
      help: 'Calls to this gateway by how they went: the class of the final status, or why there was none',
      labels: [...OF_GATEWAY, 'result'],
      read: () => carriers.figures.gateways.flatMap(({ results, labels }) => results.readings('result', labels)),
    },
    {
      name: 'sip_gateway_talk_seconds_total',
      type: 'counter',
      help: 'Duration of answered calls to this gateway, added up when they end',
      labels: OF_GATEWAY,
      read: () => gateways(({ talkSeconds }) => talkSeconds),
    },
    {
      name: 'sip_gateway_post_dial_delay_seconds',
      type: 'histogram',
      help: 'From the INVITE until the called phone rings or is answered',
      labels: OF_GATEWAY,
      read: () => gateways(({ postDialDelay }) => postDialDelay),
    },
    {
      name: 'sip_route_calls_live',
      type: 'gauge',
      help: 'Calls that count against the limit of this route',
      labels: ['route'],
      read: () => carriers.figures.routes.map(({ labels, calls }) => ({ labels, value: calls })),
    },
    {
      name: 'sip_route_calls_limit',
      type: 'gauge',
      help: 'The limit max_calls of this route; absent: it has none',
      labels: ['route'],
      read: () =>
        carriers.figures.routes.flatMap(({ labels, maxCalls }) =>
          maxCalls === undefined ? [] : { labels, value: maxCalls },
        ),
    },
    {
      name: 'sip_route_calls_refused_total',
      type: 'counter',
      help: 'Calls that a limit of this route kept from it; they went to the next route, or failed',
      labels: ['route', 'limit'],
      read: () => carriers.figures.routes.flatMap(({ labels, refused }) => refused.readings('limit', labels)),
    },
  ];
  return { figures };
}

const states = (watch: SipFigureParts['watch'], key: 'isUp' | 'isRegistered'): Reading[] =>
  watch.states.flatMap(({ labels, [key]: is }) => (is === undefined ? [] : { labels, value: Number(is) }));
