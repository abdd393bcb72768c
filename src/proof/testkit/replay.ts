/**
 * Replays a recorded journal on the current flow and reports the first difference, on two levels. *Routes*
 * (`replay-routes.ts`) keeps the recorded outcomes and compares their targets. *Steps* runs the real steps on the
 * recorded inputs and compares all their commands, requests and decisions.
 *
 * Invariants
 * - the only inputs are the recorded ones, at their recorded times: a replay has no clock, network, engine or random
 * numbers;
 * - a mask matches anything, but its template must be the recorded one; a step that reads a masked value follows its
 * recording from there to the recorded outcome (`replay-follow.ts`);
 * - nothing is written, and the content of a journal never makes a function throw.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow, CompiledStep } from '../../language/flow/compiled-flow.ts';
import type { StepDefinition } from '../../language/steps/step.ts';
import { optOutOfNothing } from '../../service/calls/broadcast/do-not-call.ts';
import { CallRun } from '../../service/runtime/call-run.ts';
import { type CallInput, isRefusal, type JournalEntry, MASK } from '../../service/runtime/journal.ts';
import { containsMask } from '../../service/runtime/masked-templates.ts';
import type { RuntimePorts } from '../../service/runtime/ports.ts';
import type { Venue } from '../../service/runtime/venue.ts';
import { stepsByVerb } from '../../verbs/steps.ts';
import { differenceOf, isNewerEntryKind } from './compare-entries.ts';
import { RecordedCall } from './recorded-call.ts';
import { type Follower, followingSteps } from './replay-follow.ts';
import {
  type Divergence,
  diverged,
  type FindFlow,
  isSameVersion,
  journalProblem,
  type ReplayResult,
  withoutPosition,
} from './replay-result.ts';
import { replayRoutes } from './replay-routes.ts';

export interface ReplayOptions {
  steps?: ReadonlyMap<string, StepDefinition>;
  /** Configuration that is not in the journal. */
  schedules?: Readonly<Record<string, Json>>;
  secrets?: JsonObject;
  /** The call's id and event URL if known; otherwise they are read from the requests of `webhook` steps. */
  callId?: string;
  eventUrl?: string;
}

/** Runs both levels, routes first, because a changed route is easier to understand than its consequences. */
export async function replayJournal(
  journal: readonly JournalEntry[],
  flows: FindFlow,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const routes = replayRoutes(journal, flows);
  return routes.ok ? replaySteps(journal, flows, options) : routes;
}

/** The second level: gives the recorded inputs to the real runtime. */
export async function replaySteps(
  journal: readonly JournalEntry[],
  flows: FindFlow,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const problem = journalProblem(journal, flows, 'steps');
  if (problem) return diverged(problem);
  const recorded = new RecordedCall(journal);
  const replay = new Replay(recorded, flows, options);
  const divergence = await replay.run();
  if (divergence) return diverged(divergence);
  const followed = replay.followed.size;
  return { ok: true, entries: journal.length, followed, sameVersion: isSameVersion(recorded, flows) };
}

class Replay implements Follower {
  readonly followed = new Set<number>();
  inputAt = 0;
  readonly #recorded: RecordedCall;
  readonly #flows: FindFlow;
  readonly #options: ReplayOptions;
  readonly #replayed: JournalEntry[] = [];
  #nowMs: number;
  #wallMs: number;
  #run: CallRun | undefined;
  #crash: unknown;

  constructor(recorded: RecordedCall, flows: FindFlow, options: ReplayOptions) {
    this.#recorded = recorded;
    this.#flows = flows;
    this.#options = options;
    this.#nowMs = this.#wallMs = recorded.started.atMs;
  }

  get replayed(): number {
    return this.#run?.journalLength ?? 0;
  }

