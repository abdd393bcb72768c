/**
 * Finds calls that end without a prompt after a service or an agent failed, a question was given up, or a queue or a
 * conference did not accept the caller, although another outcome of the step leads to a prompt. A flow that ends
 * silently in every case does so on purpose, such as by a report after the goodbye.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { childPointer, type Issue, keyIssue } from '../../base/schema/document.ts';
import { END } from './compiled-flow.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { isCalled, isHangup, mayHearOthers } from './lint-callers.ts';
import { type Route, targetsOf } from './routes.ts';
import { factsOf, type Listens } from './verb-facts.ts';

/** Reports the own routes of a step together, and a default once for all steps that use it. */
export function* silentEnds(draft: FlowDraft): Generator<Issue> {
  const reported = new Set<string>();
  for (const step of liveSteps(draft)) {
    const routes = isHeardElse(step, draft) ? [...endingRoutes(step, draft)] : [];
    const own = routes.filter(({ route }) => route.by === 'exits');
    for (const group of [own, ...routes.filter(({ route }) => route.by !== 'exits').map((each) => [each])]) {
      if (group.length === 0) continue;
      const keys = keysInOrder(step, group);
      const pointer = routePointer(step, { ...group[0]!.route, key: keys[0]! });
      if (reported.has(pointer)) continue;
      reported.add(pointer);
      const { end } = group[0]!;
      const message = quoting`after ${keys} of ${step.compiled.name}, the call ends at ${end} without a prompt`;
      yield keyIssue(
        'silent-end',
        pointer,
        message,
        'lead to a step that plays a goodbye or an apology before the end',
      );
    }
  }
}

/** Keys of the routes, in the order in which the step has them. */
function keysInOrder({ source }: StepDraft, group: readonly EndingRoute[]): string[] {
  const keys = [...new Set(group.map(({ route }) => route.key))];
  const written = Object.keys(targetsOf(source['exits']));
  return keys.toSorted((one, other) => written.indexOf(one) - written.indexOf(other));
}

const routePointer = (step: StepDraft, { by, key }: Route): string =>
  childPointer(by === 'exits' ? `${step.pointer}/exits` : '/defaults/exits', key);

interface EndingRoute {
  route: Route;
  /** Name of the hangup, or `$end`. */
  end: string;
}

/** Routes of unsuccessful outcomes from which the call ends before the caller hears anything. */
function* endingRoutes(step: StepDraft, draft: FlowDraft): Generator<EndingRoute> {
  for (const [outcome, route] of step.routes.routes) {
    if (!(isFailure(step, outcome) && route.by === 'exits') && !isGivenUp(step, outcome)) continue;
    const { end } = nextOn(route.target, draft);
    if (end !== undefined) yield { route, end };
  }
}

const entryOf = ({ spec: { outcomeTable } }: StepDraft, outcome: string) =>
  Object.hasOwn(outcomeTable, outcome) ? outcomeTable[outcome] : undefined;

/** True for a failure of the other side. A default for all steps is a last resort: it is not checked. */
function isFailure(step: StepDraft, outcome: string): boolean {
  if (factsOf(step.spec.verb).simulated !== 'requests') return false;
  const { kind, success, needs } = entryOf(step, outcome) ?? {};
  if (outcome === 'error' || kind === 'fault') return true;
  return kind === 'negative' && success !== true && needs?.includes('reply') === true;
}

/** Events after which a step gives up on a caller who is still there, by the way in which it listens. */
const GIVEN_UP: Readonly<Partial<Record<Listens, readonly string[]>>> = {
  asks: ['silence', 'wrong', 'data'],
  records: ['silence'],
  converses: ['silence', 'speech', 'time'],
  always: ['setup', 'time'],
};

/** True if the step received no answer from the caller, or did not connect the caller. */
function isGivenUp(step: StepDraft, outcome: string): boolean {
  const { kind, success, needs = [] } = entryOf(step, outcome) ?? {};
  if (step.spec.media !== true || kind !== 'negative' || success === true) return false;
  const given = GIVEN_UP[factsOf(step.spec.verb).listens ?? 'sounds'];
  return given !== undefined && needs.some((event) => given.includes(event));
}

/** True if another outcome leads to a prompt of another step, or the caller talks with others in the step itself. */
const isHeardElse = (step: StepDraft, draft: FlowDraft): boolean =>
  (step.spec.media === true && factsOf(step.spec.verb).listens === 'always') ||
  Object.entries(step.compiled.exits).some(
    ([outcome, target]) => target !== step.compiled.name && isAnswer(step, outcome) && nextOn(target, draft).isHeard,
  );

const isAnswer = (step: StepDraft, outcome: string): boolean =>
  outcome !== 'hangup' && outcome !== 'limit' && outcome !== 'error' && entryOf(step, outcome)?.kind === undefined;

/** Steps that run before the caller hangs up. */
function* liveSteps({ steps, flow }: FlowDraft): Generator<StepDraft> {
  const seen = new Set<string>();
  const events = Object.entries(flow.events).flatMap(([event, target]) => (event === 'hangup' ? [] : [target]));
  const queue = [flow.start, ...events];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const step = steps.get(name);
    if (step === undefined || seen.has(name)) continue;
    seen.add(name);
    yield step;
    for (const [outcome, target] of Object.entries(step.compiled.exits)) if (outcome !== 'hangup') queue.push(target);
  }
}

/** Audio that callers hear from a step on, and the end of the call before it. */
function nextOn(start: string, draft: FlowDraft): { isHeard: boolean; end: string | undefined } {
  const { steps } = draft;
  const seen = new Set<string>();
  const queue = [start];
  let isHeard = false;
  let end: string | undefined;
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const step = steps.get(name);
    if (name === END && !isCalled(draft)) end ??= name;
    if (step === undefined || seen.has(name)) continue;
    seen.add(name);
    if (isHangup(step)) end ??= name;
    // A prompt during a request is none at the end.
    if (step.spec.media === true || mayHearOthers(step)) isHeard = true;
    else if (!step.spec.terminal) {
      for (const [outcome, target] of Object.entries(step.compiled.exits))
        if (outcome !== 'hangup' && outcome !== 'error') queue.push(target);
    }
  }
  return { isHeard, end };
}
