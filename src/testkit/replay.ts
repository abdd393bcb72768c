/**
 * Would the flow of today do the same? Feeds a recorded journal to it and reports the first difference, on two levels:
 * *routes* takes the recorded outcomes and asks only where they lead; *steps* runs the real steps on the recorded inputs
 * and compares everything that they asked for and decided.
 *
 * Invariants
 *  P1 the recorded inputs are the only inputs, at their recorded times: no clock, network, engine or chance of its own;
 *  P2 a mask equals anything; a visit that something masked reached follows its record from there (`follow.ts`);
 *  P3 nothing is written anywhere, and nothing throws because of what a journal holds.
 */
import { optOutOfNothing } from '../calls/broadcast/opt-out.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow, CompiledStep, SourceLocation } from '../flow/compiled-flow.ts';
import { CallRun } from '../runtime/call-run.ts';
import type { CallInput, JournalEntry, NewEntry } from '../runtime/journal.ts';
import { MASK } from '../runtime/journal.ts';
import type { RuntimePorts } from '../runtime/ports.ts';
import type { Venue } from '../runtime/venue.ts';
import { stepsByVerb } from '../steps/index.ts';
import type { StepDefinition } from '../steps/step.ts';
import { type Follower, followingSteps } from './follow.ts';
import { containsMask, equalExceptMasks } from './masked.ts';
import { RecordedCall } from './recorded-call.ts';

export type FindFlow = (flow: string | JsonObject) => CompiledFlow | undefined;

export interface Divergence {
  level: 'routes' | 'steps';
  /** The first entry of the journal that is not repeated. */
  seq: number;
  message: string;
  /** Absent where the flow does more, or less, than was recorded. */
  recorded?: NewEntry;
  replayed?: NewEntry;
  /** Where the flow of today says otherwise. */
  place?: SourceLocation;
  step?: string;
}

export type ReplayResult =
  /** `followed` counts visits that could only follow the record, because values are masked. */
  { ok: true; entries: number; followed: number; sameVersion: boolean } | { ok: false; divergence: Divergence };

export interface ReplayOptions {
  steps?: ReadonlyMap<string, StepDefinition>;
  /** What the configuration gave the call and the journal does not hold. */
  schedules?: Readonly<Record<string, Json>>;
  secrets?: JsonObject;
  /** The call's id and event URL, where they are known; else what `webhook` requests tell of them. */
  callId?: string;
  eventUrl?: string;
}

/** Both levels: routes first, because a changed wire is easier to read as one. */
export async function replayJournal(
  journal: readonly JournalEntry[],
  flows: FindFlow,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const routes = replayRoutes(journal, flows);
  return routes.ok ? replaySteps(journal, flows, options) : routes;
}

const diverged = (divergence: Divergence): ReplayResult => ({ ok: false, divergence });

/** What is wrong with the journal itself, before any flow is asked. */
function journalProblem(journal: readonly JournalEntry[], flows: FindFlow, level: Divergence['level']) {
  const [first] = journal;
  if (first?.kind !== 'started') return { level, seq: 1, message: 'the journal does not begin with `started`' };
  const gap = journal.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) return { level, seq: gap + 1, message: `entry ${gap + 1} has the number ${journal[gap]!.seq}` };
  const late = journal.findIndex(({ atMs }, index) => index > 0 && atMs < journal[index - 1]!.atMs);
  if (late >= 0) return { level, seq: late + 1, message: 'the entry is earlier than the one before it' };
  if (!flows(first.flow)) return { level, seq: 1, message: `there is no flow ${first.flow}` };
  return undefined;
}

