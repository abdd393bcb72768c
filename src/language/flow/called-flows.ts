/** Checks of the names of flows that a step runs, starts or continues with. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { namesSeenFrom } from './local-flows.ts';
import { literalOf } from './routes.ts';

/** Checks that a called flow exists, and that it does not call its caller. */
export function* calledFlow(called: string, draft: FlowDraft, pointer: string): Generator<Issue> {
  const { flow, options } = draft;
  yield* isThere(called, draft, pointer);
  const way = pathBack(called, flow.name, (name) => options.knownFlows?.get(name)?.calls ?? []);
  if (way === undefined) return;
  yield valueIssue('cyclic-subflow', pointer, `the flows call each other in a circle: ${wayText([flow.name, ...way])}`);
}

export function* isThere(name: string, { flow, options }: FlowDraft, pointer: string): Generator<Issue> {
  const { knownFlows } = options;
  if (knownFlows === undefined || options.believesFlows || knownFlows.has(name) || name === flow.name) return;
  yield valueIssue(
    'unknown-flow',
    pointer,
    quoting`there is no flow ${name}`,
    didYouMean(name, namesSeenFrom(flow.name, knownFlows.keys())),
  );
}

export const wayText = (flows: readonly string[]): string => flows.map((name) => quoting`${name}`).join(' → ');

/** Shortest path of flows from `from` to `to`, both included. */
export function pathBack(from: string, to: string, next: (flow: string) => readonly string[]): string[] | undefined {
  const seen = new Set<string>();
  const queue: string[][] = [[from]];
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    const at = way.at(-1)!;
    if (at === to) return way;
    if (seen.has(at)) continue;
    seen.add(at);
    for (const flow of next(at)) queue.push([...way, flow]);
  }
  return undefined;
}

/** Checks the arguments `flow` and `outcomes` of a step that runs one flow. */
export function* calledByStep({ argsPointer, compiled }: StepDraft, draft: FlowDraft): Generator<Issue> {
  const { args } = compiled;
  const name = literalOf(args, 'flow');
  if (name === undefined) return;
  const pointer = isObject(args) ? `${argsPointer}/flow` : argsPointer;
  yield* calledFlow(name, draft, pointer);
  const outcomes = isObject(args) ? args['outcomes'] : undefined;
  yield* neverReturned(name, draft, outcomes, `${argsPointer}/outcomes`);
  const returns = draft.options.knownFlows?.get(name)?.returns ?? [];
  const unlisted = Array.isArray(outcomes) ? returns.filter((each) => each !== 'done' && !outcomes.includes(each)) : [];
  if (unlisted.length === 0) return;
  const message = quoting`the flow ${name} also returns ${unlisted}, which ends this step with error`;
  yield keyIssue('unlisted-return', `${argsPointer}/outcomes`, message, 'list it, or remove outcomes');
}

/** Finds outcomes that a step lists and that its flow never returns. */
export function* neverReturned(
  flow: string,
  { options }: FlowDraft,
  outcomes: Json | undefined,
  pointer: string,
): Generator<Issue> {
  const returns = options.knownFlows?.get(flow)?.returns;
  if (returns === undefined || !Array.isArray(outcomes)) return;
  for (const [index, outcome] of outcomes.entries()) {
    if (typeof outcome !== 'string' || returns.includes(outcome)) continue;
    const message = quoting`the flow ${flow} never returns ${outcome}`;
    yield valueIssue('never-returned', `${pointer}/${index}`, message, didYouMean(outcome, returns));
  }
}
