/**
 * Figures of the SIP engine: active calls, refusals, phones, and each carrier. Gateways are named as in the
 * configuration or in the admin API; figures of a removed route are dropped with it.
 */
import type { Figure, FigureSource, Reading } from '../../../base/core/figures.ts';
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
    { name: 'sip_up', type: 'gauge', help: '1 if the SIP engine listens', read: () => Number(isUp()) },
    { name: 'sip_legs', type: 'gauge', help: 'SIP legs', read: () => counts().legs },
    {
      name: 'sip_sessions',
      type: 'gauge',
      help: 'SIP dialogs, including those of ringing phones',
      read: () => counts().sessions,
    },
    {
      name: 'sip_transactions',
      type: 'gauge',
      help: 'Active SIP transactions',
      read: () => counts().transactions,
    },
    {
      name: 'sip_messages_malformed_total',
      type: 'counter',
      help: 'Messages that are not valid SIP',
      read: () => counts().malformed,
    },
    {
      name: 'sip_messages_dropped_total',
      type: 'counter',
      help: 'Messages without an answer: from scanners, after too many wrong passwords, or above a rate limit',
      read: () => counts().dropped,
    },
    {
      name: 'sip_crashes_total',
      type: 'counter',
      help: 'Messages whose handling failed because of an error of the service',
      read: () => counts().crashed,
    },
    {
      name: 'sip_wrong_passwords_total',
      type: 'counter',
      help: 'Registrations and calls with a wrong password or an unknown user',
      read: () => guard.counts.wrongPasswords,
    },
    {
      name: 'sip_invites_refused_total',
      type: 'counter',
      help: 'Inbound calls that the SIP engine refused before the number was looked up',
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
      help: 'Registrations with carriers that the routes request',
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
      help: '1 if this gateway has accepted the registration; absent if its route does not register',
      labels: OF_GATEWAY,
      read: () => states(watch, 'isRegistered'),
    },
    {
      name: 'sip_gateway_up',
      type: 'gauge',
      help: '1 if this gateway answers OPTIONS; absent if its route has no keepalive',
      labels: OF_GATEWAY,
      read: () => states(watch, 'isUp'),
    },
    {
      name: 'sip_gateway_calls_live',
      type: 'gauge',
      help: 'Ringing and active calls to this gateway',
      labels: OF_GATEWAY,
      read: () => gateways(({ callsLive }) => callsLive),
    },
    {
      name: 'sip_gateway_attempts_total',
      type: 'counter',
      help: 'Calls to this gateway, by class of the final status or by reason of failure',
      labels: [...OF_GATEWAY, 'result'],
      read: () => carriers.figures.gateways.flatMap(({ results, labels }) => results.readings('result', labels)),
    },
    {
      name: 'sip_gateway_talk_seconds_total',
      type: 'counter',
      help: 'Total duration of answered calls to this gateway, counted when they end',
      labels: OF_GATEWAY,
      read: () => gateways(({ talkSeconds }) => talkSeconds),
    },
    {
      name: 'sip_gateway_post_dial_delay_seconds',
      type: 'histogram',
      help: 'Time from the INVITE until the called phone rings or is answered',
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
      help: 'The limit max_calls of this route; absent if it has none',
      labels: ['route'],
      read: () =>
        carriers.figures.routes.flatMap(({ labels, maxCalls }) =>
          maxCalls === undefined ? [] : { labels, value: maxCalls },
        ),
    },
    {
      name: 'sip_route_calls_refused_total',
      type: 'counter',
      help: 'Calls that a limit of this route refused; they used the next route, or failed',
      labels: ['route', 'limit'],
      read: () => carriers.figures.routes.flatMap(({ labels, refused }) => refused.readings('limit', labels)),
    },
  ];
  return { figures };
}

const states = (watch: SipFigureParts['watch'], key: 'isUp' | 'isRegistered'): Reading[] =>
  watch.states.flatMap(({ labels, [key]: is }) => (is === undefined ? [] : { labels, value: Number(is) }));