/** The recorded outcomes, routed by the flow of today. */
export function replayRoutes(journal: readonly JournalEntry[], flows: FindFlow): ReplayResult {
  const wrong = journalProblem(journal, flows, 'routes');
  if (wrong) return diverged(wrong);
  const recorded = new RecordedCall(journal);
  let entered = 0;
  for (const { entered: entry, enteredAt } of recorded.visits.values()) {
    const flow = flows(entry.flow);
    // A flow that came with a request is known by nobody; its steps are compared on the other level.
    if (!flow) continue;
    entered++;
    const way = routeTo(recorded, enteredAt, flow);
    if (way === undefined || way.target === entry.step) continue;
    return diverged({
      level: 'routes',
      seq: entry.seq,
      message: `${way.from} leads to ${way.target ?? 'the end of the flow'}, and led to ${entry.step}`,
      recorded: withoutPosition(entry),
      ...(way.step ? { place: way.step.location, step: way.step.name } : {}),
    });
  }
  return { ok: true, entries: entered, followed: 0, sameVersion: isSameVersion(recorded, flows) };
}

interface ReplayedRoute {
  from: string;
  target: string | undefined;
  step?: CompiledStep;
}

/** Where the flow of today leads from what came before the entry at `index`; undefined when that decides nothing. */
function routeTo({ journal, visits }: RecordedCall, index: number, flow: CompiledFlow): ReplayedRoute | undefined {
  const entry = journal[index] as Extract<JournalEntry, { kind: 'entered' }>;
  /** The entries of the same way through the flows: those of the steps beside it decide nothing here. */
  const isOfWay = (each: JournalEntry): each is Extract<JournalEntry, { kind: 'entered' | 'left' }> =>
    (each.kind === 'entered' && each.branch === entry.branch) ||
    (each.kind === 'left' && visits.get(each.visit)?.entered.branch === entry.branch);
  const before = journal.slice(0, index).findLast(isOfWay);
  if (before?.kind !== 'left') return { from: 'the start', target: flow.start };
  const left = visits.get(before.visit)?.entered;
  if (!left) return undefined;
  if (before.outcome.startsWith('$')) {
    const interrupt = before.outcome.slice(1);
    return { from: interrupt, target: Object.hasOwn(flow.events, interrupt) ? flow.events[interrupt] : undefined };
  }
  if (left.flow !== entry.flow || before.outcome === 'goto') return undefined;
  const step = flow.steps.get(before.step);
  if (!step) return { from: `the step ${before.step}, which is gone,`, target: undefined };
  const routed = flow.machine.next(step.name, before.outcome);
  const target = before.outcome === 'hangup' ? (routedStep(routed) ?? flow.events['hangup']) : routedStep(routed);
  return { from: `${before.outcome} of ${step.name}`, target, step };
}

const routedStep = (target: string | undefined): string | undefined => (target?.startsWith('$') ? undefined : target);

