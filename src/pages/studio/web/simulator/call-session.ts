/**
 * The current simulated call: sends its acts and holds the result. `acts.ts` defines the list; the components next to
 * it show it.
 *
 * Invariants
 * - one request at a time; an act waits for the response to the previous one;
 * - an impossible act is not kept;
 * - while the text has errors, the call keeps its last state.
 */
import { computed, signal } from '@preact/signals';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { ServiceError } from '../api.ts';
import type { Overlays } from '../graph/overlays.ts';
import { conversationOf, type TranscriptLine } from '../journal/conversation.ts';
import { pathOf } from '../journal/path.ts';
import { atLine } from '../shell/at-line.ts';
import { loadLanguage } from '../text/load-language.ts';
import {
  addAct,
  type CallerAction,
  callOf,
  newCall,
  orderOf,
  type SimulatorCall,
  startAgain,
  takeBack,
  toggleBreakpoint,
} from './acts.ts';
import { compareLines } from './compare.ts';
import { type Gap, type SimulationData, type SimulationOrder, searchedWay, simulate, testedWay } from './simulation.ts';
import { actionFor, nextExit } from './way.ts';

/** Acts of a call, and the response to them. */
export interface CallToKeep {
  call: SimulatorCall;
  now: SimulationData;
}

export interface Proposal {
  gap: Gap;
  state: 'searching' | 'found' | 'none';
  /** Number of simulated calls in the search. */
  tried?: number;
}

const service = {
  simulate: simulate as (order: SimulationOrder) => Promise<SimulationData>,
  ...{ testedWay, searchedWay, loadLanguage },
};

/** Debounce for text changes, so that not every key sends a request. */
const TYPING_PAUSE_MS = 250;
/** Maximum number of automatic acts on the way to a step. */
const MAX_ACTS_ON_THE_WAY = 40;

export class CallSession {
  readonly call = signal<SimulatorCall>(newCall());
  /** Latest response of the service. */
  readonly now = signal<SimulationData | undefined>(undefined);
  readonly isBusy = signal(false);
  /** Reason why the call does not match the current text. */
  readonly problem = signal<string | undefined>(undefined);
  readonly lines = computed((): TranscriptLine[] => conversationOf(this.now.value?.journal ?? []));
  readonly compared = computed(() => compareLines(this.#before.value, this.lines.value));
  /** True if the flow was changed since the last act and the conversation is now different. */
  readonly differs = computed(() => this.compared.value.some(({ change }) => change !== undefined));
  readonly overlays = computed((): Overlays => {
    const { breakpoints } = this.call.value;
    const journal = this.now.value?.journal;
    return { ...(journal && { path: pathOf(journal) }), breakpoints: new Set(breakpoints) };
  });
  /** Uncovered exit for which a test is proposed. */
  readonly proposed = signal<Proposal | undefined>(undefined);
  /** Conversation before the flow was changed. */
  readonly #before = signal<readonly TranscriptLine[]>([]);
  readonly #name: string;
  readonly #service: typeof service;
  readonly #tell: (text: string) => void;
  #text: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #typing: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  readonly #search = new AbortController();

  constructor(name: string, tell: (text: string) => void, by: typeof service = service) {
    this.#name = name;
    this.#tell = tell;
    this.#service = by;
  }

  /** Text of the flow on which the acts were played. */
  get text(): string | undefined {
    return this.#text;
  }

  /** Sets the flow text. The first text starts the call; later texts run the same acts. */
  setText(text: string): void {
    if (text === this.#text) return;
    const isFirst = this.#text === undefined;
    this.#text = text;
    clearTimeout(this.#typing);
    if (isFirst) void this.#enqueue(() => this.#send(this.call.value));
    else this.#typing = setTimeout(() => void this.#enqueue(() => this.#sendChanged()), TYPING_PAUSE_MS);
  }

  do(action: CallerAction): Promise<boolean> {
    return this.#enqueue(() => this.#act(action));
  }

  /** Copy of the call that its caller ends, unless it has ended. The call itself continues. */
  ended(): Promise<CallToKeep | undefined> {
    return this.#enqueue(async () => {
      const now = this.now.value;
      if (now === undefined || now.state === 'ended') return now && { call: this.call.value, now };
      // A breakpoint would stop the copy before its end.
      const call = addAct({ ...this.call.value, breakpoints: [] }, { do: 'hang_up' }, now);
      try {
        return { call, now: await this.#ask(call) };
      } catch {
        return undefined;
      }
    });
  }

  takeBack(): Promise<void> {
    return this.#enqueue(() => this.#replace(takeBack(this.call.value)));
  }

  startAgain(given: Partial<SimulatorCall> = {}): Promise<void> {
    return this.#enqueue(() => this.#replace({ ...startAgain(this.call.value), ...given }));
  }

  /** Calls again at another time. */
  beginAt(time: Date): Promise<void> {
    return this.startAgain({ given: { ...this.call.value.given, at: time.toISOString() } });
  }

  toggleBreakpoint(step: string): Promise<void> {
    return this.#enqueue(async () => {
      this.call.value = toggleBreakpoint(this.call.value, step, this.now.value);
    });
  }

  /**
   * Performs the acts that lead from the current step to `target`. If they are unknown, restarts with the path of a
   * test.
   */
  playOnTo(target: string, graph: FlowGraph): Promise<void> {
    return this.#enqueue(async () => {
      const before = this.call.value;
      const problem = await this.#goOnTo(target, graph);
      if (problem === undefined) return;
      const way = await this.#service.testedWay(this.#name, target, this.#text).catch(() => undefined);
      if (way === undefined) {
        this.#tell(problem);
        return;
      }
      if (await this.#send(callOf(before, way)))
        this.#tell(t('From the beginning to {target}, as a test does it', { target }));
    });
  }

