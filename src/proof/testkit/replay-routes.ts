/** First level of a replay: keeps the recorded outcomes and compares only where the current flow routes them. */
import type { CompiledFlow, CompiledStep } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { LEFT_FOR_ORDER } from '../../service/runtime/preemption.ts';
import { RecordedCall } from './recorded-call.ts';
import {
  diverged,
  type FindFlow,
  isSameVersion,
  journalProblem,
  type ReplayResult,
  withoutPosition,
} from './replay-result.ts';

export function replayRoutes(journal: readonly JournalEntry[], flows: FindFlow): ReplayResult {
  const problem = journalProblem(journal, flows, 'routes');
  if (problem) return diverged(problem);
  const recorded = new RecordedCall(journal);
  let entered = 0;
  for (const { entered: entry, enteredAt } of recorded.visits.values()) {
    const flow = flows(entry.flow);
    // An inline flow of a request is not in the library; its steps are compared on the second level.
    if (!flow) continue;
    entered++;
    const route = routeTo(recorded, enteredAt, flow);
    if (route === undefined || route.target === entry.step) continue;
    return diverged({
      level: 'routes',
      seq: entry.seq,
      message: `${route.from} leads to ${route.target ?? 'the end of the flow'}, and led to ${entry.step}`,
      recorded: withoutPosition(entry),
      ...(route.step ? { place: route.step.location, step: route.step.name } : {}),
    });
  }
  return { ok: true, entries: entered, followed: 0, sameVersion: isSameVersion(recorded, flows) };
}

type Entered = Extract<JournalEntry, { kind: 'entered' }>;

interface ReplayedRoute {
  from: string;
  target: string | undefined;
  step?: CompiledStep;
}

/** Route in the current flow for the entries before `index`. Undefined if no decision was made there. */
function routeTo({ journal, visits }: RecordedCall, index: number, flow: CompiledFlow): ReplayedRoute | undefined {
  const entry = journal[index] as Entered;
  /** Entries of the same branch, because parallel branches do not affect the route. */
  const isOfBranch = (each: JournalEntry): each is Extract<JournalEntry, { kind: 'entered' | 'left' }> =>
    (each.kind === 'entered' && each.branch === entry.branch) ||
    (each.kind === 'left' && visits.get(each.visit)?.entered.branch === entry.branch);
  const before = journal.slice(0, index).findLast(isOfBranch);
  if (before?.kind !== 'left') return { from: 'the start', target: flow.start };
  const left = visits.get(before.visit)?.entered;
  if (!left) return undefined;
  const isContinued = left.verb === 'continue' && before.outcome !== 'error';
  if (isContinued || before.outcome === LEFT_FOR_ORDER) return { from: 'the start', target: flow.start };
  if (before.outcome.startsWith('$')) {
    const interrupt = before.outcome.slice(1);
    return { from: interrupt, target: Object.hasOwn(flow.events, interrupt) ? flow.events[interrupt] : undefined };
  }
  if (left.flow !== entry.flow || before.outcome === 'goto') return undefined;
  const step = flow.steps.get(before.step);
  if (!step) return { from: `the step ${before.step}, which is gone,`, target: undefined };
  const routed = stepOf(flow.machine.next(step.name, before.outcome));
  const target = before.outcome === 'hangup' ? (routed ?? flow.events['hangup']) : routed;
  if (target === undefined && entry.step === flow.start && isRunForEach(entry, journal.slice(0, index)))
    return undefined;
  return { from: `${before.outcome} of ${step.name}`, target, step };
}

/** True if a loop restarts the subflow for its next item. */
function isRunForEach(entry: Entered, before: readonly JournalEntry[]): boolean {
  const caller = before.findLast(
    (each): each is Entered =>
      each.kind === 'entered' && each.depth === entry.depth - 1 && each.branch === entry.branch,
  );
  return caller?.verb === 'for_each';
}

const stepOf = (target: string | undefined): string | undefined => (target?.startsWith('$') ? undefined : target);
