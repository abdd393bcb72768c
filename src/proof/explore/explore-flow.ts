/**
 * Explores a flow on the real runtime in virtual time: tries the choices of callers and external systems, first
 * breadth-first, then from the least tried states.
 *
 *   exploreFlow(flow, { flows, … }) → { outcomes, … }
 *
 * `outcomes` has, for each step and outcome that was reached, the first test (`form`) that reached it, as a document
 * for `callweave test`. `search.ts` plays the calls, `findings.ts` judges them.
 *
 * Invariants
 *  - the same flow, options and seed give the same result, unless the real time runs out;
 *  - each reported outcome and finding was played: its script reproduces it;
 *  - runs, depth and real time are bounded, and the result names the bounds that were reached.
 */
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { leftStepsIn } from '../testkit/left-steps.ts';
import type { Action, ActionKind } from './actions/action.ts';
import { BOUNDS, type Exploration, type ExploreOptions } from './exploration.ts';
import {
  ENDLESS_MS,
  type Found,
  foundIn,
  isProvedByCompleteSearch,
  notMadeAt,
  roundAt,
  trapAt,
  unreachableAt,
} from './findings.ts';
import type { Played } from './play-choices.ts';
import { CallSearch, firstNode, type Node } from './search.ts';
import { comparedSetups, firstSetup } from './setups.ts';
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
import { type Round, roundsIn, trapsIn } from './state-graph.ts';
import type { Stop } from './stop.ts';
import { formOf } from './test-form.ts';
import { whyMissing } from './why-missing.ts';

const MAX_DEAD_AIR_MS = 5_000;
/** Wrong keys in the test of an endless loop; enough for ten minutes. */
const MAX_PRESSES = 1_000;
/** Repetitions of a loop before it is reported as endless. */
const ROUNDS = 8;

/** Maximum number of choices that are added to a call to end it. */
const MAX_TO_END = 30;

interface FoundAt extends Found {
  node: Node;
}

export async function exploreFlow(flow: CompiledFlow, options: ExploreOptions): Promise<Exploration> {
  const exploring = new Exploring(flow, options);
  await exploring.run();
  return exploring.result();
}

class Exploring {
  readonly #flow: CompiledFlow;
  readonly #options: ExploreOptions;
  readonly #first: Node;
  readonly #search: CallSearch;
  readonly #shortest = new Map<string, ShortestPath<Node>>();
  /** Costs of the calls that reached a state, by state key; each is lower than the others in keys or in time. */
  readonly #costs = new Map<string, Cost[]>();
  readonly #found = new Map<string, FoundAt>();
  readonly #reached = new Map<string, { flow: string; step: string; outcome: string; node: Node }>();
  readonly #completed = new Map<Node, Node>();
  /** Calls that reached an outcome, with one more choice that leads to their end. */
  readonly #hungUp = new Map<Node, Node | undefined>();
  /** Names of the steps with a limit of visits. */
  readonly #limited: ReadonlySet<string>;
  readonly #mostVisits = new Map<string, { visits: number; node: Node }>();