  /** Calls again, and plays on to `target`, unless the call is there already. */
  async playFrom(target: string, graph: FlowGraph): Promise<void> {
    await this.startAgain();
    if (!pathOf(this.now.value?.journal ?? []).steps.has(target)) await this.playOnTo(target, graph);
  }

  /** Restarts with acts that lead through an exit that no test covers. */
  propose(gap: Gap): Promise<void> {
    const proposal = { gap, state: 'searching' as const };
    this.proposed.value = proposal;
    return this.#enqueue(async () => {
      const { form, tried = 0 } = await this.#service
        .searchedWay(this.#name, gap, this.#text, this.#search.signal)
        .catch((error: unknown): Awaited<ReturnType<typeof searchedWay>> => {
          if (!this.#search.signal.aborted) this.#tell(wordsOfError(error));
          return { found: false };
        });
      if (this.proposed.value !== proposal) return;
      const isThere = form !== undefined && (await this.#send(callOf(this.call.value, form)));
      this.proposed.value = { gap, state: isThere ? 'found' : 'none', tried };
    });
  }

  /** Returns the reason why the target was not reached, or undefined on success. */
  async #goOnTo(target: string, graph: FlowGraph): Promise<string | undefined> {
    const { now } = this;
    const visitsOfTarget = (): number => pathOf(now.value?.journal ?? []).steps.get(target) ?? 0;
    const before = visitsOfTarget();
    const { verbs } = await this.#service.loadLanguage();
    for (let acts = 0; acts < MAX_ACTS_ON_THE_WAY; acts++) {
      if (visitsOfTarget() > before) return undefined;
      const step = pathOf(now.value?.journal ?? []).now;
      if (now.value === undefined || step === undefined) return t('The call has not begun');
      const way = nextExit(graph, step, target, verbs);
      if (way === undefined) return t('No route leads from {step} to {target}', { step, target });
      const isStopped = now.value.stopped_at?.reason === 'breakpoint';
      const action: CallerAction | undefined = isStopped ? { do: 'go_on' } : actionFor(way.exit, now.value);
      if (action === undefined || !(await this.#act(action))) {
        return t('What leads from {name} by {outcome} has to be done by hand', {
          name: way.step.name,
          outcome: way.exit.outcome,
        });
      }
    }
    return t('{target} was not reached', { target });
  }

  close(): void {
    this.#isClosed = true;
    this.#search.abort();
    clearTimeout(this.#typing);
  }

  async #act(action: CallerAction): Promise<boolean> {
    const { now, call } = this;
    if (now.value === undefined) return false;
    // The answer of a request can be changed after the call.
    if (now.value.state === 'ended' && action.do !== 'mock') return false;
    const before = { call: call.value, now: now.value };
    const next = addAct(call.value, action, now.value);
    if (!(await this.#send(next))) return false;
    const stopped = now.value.stopped_at;
    const last = orderOf(next).script.length - 1;
    if ((stopped?.reason !== 'act' && stopped?.reason !== 'stuck') || stopped.act < last || action.do === 'mock') {
      return true;
    }
    call.value = before.call;
    now.value = before.now;
    this.#tell(
      stopped.reason === 'act'
        ? t('That cannot be done now: {actual}', { actual: stopped.actual })
        : t('Nothing waits for that: it would never end'),
    );
    return false;
  }

  async #replace(call: SimulatorCall): Promise<void> {
    await this.#send(call);
  }

  /** Runs the same acts on a changed text. */
  async #sendChanged(): Promise<void> {
    const before = this.#before.value.length > 0 ? this.#before.value : this.lines.value;
    if (await this.#send(this.call.value)) this.#before.value = before;
  }

  async #send(call: SimulatorCall): Promise<boolean> {
    this.isBusy.value = true;
    try {
      const answer = await this.#ask(call);
      const problem = problemIn(answer);
      this.problem.value = problem;
      if (problem !== undefined) return false;
      if (this.call.value !== call) this.#before.value = [];
      this.call.value = call;
      this.now.value = answer;
      return true;
    } catch (error) {
      this.problem.value = wordsOfError(error);
      return false;
    } finally {
      this.isBusy.value = false;
    }
  }

  #ask(call: SimulatorCall): Promise<SimulationData> {
    const text = this.#text === undefined ? {} : { text: this.#text };
    return this.#service.simulate({ name: this.#name, ...text, ...orderOf(call) });
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(() => (this.#isClosed ? (undefined as Result) : work()));
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

interface Diagnosed {
  diagnostics?: { severity?: string; message: string; line?: number }[];
}

/** A flow with errors has no simulation; returns its diagnostics. */
function problemIn(answer: SimulationData & Diagnosed): string | undefined {
  if (Array.isArray(answer.journal)) return undefined;
  return wordsOfDiagnostics(answer.diagnostics ?? []);
}

function wordsOfError(error: unknown): string {
  if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : String(error);
  const { diagnostics } = error.body as Diagnosed;
  if (Array.isArray(diagnostics) && diagnostics.length > 0) return wordsOfDiagnostics(diagnostics);
  return error.hint === undefined ? error.message : `${error.message}: ${error.hint}`;
}

function wordsOfDiagnostics(diagnostics: NonNullable<Diagnosed['diagnostics']>): string {
  const first = diagnostics.find(({ severity }) => severity !== 'warning') ?? diagnostics[0];
  return first === undefined ? t('the flow has errors') : atLine(first.line, first.message);
}
