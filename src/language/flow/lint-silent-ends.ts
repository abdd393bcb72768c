/**
 * Finds calls that end without a prompt when a service or an agent fails, although its success leads to a prompt. A flow
 * that ends silently in every case does so on purpose, such as by a report after the goodbye.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { childPointer, type Issue, keyIssue } from '../../base/schema/document.ts';
import { END } from './compiled-flow.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { isCalled, isHangup, mayHearOthers } from './lint-callers.ts';
import { factsOf } from './verb-facts.ts';

export function* silentEnds(draft: FlowDraft): Generator<Issue> {
  const reported = new Set<string>();
  for (const step of liveSteps(draft)) {
    if (factsOf(step.spec.verb).simulated !== 'requests') continue;
    const { exits } = step.compiled;
    const failures = Object.keys(exits).filter((outcome) => isFailure(step, outcome));
    const isHeardElse = Object.entries(exits).some(
      ([outcome, target]) => isAnswer(step, outcome) && nextOn(target, draft).isHeard,
    );
    for (const outcome of isHeardElse ? failures : []) {
      const { end } = nextOn(exits[outcome]!, draft);
      const pointer = childPointer(`${step.pointer}/exits`, step.routes.routes.get(outcome)!.key);
      if (end === undefined || reported.has(pointer)) continue;
      reported.add(pointer);
      const message = quoting`if ${step.compiled.name} fails (${outcome}), the call ends at ${end} without a prompt`;
      yield keyIssue('silent-end', pointer, message, 'lead to a step that plays an apology before the hangup');
    }
  }
}

const entryOf = ({ spec: { outcomeTable } }: StepDraft, outcome: string) =>
  Object.hasOwn(outcomeTable, outcome) ? outcomeTable[outcome] : undefined;

/**
 * True for a failure of the other side that the step itself routes. A default for all steps is a last resort, and silent
 * callers or those who cancel expect no prompt.
 */
function isFailure(step: StepDraft, outcome: string): boolean {
  if (step.routes.routes.get(outcome)?.by !== 'exits') return false;
  const { kind, success, needs } = entryOf(step, outcome) ?? {};
  if (outcome === 'error' || kind === 'fault') return true;
  return kind === 'negative' && success !== true && needs?.includes('reply') === true;
}

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
