/**
 * Plays a simulated call up to the end of its acts. There is no session: each request contains all acts, which virtual
 * time makes cheap. "Back" is therefore a request with one act less, a changed flow continues the same call, and the
 * acts are the script of a test. `proof/testkit/scenario-call.ts` opens the call, `simulation-view.ts` returns its
 * state.
 *
 * Invariants
 *  - the same acts, seed and texts give the same journal, byte for byte;
 *  - an act without `at` is carried out at the caller's turn: no audio plays, and a step or a mock waits. A saved test
 *     has `hear` before the act, which leads to the same moment;
 *  - no request and no call leaves the process: both are mocked, and wait if there is no mock;
 *  - virtual time, journal entries and wall time are bounded.
 */
import { type Clock, systemClock } from '../../base/core/clock.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { DEFAULT_PRESS } from '../../media/telephony/simulated/far-end.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { stepsByVerb } from '../../verbs/steps.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { openScenario, type ScenarioCall } from '../testkit/scenario-call.ts';
import type { Scenario } from '../testkit/scenario-file.ts';
import type { ScriptAction } from '../testkit/script-actions.ts';
import { ScriptFailure } from '../testkit/scripted-party.ts';
import { watchSteps } from '../testkit/watch-steps.ts';
import type { PlayedAct, PlayedCall, StopReason } from './played-call.ts';
import { isQuiet, type Simulation, viewOf } from './simulation-view.ts';

export interface SimulationOptions {
  flows: FindFlow;
  /** Names of the steps before which the call stops. */
  breakpoints?: readonly string[];
  /** Number of breakpoint stops that the user has already continued from. */
  passedStops?: number;
  /**
   * Continuation after the last act: none, until the call waits for an act, or to the end of the call.
   */
  until?: 'acts' | 'quiet' | 'end';
  limits?: Partial<SimulationLimits>;
  /** Called between any two moments of the call; an error thrown by it ends the simulation. */
  throwIfOvertaken?(): void;
  /** Clock for the limit of wall time. */
  clock?: Clock;
}

export interface SimulationLimits {
  /** Maximum duration of the call, in virtual time. */
  virtualMs: number;
  entries: number;
  /** Maximum duration of the simulation, in real time. */
  wallMs: number;
}

const LIMITS: SimulationLimits = { virtualMs: 24 * 3_600_000, entries: 20_000, wallMs: 5_000 };
/** Virtual time within which a call ends after its caller was cut off. */
const CLOSING_MS = 60_000;

export async function simulate(
  scenario: Scenario,
  flow: CompiledFlow,
  options: SimulationOptions,
): Promise<Simulation> {
  const playing = await Playing.open(scenario, flow, options);
  try {
    await playing.run();
    return playing.view();
  } finally {
    await playing.close();
  }
}

class Playing {
  readonly #scenario: Scenario;
  readonly #flow: CompiledFlow;
  readonly #options: SimulationOptions;
  readonly #limits: SimulationLimits;
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #watched = watchSteps(stepsByVerb);
  readonly #acts: PlayedAct[] = [];
  #opened!: ScenarioCall;
  #stop: StopReason | undefined;
  #stops = 0;
  #entries = 0;
  #isActing = true;
  #failure: unknown;
  /** Time at which the tones of the last press have ended. */
  #keysUntilMs = 0;
  /** Continues the act that waits for the caller's turn; undefined if none waits. */
  #takeTurn: (() => void) | undefined;