  constructor(flow: CompiledFlow, options: ExploreOptions) {
    this.#flow = flow;
    this.#limited = new Set(
      [...flow.steps].flatMap(([name, { exits }]) => (exits['limit'] === undefined ? [] : [name])),
    );
    this.#options = options;
    const first = firstSetup(flow, options.setup);
    this.#first = firstNode(first);
    const others = comparedSetups(flow, first).map((setup) => firstNode(setup));
    this.#search = new CallSearch(flow, [this.#first, ...others], {
      ...options,
      bounds: { ...BOUNDS, ...options.bounds },
      ...(limitsPaths(flow) && {
        isShorter: (key: string, played: Played, choices: readonly Action[]) => this.#isShorter(key, played, choices),
      }),
    });
  }

  async run(): Promise<void> {
    const search = this.#search;
    const total = outcomesOf(this.#flow).length;
    for await (const { node, played } of search.run()) {
      this.#record(played, node);
      const waiting = search.waiting.size;
      const { runs, states } = search;
      this.#options.onProgress?.({ runs, states: states.size, waiting, covered: this.#reached.size, total });
    }
    await this.#judge();
    for (const { node } of this.#reached.values()) {
      if (!this.#completed.has(node)) this.#completed.set(node, await this.#complete(node, 'hang_up'));
    }
    for (const found of this.#found.values()) {
      if (found.kind !== 'trap' && found.kind !== 'endless') found.node = await this.#complete(found.node, 'silence');
    }
  }

  /** True if no earlier call reached the state at the same cost or less. */
  #isShorter(key: string, played: Played, choices: readonly Action[]): boolean {
    const cost = costOf(played, choices);
    const known = this.#costs.get(key) ?? [];
    if (isNotShorter(cost, known)) return false;
    this.#costs.set(key, [...known, cost]);
    return true;
  }

  get #isBounded(): boolean {
    return this.#search.bounded.size > 0;
  }

  /** Adds the findings that need the whole state graph: traps, endless loops, `within`, unreachable cases. */
  async #judge(): Promise<void> {
    const add = (found: Found, node: Node): void => {
      if (!this.#found.has(found.key)) this.#found.set(found.key, { ...found, node });
    };
    for (const { from } of this.#search.waiting) if (from) from.isOpen = true;
    for (const trap of trapsIn(this.#search.states)) add(trapAt(trap), trap.node);
    const isLimited = this.#flow.limits.maxDurationMs <= ENDLESS_MS;
    const kinds: ActionKind[][] = isLimited ? [] : [['silence', 'pass'], ['wrong']];
    for (const round of kinds.flatMap((each) => roundsIn(this.#search.states, each))) {
      const node = await this.#goRound(round);
      if (node) add(roundAt(round), node);
    }
    for (const found of tooLongPaths(this.#flow, this.#shortest, this.#isBounded)) {
      const shortest = this.#shortest.get(found.key);
      const node = shortest ? await this.#complete(shortest.node, 'silence') : this.#first;
      add(found, { ...node, choices: upToKeys(node.choices, found.keys) });
    }
    if (this.#isBounded) return;
    for (const { step, outcome } of this.#missing()) {
      const other = outcome === 'limit' ? this.#mostVisits.get(step)?.node : this.#reachedAt(step);
      if (other === undefined || (outcome === 'limit' && !this.#isInLoop(step))) continue;
      const isReached = (each: string): boolean => this.#reached.has(`${this.#flow.name} ${step} ${each}`);
      if (!isProvedByCompleteSearch(this.#flow.steps.get(step)!, outcome, { flow: this.#flow, isReached })) continue;
      add(unreachableAt(this.#flow.name, step, outcome), other);
    }
  }

  /** Plays a loop several times. Returns a call for its test if the loop repeats; undefined if it ends. */
  async #goRound({ from, choices }: Round<Node>): Promise<Node | undefined> {
    let at = from.node;
    for (let count = 0; count < ROUNDS; count++) {
      for (const { label } of choices) {
        const played = await this.#search.play(at);
        const next = played && this.#search.nextOf(at, played).find((each) => each.choices.at(-1)!.label === label);
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

  #record(played: Played, node: Node): void {
    const { journal } = played;
    this.#countVisits(journal, node);
    const { notMade, reply } = node.choices.at(-1) ?? {};
    if (notMade !== undefined && reply !== undefined) {
      const found = notMadeAt(this.#flow.name, reply.step, notMade);
      if (!this.#found.has(found.key)) this.#found.set(found.key, { ...found, node });
    }
    for (const found of foundIn(played, this.#flow, this.#options.maxDeadAirMs ?? MAX_DEAD_AIR_MS)) {
      if (found.kind === 'fault' && this.#isExpected(found, node)) continue;
      if (!this.#found.has(found.key)) this.#found.set(found.key, { ...found, node });
    }
    recordPaths(this.#flow, played, node, this.#shortest);
    for (const { flow, step, outcome } of leftStepsIn(journal)) {
      const key = `${flow} ${step} ${outcome}`;
      if (this.#reached.has(key)) continue;
      this.#reached.set(key, { flow, step, outcome, node });
      // The call will be completed; it need not be played again for its next choice.
      if (!this.#hungUp.has(node)) this.#hungUp.set(node, this.#towardsEnd(node, played, 'hang_up'));
    }
  }

  /** Remembers the call with the most visits of each step with a limit, which shows that the limit is not reached. */
  #countVisits(journal: Played['journal'], node: Node): void {
    const counts = new Map<string, number>();
    for (const entry of journal) {
      if (entry.kind !== 'entered' || entry.flow !== this.#flow.name || !this.#limited.has(entry.step)) continue;
      counts.set(entry.step, (counts.get(entry.step) ?? 0) + 1);
    }
    for (const [name, visits] of counts)
      if (visits > (this.#mostVisits.get(name)?.visits ?? 0)) this.#mostVisits.set(name, { visits, node });
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
  async #complete(node: Node, atTurn: AtTurn): Promise<Node> {
    let at = node;
    for (let more = 0; more < MAX_TO_END; more++) {
      const next = await this.#nextTowardsEnd(at, atTurn);
      if (!next) break;
      at = next;
    }
    return at;
  }

  async #nextTowardsEnd(at: Node, atTurn: AtTurn): Promise<Node | undefined> {
    if (atTurn === 'hang_up' && this.#hungUp.has(at)) return this.#hungUp.get(at);
    const played = await this.#search.play(at);
    return played && this.#towardsEnd(at, played, atTurn);
  }

  /** The call with one more choice that leads to its end. Undefined if it has ended. */
  #towardsEnd(at: Node, played: Played, atTurn: AtTurn): Node | undefined {
    if (played.stop.kind === 'ended' || played.stop.kind === 'stays') return undefined;
    const options = this.#search.nextOf(at, played);
    const isTurn = played.stop.kind === 'turn';
    const hangUp = options.find(({ choices }) => isTurn && choices.at(-1)!.kind === 'hang_up');
    return atTurn === 'hang_up' || !hangUp ? (hangUp ?? options[0]) : silentAt(at, played.stop);
  }

  #missing(): { step: string; outcome: string }[] {
    const isReached = ({ step, outcome }: { step: string; outcome: string }): boolean =>
      this.#reached.has(`${this.#flow.name} ${step} ${outcome}`);
    return outcomesOf(this.#flow).filter((each) => !isReached(each));
  }

  /** True if calls came back to the step. A limit that only guards against a loop is not a mistake. */
  #isInLoop(step: string): boolean {
    const ahead = new Set([step]);
    for (const name of ahead) {
      for (const [outcome, target] of Object.entries(this.#flow.steps.get(name)?.exits ?? {})) {
        if (!this.#reached.has(`${this.#flow.name} ${name} ${outcome}`)) continue;
        if (target === step) return true;
        ahead.add(target);
      }
    }
    return false;
  }

  /** Returns a call that left the step by `else`, or by the outcome reached first. */
  #reachedAt(step: string): Node | undefined {
    const reached = [...this.#reached.values()].filter((each) => each.step === step && each.flow === this.#flow.name);
    return (reached.find(({ outcome }) => outcome === 'else') ?? reached[0])?.node;
  }

  result(): Exploration {
    const all = outcomesOf(this.#flow);
    return {
      outcomes: [...this.#reached.values()].map(({ flow, step, outcome, node }) => {
        const { setup, choices } = this.#completed.get(node) ?? node;
        const form = formOf(`${step}: ${outcome}`, this.#flow.name, setup, choices);
        return { flow, step, outcome, form, choices };
      }),
      missing: this.#missing().map((each) => ({ ...each, why: whyMissing(each, this.#flow, this.#isBounded) })),
      total: all.length,
      runs: this.#search.runs,
      states: this.#search.states.size,
      findings: [...this.#found.values()].map(({ node, expect, ...found }) => {
        const { setup, choices } = node;
        const { kind, flow, step, message } = found;
        const form = { ...formOf(message, this.#flow.name, setup, choices), expect };
        return { kind, flow, step, message, form, choices };
      }),
      bounded: [...this.#search.bounded],
    };
  }
}

/** Action of the caller at a turn in a call that is completed. */
type AtTurn = 'hang_up' | 'silence';

/** Adds a silent caller, who needs no line in the script. */
const silentAt = (node: Node, stop: Stop): Node => ({
  ...node,
  choices: [
    ...node.choices,
    { kind: 'pass', label: 'silence', passes: stop.kind === 'turn' ? stop.visits.map(({ visit }) => visit) : [] },
  ],
});

/** Repeats a key until the call has ended. */
const pressedAgain = ({ label, acts = [], ...choice }: Action): Action => ({
  ...choice,
  label: `${label} again and again`,
  acts: acts.map((act) =>
    typeof act === 'object' && typeof act.press === 'string'
      ? { press: { digits: act.press, times: MAX_PRESSES } }
      : act,
  ),
});

/** Returns the outcomes that tests can cover: all except `error`, which a caller cannot cause. */
function outcomesOf({ steps }: CompiledFlow): { step: string; outcome: string }[] {
  return [...steps].flatMap(([step, { exits }]) =>
    Object.keys(exits).flatMap((outcome) => (outcome === 'error' ? [] : [{ step, outcome }])),
  );
}
