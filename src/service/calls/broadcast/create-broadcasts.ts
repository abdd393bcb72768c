/** Use cases of broadcasts behind the API, and their start and shutdown with the service. */
import { callerIdProblem } from '../../../base/core/address-syntax.ts';
import type { Receipt } from '../../../base/core/receipt.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import { mayPresent, REFUSED_FOR_NOW } from '../call-parts.ts';
import { callNow } from '../control/control-call.ts';
import { awaitAudio, type PlayOrder } from '../prompts/play-order.ts';
import type { Broadcast, BroadcastOrder, Callee, Counts } from './broadcast.ts';
import type { StateChange } from './broadcast-store.ts';
import type {
  BroadcastCounts,
  BroadcastParts,
  CreatedBroadcast,
  NewBroadcast,
  NumberPage,
  NumberQuery,
} from './broadcasts.ts';
import { CallingWindow } from './calling-window.ts';
import { checkNumbers } from './check-numbers.ts';
import { Dialler } from './dialler.ts';
import { createDoNotCall } from './do-not-call.ts';
import { followBroadcasts } from './follow-broadcasts.ts';
import { broadcastProgram } from './program.ts';
import { MAX_CALLING, recoverBroadcasts } from './recover-broadcasts.ts';
import { countsOf, numbersOf, type ReportParts } from './report.ts';

export type { BroadcastEvent, BroadcastParts } from './broadcasts.ts';

/** Maximum size of the common input of all calls, in characters: every journal repeats it. */
const MAX_INPUT = 32_768;

/** Maximum unfinished orders of a project's flows. */
const MAX_PLACED = 2000;

/** Broadcasts and orders of flows have separate limits. */
type OrderKind = Pick<BroadcastOrder, 'projectId' | 'placed'>;

export type Broadcasts = ReturnType<typeof createBroadcasts>;

export function createBroadcasts(parts: BroadcastParts) {
  const { store, clock, ids, log, limits } = parts;
  const dialler = new Dialler(parts);
  let endUnable = (): void => undefined;
  let endFollowing = (): void => undefined;
  /** Requests in progress, with their projects. */
  const beingMade = new Set<OrderKind>();

  /** Throws `unknown_broadcast`, also for a broadcast of another project. */
  const find = async (projectId: string, broadcastId: string): Promise<Broadcast> => {
    // If several nodes share it, the local copy may be a second old.
    const known = parts.gate ? undefined : dialler.run(broadcastId)?.broadcast;
    const found = known ?? (await store.find(broadcastId));
    if (found?.order.projectId !== projectId) throw new CallError('unknown_broadcast', 'there is no such broadcast');
    return found;
  };

  const checkOpen = (): void => {
    if (dialler.isClosed) throw new CallError('overloaded', 'the service is about to stop');
    if (parts.isReady?.() === false) throw new CallError('store_failing', REFUSED_FOR_NOW);
  };

  /** Counts broadcasts that are being created, so that concurrent requests cannot exceed the limit. */
  const withinLimit = async <T>(asked: OrderKind, make: () => Promise<T>): Promise<T> => {
    const { projectId, placed } = asked;
    const isAlike = (other: OrderKind): boolean =>
      other.projectId === projectId && (other.placed === undefined) === (placed === undefined);
    const open = [...dialler.runs].filter((run) => isAlike(run.broadcast.order)).length;
    const others = [...beingMade].filter(isAlike).length;
    const most = placed ? MAX_PLACED : limits.projectBroadcasts;
    if (open + others >= most) {
      const what = placed ? 'orders of calls by flows' : 'active broadcasts';
      throw new CallError('overloaded', `the project has ${most} ${what}, which is its maximum`, {
        hint: 'wait for the end of one, stop one, or combine the numbers in one broadcast',
      });
    }
    beingMade.add(asked);
    try {
      return await make();
    } finally {
      beingMade.delete(asked);
    }
  };

  /**
   * Validates the order and its numbers, writes the broadcast and starts it. Duplicates are called once and counted in
   * `duplicates`. `receipt`: the response to the request, written with the broadcast. Throws a `CallError`:
   * `cli_not_assigned`, `numbers_invalid` (with all invalid numbers), `overloaded`, or any error of placing a call with
   * this action.
   */
  const create = (
    { broadcastId = ids.next('broadcast'), ...asked }: NewBroadcast,
    given: readonly Callee[],
    receipt?: (created: CreatedBroadcast) => Receipt | undefined,
  ): Promise<CreatedBroadcast> =>
    withinLimit(asked, async () => {
      checkOpen();
      const order: BroadcastOrder = { ...asked, broadcastId };
      checkLine(order, parts);
      checkWindow(order, parts);
      checkInputs(order);
      const program = broadcastProgram(order, parts);
      const { callees, duplicates } = await checkNumbers(given, {
        most: limits.numbers,
        wrongInput: program.wrongInput,
      });
      await Promise.all(promptsOf(order).map((play) => awaitAudio(play, order.projectId, parts)));
      checkOpen();
      const numbers = callees.length;
      const broadcast: Broadcast = { order, state: 'initiated', createdMs: clock.now(), numbers };
      const events = parts.eventsOf(broadcast, 'initiated', untouched(numbers));
      await store.create(broadcast, callees, events, receipt?.({ broadcast, duplicates }));
      log.info('broadcast.created', { broadcastId, projectId: order.projectId, count: numbers, duplicates });
      dialler.open(broadcast, program, numbers);
      return { broadcast, duplicates };
    });

  /** Live calls of this node. */
  const liveCalls = (broadcastId: string): Iterable<string> => dialler.run(broadcastId)?.callIds ?? [];
  const allLiveCalls = async (broadcastId: string): Promise<Iterable<string>> => {
    if (!parts.gate) return liveCalls(broadcastId);
    const rows = await store.calling(broadcastId, MAX_CALLING);
    return rows.flatMap(({ callId }) => callId ?? []);
  };
  const reportParts: ReportParts = {
    store,
    liveCall(callId) {
      const here = parts.supervisor.view(callId)?.record;
      return here || !parts.gate ? here : parts.callStore.call(callId);
    },
  };

  return {
    create,
    find,
    liveCalls,
    list: (query: Parameters<typeof store.list>[0]): Promise<Broadcast[]> => store.list(query),
    /** Unfinished orders of the project's flows under this key. */
    async placedUnder(projectId: string, key: string): Promise<string[]> {
      const open = await store.unfinished();
      return open.flatMap(({ order, state }) =>
        order.projectId === projectId && order.placed?.key === key && state !== 'stopped' ? [order.broadcastId] : [],
      );
    },

    async counts(projectId: string, broadcastId: string): Promise<BroadcastCounts> {
      await find(projectId, broadcastId);
      return countsOf(broadcastId, await allLiveCalls(broadcastId), reportParts);
    },

    async report(projectId: string, broadcastId: string, query: NumberQuery): Promise<NumberPage> {
      await find(projectId, broadcastId);
      return numbersOf(broadcastId, query, reportParts);
    },

    /** Starts no more calls; `hangUp` ends the live ones. No effect on a broadcast that is over. */
    async stop(projectId: string, broadcastId: string, options: { hangUp: boolean }): Promise<Broadcast> {
      const { endedMs } = await find(projectId, broadcastId);
      const run = dialler.run(broadcastId);
      if (run) await run.stop(options);
      // The nodes that call its numbers read this state.
      else if (endedMs === undefined) await store.change(broadcastId, stopped(options), []);
      return find(projectId, broadcastId);
    },

    /** Settles these queued numbers; they are never called. */
    forget: async (broadcastId: string, numbers: readonly number[]): Promise<void> =>
      dialler.run(broadcastId)?.forget(numbers),
    /** Deletes a broadcast that is over, with its numbers. */
    remove: (broadcastId: string): Promise<void> => store.remove(broadcastId),

    /** Current record of a call of the broadcast. Throws `unknown_call` for any other call. */
    async callOf(projectId: string, broadcastId: string, callId: string): Promise<CallRecord> {
      await find(projectId, broadcastId);
      const record = await callNow(callId, parts);
      if (record?.projectId !== projectId || record.broadcastId !== broadcastId) {
        throw new CallError('unknown_call', 'there is no such call of this broadcast');
      }
      return record;
    },

    doNotCall: createDoNotCall(store.doNotCall, clock),

    /** Resumes broadcasts of an earlier process; runs before its calls are closed (`recover-calls.ts`). */
    async recover(): Promise<void> {
      endUnable = await recoverBroadcasts(parts, dialler);
    },
    /** Starts to dial, and ends broadcasts that cannot continue; runs after the calls are closed. */
    start(): void {
      endUnable();
      dialler.start();
      if (parts.gate) endFollowing = followBroadcasts(parts, dialler);
    },
    /**
     * Suspends or resumes dialling; live calls continue. Other nodes that share a broadcast call the remaining numbers.
     */
    pause: (isPaused: boolean): void => dialler.pause(isPaused),
    /** Ends dialling; live calls continue. */
    close(): void {
      dialler.close();
      endFollowing();
    },

    /** Active broadcasts, their calls and their queued numbers, for metrics. */
    get figures() {
      const figures = { running: 0, calls: 0, queued: 0 };
      for (const run of dialler.runs) {
        figures.running++;
        figures.calls += run.liveCalls;
        figures.queued += run.queued;
      }
      return figures;
    },
  };
}

