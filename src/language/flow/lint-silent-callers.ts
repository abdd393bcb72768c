/** Checks of loops that ask a silent caller for ever. */
import { quoting } from '../../base/core/diagnostic.ts';
import { childPointer, type Issue, keyIssue } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { factsOf } from './verb-facts.ts';

const asks = ({ spec }: StepDraft): boolean => factsOf(spec.verb).listens === 'asks';

/** Next step for a caller who does nothing; undefined if input, a reply or another party decides it. */
function silentTarget({ spec, compiled: { exits, maxVisits } }: StepDraft): string | undefined {
  if (maxVisits !== undefined) return undefined;
  const outcomes = Object.entries(spec.outcomeTable);
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

/** Pointer to the route of a silent caller. */
function routePointer({ pointer, routes }: StepDraft): string {
  const route = routes.routes.get('exhausted.no_input');
  return route?.by === 'exits' ? childPointer(`${pointer}/exits`, route.key) : pointer;
}
