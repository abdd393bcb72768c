/**
 * Checks the names in `properties`: steps, their outcomes and prompts. `callweave explore` checks whether the
 * properties hold.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { FlowDraft } from './flow-draft.ts';

/** Keys whose value is a moment. */
const MOMENTS = ['visited', 'before', 'after', 'reaches'];

export const lintProperties = ({ root, steps }: FlowDraft): Generator<Issue> =>
  propertyIssues(isObject(root['properties']) ? root['properties'] : {}, '/properties', steps);

export function* propertyIssues(properties: JsonObject, at: string, steps: FlowDraft['steps']): Generator<Issue> {
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    for (const [word, rule] of Object.entries(property)) {
      if (isObject(rule)) yield* momentsIn(rule, childPointer(childPointer(at, name), word), steps);
    }
  }
}

function* momentsIn(rule: JsonObject, at: string, steps: FlowDraft['steps']): Generator<Issue> {
  for (const key of MOMENTS) {
    if (typeof rule[key] === 'string') yield* momentIssues(rule[key], `${at}/${key}`, steps);
  }
  const { except = [], requested } = rule;
  const sender = isObject(requested) ? requested['step'] : requested;
  if (typeof sender === 'string') {
    yield* momentIssues(sender, `${at}/requested${isObject(requested) ? '/step' : ''}`, steps);
  }
  for (const [index, step] of (Array.isArray(except) ? except : []).entries()) {
    yield* momentIssues(String(step), `${at}/except/${index}`, steps);
  }
}

function* momentIssues(moment: string, pointer: string, steps: FlowDraft['steps']): Generator<Issue> {
  const [name, ...rest] = moment.split('.') as [string, ...string[]];
  const step = steps.get(name);
  if (step === undefined) {
    yield valueIssue('unknown-target', pointer, quoting`there is no step ${name}`, didYouMean(name, [...steps.keys()]));
    return;
  }
  const outcome = rest.join('.');
  const { possible } = step.routes;
  if (outcome === '' || possible.some((each) => each === outcome || each.startsWith(`${outcome}.`))) return;
  const message = quoting`the step ${name} has no outcome ${outcome}`;
  yield valueIssue(
    'unknown-outcome',
    pointer,
    message,
    didYouMean(outcome, possible) ?? `it has ${possible.join(', ')}`,
  );
}