  async run(): Promise<Divergence | undefined> {
    const { journal } = this.#recorded;
    const run = this.#start();
    this.#run = run;
    void run.start();
    let at = 0;
    for (;;) {
      await nextTurn();
      for (const replayed of this.#replayed.splice(0)) {
        at = this.#skipRefusals(at);
        const recorded = journal[at];
        if (isNewerEntryKind(recorded, replayed)) continue;
        if (!recorded) {
          return this.#divergence(at, `the flow does more than was recorded: ${replayed.kind}`, { replayed });
        }
        const difference = differenceOf(recorded, replayed, this.#stepOf(recorded));
        if (difference !== undefined)
          return this.#divergence(at, difference.message, { recorded, replayed }, difference.cause);
        at++;
      }
      at = this.#skipRefusals(at);
      const recorded = journal[at];
      if (!recorded) return undefined;
      if (recorded.kind !== 'in') {
        return this.#divergence(at, `the flow does less than was recorded: ${recorded.kind} is missing`, { recorded });
      }
      // The rest was written by the service that found the call lost, not by the call itself.
      if (recorded.input.type === 'lost') return undefined;
      this.inputAt = at;
      this.#nowMs = recorded.atMs;
      this.#wallMs = recorded.wallMs ?? recorded.atMs;
      this.#give(run, recorded.input);
    }
  }

  #start(): CallRun {
    const { started } = this.#recorded;
    const webhook = this.#recorded.webhookRequest();
    const eventUrl = this.#options.eventUrl ?? webhook?.url;
    const legId = started.leg ?? 'replay';
    const { headers } = started;
    const said = headers === undefined ? {} : { headers };
    const dial = { legId, from: started.from, to: started.to, ringTimeoutMs: 0, ...said };
    const announced = this.#recorded.journal[1];
    return new CallRun(
      {
        callId: started.callId ?? this.#options.callId ?? webhook?.callId ?? 'replay',
        projectId: 'replay',
        direction: started.direction,
        from: started.from,
        to: started.to,
        legId,
        ...(started.direction === 'outbound' ? { dial } : said),
        flow: acceptingMasks(this.#flows(started.flow)!),
        input: started.input,
        seed: started.seed,
        env: started.env,
        timezone: started.timezone,
        secrets: this.#options.secrets ?? {},
        schedules: this.#options.schedules ?? {},
        ...(eventUrl === undefined ? {} : { eventUrl }),
        // Everything that was accepted in the recording is permitted.
        strictBridgeState: false,
        announce: started.announce ?? (announced?.kind === 'state' && announced.state === 'incomingcall'),
        ...(started.answered ? { answered: true } : {}),
        ...(started.sip ? { sip: started.sip } : {}),
      },
      this.#ports(),
    );
  }

  #ports(): RuntimePorts {
    const given = this.#recorded.recordedIds();
    let ids = 0;
    return {
      owner: 'replay',
      // Deadlines are inputs as well and come from the journal.
      clock: {
        now: () => this.#wallMs,
        monotonicMs: () => this.#nowMs,
        after: () => ({ cancel: () => undefined }),
      },
      ids: { next: (kind) => given.get(kind)?.shift() ?? `replayed-${kind}-${++ids}` },
      engine: { dial: () => undefined, send: () => undefined },
      callStore: {
        commit: async ({ entries }) => {
          this.#replayed.push(...entries);
        },
      },
      flow: (flow) => {
        const found = this.#flows(flow);
        return found && acceptingMasks(found);
      },
      steps: followingSteps(this.#options.steps ?? stepsByVerb, this.#recorded, this),
      http: () => new Promise(() => undefined),
      deliveriesOf: () => [],
      recordings: {
        open: ({ recordingId }) => this.#recorded.recordingFile(recordingId),
        close: () => undefined,
      },
      venues: { conference: NO_VENUE, queue: NO_VENUE, room: NO_VENUE },
      mayPresent: (_projectId, cli) => this.#recorded.presentedCallerId(cli),
      mayStream: (_projectId, url) => this.#recorded.streamedTo(url),
      doNotCall: optOutOfNothing,
      onCrash: (_callId, error) => {
        this.#crash = error;
      },
      recordedVars: (visit) => (this.followed.has(visit) ? this.#recorded.visits.get(visit)?.vars : undefined),
    };
  }

  #give(run: CallRun, input: CallInput): void {
    if (input.type === 'command') void run.command(input.command, input.source);
    else run.post(this.#unmasked(input));
  }

  /** Restores a masked digit that was an interrupt, from the step that it left. */
  #unmasked(input: CallInput): CallInput {
    if (input.type !== 'leg' || input.event.type !== 'digit' || input.event.digit !== MASK) return input;
    const { journal } = this.#recorded;
    const until = this.#recorded.next('in', this.inputAt);
    const left = journal.slice(this.inputAt, until).find((entry) => entry.kind === 'left');
    const digit = left?.kind === 'left' ? /^\$dtmf\.(.)$/.exec(left.outcome)?.[1] : undefined;
    return digit === undefined ? input : { ...input, event: { ...input.event, digit } };
  }

  #skipRefusals(at: number): number {
    let next = at;
    while (isRefusal(this.#recorded.journal[next])) next++;
    return next;
  }

  #divergence(
    at: number,
    message: string,
    { recorded, replayed }: { recorded?: JournalEntry; replayed?: JournalEntry },
    cause: string = message,
  ): Divergence {
    const step = this.#stepAt(at, replayed);
    return {
      level: 'steps',
      seq: recorded?.seq ?? this.#recorded.journal.length + 1,
      ...(this.#crash === undefined ? { message, cause } : crashed(this.#crash)),
      ...(recorded ? { recorded: withoutPosition(recorded) } : {}),
      ...(replayed ? { replayed: withoutPosition(replayed) } : {}),
      ...(step ? { place: step.location, step: step.name } : {}),
    };
  }

  /** Step of an entry in the current flow. */
  #stepOf(entry: JournalEntry): CompiledStep | undefined {
    const entered = 'visit' in entry ? this.#recorded.visits.get(entry.visit ?? -1)?.entered : undefined;
    return entered && this.#flows(entered.flow)?.steps.get(entered.step);
  }

  /** Step that was running at this entry, in the current flow. */
  #stepAt(at: number, replayed: JournalEntry | undefined): CompiledStep | undefined {
    const entries = [...this.#recorded.journal.slice(0, at), ...(replayed ? [replayed] : [])];
    const open: Extract<JournalEntry, { kind: 'entered' }>[] = [];
    let last: Extract<JournalEntry, { kind: 'entered' }> | undefined;
    for (const entry of entries) {
      if (entry.kind === 'entered') open.push(entry);
      if (entry.kind !== 'left') continue;
      const index = open.findLastIndex(({ visit }) => visit === entry.visit);
      if (index >= 0) last = open.splice(index, 1)[0];
    }
    const entered = open.at(-1) ?? last;
    return entered && this.#flows(entered.flow)?.steps.get(entered.step);
  }
}

const crashed = (error: unknown): Pick<Divergence, 'message' | 'cause'> => ({
  message: `the call crashed: ${String(error)}`,
  cause: 'the call crashed',
});

/** Flow whose checks accept masked values, which are no longer valid PINs or numbers. */
function acceptingMasks(flow: CompiledFlow): CompiledFlow {
  const steps = new Map(
    [...flow.steps].map(([name, step]): [string, CompiledStep] => [
      name,
      {
        ...step,
        complete: (rendered) =>
          containsMask(rendered) ? { args: step.complete(rendered).args } : step.complete(rendered),
      },
    ]),
  );
  return {
    ...flow,
    steps,
    checkVariable: (name, value) => (containsMask(value) ? undefined : flow.checkVariable(name, value)),
  };
}

/** Events of conferences, queues and rooms come from the journal. */
const NO_VENUE: Venue = { enter: () => undefined, tell: () => undefined, exit: () => undefined };

/** Lets pending promises and immediate callbacks run. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
