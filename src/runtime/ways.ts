/**
 * All ways of one call: the main one, and the flows that steps run beside others.
 *
 * Invariants
 *  W1 one event at a time is handed to one visit at a time; what a branch returns waits until the program that started
 *     it waits for it;
 *  W2 who is asked first: branches before the way they branched off from, in the order in which they were started;
 *  W3 a branch ends at the latest with the visit that started it.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { StepEvent } from '../steps/step.ts';
import { wrongVariables } from './assign.ts';
import { type Frame, frameOf } from './frame.ts';
import type { Checkpoint, Refusal } from './journal.ts';
import { type Neighbours, Traversal, type TraversalHost, type TraversalOptions } from './traversal.ts';
import type { Visit } from './visit.ts';

/** Outcomes that only the call itself can give. */
const OURS = ['hangup', 'limit'];

export class Ways implements Neighbours {
  readonly main: Traversal;
  readonly #host: TraversalHost;
  readonly #options: TraversalOptions;
  readonly #branches = new Set<Traversal>();
  /** What is to be done before the next input, in order. */
  readonly #due: (() => Promise<void>)[] = [];
  #starting = 0;
  #visits = 0;

  constructor(host: TraversalHost, options: TraversalOptions) {
    this.#host = host;
    this.#options = options;
    this.main = new Traversal(host, this, options);
  }

  /** The visits being run. */
  get visits(): Visit[] {
    if (this.#branches.size > 0) return this.#all().flatMap(({ visit }) => (visit ? [visit] : []));
    const { visit } = this.main;
    return visit ? [visit] : [];
  }

  get mayAskSensitive(): boolean {
    return this.#all().some((way) => way.mayAskSensitive);
  }

  async begin(flow: CompiledFlow, input: JsonObject): Promise<void> {
    await this.main.begin(frameOf(flow, input));
    const settled = this.#settle();
    if (settled) await settled;
  }

  /** Hands an event to the visit, if it is still being run. */
  async resume(visit: Visit, event: StepEvent): Promise<void> {
    await this.#wayOf(visit)?.resume(event);
    const settled = this.#settle();
    if (settled) await settled;
  }

  /** Hands an event that nobody asked for to every visit that waits. */
  async tellAll(event: StepEvent): Promise<void> {
    for (const visit of this.visits) await this.resume(visit, event);
  }

  handles(interrupt: string): boolean {
    return this.#all().some((way) => way.handles(interrupt));
  }

  /** `within`: only the flows around this visit are asked. */
  async interrupt(name: string, within?: Visit): Promise<boolean> {
    const way = within ? this.#outwards(within).find((each) => each.handles(name)) : this.#handler(name);
    if (!way) return false;
    await way.interrupt(name);
    await this.#settle();
    return true;
  }

  /** `told` notes the end of the call, after what was heard last and before what the flows do about it. */
  async loseCaller(told: () => void): Promise<void> {
    const left: (() => Promise<void>)[] = [];
    for (const way of this.#all()) {
      const goOn = await way.loseCaller();
      if (goOn) left.push(goOn);
    }
    told();
    for (const goOn of left) await goOn();
    const settled = this.#settle();
    if (settled) await settled;
  }

  /** Why the step being run cannot be ended with this outcome. */
  refusalOf(outcome: string, set: JsonObject): Refusal | undefined {
    const way = this.#router(outcome);
    if (!way) return 'unknown_outcome';
    return wrongVariables(way.flow!, set) ? 'not_accepted_here' : undefined;
  }

  /** Ends a step being run with an outcome that its flow routes. */
  async force(outcome: string, set: JsonObject): Promise<void> {
    await this.#router(outcome)?.force({ outcome, vars: set });
    await this.#settle();
  }

  /** The visit that gives way to an order of this signal. */
  yielding(signal: string): Visit | undefined {
    return this.#all().find((way) => way.givingWay(signal) !== undefined)?.visit;
  }

  /** Ends the visit for that order. */
  async giveWay(visit: Visit, signal: string): Promise<void> {
    const way = this.#wayOf(visit);
    const result = way?.givingWay(signal);
    if (way && result) await way.force(result);
    await this.#settle();
  }

  async abandon(outcome: string): Promise<void> {
    for (const way of this.#all()) await way.abandon(outcome);
    this.#branches.clear();
    this.#due.length = 0;
    this.#starting = 0;
  }

  /** The flows that the visit started beside others end with it. */
  endBranches(visit: Visit, outcome: string): Promise<void> | undefined {
    return this.#branches.size === 0 ? undefined : this.#endBranches(visit, outcome);
  }

  async #endBranches(visit: Visit, outcome: string): Promise<void> {
    // What ends the visit ends them, unless it came to an outcome of its own.
    const shared = outcome.startsWith('$') || OURS.includes(outcome) ? outcome : 'left';
    for (const way of [...this.#branches]) {
      if (way.branch?.owner !== visit) continue;
      await way.abandon(shared);
      this.#branches.delete(way);
    }
  }

  checkpoint(): Checkpoint {
    const ways = [this.main, ...this.#branches];
    return { frames: ways.flatMap((way) => way.checkpoint()), visit: this.#visits };
  }

  // What ways ask of each other

  get frames(): number {
    return this.#all().reduce((sum, way) => sum + way.frames.length, this.#starting);
  }

  nextVisit(): number {
    return ++this.#visits;
  }

  branchOff(parent: Traversal, owner: Visit, name: string, frame: Frame): void {
    this.#starting++;
    this.#due.push(async () => {
      this.#starting--;
      if (parent.visit !== owner) return;
      const way = new Traversal(this.#host, this, this.#options, { name, owner, parent });
      this.#branches.add(way);
      await way.begin(frame);
    });
  }

  returned(way: Traversal, outcome: string, output: Json): void {
    this.#branches.delete(way);
    const { parent, owner, name } = way.branch!;
    this.#due.push(async () => {
      if (parent.visit === owner) await parent.resume({ type: 'branch_returned', branch: name, outcome, output });
    });
  }

  #settle(): Promise<void> | undefined {
    return this.#due.length === 0 ? undefined : this.#settleDue();
  }

  async #settleDue(): Promise<void> {
    for (let next = this.#due.shift(); next; next = this.#due.shift()) await next();
  }

  /** W2 */
  #all(from: Traversal = this.main): Traversal[] {
    if (this.#branches.size === 0) return [from];
    const inside = [...this.#branches].filter(({ branch }) => branch?.parent === from);
    return [...inside.flatMap((way) => this.#all(way)), from];
  }

  #wayOf(visit: Visit): Traversal | undefined {
    return this.#all().find((way) => way.visit === visit);
  }

  #handler(interrupt: string): Traversal | undefined {
    return this.#all().find((way) => way.handles(interrupt));
  }

  #router(outcome: string): Traversal | undefined {
    if (outcome.startsWith('$') || OURS.includes(outcome)) return undefined;
    return this.#all().find((way) => way.routes(outcome));
  }

  #outwards(visit: Visit): Traversal[] {
    const ways: Traversal[] = [];
    for (let way = this.#wayOf(visit); way; way = way.branch?.parent) ways.push(way);
    return ways;
  }
}
