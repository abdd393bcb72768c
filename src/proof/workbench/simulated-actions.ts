/**
 * Actions that are possible in a simulated call, in the format of the API: those of `proof/explore/actions-at.ts` for
 * everything that the call waits for. Their acts are carried out at the caller's turn.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import type { Action } from '../explore/actions/action.ts';
import { actionsAt } from '../explore/actions-at.ts';
import { hasInterrupts, openVisits, partyStop, type Stop, waitingVisits } from '../explore/stop.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { PlayedCall } from './played-call.ts';

export type SimulatedAction = {
  label: string;
  /** Outcomes of the step that the action can lead to. Incomplete, because some depend on the call. */
  leads_to?: string[];
  acts?: Json[];
  /** Response to the `nth` request of a step, or behaviour of a party at its `nth` call. */
  mock?: JsonObject;
};

/** Requests and parties in the format of the API. */
interface Asked {
  journal: readonly JournalEntry[];
  requests: readonly JsonObject[];
  parties: readonly JsonObject[];
}

/** Time for which the caller lets a step continue. */
const PAUSE = '10s';

export function simulatedActions(played: PlayedCall, { journal, requests, parties }: Asked): SimulatedAction[] {
  const { flow, waits } = played;
  const flows: FindFlow = (name) => (name === flow.name ? flow : played.flows(name));
  const open = openVisits(journal, waits);
  const at = (stop: Stop): Action[] =>
    actionsAt({ stop, journal, open }, { flows, tested: {}, events: flow.events }).filter(isSimulated);
  const request = requests.find(({ state, mocked }) => state === 'open' && mocked === false);
  const agent = played.agents.unmocked.findLast(({ step }) => [...open.values()].some((each) => each.step === step));
  const answers = [request, agent].flatMap((asked) => {
    if (asked === undefined) return [];
    const { step, nth } = asked as { step: string; nth: number };
    return at({ kind: 'request', step }).map((action) =>
      inApi(action, action.reply && { of: 'request', step, nth, answer: action.reply.reply as Json }),
    );
  });
  const ringing = parties.find(({ state, mocked }) => state === 'ringing' && mocked === false);
  const called = ringing && played.parties.unmocked.find(({ legId }) => legId === ringing['leg']);
  const behaviours = (called ? at(partyStop(called, journal)) : []).map((action) => {
    const { word: verb, to: number, party } = action.party!;
    const same = parties.filter(({ name, verb: by }) => name === number && (by ?? 'bridge') === verb);
    return inApi(action, { of: 'party', verb, number, nth: same.indexOf(ringing!) + 1, answer: party as Json });
  });
  const visits = waitingVisits(played, open, { hasInterrupts: hasInterrupts(flow.events), duringPrompts: true });
  const acts = visits.length === 0 ? [] : at({ kind: 'turn', visits }).map((action) => inApi(action));
  return [...answers, ...behaviours, ...acts];
}

/** A hang-up is an act, whatever the call waits for, and a mock is for one request or call. */
const isSimulated = ({ kind, reply, party, isAlways, isLast }: Action): boolean =>
  !isAlways && !isLast && !(kind === 'hang_up' && (reply ?? party) !== undefined);

const inApi = ({ label, leadsTo, acts = [], passes }: Action, mock?: JsonObject): SimulatedAction =>
  defined<SimulatedAction>({
    ...{ label, leads_to: leadsTo && [...leadsTo], mock },
    acts: mock ? undefined : ([...acts, ...(passes ? [{ wait: PAUSE }] : [])] as Json[]),
  });
