/** Checks of loops that ask for ever: a silent caller, and one who tries codes. */
import { quoting } from '../../base/core/diagnostic.ts';
import { childPointer, type Issue, keyIssue } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { entriesOf } from './possible-outcomes.ts';
import { factsOf, usesSecrets } from './verb-facts.ts';

const asks = ({ spec }: StepDraft): boolean => factsOf(spec.verb).listens === 'asks';

/** Next step for a caller who does nothing; undefined if input, a reply or another party decides it. */
function silentTarget({ spec, compiled: { exits, maxVisits } }: StepDraft): string | undefined {
  if (maxVisits !== undefined) return undefined;
  const outcomes = entriesOf(spec.outcomeTable);
  const takesOnly = (needs: readonly string[] = [], one: string): boolean => needs.every((each) => each === one);
  const [silence] = outcomes.find(([, { needs }]) => needs !== undefined && takesOnly(needs, 'silence')) ?? [];
  const [success] = outcomes.find((entry) => entry[1].success && takesOnly(entry[1].needs, 'time')) ?? [];
  const outcome = silence ?? success;
  return outcome === undefined ? undefined : exits[outcome];
}

/** `reported`: pointers of steps in which a loop is already reported. */
export function* silentCallers({ steps }: FlowDraft, reported: ReadonlySet<string>): Generator<Issue> {
  const seen = new Set<string>();
  for (const [start, step] of steps) {
    if (!asks(step) || seen.has(start)) continue;
    const way = [start];
    let next = silentTarget(step);
    while (next !== undefined && !way.includes(next) && steps.has(next)) {
      way.push(next);
      next = silentTarget(steps.get(next)!);
    }
    if (next !== start) continue;
    for (const name of way) seen.add(name);
    if (way.some((name) => reported.has(steps.get(name)!.pointer))) continue;
    const message = `a caller who says nothing is asked again for ever: ${quoting`${[...way, start]}`}`;
    yield keyIssue('silent-caller', routePointer(step), message, 'give the question max_visits, and route its limit');
  }
}

/** Outcomes after which no code was entered, or none is checked. */
const WITHOUT_CODE = /^(error|hangup|limit|exhausted)\b/;

/** Reports questions for a sensitive value that are asked again as often as the caller enters a wrong one. */
export function* endlessTries({ root, steps }: FlowDraft): Generator<Issue> {
  // The limits of the flow bound the tries, too.
  if (root['limits'] !== undefined) return;
  for (const [name, step] of steps) {
    if (!asks(step) || !step.compiled.sensitive || step.compiled.maxVisits !== undefined) continue;
    const seen = new Set<string>();
    const queue = triesFrom(step);
    for (let next = queue.pop(); next !== undefined && !seen.has(name); next = queue.pop()) {
      const other = steps.get(next);
      if (other === undefined || seen.has(next)) continue;
      seen.add(next);
      if (other.compiled.maxVisits === undefined) queue.push(...triesFrom(other));
    }
    const checks = [...seen].some((each) => usesSecrets(steps.get(each)!.spec.verb));
    if (!seen.has(name) || !checks) continue;
    const message = quoting`a caller may try codes at ${name} without a limit`;
    yield keyIssue('endless-tries', step.pointer, message, 'give the question max_visits, and route its limit');
  }
}

const triesFrom = ({ compiled: { exits } }: StepDraft): string[] =>
  Object.entries(exits).flatMap(([outcome, target]) => (WITHOUT_CODE.test(outcome) ? [] : [target]));

/** Pointer to the route of a silent caller. */
function routePointer({ pointer, routes }: StepDraft): string {
  const route = routes.routes.get('exhausted.no_input');
  return route?.by === 'exits' ? childPointer(`${pointer}/exits`, route.key) : pointer;
}
