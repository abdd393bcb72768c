/**
 * Actions that are possible in a simulated call, in the format of the API: those of `proof/explore/actions-at.ts` for
 * everything that the call waits for, whose acts are carried out at the caller's turn, and the possible answers of each
 * request and party, which the author may change later.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import type { Action } from '../explore/actions/action.ts';
import { actionsAt } from '../explore/actions-at.ts';
import { hasInterrupts, type OpenVisit, openVisits, type Stop, waitingVisits } from '../explore/stop.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { PartyMockKey } from '../testkit/scenario-parties.ts';
import type { PlayedCall } from './played-call.ts';

export type SimulatedAction = {
  label: string;
  /** Outcomes of the step that the action can lead to. Incomplete, because some depend on the call. */
  leads_to?: string[];
  acts?: Json[];
  /** Response to the `nth` request of a step, or behaviour of a party at its `nth` call. */
  mock?: JsonObject;
};

/** Possible response to a request, or possible behaviour of a party, in the form of a mock. */
export type SimulatedAnswer = { label: string; leads_to?: string[]; answer: Json };

export interface AskedParty {
  name: string;
  verb?: string;
  state: string;
  mocked: boolean;
  answers: readonly SimulatedAnswer[];
}

/** Requests and parties in the format of the API. */
interface Asked {
  requests: readonly {
    step: string;
    nth: number;
    state: string;
    mocked: boolean;
    answers: readonly SimulatedAnswer[];
  }[];
  parties: readonly AskedParty[];
}

/** Time for which the caller lets a step continue. */
const PAUSE = '10s';

/** Possible responses to a request of the call; `at`: the journal up to it. */
export const answersOfRequest = (step: string, at: readonly JournalEntry[], played: PlayedCall): SimulatedAnswer[] =>
  actionsFor({ kind: 'request', step }, at, openAt(at, played), played).flatMap(({ reply, ...action }) =>
    reply ? answerOf(action, `${step}: `, reply.reply as Json) : [],
  );

/** Possible behaviours of a party that the call has dialled; `at`: the journal up to the attempt. */
export function answersOfParty(
  { word, to, leg }: { word: PartyMockKey; to: string; leg: string },
  at: readonly JournalEntry[],
  played: PlayedCall,
): SimulatedAnswer[] {
  const dialled = at.at(-1);
  const visit = dialled?.kind === 'dialled' ? dialled.visit : 0;
  const stop: Stop = { kind: 'party', word, to, visit, leg };
  return actionsFor(stop, at, openAt(at, played), played).flatMap(({ party, ...action }) =>
    party ? answerOf(action, `${to}: `, party.party as Json) : [],
  );
}

/** Actions of callers, parties and external systems that are possible now. */
export function simulatedActions(
  played: PlayedCall,
  journal: readonly JournalEntry[],
  { requests, parties }: Asked,
): SimulatedAction[] {
  const open = openAt(journal, played);
  const agent = played.agents.unmocked.findLast(({ step }) => [...open.values()].some((each) => each.step === step));
  const ofAgent = agent && { ...agent, answers: answersOfRequest(agent.step, journal, played) };
  const asked = [requests.find(({ state, mocked }) => state === 'open' && !mocked), ofAgent];
  const answers = asked.flatMap((each) => {
    if (each === undefined) return [];
    const { step, nth } = each;
    return each.answers.map((answer) => mocking(answer, step, { of: 'request', step, nth }));
  });
  const ringing = parties.find(({ state, mocked }) => state === 'ringing' && mocked === false);
  const behaviours = (ringing?.answers ?? []).map((answer) => {
    const { name: number, verb = 'bridge' } = ringing!;
    const same = parties.filter(({ name, verb: by }) => name === number && (by ?? 'bridge') === verb);
    return mocking(answer, number, { of: 'party', verb, number, nth: same.indexOf(ringing!) + 1 });
  });
  const visits = waitingVisits(played, open, {
    hasInterrupts: hasInterrupts(played.flow.events),
    duringPrompts: true,
  });
  const acts = visits.length === 0 ? [] : actionsFor({ kind: 'turn', visits }, journal, open, played);
  return [...answers, ...behaviours, ...acts.map(acting)];
}

const openAt = (journal: readonly JournalEntry[], { waits }: PlayedCall): Map<number, OpenVisit> =>
  openVisits(journal, waits);

/** Without hang-ups before an answer, which are acts, and without actions for the rest of a call. */
function actionsFor(
  stop: Stop,
  journal: readonly JournalEntry[],
  open: ReadonlyMap<number, OpenVisit>,
  { flow, flows: find }: PlayedCall,
): Action[] {
  const flows: FindFlow = (name) => (name === flow.name ? flow : find(name));
  return actionsAt({ stop, journal, open }, { flows, tested: {}, events: flow.events }).filter(
    ({ kind, reply, party, isAlways, isLast }) =>
      !isAlways && !isLast && !(kind === 'hang_up' && (reply ?? party) !== undefined),
  );
}

const answerOf = ({ label, leadsTo }: Action, prefix: string, answer: Json): SimulatedAnswer =>
  defined<SimulatedAnswer>({
    label: label.startsWith(prefix) ? label.slice(prefix.length) : label,
    leads_to: leadsTo && [...leadsTo],
    answer,
  });

const mocking = ({ label, answer, ...action }: SimulatedAnswer, who: string, mock: JsonObject): SimulatedAction => ({
  ...action,
  label: `${who}: ${label}`,
  mock: { ...mock, answer },
});

const acting = ({ label, leadsTo, acts = [], passes }: Action): SimulatedAction =>
  defined<SimulatedAction>({
    ...{ label, leads_to: leadsTo && [...leadsTo] },
    acts: [...acts, ...(passes ? [{ wait: PAUSE }] : [])] as Json[],
  });
