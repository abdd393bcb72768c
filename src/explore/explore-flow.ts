/**
 * Explores a flow on the real runtime in virtual time: tries the choices of callers and external systems, first
 * breadth-first, then from the least tried states.
 *
 *   exploreFlow(flow, { flows, … }) → { outcomes, … }
 *
 * `outcomes` has, for each step and outcome that was reached, the first test (`form`) that reached it, as a document
 * for `callweave test`. `options.ts` lists the choices, `state-key.ts` computes the state key.
 *
 * Invariants
 *  - the same flow, options and seed give the same result, unless the real time runs out;
 *  - each reported outcome and finding was played: its script reproduces it;
 *  - runs, depth and real time are bounded, and the result names the bounds that were reached.
 */
import { type Clock, systemClock } from '../core/clock.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { leavingsIn } from '../testkit/leavings.ts';
import { type Choice, type ChoiceKind, formOf, type Setup } from './choice.ts';
import { BOUNDS, type Bounds, type Exploration, type ExploreOptions } from './exploration.ts';
import { ENDLESS_MS, type Found, foundIn, isDecidedByConstants, roundAt, trapAt, unreachableAt } from './findings.ts';
import { optionsAt } from './options.ts';
import { isQueued, type Played, playChoices, type Stop, UnplayableError } from './play-choices.ts';
import { quickFlows } from './quick-flows.ts';
import { comparedSetups, firstSetup, otherSetups } from './setups.ts';
import {
  type Cost,
  costOf,
  isNotShorter,
  limitsPaths,
  recordPaths,
  type ShortestPath,
  tooLongPaths,
  upToKeys,
} from './shortest-paths.ts';
import { ENDED, OVER, type Round, roundsIn, type State, trapsIn } from './state-graph.ts';
import { stateKeyOf } from './state-key.ts';
import { whyMissing } from './why-missing.ts';

const MAX_DEAD_AIR_MS = 5_000;
/** Wrong keys in the test of an endless loop; enough for ten minutes. */
const MOST_PRESSES = 1_000;
/** Number of runs in breadth-first order. */
const BREADTH_FIRST_RUNS = 1_000;
/** Repetitions of a loop before it is reported as endless. */
const ROUNDS = 8;

/** Maximum number of choices that are added to a call to end it. */
const MOST_TO_END = 30;

interface Node {
  setup: Setup;
  choices: readonly Choice[];
  /** For each choice, the length of the journal at the time of the choice. */
  madeAt: readonly number[];
  heard: number;
  /** State in which the last choice was made. */
  from?: State<Node>;
  /** Flow, step and label of the last choice. */
  last?: string;
}

interface FoundAt extends Found {
  node: Node;
}

export async function exploreFlow(flow: CompiledFlow, options: ExploreOptions): Promise<Exploration> {
  const search = new Search(flow, options);
  await search.run();
  return search.result();
}

class Search {
  readonly #flow: CompiledFlow;
  readonly #options: ExploreOptions;
  readonly #bounds: Bounds;
  readonly #clock: Clock;
  readonly #waiting: Node[] = [];
  readonly #states = new Map<string, State<Node>>();
  readonly #shortest = new Map<string, ShortestPath<Node>>();
  /** Costs of the calls that reached a state, by state key; each is lower than the others in keys or in time. */
  readonly #costs = new Map<string, Cost[]>();
  readonly #found = new Map<string, FoundAt>();
  readonly #reached = new Map<string, { flow: string; step: string; outcome: string; node: Node }>();
  readonly #completed = new Map<Node, Node>();
  readonly #bounded = new Set<keyof Bounds>();
  readonly #tried = new Map<string, number>();
  #runs = 0;
  /** Index of the next node in `#waiting`. */
  #at = 0;