  static async open(scenario: Scenario, flow: CompiledFlow, options: SimulationOptions): Promise<Playing> {
    const playing = new Playing(scenario, flow, options);
    playing.#opened = await openScenario(scenario, flow, {
      flow: options.flows,
      steps: playing.#watched.steps,
      holdsUnmocked: true,
      onEntry: (entry) => playing.#onEntry(entry),
    });
    return playing;
  }

  private constructor(scenario: Scenario, flow: CompiledFlow, options: SimulationOptions) {
    this.#scenario = scenario;
    this.#flow = flow;
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#beganMs = this.#clock.monotonicMs();
  }

  #onEntry(entry: JournalEntry): void {
    if (entry.kind === 'left') this.#watched.waits.delete(entry.visit);
    if (this.#stop) return;
    if (++this.#entries > this.#limits.entries) this.#stop = { reason: 'limit', limit: 'entries' };
    if (entry.kind !== 'entered' || entry.flow !== this.#flow.name) return;
    if (!this.#options.breakpoints?.includes(entry.step)) return;
    if (++this.#stops > (this.#options.passedStops ?? 0)) {
      this.#stop = { reason: 'breakpoint', step: entry.step, seq: entry.seq };
    }
  }

  async run(): Promise<void> {
    const { call } = this.#opened;
    const endMs = call.clock.now() + this.#limits.virtualMs;
    void this.#act(this.#scenario.script);
    for (;;) {
      await call.clock.settle();
      this.#options.throwIfOvertaken?.();
      if (this.#failure !== undefined && !this.#stop) throw this.#failure;
      if (this.#stop) return;
      if (this.#takeTurn && this.#isTurn()) {
        this.#takeTurn();
        this.#takeTurn = undefined;
        continue;
      }
      if (this.#isThere()) {
        // Timers that are due now belong to this moment: for example a prompt starts or a step is entered.
        await call.clock.advanceTo(call.clock.now());
        return;
      }
      if (this.#clock.monotonicMs() - this.#beganMs > this.#limits.wallMs) {
        this.#stop = { reason: 'limit', limit: 'wall_time' };
        return;
      }
      if (await call.clock.advanceToNext(endMs)) continue;
      if (call.clock.nextDeadlineMs !== undefined) this.#stop = { reason: 'limit', limit: 'virtual_time' };
      else if (this.#isActing) this.#stop = { reason: 'stuck', act: this.#acts.length - 1 };
      return;
    }
  }

  async #act(script: readonly ScriptAction[]): Promise<void> {
    const { runner, call } = this.#opened;
    try {
      for (const act of script) {
        if (this.#stop) return;
        const played: PlayedAct = { beganMs: call.clock.now() };
        this.#acts.push(played);
        if (isForTheTurn(act)) await new Promise<void>((go) => (this.#takeTurn = go));
        if (this.#stop) return;
        played.actedMs = call.clock.now();
        played.heard = call.farEnd.heard.length;
        this.#recordKeys(act);
        await runner.run([act]);
        if (this.#stop) return;
        played.endedMs = call.clock.now();
      }
    } catch (error) {
      this.#failure = error;
      if (!(error instanceof ScriptFailure)) return;
      const { expected, actual } = error;
      this.#stop ??= { reason: 'act', act: this.#acts.length - 1, expected, actual };
    } finally {
      this.#isActing = false;
    }
  }

  /** Records the end of the tones of a press, because the next press must wait for it. */
  #recordKeys(act: ScriptAction): void {
    if (act.act !== 'press') return;
    const { toneMs, gapMs } = { ...DEFAULT_PRESS, ...act.timing };
    const { clock } = this.#opened.call;
    this.#keysUntilMs = Math.max(this.#keysUntilMs, clock.now()) + act.digits.length * (toneMs + gapMs);
    // Creates a moment in virtual time at which the turn is checked again.
    clock.after(this.#keysUntilMs - clock.now(), () => undefined);
  }

  /** True at the caller's turn. Only after all timers of this moment, because there is no gap between two prompts. */
  #isTurn(): boolean {
    const { clock } = this.#opened.call;
    const isSettled = clock.nextDeadlineMs === undefined || clock.nextDeadlineMs > clock.now();
    return isSettled && this.#keysUntilMs <= clock.now() && isQuiet(this.#played());
  }

  /** True if the call has reached the point requested by `until`. */
  #isThere(): boolean {
    if (this.#isActing) return false;
    const { call } = this.#opened;
    switch (this.#options.until) {
      case 'end':
        return call.hasEnded;
      case 'quiet':
        return this.#isTurn();
      default:
        return true;
    }
  }

  view(): Simulation {
    return viewOf(this.#played());
  }

  #played(): PlayedCall {
    return {
      ...this.#opened,
      ...{ flow: this.#flow, flows: this.#options.flows, waits: this.#watched.waits, acts: this.#acts },
      ...(this.#stop ? { stop: this.#stop } : {}),
    };
  }

  async close(): Promise<void> {
    const { call } = this.#opened;
    if (!call.hasEnded) {
      call.farEnd.lose();
      await call.runUntilEnd(CLOSING_MS);
    }
    await call.close();
  }
}

/** True if the act waits for the caller's turn. */
function isForTheTurn(act: ScriptAction): boolean {
  return ['press', 'say', 'speak', 'hang_up'].includes(act.act) && !('atMs' in act && act.atMs !== undefined);
}
