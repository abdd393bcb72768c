/**
 * Checks of the route graph: unreachable steps and endless cycles. A hangup is routed once for each call, so its edges
 * make no cycle; `max_visits` and `repeat` bound the cycles through their step.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { type Issue, keyIssue } from '../../base/schema/document.ts';
import { END } from './compiled-flow.ts';
import { type FlowDraft, isHeard, mayGoto, type StepDraft, sourcesOf, targetsBut } from './flow-draft.ts';
import { flowUsesOf } from './verb-facts.ts';

export function* lintGraph(draft: FlowDraft): Generator<Issue> {
  const { steps, flow } = draft;
  const reachable = flow.machine.reachable();
  // An application that may send the call to any step makes all steps reachable.
  const everywhere = [...steps.values()].some((step) => reachable.has(step.compiled.name) && mayGoto(step));
  if (!everywhere) {
    for (const [name, { pointer }] of steps) {
      if (reachable.has(name)) continue;
      const message = quoting`nothing leads to the step ${name}`;
      yield keyIssue('unreachable-step', pointer, message, 'route an outcome to it, or remove it');
    }
  }
  const reported = new Set<string>();
  yield* cycles(draft, reported);
  yield* endless(draft, reported);
}

const isBounded = ({ compiled, spec }: StepDraft): boolean =>
  compiled.maxVisits !== undefined || spec.verb === 'repeat';
const decides = ({ compiled, routes, source }: StepDraft): boolean =>
  source['when'] !== undefined || routes.required.filter((outcome) => compiled.exits[outcome] !== undefined).length > 1;
/** True if another flow or an event ends the wait: its duration and audio are unknown here. */
const isOpen = ({ spec }: StepDraft): boolean => flowUsesOf(spec.verb).includes('calls') || spec.verb === 'wait_for';

function* cycles({ steps }: FlowDraft, reported: Set<string>): Generator<Issue> {
  const report = function* (
    among: (step: StepDraft) => boolean,
    judge: (cycle: StepDraft[], pointer: string) => Issue,
  ): Generator<Issue> {
    const part = new Map([...steps].filter(([, step]) => !isBounded(step) && among(step)));
    for (const cycle of components(part)) {
      if (cycle.some(({ compiled }) => reported.has(compiled.name))) continue;
      for (const { compiled } of cycle) reported.add(compiled.name);
      yield judge(cycle, cycle[0]!.pointer);
    }
  };
  const hint = 'give one of the steps max_visits and route its limit';

  yield* report(
    (step) => !step.spec.waits,
    (cycle, pointer) => ({
      ...keyIssue('busy-loop', pointer, `${around(cycle)} run in a circle without ever waiting`, hint),
      severity: cycle.some(decides) ? 'warning' : 'error',
    }),
  );
  yield* report(
    (step) => !step.spec.needsCall && !isOpen(step),
    (cycle, pointer) => {
      const message = `${around(cycle)} go on for ever, even when the caller has hung up`;
      return keyIssue('unbounded-cycle', pointer, message, hint);
    },
  );
  yield* report(
    (step) => !isHeard(step) && !isOpen(step),
    (cycle, pointer) => {
      const message = `${around(cycle)} repeat while the caller hears nothing`;
      return keyIssue('silent-loop', pointer, message, 'play something in the loop');
    },
  );
}

/** Reports cycles of steps from which no route leads to an end except the caller's hangup. */
function* endless({ steps, flow }: FlowDraft, reported: ReadonlySet<string>): Generator<Issue> {
  const ending = new Set<string>([END]);
  for (const [name, step] of steps) if (step.spec.terminal || mayGoto(step)) ending.add(name);
  // An `error` route does not count as an exit.
  const sources = sourcesOf(steps, 'hangup', 'error');
  const queue = [...ending];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const source of sources.get(at) ?? []) {
      if (ending.has(source)) continue;
      ending.add(source);
      queue.push(source);
    }
  }
  // Interrupts and events leave every step.
  if (Object.entries(flow.events).some(([event, target]) => event !== 'hangup' && ending.has(target))) return;
  const stuck = new Map([...steps].filter(([name]) => !ending.has(name)));
  for (const cycle of components(stuck)) {
    if (cycle.some((step) => isOpen(step) || reported.has(step.compiled.name))) continue;
    const message = `from ${around(cycle)} no route leads to an end; only the caller can end the call`;
    const hint = 'route an outcome to a step that hangs up or returns';
    yield keyIssue('cycle-without-end', cycle[0]!.pointer, message, hint);
  }
}

const around = (cycle: readonly StepDraft[]): string => {
  const names = cycle.map(({ compiled }) => compiled.name);
  return quoting`${names.slice(0, 5)}` + (names.length > 5 ? ' …' : '');
};

const targetsKnown = new WeakMap<StepDraft, readonly string[]>();

/** Distinct targets of a step. Listed once, because each kind of cycle is searched for alone. */
function targetsOf(step: StepDraft): readonly string[] {
  const targets = targetsKnown.get(step) ?? [...new Set(targetsBut(step, 'hangup'))];
  targetsKnown.set(step, targets);
  return targets;
}

/** Strongly connected components that contain a cycle (Tarjan's algorithm, iterative), in the order of the document. */
function components(part: ReadonlyMap<string, StepDraft>): StepDraft[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  const targets = (name: string): string[] => targetsOf(part.get(name)!).filter((target) => part.has(target));

  for (const root of part.keys()) {
    if (index.has(root)) continue;
    const work: { name: string; rest: string[] }[] = [];
    const open = (name: string) => {
      index.set(name, index.size);
      low.set(name, index.get(name)!);
      stack.push(name);
      onStack.add(name);
      work.push({ name, rest: targets(name) });
    };
    open(root);
    while (work.length > 0) {
      const { name, rest } = work.at(-1)!;
      const next = rest.pop();
      if (next !== undefined) {
        if (!index.has(next)) open(next);
        else if (onStack.has(next)) low.set(name, Math.min(low.get(name)!, index.get(next)!));
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.name;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent)!, low.get(name)!));
      if (low.get(name) !== index.get(name)) continue;
      const component = stack.splice(stack.lastIndexOf(name));
      for (const member of component) onStack.delete(member);
      if (component.length > 1 || targets(name).includes(name)) found.push(component);
    }
  }
  const order = [...part.keys()];
  return found
    .map((names) => names.sort((a, b) => order.indexOf(a) - order.indexOf(b)).map((name) => part.get(name)!))
    .sort((a, b) => order.indexOf(a[0]!.compiled.name) - order.indexOf(b[0]!.compiled.name));
}