  constructor(flow: CompiledFlow, options: ExploreOptions) {
    const quickly = quickFlows();
    this.#flow = quickly(flow);
    this.#options = {
      ...options,
      flows(name) {
        const found = options.flows(name);
        return found && quickly(found);
      },
    };
    this.#bounds = { ...BOUNDS, ...options.bounds };
    this.#clock = options.clock ?? systemClock;
    const first = firstSetup(flow, options.setup);
    for (const setup of [first, ...comparedSetups(flow, first)]) {
      this.#waiting.push({ setup, choices: [], madeAt: [], heard: 0 });
    }
  }

  async run(): Promise<void> {
    await this.#search();
    await this.#judge();
    for (const { node } of this.#reached.values()) {
      if (!this.#completed.has(node)) this.#completed.set(node, await this.#complete(node, 'hang_up'));
    }
    for (const found of this.#found.values()) {
      if (found.kind !== 'trap' && found.kind !== 'endless') found.node = await this.#complete(found.node, 'silence');
    }
  }

  async #search(): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + this.#bounds.wallMs;
    for (; this.#at < this.#waiting.length; this.#at++) {
      if (this.#runs >= this.#bounds.runs) this.#bounded.add('runs');
      if (this.#clock.monotonicMs() > untilMs) this.#bounded.add('wallMs');
      if (this.#bounded.has('runs') || this.#bounded.has('wallMs')) return;
      if (this.#runs > BREADTH_FIRST_RUNS) this.#bringLeastTried();
      await this.#expand(this.#waiting[this.#at]!);
      const { onProgress } = this.#options;
      onProgress?.({
        ...{ runs: this.#runs, states: this.#states.size, waiting: this.#waiting.length - this.#at - 1 },
        ...{ covered: this.#reached.size, total: outcomesOf(this.#flow).length },
      });
    }
  }

  /** Moves the node with the least tried last choice to the front, because a large flow cannot be searched by level. */
  #bringLeastTried(): void {
    let best = this.#at;
    for (let index = this.#at; index < this.#waiting.length; index++) {
      if (this.#rank(this.#waiting[index]!) < this.#rank(this.#waiting[best]!)) best = index;
    }
    const [first, chosen] = [this.#waiting[this.#at]!, this.#waiting[best]!];
    this.#waiting[this.#at] = chosen;
    this.#waiting[best] = first;
  }

  /** Number of expanded nodes with the same last choice at the same step. */
  #rank({ last = '' }: Node): number {
    return this.#tried.get(last) ?? 0;
  }

  async #expand(node: Node): Promise<void> {
    const { setup, choices, madeAt } = node;
    this.#tried.set(node.last ?? '', this.#rank(node) + 1);
    const { flows } = this.#options;
    const played = await this.#play(node);
    if (!played) return;
    this.#note(played, node);
    this.#beginAgain(played, node);
    const { from } = node;
    const choice = choices.at(-1);
    const lead = (to: string): void => {
      if (from && choice) from.edges.push({ choice, to });
    };
    if (played.stop.kind === 'ended') return lead(played.stop.entry.reason === 'hangup' ? OVER : ENDED);
    if (played.stop.kind === 'stays') return lead(OVER);
    const choicesSince = (visit: number): readonly Choice[] => {
      const entered = played.journal.findIndex((entry) => entry.kind === 'entered' && entry.visit === visit);
      return choices.filter((_, index) => madeAt[index]! > entered);
    };
    const { key, step, flow } = stateKeyOf(played, this.#flow, setup, flows, choicesSince);
    lead(key);
    const isShorter = this.#isShorter(key, played, choices);
    const known = this.#states.get(key);
    if (known && !isShorter) return;
    const isOpen = choices.length >= this.#bounds.depth;
    // The end of the call is certain once the caller hangs up, so the state must not be reported as a trap.
    const isLeft = choices.some(({ kind }) => kind === 'hang_up');
    const made = { key, node, stop: played.stop, step, flow, edges: [], isOpen: isOpen || isLeft };
    const state: State<Node> = known ?? { ...made, isQueued: isQueued(played) };
    this.#states.set(key, state);
    if (isOpen) this.#bounded.add('depth');
    else {
      for (const next of this.#nextOf(node, played)) {
        this.#waiting.push({ ...next, from: state, last: `${flow} ${step} ${next.choices.at(-1)!.label}` });
      }
    }
  }

  /** True if a `within` property exists and no earlier call reached the state at the same cost or less. */
  #isShorter(key: string, played: Played, choices: readonly Choice[]): boolean {
    if (!limitsPaths(this.#flow)) return false;
    const cost = costOf(played, choices);
    const known = this.#costs.get(key) ?? [];
    if (isNotShorter(cost, known)) return false;
    this.#costs.set(key, [...known, cost]);
    return true;
  }

  /** Adds the findings that need the whole state graph: traps, endless loops, `within`, unreachable cases. */
  async #judge(): Promise<void> {
    const add = (found: Found, node: Node): void => {
      if (!this.#found.has(found.key)) this.#found.set(found.key, { ...found, node });
    };
    for (const { from } of this.#waiting.slice(this.#at)) if (from) from.isOpen = true;
    for (const trap of trapsIn(this.#states)) add(trapAt(trap), trap.node);
    const isLimited = this.#flow.limits.maxDurationMs <= ENDLESS_MS;
    const kinds: ChoiceKind[][] = isLimited ? [] : [['silence', 'pass'], ['wrong']];
    for (const round of kinds.flatMap((each) => roundsIn(this.#states, each))) {
      const node = await this.#goRound(round);
      if (node) add(roundAt(round), node);
    }
    for (const found of tooLongPaths(this.#flow, this.#shortest, this.#bounded.size > 0)) {
      const shortest = this.#shortest.get(found.key);
      const node = shortest ? await this.#complete(shortest.node, 'silence') : this.#waiting[0]!;
      add(found, { ...node, choices: upToKeys(node.choices, found.keys) });
    }
    if (this.#bounded.size > 0) return;
    for (const { step, outcome } of this.#missing()) {
      const { verb } = this.#flow.steps.get(step)!;
      const other = this.#reachedAt(step);
      if (verb !== 'branch' || outcome === 'else' || other === undefined || !isDecidedByConstants(step, this.#flow))
        continue;
      add(unreachableAt(this.#flow.name, step, outcome), other);
    }
  }

  /** Plays a loop several times. Returns a call for its test if the loop repeats; undefined if it ends. */
  async #goRound({ from, choices }: Round<Node>): Promise<Node | undefined> {
    let at = from.node;
    for (let count = 0; count < ROUNDS; count++) {
      for (const { label } of choices) {
        const played = await this.#play(at);
        const next = played && this.#nextOf(at, played).find((each) => each.choices.at(-1)!.label === label);
        if (!next) return undefined;
        at = next;
      }
    }
    // A silent caller needs no lines in the script.
    const rounds = at.choices.slice(from.node.choices.length);
    const outside = rounds.filter(({ acts }) => acts === undefined);
    const wrong = rounds.find(({ kind }) => kind === 'wrong');
    return { ...from.node, choices: [...from.node.choices, ...outside, ...(wrong ? [pressedAgain(wrong)] : [])] };
  }

  /** Returns the successors of a node, one for each choice. */
  #nextOf({ setup, choices, madeAt, heard }: Node, played: Played): Node[] {
    const { flows, tested = {} } = this.#options;
    return optionsAt(played, { flows, tested, heardBefore: heard, events: this.#flow.events }).map((choice) => ({
      setup,
      choices: [...choices, choice],
      madeAt: [...madeAt, played.journal.length],
      heard: choice.acts === undefined ? heard : played.heard.length,
    }));
  }

  /** Queues the same choices with other setups if a step entered since the last choice depends on the setup. */
  #beginAgain({ journal }: Played, node: Node): void {
    for (const entry of journal.slice(node.madeAt.at(-1) ?? 0)) {
      if (entry.kind !== 'entered') continue;
      const flow = this.#options.flows(entry.flow);
      const step = flow?.steps.get(entry.step);
      if (!flow || !step) continue;
      for (const setup of otherSetups(step, flow, node.setup)) this.#waiting.push({ ...node, setup });
    }
  }

  async #play({ setup, choices }: Node): Promise<Played | undefined> {
    this.#runs++;
    const { flows } = this.#options;
    const form = formOf('explored', this.#flow.name, setup, choices, { exact: true });
    const passed = new Set(choices.flatMap(({ passes = [] }) => passes));
    try {
      const isSilent = choices.some(({ isLast }) => isLast);
      return await playChoices(form, { flow: this.#flow, flows, passed, isSilent });
    } catch (error) {
      if (error instanceof UnplayableError) return undefined;
      throw error;
    }
  }

  #note(played: Played, node: Node): void {
    const { journal } = played;
    for (const found of foundIn(played, this.#flow, this.#options.maxDeadAirMs ?? MAX_DEAD_AIR_MS)) {
      if (found.kind === 'fault' && this.#isExpected(found, node)) continue;
      if (!this.#found.has(found.key)) this.#found.set(found.key, { ...found, node });
    }
    recordPaths(this.#flow, played, node, this.#shortest);
    for (const { flow, step, outcome } of leavingsIn(journal)) {
      const key = `${flow} ${step} ${outcome}`;
      if (this.#reached.has(key)) continue;
      this.#reached.set(key, { flow, step, outcome, node });
    }
  }

  /**
   * True if a fault is not a mistake of the flow: the call used values that no schema guarantees, or a test of the flow
   * has the same response to the step.
   */
  #isExpected({ step }: Found, { choices }: Node): boolean {
    if (Object.keys(this.#flow.input).some((name) => this.#options.setup?.input?.[name] === undefined)) return true;
    return choices.some(({ isInvented, isTested, reply }) => isInvented || (isTested && reply?.step === step));
  }

  /**
   * Adds choices until the call has ended: external systems do the most likely, and the caller hangs up at the next
   * turn. For findings the caller stays silent instead, because a fixed flow may not reach that turn.
   */
  async #complete(node: Node, atTurn: 'hang_up' | 'silence'): Promise<Node> {
    let at = node;
    for (let more = 0; more < MOST_TO_END; more++) {
      const played = await this.#play(at);
      if (!played || played.stop.kind === 'ended' || played.stop.kind === 'stays') break;
      const options = this.#nextOf(at, played);
      const isTurn = played.stop.kind === 'turn';
      const hangUp = options.find(({ choices }) => isTurn && choices.at(-1)!.kind === 'hang_up');
      const next = atTurn === 'hang_up' || !hangUp ? (hangUp ?? options[0]) : silentAt(at, played.stop);
      if (!next) break;
      at = next;
    }
    return at;
  }

  #missing(): { step: string; outcome: string }[] {
    const isReached = ({ step, outcome }: { step: string; outcome: string }): boolean =>
      this.#reached.has(`${this.#flow.name} ${step} ${outcome}`);
    return outcomesOf(this.#flow).filter((each) => !isReached(each));
  }

  /** Returns a call that left the step by `else`, or by the outcome reached last. */
  #reachedAt(step: string): Node | undefined {
    const reached = [...this.#reached.values()].filter((each) => each.step === step && each.flow === this.#flow.name);
    return (reached.find(({ outcome }) => outcome === 'else') ?? reached.at(-1))?.node;
  }

  result(): Exploration {
    const all = outcomesOf(this.#flow);
    return {
      outcomes: [...this.#reached.values()].map(({ flow, step, outcome, node }) => {
        const { setup, choices } = this.#completed.get(node) ?? node;
        const form = formOf(`${step}: ${outcome}`, this.#flow.name, setup, choices);
        return { flow, step, outcome, form, choices };
      }),
      missing: this.#missing().map((each) => ({ ...each, why: whyMissing(each, this.#flow, this.#bounded.size > 0) })),
      total: all.length,
      runs: this.#runs,
      states: this.#states.size,
      findings: [...this.#found.values()].map(({ node, expect, ...found }) => {
        const { setup, choices } = node;
        const { kind, flow, step, message } = found;
        const form = { ...formOf(message, this.#flow.name, setup, choices), expect };
        return { kind, flow, step, message, form, choices };
      }),
      bounded: [...this.#bounded],
    };
  }
}

/** Adds a silent caller, who needs no line in the script. */
const silentAt = (node: Node, stop: Stop): Node => ({
  ...node,
  choices: [
    ...node.choices,
    { kind: 'pass', label: 'silence', passes: stop.kind === 'turn' ? stop.visits.map(({ visit }) => visit) : [] },
  ],
});

/** Repeats a key until the call has ended. */
const pressedAgain = ({ label, acts = [], ...choice }: Choice): Choice => ({
  ...choice,
  label: `${label} again and again`,
  acts: acts.map((act) =>
    typeof act === 'object' && typeof act.press === 'string'
      ? { press: { digits: act.press, times: MOST_PRESSES } }
      : act,
  ),
});

/** Returns the outcomes that tests can cover: all except `error`, which a caller cannot cause. */
function outcomesOf({ steps }: CompiledFlow): { step: string; outcome: string }[] {
  return [...steps].flatMap(([step, { exits }]) =>
    Object.keys(exits).flatMap((outcome) => (outcome === 'error' ? [] : [{ step, outcome }])),
  );
}