const stopped = ({ hangUp }: { hangUp: boolean }): StateChange => ({
  state: 'stopped',
  ...(hangUp ? { hangUp } : {}),
});

function checkLine({ projectId, from }: BroadcastOrder, parts: BroadcastParts): void {
  const wrong = callerIdProblem(from);
  if (wrong !== undefined) throw new CallError('cli_not_assigned', `from ${wrong}`);
  if (!mayPresent(projectId, from, parts)) {
    throw new CallError('cli_not_assigned', `${from} is not a number of this project`);
  }
}

function checkWindow({ window }: BroadcastOrder, parts: BroadcastParts): void {
  const state = new CallingWindow(window, parts.schedules).at(parts.clock.now());
  if (typeof state === 'object') throw new CallError('input_invalid', `window: ${state.problem}`);
}

function checkInputs({ action, detection }: BroadcastOrder): void {
  const machine = detection?.onMachine;
  const inputs = [
    ...(action?.type === 'flow' ? [action.input] : []),
    ...(typeof machine === 'object' && 'flow' in machine ? [machine.input] : []),
  ];
  if (inputs.some((input) => JSON.stringify(input).length > MAX_INPUT)) {
    throw new CallError('input_invalid', `the input of all calls is larger than ${MAX_INPUT} characters`);
  }
}

const untouched = (numbers: number): Counts => ({
  ...{ numbers, queued: numbers, calling: 0, done: 0, success: 0, failed: 0, attempts: 0 },
  reasons: {},
});

/** First prompts for people and for machines. */
function promptsOf({ action, detection }: BroadcastOrder): PlayOrder[] {
  const onMachine = detection?.onMachine;
  return [
    ...(action?.type === 'play' ? [action.play] : []),
    ...(typeof onMachine === 'object' && 'play' in onMachine ? [onMachine.play] : []),
  ];
}
