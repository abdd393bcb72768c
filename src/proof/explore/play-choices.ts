/**
 * Plays the choices of a call on the real runtime in virtual time, up to the point at which the next choice is needed.
 * There are no snapshots: a prefix is replayed, which takes about a millisecond. `actions-at.ts` lists the next actions,
 * `state-key.ts` computes the state key.
 *
 * Invariants
 *  - `callweave test` plays the same document in the same way;
 *  - virtual time and journal entries are bounded.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { factsOf } from '../../language/flow/verb-facts.ts';
import type { HeardAudio, Talk } from '../../media/telephony/simulated/far-end.ts';
import type { JournalEntryOf } from '../../service/runtime/journal.ts';
import { stepsByVerb } from '../../verbs/steps.ts';
import { answeredMsOf } from '../testkit/properties.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { openScenario, type ScenarioCall } from '../testkit/scenario-call.ts';
import { scenarioFrom } from '../testkit/scenario-file.ts';
import type { ScenarioForm } from '../testkit/scenario-form.ts';
import { ScriptFailure } from '../testkit/scripted-party.ts';
import type { SimulatedCall } from '../testkit/simulated-call.ts';
import { watchSteps } from '../testkit/watch-steps.ts';
import type { Stopped } from './actions-at.ts';
import { hasInterrupts, type OpenVisit, openVisit, type Stop, stopOf, waitingVisits } from './stop.ts';

export interface Played extends Stopped {
  heard: readonly HeardAudio[];
  talks: readonly Talk[];
  /** Time since the last act ended, or since the start. */
  sinceActMs: number;
  /** Time of the answer on the call's clock; the start of the call if it is not answered. */
  answeredMs: number;
  /** Time since `answeredMs`. */
  elapsedMs: number;
  /** Current silence for the caller, not counting time in which a step waited for input. */
  quietMs: number;
  crashes: readonly unknown[];
}

export interface PlayOptions {
  flow: CompiledFlow;
  flows: FindFlow;
  /** False for a step run in which the caller does not act. */
  stopsAt(visit: OpenVisit): boolean;
  limits?: { virtualMs: number; entries: number };
}

const LIMITS = { virtualMs: 2 * 3_600_000, entries: 4_000 };
const CLOSING_MS = 60_000;

export class UnplayableError extends Error {}

export async function playChoices(form: ScenarioForm, options: PlayOptions): Promise<Played> {
  const { scenario, diagnostics } = scenarioFrom(form as unknown as JsonObject, 'explored.test.yaml');
  if (!scenario) throw new UnplayableError(diagnostics[0]?.message ?? 'it cannot be read');
  const { flow, flows, limits = LIMITS } = options;
  const watched = watchSteps(stepsByVerb);
  const entered = new Map<number, JournalEntryOf<'entered'>>();
  const opened = await openScenario(scenario, flow, {
    flow: flows,
    steps: watched.steps,
    holdsUnmocked: true,
    settling: 'promises',
    onEntry(entry) {
      if (entry.kind === 'entered') entered.set(entry.visit, entry);
      if (entry.kind !== 'left') return;
      entered.delete(entry.visit);
      watched.waits.delete(entry.visit);
    },
  });
  const { call, runner } = opened;
  try {
    let failure: unknown;
    let isActing = true;
    let actedMs = call.clock.now();
    void runner
      .run(scenario.script)
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        isActing = false;
        actedMs = call.clock.now();
      });
    const endMs = call.clock.now() + limits.virtualMs;
    const open = (): Map<number, OpenVisit> =>
      new Map([...entered].map(([visit, entry]) => [visit, openVisit(entry, watched.waits)]));
    let stop: Stop | undefined;
    while (stop === undefined) {
      await call.clock.settle();
      if (failure instanceof ScriptFailure) throw new UnplayableError(failure.message);
      if (failure !== undefined) throw failure;
      stop = stopOf(opened, () => (isActing ? [] : turnIn(opened, open(), options)));
      if (stop !== undefined) break;
      if (call.journal.length > limits.entries) stop = { kind: 'stays', why: 'entries' };
      else if (!(await call.clock.advanceToNext(endMs))) {
        stop = { kind: 'stays', why: call.clock.nextDeadlineMs === undefined ? 'nothing' : 'virtual_time' };
      }
    }
    const { heard, talks } = call.farEnd;
    const answeredMs = answeredMsOf(call.journal);
    return {
      ...{ stop, journal: [...call.journal], heard: [...heard], talks: [...talks], open: open() },
      ...{ answeredMs, elapsedMs: call.clock.now() - answeredMs },
      ...{ sinceActMs: call.clock.now() - actedMs, crashes: call.crashes, quietMs: quietFor(call) },
    };
  } finally {
    if (!call.hasEnded) {
      call.farEnd.lose();
      await call.runUntilEnd(CLOSING_MS);
    }
    await call.close();
  }
}

/** True for verbs whose silence is the turn of the caller. */
const isAsking = (verb: string): boolean => ['asks', 'converses'].includes(factsOf(verb).listens ?? '');

function quietFor({ farEnd, clock, journal }: SimulatedCall): number {
  if (farEnd.hears || farEnd.company.length > 0 || farEnd.state !== 'connected') return 0;
  const sounds = farEnd.heard.flatMap(({ item, toMs }) =>
    item.type === 'silence' || toMs === undefined ? [] : [toMs],
  );
  const asked = journal.flatMap((entry) => (entry.kind === 'left' && isAsking(entry.verb) ? [entry.atMs] : []));
  return clock.now() - Math.max(answeredMsOf(journal), sounds.at(-1) ?? 0, asked.at(-1) ?? 0);
}

/** Returns the step runs in which the caller may act; empty while events of this moment are pending. */
function turnIn(
  opened: ScenarioCall,
  open: ReadonlyMap<number, OpenVisit>,
  { stopsAt, flow }: PlayOptions,
): OpenVisit[] {
  const { clock } = opened.call;
  if (clock.nextDeadlineMs !== undefined && clock.nextDeadlineMs <= clock.now()) return [];
  return waitingVisits(opened, open, { hasInterrupts: hasInterrupts(flow.events) }).filter(stopsAt);
}
