/** One history: carries out a plan until all calls have ended, and then judges it. */
import { check } from './checker.ts';
import { ALL_GUARDS, type Guards } from './guards.ts';
import { NodeLife } from './node-life.ts';
import { Outside } from './outside.ts';
import { type Fault, FIRST_MS, healedMs, NODES, type Plan } from './plan.ts';
import { SimulatedStore } from './simulated-store.ts';
import { Switch } from './switch.ts';
import { World } from './world.ts';

export interface HistoryResult {
  violations: string[];
  /** Set only for a traced history. */
  lines: readonly string[];
  /** The journals at the end, as text from the store. */
  journals: string;
}

/** A call that is still active after this time counts as stuck. */
const LAST_MS = 120_000;

export async function runHistory(
  plan: Plan,
  { guards = ALL_GUARDS, isTraced = false }: { guards?: Guards; isTraced?: boolean } = {},
): Promise<HistoryResult> {
  const world = new World(plan.seed, isTraced);
  const store = new SimulatedStore(world);
  const outside = new Outside(world);
  const center = plan.hasSwitch ? new Switch(world, outside, guards) : undefined;
  const nodes = Array.from(
    { length: NODES },
    (_, number) => new SimulatedNode(number, { world, store, outside, guards, center }),
  );
  for (const call of plan.calls) world.at(FIRST_MS + call.atMs, () => nodes[call.node]!.life?.take(call));
  for (const fault of plan.faults) world.at(FIRST_MS + fault.atMs, () => happen(fault, { world, store, nodes }));
  let isQuiet = false;
  const look = (): void => {
    const { calls } = store.primary.contents;
    isQuiet = [...calls.values()].every(({ isEnded }) => isEnded);
    if (!isQuiet) world.after(500, look);
  };
  world.at(FIRST_MS + healedMs(plan), look);
  await world.clock.advanceWhile(() => !isQuiet && world.nowMs < LAST_MS);
  const violations = check({ plan, world, store, outside });
  const { calls } = store.primary.contents;
  const journals = JSON.stringify([...calls].map(([callId, { entries }]) => [callId, entries]));
  return { violations, lines: world.lines, journals };
}

type Parts = ConstructorParameters<typeof NodeLife>[0];

/** A machine, which runs one node life after another. */
class SimulatedNode {
  readonly links = [true, true];
  readonly #number: number;
  readonly #parts: Parts;
  #lives = 0;
  life: NodeLife | undefined;

  constructor(number: number, parts: Parts) {
    this.#number = number;
    this.#parts = parts;
    this.start();
  }

  start(): void {
    if (this.life && !this.life.isDead) return;
    const { links } = this;
    const view = this.#parts.store.primary.number;
    this.life = new NodeLife(this.#parts, { number: this.#number, life: ++this.#lives, links, view });
  }
}

function happen(fault: Fault, parts: { world: World; store: SimulatedStore; nodes: SimulatedNode[] }): void {
  const { world, store, nodes } = parts;
  world.note(() => `fault: ${JSON.stringify(fault)}`);
  switch (fault.fault) {
    case 'pause': {
      const { life } = nodes[fault.node]!;
      if (!life || life.isDead) return;
      life.pause();
      world.after(fault.forMs, () => life.resume());
      return;
    }
    case 'death': {
      const node = nodes[fault.node]!;
      node.life?.die();
      world.after(fault.backAfterMs, () => node.start());
      return;
    }
    case 'stall': {
      const node = nodes[fault.node]!;
      node.life?.stallUntil(world.nowMs + fault.forMs);
      world.after(fault.diesAfterMs, () => node.life?.die());
      world.after(fault.diesAfterMs + fault.backAfterMs, () => node.start());
      return;
    }
    case 'cut': {
      const { links } = nodes[fault.node]!;
      links[0] = links[1] = false;
      world.after(fault.forMs, () => {
        links[0] = links[1] = true;
      });
      return;
    }
    case 'loss':
      nodes[fault.node]!.life?.loseUntil(world.nowMs + fault.forMs);
      return;
    case 'lag':
      store.setLinked(false);
      world.after(fault.forMs, () => store.setLinked(true));
      return;
    case 'failover':
      failOver(fault, parts);
  }
}

function failOver(
  fault: Extract<Fault, { fault: 'failover' }>,
  { world, store, nodes }: { world: World; store: SimulatedStore; nodes: SimulatedNode[] },
): void {
  const old = store.primary;
  store.setLinked(false);
  if (fault.primaryDies) old.isUp = false;
  world.after(fault.promotedAfterMs, () => {
    store.promote();
    for (const [number, node] of nodes.entries()) {
      if (number === fault.solo) continue;
      world.after(fault.noticedAfterMs[number]!, () => {
        if (node.life) node.life.view = store.primary.number;
      });
    }
  });
  world.after(fault.healedAfterMs, () => {
    store.heal();
    for (const { life } of nodes) if (life) life.view = store.primary.number;
  });
}
