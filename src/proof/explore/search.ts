/**
 * Search through the calls of a flow: plays the waiting call of the lowest rank up to the next stop, and adds a call
 * for each action that is possible there. `explore-flow.ts` searches breadth-first for all outcomes,
 * `proof/workbench/test-search.ts` best-first for one.
 *
 * Invariants
 *  - the same flow and options give the same calls, unless the real time runs out;
 *  - a state is expanded once, or again if it was reached at a lower cost;
 *  - runs, depth and real time are bounded, and `bounded` names the bounds that were reached.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, systemClock } from '../../base/core/clock.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { Action } from './actions/action.ts';
import type { Setup } from './actions/setup.ts';
import { actionsAt, isQueued } from './actions-at.ts';
import type { Bounds, ExploreOptions } from './exploration.ts';
import { type Played, playChoices, UnplayableError } from './play-choices.ts';
import { quickFlows } from './quick-flows.ts';
import { otherSetups } from './setups.ts';
import { ENDED, OVER, type State } from './state-graph.ts';
import { type StateKey, stateKeyOf } from './state-key.ts';
import type { OpenVisit } from './stop.ts';
import { heardBeforeAct, syncOf } from './sync-acts.ts';
import { formOf } from './test-form.ts';
import { timedSetups } from './times.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** Number of runs after which the least tried actions come first, because a large flow cannot be searched by level. */
const RANKED_RUNS = 1_000;

/** A call to play: the choices made so far. */
export interface Node {
  setup: Setup;
  choices: readonly Action[];
  /** For each choice, the length of the journal at the time of the choice. */
  madeAt: readonly number[];
  /** Number of sounds heard before the last choice; undefined if it is read from the played call. */
  heard: number | undefined;
  /** Number of choices and of changes of the setup. */
  depth: number;
  rank: number;
  /** State in which the last choice was made. */
  from?: State<Node>;
  /** Flow, step and label of the last choice. */
  last?: string;
}

export interface SearchOptions extends Pick<ExploreOptions, 'flows' | 'tested' | 'clock'> {
  bounds: Bounds;
  /** Returns the rank of a call that continues a played one with an action, or in another setup. Default: depth. */
  rankAfter?(node: Node, played: Played): (next: Pick<Action, 'leadsTo' | 'to'>, index: number) => number;
  /** True if the call reached its state at a lower cost than all others. */
  isShorter?(key: string, played: Played, choices: readonly Action[]): boolean;
  /** False for a step run at which the search does not stop. */
  stopsAt?(visit: OpenVisit): boolean;
}

export const firstNode = (setup: Setup, choices: readonly Action[] = [], rank = 0): Node => ({
  ...{ setup, choices, rank },
  ...{ madeAt: choices.map(() => 0), depth: 0, heard: choices.length === 0 ? 0 : undefined },
});

/** Step, moment and running steps of a hang-up. Undefined for a call whose last choice is another one. */
function hangUpKey({ choices, from, last }: Node): string | undefined {
  if (from === undefined || choices.at(-1)?.kind !== 'hang_up') return undefined;
  const { stop } = from;
  const running = stop.kind === 'turn' ? stop.visits.map(({ flow, step }) => `${flow} ${step}`) : [stop.kind];
  return [last, ...running].join('\n');
}

export class CallSearch {
  readonly states = new Map<string, State<Node>>();
  readonly bounded = new Set<keyof Bounds>();
  readonly #flow: CompiledFlow;
  readonly #flows: FindFlow;
  readonly #options: SearchOptions;
  readonly #clock: Clock;
  readonly #waiting: WaitingCalls<Node>;
  /** Hang-ups after which the flow entered no step: others at the same steps would show nothing else. */
  readonly #lastHangUps = new Set<string>();
  #runs = 0;

