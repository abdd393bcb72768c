/** Actions of external services and called parties: the defaults of verbs, and the parts of `verbs/NAME/actions.ts`. */
import { isObject, type Json } from '../../../base/core/json.ts';
import type { Party, PartyManner, Reply } from '../../testkit/scenario-form.ts';
import { type Action, leadsTo, outcomesNeeding, type PartyMoment, type RequestMoment } from './action.ts';
import { sampleOf } from './schema-values.ts';
import { bodiesFor } from './values.ts';

const TALKS = '10s';

/** `outcomes`: names of which the step may have one. */
export const reply = (moment: RequestMoment, label: string, says: Reply, outcomes: readonly string[]): Action => ({
  kind: 'reply',
  label: `${moment.request}: ${label}`,
  ...leadsTo(outcomes.filter((name) => moment.outcomes.some((each) => each.name === name))),
  reply: { step: moment.request, reply: says },
});

/** Failures of a service or of the network. */
export const failures = (moment: RequestMoment): Action[] => [
  reply(moment, '500', { status: 500 }, ['failed.5xx', 'failed.provider', 'error']),
  reply(moment, 'no answer in time', { timeout: true }, ['failed.timeout', 'timeout']),
  reply(moment, 'no connection', { network: true }, ['failed.network', 'error']),
];

/** Responses by status. The bodies with status 200 are the values that affect the flow. */
export const defaultReplies = (moment: RequestMoment): Action[] => [
  ...successes(moment),
  reply(moment, '404', { status: 404 }, ['not_found', 'failed.4xx', 'refused']),
  reply(moment, '400', { status: 400 }, ['failed.4xx', 'refused']),
  ...failures(moment),
];

function successes(moment: RequestMoment): Action[] {
  const bodies = bodiesFor(moment.step, moment.flow, moment.tested);
  const schema = moment.args['returns'];
  if (bodies.length > 0 || !isObject(schema)) return bodies.map((body) => withBody(moment, body));
  const [notMade] = successNames(moment);
  const nearest = reply(moment, '200 with the nearest body', { status: 200, body: sampleOf(schema) }, []);
  return [{ ...nearest, ...(notMade !== undefined && { notMade }) }];
}

const successNames = ({ outcomes }: RequestMoment): string[] =>
  outcomes.flatMap(({ name, entry }) => (entry.success ? [name] : []));

function withBody(moment: RequestMoment, body: Json): Action {
  const hasSchema = isObject(moment.args['returns']);
  const isNeedless = !hasSchema && isObject(body) && Object.keys(body).length === 0;
  const says = isNeedless ? { status: 200 } : { status: 200, body };
  const isTested = moment.tested.some((each) => JSON.stringify(each) === JSON.stringify(body));
  const isInvented = !hasSchema && !isTested;
  return { ...reply(moment, `200 ${JSON.stringify(body)}`, says, successNames(moment)), isTested, isInvented };
}

/** `event`: the part of `needs` after `party:`. */
export const behave = (
  moment: PartyMoment,
  label: string,
  party: Party,
  event: string = typeof party === 'string' ? party : 'answer',
): Action => ({
  kind: 'party',
  label: `${moment.to}: ${label}`,
  ...leadsTo(outcomesNeeding(moment, `party:${event}`)),
  party: { word: moment.word, to: moment.to, party },
});

/** All behaviours for the first of several parties that are dialled at the same time, two for the others. */
export function defaultParties(moment: PartyMoment): Action[] {
  const { screen } = moment.args;
  const accept = isObject(screen) ? String(screen['accept'] ?? '1') : undefined;
  const talks: PartyManner = { talk: TALKS, ...(accept !== undefined && { presses: accept }) };
  const answers = behave(moment, 'answers', talks);
  const isUnreachable = behave(moment, 'cannot be reached', 'unreachable');
  if (!moment.isFirst) return [isUnreachable, answers];
  const has = (event: string): boolean => outcomesNeeding(moment, `party:${event}`).length > 0;
  return [
    answers,
    behave(moment, 'does not answer', 'no_answer'),
    behave(moment, 'is busy', 'busy'),
    behave(moment, 'declines', 'declined'),
    isUnreachable,
    ...(has('screened') ? [behave(moment, 'answers and presses nothing', { talk: TALKS }, 'screened')] : []),
    ...(has('machine') ? [behave(moment, 'a machine answers', 'machine')] : []),
  ];
}
