/**
 * Actions of callers, external services and called parties at the point where a call stopped: those of the verbs
 * (`verbs/actions.ts`) or their defaults (`actions/`), interrupts of the flow, and hang-ups.
 */
import type { Json } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { actionsByVerb } from '../../verbs/actions.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { type Action, type Moment, momentOf } from './actions/action.ts';
import { defaultCallerActions, event, hangUp, press, SOON } from './actions/caller-actions.ts';
import { defaultParties, defaultReplies } from './actions/outside-actions.ts';
import type { OpenVisit, Stop } from './stop.ts';

/** Ringing time before the caller hangs up. */
const RINGS = '2s';
/** The caller waits until an agent answers or the queue times out. */
const WAIT_TO_END: Action = { kind: 'pass', label: 'wait to the end', isLast: true };

export interface ActionContext {
  flows: FindFlow;
  /** Response bodies in the tests of the flow's folder, by step. */
  tested: Readonly<Record<string, readonly Json[]>>;
  /** Interrupts of the main flow. */
  events: CompiledFlow['events'];
}

/** State of a call that stopped. */
export interface Stopped {
  stop: Stop;
  journal: readonly JournalEntry[];
  /** Step runs that have not ended, by number. */
  open: ReadonlyMap<number, OpenVisit>;
}

/** True if the caller is waiting in a queue. */
export const isQueued = ({ open }: Pick<Stopped, 'open'>): boolean =>
  [...open.values()].some(({ verb }) => verb === 'queue');

export function actionsAt(stopped: Stopped, context: ActionContext): Action[] {
  const { stop } = stopped;
  switch (stop.kind) {
    case 'request':
      return [...repliesTo(stop, stopped, context), ...hangUpMeanwhile(stop, stopped)];
    case 'party':
      return [...partiesFor(stop, stopped, context), hangUpWhileRinging(stop)];
    case 'turn':
      return distinctByLabel([
        ...stop.visits.flatMap((visit) => callerActions(visit, context)),
        ...interruptsOf(stop, context),
        ...(isQueued(stopped) ? [WAIT_TO_END] : []),
        hangUp('hang up', []),
      ]);
    default:
      return [];
  }
}

const callerActions = (visit: OpenVisit, context: ActionContext): Action[] => {
  const moment = momentAt(visit, context);
  if (moment === undefined) return [];
  return actionsByVerb[visit.verb]?.caller?.(moment) ?? defaultCallerActions(moment);
};

function momentAt(open: OpenVisit | undefined, { flows, events }: ActionContext): Moment | undefined {
  const flow = open && flows(open.flow);
  const step = open && flow?.steps.get(open.step);
  return flow && step && momentOf({ flow, step, visit: open.visit, claims: open.wait.digits?.claims, events });
}

function interruptsOf({ visits }: Extract<Stop, { kind: 'turn' }>, { events }: ActionContext): Action[] {
  const claimed = visits.map(({ wait }) => wait.digits?.claims ?? '').join('');
  return Object.entries(events).flatMap(([name, to]): Action[] => {
    const [kind, ...rest] = name.split('.');
    const word = rest.join('.');
    if (kind === 'dtmf' && !claimed.includes(word)) return [{ ...press(word, [], '0s'), to }];
    return kind === 'event' ? [{ ...event(word), to }] : [];
  });
}

function repliesTo(
  { step: request }: Extract<Stop, { kind: 'request' }>,
  { open }: Stopped,
  context: ActionContext,
): Action[] {
  // Requests of an agent's lookup are named `step.lookup`.
  const moment = momentAt(
    [...open.values()].findLast(({ step }) => step === request.split('.')[0]),
    context,
  );
  if (moment === undefined) return [];
  const asked = { ...moment, request, tested: context.tested[request] ?? [] };
  return actionsByVerb[moment.step.verb]?.outside?.(asked) ?? defaultReplies(asked);
}

/** The caller hangs up before the response arrives. */
function hangUpMeanwhile({ step }: Extract<Stop, { kind: 'request' }>, { open }: Stopped): Action[] {
  // Behaviour of an assistant's agent is also a stop of kind `request`, but not an HTTP request.
  if ([...open.values()].some(({ verb }) => verb === 'assistant')) return [];
  return [hangUp(`${step}: hang up meanwhile`, [{ wait: SOON }], { reply: { step, reply: { timeout: true } } })];
}

function partiesFor(
  { word, to, visit, leg }: Extract<Stop, { kind: 'party' }>,
  { open, journal }: Stopped,
  context: ActionContext,
): Action[] {
  const moment = momentAt(open.get(visit), context);
  if (moment === undefined) return [];
  const dials = journal.filter((entry) => entry.kind === 'dialled' && entry.visit === visit);
  const own = dials.find((entry) => entry.kind === 'dialled' && entry.leg === leg);
  const isFirst = dials.find(({ atMs }) => atMs === own?.atMs) === own;
  const called = { ...moment, word, to, isFirst };
  return actionsByVerb[moment.step.verb]?.party?.(called) ?? defaultParties(called);
}

const hangUpWhileRinging = ({ word, to }: Extract<Stop, { kind: 'party' }>): Action =>
  hangUp(`${to}: rings, hang up`, [{ wait: RINGS }], { party: { word, to, party: 'no_answer' } });

const distinctByLabel = (actions: readonly Action[]): Action[] =>
  [...new Map(actions.toReversed().map((action) => [action.label, action])).values()].toReversed();