/** The recorded inputs, given to the real run. */
export async function replaySteps(
  journal: readonly JournalEntry[],
  flows: FindFlow,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const wrong = journalProblem(journal, flows, 'steps');
  if (wrong) return diverged(wrong);
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
  readonly #recording: RecordedCall;
  readonly #flows: FindFlow;
  readonly #options: ReplayOptions;
  readonly #replayed: JournalEntry[] = [];
  #nowMs: number;
  #wallMs: number;
  #run: CallRun | undefined;
  #crash: unknown;

  constructor(recorded: RecordedCall, flows: FindFlow, options: ReplayOptions) {
    this.#recording = recorded;
    this.#flows = flows;
    this.#options = options;
    this.#nowMs = this.#wallMs = recorded.started.atMs;
  }

  get replayed(): number {
    return this.#run?.journalLength ?? 0;
  }

  async run(): Promise<Divergence | undefined> {
    const { journal } = this.#recording;
    const run = this.#begin();
    this.#run = run;
    void run.start();
    let at = 0;
    for (;;) {
      await nextTurn();
      for (const replayed of this.#replayed.splice(0)) {
        at = this.#skipRefusals(at);
        const recorded = journal[at];
        if (isNewerEntryKind(recorded, replayed)) continue;
        if (!recorded || !this.#isRepeated(recorded, replayed)) return this.#difference(at, recorded, replayed);
        at++;
      }
      at = this.#skipRefusals(at);
      const recorded = journal[at];
      if (!recorded) return undefined;
      if (recorded.kind !== 'in') return this.#difference(at, recorded, undefined);
      // What follows was written by the service that found the call dead, not by its run.
      if (recorded.input.type === 'lost') return undefined;
      this.inputAt = at;
      this.#nowMs = recorded.atMs;
      this.#wallMs = recorded.wallMs ?? recorded.atMs;
      this.#give(run, recorded.input);
    }
  }

  #begin(): CallRun {
    const { started } = this.#recording;
    const told = this.#recording.webhookRequest();
    const eventUrl = this.#options.eventUrl ?? told?.url;
    const legId = started.leg ?? 'replay';
    const dial = { legId, from: started.from, to: started.to, ringTimeoutMs: 0 };
    const announced = this.#recording.journal[1];
    return new CallRun(
      {
        callId: started.callId ?? this.#options.callId ?? told?.callId ?? 'replay',
        projectId: 'replay',
        direction: started.direction,
        from: started.from,
        to: started.to,
        legId,
        ...(started.direction === 'outbound' ? { dial } : {}),
        flow: acceptingMasks(this.#flows(started.flow)!),
        input: started.input,
        seed: started.seed,
        env: started.env,
        secrets: this.#options.secrets ?? {},
        schedules: this.#options.schedules ?? {},
        ...(eventUrl === undefined ? {} : { eventUrl }),
        // What was recorded as taken was allowed.
        strictBridgeState: false,
        announce: started.announce ?? (announced?.kind === 'state' && announced.state === 'incomingcall'),
        ...(started.answered ? { answered: true } : {}),
      },
      this.#ports(),
    );
  }

  #ports(): RuntimePorts {
    const given = this.#recording.recordedIds();
    let ids = 0;
    return {
      // Deadlines are inputs like any other: they come from the journal.
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
      steps: followingSteps(this.#options.steps ?? stepsByVerb, this.#recording, this),
      http: () => new Promise(() => undefined),
      deliveriesOf: () => [],
      recordings: {
        open: ({ recordingId }) => this.#recording.recordingFile(recordingId),
        close: () => undefined,
      },
      venues: { conference: NO_VENUE, queue: NO_VENUE, room: NO_VENUE },
      mayPresent: (_projectId, cli) => this.#recording.presentedCallerId(cli),
      mayStream: (_projectId, url) => this.#recording.streamedTo(url),
      doNotCall: optOutOfNothing,
      onCrash: (_callId, error) => {
        this.#crash = error;
      },
      recordedVars: (visit) => (this.followed.has(visit) ? this.#recording.visits.get(visit)?.vars : undefined),
    };
  }

  #give(run: CallRun, input: CallInput): void {
    if (input.type === 'command') void run.command(input.command, input.source);
    else run.post(this.#unmasked(input));
  }

  /** A masked digit that was an interrupt says so by what it led to. */
  #unmasked(input: CallInput): CallInput {
    if (input.type !== 'leg' || input.event.type !== 'digit' || input.event.digit !== MASK) return input;
    const { journal } = this.#recording;
    const until = this.#recording.next('in', this.inputAt);
    const left = journal.slice(this.inputAt, until).find((entry) => entry.kind === 'left');
    const digit = left?.kind === 'left' ? /^\$dtmf\.(.)$/.exec(left.outcome)?.[1] : undefined;
    return digit === undefined ? input : { ...input, event: { ...input.event, digit } };
  }

  /** A command that was refused is no input and changed nothing. */
  #skipRefusals(at: number): number {
    let next = at;
    while (isRefusal(this.#recording.journal[next])) next++;
    return next;
  }

  #isRepeated(recorded: JournalEntry, replayed: JournalEntry): boolean {
    if (recorded.kind === 'started' && replayed.kind === 'started') {
      // Another version of the flow may well do the same.
      const { leg = '', callId = '' } = recorded;
      const alike = { flowHash: '', leg, callId };
      return equalExceptMasks(comparable({ ...recorded, ...alike }), comparable({ ...replayed, ...alike }));
    }
    return equalExceptMasks(comparable(recorded), comparable(replayed));
  }

  #difference(at: number, recorded: JournalEntry | undefined, replayed: JournalEntry | undefined): Divergence {
    const step = this.#stepAt(at, replayed);
    const crash = this.#crash === undefined ? undefined : `the run broke: ${String(this.#crash)}`;
    return {
      level: 'steps',
      seq: recorded?.seq ?? this.#recording.journal.length + 1,
      message: crash ?? messageOf(recorded, replayed),
      ...(recorded ? { recorded: withoutPosition(recorded) } : {}),
      ...(replayed ? { replayed: withoutPosition(replayed) } : {}),
      ...(step ? { place: step.location, step: step.name } : {}),
    };
  }

  /** The step that was being visited at this entry, as the flow of today writes it. */
  #stepAt(at: number, replayed: JournalEntry | undefined): CompiledStep | undefined {
    const entries = [...this.#recording.journal.slice(0, at), ...(replayed ? [replayed] : [])];
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

/** Older versions did not tell how joins, transfers, and the bridges of calls that end came to their own end. */
function isNewerEntryKind(recorded: JournalEntry | undefined, replayed: JournalEntry): boolean {
  switch (replayed.kind) {
    case 'unjoined':
    case 'transferred':
    case 'untransferred':
      return recorded?.kind !== replayed.kind;
    case 'bridge':
      return (replayed.state === 'failed' || replayed.state === 'bridge_disconnected') && recorded?.kind !== 'bridge';
    default:
      return false;
  }
}

const isRefusal = (entry: JournalEntry | undefined): boolean =>
  entry?.kind === 'refused' || (entry?.kind === 'diagnostic' && entry.code === 'answer_refused');

function messageOf(recorded: JournalEntry | undefined, replayed: JournalEntry | undefined): string {
  if (!recorded) return `the flow does more than was recorded: ${replayed?.kind}`;
  if (!replayed) return `the flow does less than was recorded: ${recorded.kind} is missing`;
  if (recorded.kind !== replayed.kind) return `${recorded.kind} was recorded, the flow comes to ${replayed.kind}`;
  if (recorded.kind === 'entered' && replayed.kind === 'entered') {
    return `the flow enters ${replayed.step}, and entered ${recorded.step}`;
  }
  if (recorded.kind === 'left' && replayed.kind === 'left' && recorded.outcome !== replayed.outcome) {
    return `${replayed.step} has the outcome ${replayed.outcome}, and had ${recorded.outcome}`;
  }
  const [was, is] = [comparable(recorded), comparable(replayed)];
  const key = Object.keys({ ...was, ...is }).find((name) => !equalExceptMasks(was[name], is[name]));
  return `${recorded.kind} differs in ${key ?? 'its content'}`;
}

/** Everything but the number, that is its place in the journal, and the folder in which the flows happen to lie. */
function comparable({ seq: _seq, ...entry }: JournalEntry): JsonObject {
  if (entry.kind !== 'command' || entry.command.type !== 'play') return entry as unknown as JsonObject;
  const audio = entry.command.audio.map((item) => (item.type === 'file' ? { ...item, file: tailOf(item.file) } : item));
  return { ...entry, command: { ...entry.command, audio } } as unknown as JsonObject;
}

/** The file and its folder: `prompts/hello.wav`, `fr-FR/hello.wav`. */
const tailOf = (file: string): string => file.split(/[\\/]/).slice(-2).join('/');

function withoutPosition({ seq: _seq, atMs: _atMs, wallMs: _wallMs, ...entry }: JournalEntry): NewEntry {
  return entry as NewEntry;
}

function isSameVersion({ started }: RecordedCall, flows: FindFlow): boolean {
  return flows(started.flow)?.hash === started.flowHash;
}

/** The flow with checks that let masked values pass: they are no PIN and no number any more. */
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

/** What places tell is in the journal. */
const NO_VENUE: Venue = { enter: () => undefined, tell: () => undefined, exit: () => undefined };

/** Lets everything happen that needs no time. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