  constructor(flow: CompiledFlow, first: readonly Node[], options: SearchOptions) {
    const quickly = quickFlows();
    this.#flow = quickly(flow);
    this.#flows = (name) => {
      const found = name === flow.name ? flow : options.flows(name);
      return found && quickly(found);
    };
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#waiting = new WaitingCalls(first);
  }

  get runs(): number {
    return this.#runs;
  }

  /** Calls that were not played. */
  get waiting(): Iterable<Node> & { readonly size: number } {
    return this.#waiting;
  }

  /** Plays calls until a bound is reached, or until all were played. */
  async *run(): AsyncGenerator<{ node: Node; played: Played }> {
    const { bounds } = this.#options;
    const untilMs = this.#clock.monotonicMs() + bounds.wallMs;
    while (this.#waiting.size > 0) {
      if (this.#runs >= bounds.runs) this.bounded.add('runs');
      if (this.#clock.monotonicMs() > untilMs) this.bounded.add('wallMs');
      if (this.bounded.has('runs') || this.bounded.has('wallMs')) return;
      const node = this.#waiting.removeNext({ leastTried: this.#runs > RANKED_RUNS })!;
      if (this.#lastHangUps.has(hangUpKey(node) ?? '')) continue;
      const played = await this.play(node);
      if (!played) continue;
      yield { node, played };
      await this.#expand(node, played);
    }
  }

  async #expand(node: Node, played: Played): Promise<void> {
    const { choices, from } = node;
    const { stop } = played;
    const rank = this.#options.rankAfter?.(node, played) ?? (() => node.depth + 1);
    await this.#addOtherSetups(node, played, rank({}, 0));
    const { key, step, flow } = this.#stateAfter(node, played);
    const choice = choices.at(-1);
    if (from && choice) from.edges.push({ choice, to: key });
    const hangUp = hangUpKey(node);
    const isLast = !played.journal.some((entry, index) => entry.kind === 'entered' && index >= node.madeAt.at(-1)!);
    if (hangUp !== undefined && isLast) this.#lastHangUps.add(hangUp);
    if (stop.kind === 'ended' || stop.kind === 'stays') return;
    const known = this.states.get(key);
    const isShorter = this.#options.isShorter?.(key, played, choices) ?? false;
    if (known && !isShorter) return;
    const isDeep = choices.length >= this.#options.bounds.depth;
    // The end of the call is certain once the caller hangs up, so the state must not be reported as a trap.
    const isLeft = choices.some(({ kind }) => kind === 'hang_up');
    const made = { key, node, stop, step, flow, edges: [], isOpen: isDeep || isLeft };
    const state: State<Node> = known ?? { ...made, isQueued: isQueued(played) };
    this.states.set(key, state);
    if (isDeep) {
      this.bounded.add('depth');
      return;
    }
    for (const [index, next] of this.nextOf(node, played).entries()) {
      const action = next.choices.at(-1)!;
      this.#waiting.add({ ...next, rank: rank(action, index), from: state, last: `${flow} ${step} ${action.label}` });
    }
  }

  #stateAfter({ setup, choices, madeAt }: Node, played: Played): StateKey {
    const { journal, stop } = played;
    const over = { key: OVER, step: '', flow: '' };
    if (stop.kind === 'ended' && stop.entry.reason !== 'hangup') return { ...over, key: ENDED };
    if (stop.kind === 'ended' || stop.kind === 'stays') return over;
    return stateKeyOf(played, this.#flow, setup, this.#flows, (visit) => {
      const entered = journal.findIndex((entry) => entry.kind === 'entered' && entry.visit === visit);
      return choices.filter((_, index) => madeAt[index]! > entered);
    });
  }

  /** Queues the same choices with other setups if a step entered since the last choice depends on the setup. */
  async #addOtherSetups(node: Node, { journal }: Played, rank: number): Promise<void> {
    for (const entry of journal.slice(node.madeAt.at(-1) ?? 0)) {
      if (entry.kind !== 'entered') continue;
      const flow = this.#flows(entry.flow);
      const step = flow?.steps.get(entry.step);
      if (!flow || !step) continue;
      const setups = otherSetups(step, flow, node.setup);
      for (const setup of [...setups, ...(await timedSetups(step, flow, node.setup, entry.atMs))]) {
        this.#waiting.add({ ...node, setup, rank, depth: node.depth + 1 });
      }
    }
  }

  /** Returns the successors of a node, one for each action. */
  nextOf({ setup, choices, madeAt, heard, depth, rank }: Node, played: Played): Node[] {
    const { tested = {} } = this.#options;
    const sync = syncOf(played, heard ?? heardBeforeAct(played));
    return actionsAt(played, { flows: this.#flows, tested, events: this.#flow.events }).map((action) => ({
      ...{ setup, rank, depth: depth + 1, madeAt: [...madeAt, played.journal.length] },
      choices: [...choices, action.acts === undefined ? action : { ...action, acts: [...sync, ...action.acts] }],
      heard: action.acts === undefined ? heard : played.heard.length,
    }));
  }

  /** Plays a call up to its next stop; undefined if its script cannot be carried out. */
  async play({ setup, choices }: Node): Promise<Played | undefined> {
    // The calls wait for promises only: without a turn, no timer and no message of the thread would be handled.
    await turn();
    this.#runs++;
    const form = formOf('explored', this.#flow.name, setup, choices, { exact: true });
    const passed = new Set(choices.flatMap(({ passes = [] }) => passes));
    const isSilent = choices.some(({ isLast }) => isLast);
    const { stopsAt = () => true } = this.#options;
    try {
      const stops = (visit: OpenVisit): boolean => !isSilent && !passed.has(visit.visit) && stopsAt(visit);
      return await playChoices(form, { flow: this.#flow, flows: this.#flows, stopsAt: stops });
    } catch (error) {
      if (error instanceof UnplayableError) return undefined;
      throw error;
    }
  }
}
