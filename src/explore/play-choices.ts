/**
 * Plays the choices of a call on the real runtime in virtual time, up to the point at which the next choice is needed.
 * There are no snapshots: a prefix is replayed, which takes about a millisecond. `options.ts` lists the next choices,
 * `state-key.ts` computes the state key.
 *
 * Invariants
 *  - `callweave test` plays the same document in the same way;
 *  - virtual time and journal entries are bounded.
 */
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { JournalEntry, JournalEntryOf } from '../runtime/journal.ts';
import { stepsByVerb } from '../steps/index.ts';
import type { HeardAudio, Talk } from '../telephony/simulated/far-end.ts';
import { answeredMsOf } from '../testkit/properties.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { openScenario, type ScenarioCall } from '../testkit/scenario-call.ts';
import { scenarioFrom } from '../testkit/scenario-file.ts';
import type { ScenarioForm } from '../testkit/scenario-form.ts';
import type { PartyMockKey } from '../testkit/scenario-parties.ts';
import { ScriptFailure } from '../testkit/scripted-party.ts';
import type { SimulatedCall } from '../testkit/simulated-call.ts';
import { type WatchedWait, watchSteps } from '../testkit/watch-steps.ts';

export type Stop =
  | { kind: 'request'; step: string }
  | { kind: 'party'; word: PartyMockKey; to: string; visit: number; leg: string }
  /** The caller or an application may act: these step runs wait for input. */
  | { kind: 'turn'; visits: readonly OpenVisit[] }
  | { kind: 'ended'; entry: JournalEntryOf<'ended'> }
  /** No further event occurs without input, within the limits of virtual time and journal entries. */
  | { kind: 'stays'; why: 'nothing' | 'virtual_time' | 'entries' };

export interface OpenVisit {
  visit: number;
  flow: string;
  step: string;
  verb: string;
  wait: WatchedWait;
}

export interface Played {
  stop: Stop;
  journal: readonly JournalEntry[];
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
  /** Step runs that have not ended, by number. */
  open: ReadonlyMap<number, OpenVisit>;
  crashes: readonly unknown[];
}

export interface PlayOptions {
  flow: CompiledFlow;
  flows: FindFlow;
  /** Step runs in which the caller does not act again. */
  passed: ReadonlySet<number>;
  /** True if the caller does not act again. */
  isSilent?: boolean;
  limits?: { virtualMs: number; entries: number };
}

const LIMITS = { virtualMs: 2 * 3_600_000, entries: 4_000 };
const CLOSING_MS = 60_000;
/** Verbs that a caller may end at any time, independent of the audio. */
const AT_ANY_MOMENT = ['wait_for', 'queue', 'conference', 'join_room', 'assistant'];
export const ASKING = ['menu', 'collect', 'pay'];
const TALKING = ['bridge', 'transfer'];
/** Verbs that a key or an interrupt may end during their audio. */
const SOUNDING = ['play', 'pause'];

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
    const openVisits = (): Map<number, OpenVisit> =>
      new Map(
        [...entered].map(([visit, { flow: name, step, verb }]) => [
          visit,
          { visit, flow: name, step, verb, wait: watched.waits.get(visit) ?? {} },
        ]),
      );
    let stop: Stop | undefined;
    while (stop === undefined) {
      await call.clock.settle();
      if (failure instanceof ScriptFailure) throw new UnplayableError(failure.message);
      if (failure !== undefined) throw failure;
      stop = stopOf(opened, () => (isActing ? [] : waitingIn(opened, openVisits(), options)));
      if (stop !== undefined) break;
      if (call.journal.length > limits.entries) stop = { kind: 'stays', why: 'entries' };
      else if (!(await call.clock.advanceToNext(endMs))) {
        stop = { kind: 'stays', why: call.clock.nextDeadlineMs === undefined ? 'nothing' : 'virtual_time' };
      }
    }
    const { heard, talks } = call.farEnd;
    const answeredMs = answeredMsOf(call.journal);
    return {
      ...{ stop, journal: [...call.journal], heard: [...heard], talks: [...talks], open: openVisits() },
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

/** True if the caller is waiting in a queue. */
export const isQueued = ({ open }: Pick<Played, 'open'>): boolean =>
  [...open.values()].some(({ verb }) => verb === 'queue');

function quietFor({ farEnd, clock, journal }: SimulatedCall): number {
  if (farEnd.hears || farEnd.company.length > 0 || farEnd.state !== 'connected') return 0;
  const sounds = farEnd.heard.flatMap(({ item, toMs }) =>
    item.type === 'silence' || toMs === undefined ? [] : [toMs],
  );
  const asked = journal.flatMap((entry) =>
    entry.kind === 'left' && [...ASKING, 'assistant'].includes(entry.verb) ? [entry.atMs] : [],
  );
  return clock.now() - Math.max(answeredMsOf(journal), sounds.at(-1) ?? 0, asked.at(-1) ?? 0);
}

function stopOf({ call, mocks, parties, agents }: ScenarioCall, turn: () => OpenVisit[]): Stop | undefined {
  const ended = call.hasEnded ? call.journal.findLast((entry) => entry.kind === 'ended') : undefined;
  if (ended) return { kind: 'ended', entry: ended };
  const request = mocks.unmocked[0];
  if (request) return { kind: 'request', step: request.step };
  const agent = agents.unmocked[0];
  if (agent) return { kind: 'request', step: agent.step };
  const party = parties.unmocked[0];
  if (party) {
    const dialled = call.journal.find((entry) => entry.kind === 'dialled' && entry.leg === party.legId);
    const visit = dialled?.kind === 'dialled' ? dialled.visit : 0;
    return { kind: 'party', word: party.word, to: party.to, visit, leg: party.legId };
  }
  const visits = turn();
  return visits.length === 0 ? undefined : { kind: 'turn', visits };
}

/** Returns the step runs that wait for the caller or an application; empty while events of this moment are pending. */
function waitingIn(
  { call }: ScenarioCall,
  open: ReadonlyMap<number, OpenVisit>,
  { passed, isSilent = false, flow }: PlayOptions,
): OpenVisit[] {
  const { clock, farEnd } = call;
  if (isSilent) return [];
  if (clock.nextDeadlineMs !== undefined && clock.nextDeadlineMs <= clock.now()) return [];
  if (farEnd.state === 'ended') return [];
  const hasInterrupts = Object.keys(flow.events).some((name) => /^(dtmf|event)\./.test(name));
  return [...open.values()].filter(({ visit, verb, wait }) => {
    if (passed.has(visit)) return false;
    if (ASKING.includes(verb)) {
      // The prompt still plays, or the recognition of the last utterance is pending.
      if (farEnd.hears || farEnd.listening === 'hears') return false;
      return wait.digits !== undefined || farEnd.listening === 'waits';
    }
    if (verb === 'record') return farEnd.isRecorded;
    if (TALKING.includes(verb)) return farEnd.company.length > 0;
    if (AT_ANY_MOMENT.includes(verb))
      return wait.digits !== undefined || wait.signals !== undefined || verb !== 'queue';
    return SOUNDING.includes(verb) && farEnd.hears && (wait.digits !== undefined || hasInterrupts);
  });
}
