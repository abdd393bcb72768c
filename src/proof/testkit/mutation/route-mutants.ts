/**
 * Mutants of routes: to another step, past a step, to no step, in another order. The outcome `error` is excluded as in
 * coverage, because a caller cannot cause internal errors.
 */
import type { Json } from '../../../base/core/json.ts';
import { childPointer, pointerKeys, walk } from '../../../base/schema/document.ts';
import { targetsOf } from '../../../language/flow/routes.ts';
import { replaced } from './edits.ts';
import { entryText, forgotten, type Mutant, mutantAt, objectIn, type WrittenFlow, type WrittenStep } from './mutant.ts';

/** Location of a target. */
interface RouteSite {
  pointer: string;
  /** The outcome, `next`, or the key of a case's target. */
  key: string;
  target: string;
}

export function* routeMutants(flow: WrittenFlow): Generator<Mutant> {
  for (const step of flow.steps.values()) {
    const sites = [...routeSites(step)];
    for (const site of sites) yield* otherTarget(flow, step, site);
    yield* swappedTargets(flow, step, sites);
    yield* removedExits(flow, step);
    yield* swappedNeighbours(flow, step);
  }
  yield* eventMutants(flow);
}

function* routeSites({ written, pointer, args, argsPointer }: WrittenStep): Generator<RouteSite> {
  if (typeof written['next'] === 'string') yield { pointer: `${pointer}/next`, key: 'next', target: written['next'] };
  for (const [key, target] of Object.entries(targetsOf(written['exits']))) {
    if (key !== 'error') yield { pointer: childPointer(`${pointer}/exits`, key), key, target };
  }
  // Cases of a `branch`.
  if (!Array.isArray(args)) return;
  for (const [at, value] of walk(args)) {
    const key = pointerKeys(at).at(-1);
    if ((key === 'next' || key === 'else') && typeof value === 'string')
      yield { pointer: argsPointer + at, key, target: value };
  }
}

/** Mutant that skips the target; if that is impossible, one with the next step of the file as target. */
function* otherTarget(flow: WrittenFlow, step: WrittenStep, site: RouteSite): Generator<Mutant> {
  const { steps } = flow;
  const names = [...steps.keys()];
  const behind = targetBehind(steps.get(site.target));
  const others = [...names.slice(names.indexOf(site.target) + 1), ...names];
  const isOther = (name: string | undefined): name is string =>
    name !== undefined && name !== site.target && name !== step.name;
  const target = isOther(behind) ? behind : others.find(isOther);
  if (target !== undefined)
    yield mutantAt(flow, { kind: 'target', pointer: site.pointer, value: site.target, step: step.name }, target);
}

/** Target of a step that has a single success route. */
function targetBehind(step: WrittenStep | undefined): string | undefined {
  if (step === undefined) return undefined;
  const success = targetsOf(step.written['exits'])[step.spec.success ?? ''];
  const next = step.written['next'] ?? success;
  return typeof next === 'string' ? next : undefined;
}

/** Mutants that swap adjacent targets. */
function* swappedTargets({ root }: WrittenFlow, step: WrittenStep, sites: readonly RouteSite[]): Generator<Mutant> {
  for (const [index, one] of sites.entries()) {
    const other = sites[index + 1];
    if (other === undefined || one.target === other.target) continue;
    yield {
      ...{ kind: 'target', pointer: one.pointer, step: step.name },
      root: replaced(replaced(root, one.pointer, other.target), other.pointer, one.target),
      before: `${entryText(one.key, one.target)}, ${entryText(other.key, other.target)}`,
      after: `${entryText(one.key, other.target)}, ${entryText(other.key, one.target)}`,
    };
  }
}

function* removedExits(flow: WrittenFlow, { name, pointer, written }: WrittenStep): Generator<Mutant> {
  for (const [key, target] of Object.entries(targetsOf(written['exits']))) {
    if (key !== 'error')
      yield forgotten(flow, {
        kind: 'exit',
        pointer: childPointer(`${pointer}/exits`, key),
        value: target,
        step: name,
      });
  }
}

/** Mutant that turns A → B → C into B → A → C. */
function* swappedNeighbours({ root, steps }: WrittenFlow, first: WrittenStep): Generator<Mutant> {
  const second = steps.get(String(first.written['next']));
  const third = second?.written['next'];
  if (second === undefined || typeof third !== 'string' || third === first.name || second === first) return;
  let made: Json = root;
  for (const { pointer, target } of [...steps.values()].flatMap((step) => [...routeSites(step)])) {
    if (target === first.name) made = replaced(made, pointer, second.name);
  }
  if (root['start'] === first.name) made = replaced(made, '/start', second.name);
  made = replaced(made, `${first.pointer}/next`, third);
  made = replaced(made, `${second.pointer}/next`, first.name);
  yield {
    ...{ kind: 'order', pointer: first.pointer, atKey: true, step: first.name, root: made },
    ...{ before: `${first.name}, then ${second.name}`, after: `${second.name}, then ${first.name}` },
  };
}

function* eventMutants(flow: WrittenFlow): Generator<Mutant> {
  for (const [event, target] of Object.entries(targetsOf(objectIn(flow.root, 'events')))) {
    const pointer = childPointer('/events', event);
    yield forgotten(flow, { kind: 'event', pointer, value: target });
    const behind = targetBehind(flow.steps.get(target));
    if (behind !== undefined) yield mutantAt(flow, { kind: 'event', pointer, value: target }, behind);
  }
}
