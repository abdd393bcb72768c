/**
 * Checks that every outcome has a route, and that every route leads from an outcome of the step to an existing step.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean, suggest } from '../../base/schema/suggest.ts';
import { END } from './compiled-flow.ts';
import { type FlowDraft, type StepDraft, stepNames } from './flow-draft.ts';
import { prefixes } from './outcome.ts';
import { hasExpression, isWholeTemplate } from './outcome-conditions.ts';
import { matchesAnOutcome, targetsOf } from './routes.ts';

/** Outcomes that `defaults.exits` may route even if no step has them now. */
const GENERAL_OUTCOMES = ['error', 'hangup', 'limit', 'exhausted', 'failed', 'timeout', 'interrupted'];

export function* lintRoutes(draft: FlowDraft): Generator<Issue> {
  const { root, steps, flow } = draft;
  const names = stepNames(draft);
  const target = function* (name: string, pointer: string): Generator<Issue> {
    if (name === END || names.has(name)) return;
    if (hasExpression(name)) {
      yield valueIssue(
        'unknown-target',
        pointer,
        'no template may stand here',
        'a route names a step; a branch chooses',
      );
      return;
    }
    yield valueIssue('unknown-target', pointer, quoting`there is no step ${name}`, didYouMean(name, names));
  };

  yield* target(flow.start, '/start');
  for (const [event, name] of Object.entries(flow.events)) yield* target(name, childPointer('/events', event));
  const defaults = targetsOf((root['defaults'] as { exits?: never } | undefined)?.exits);
  const all = new Set([...steps.values()].flatMap(({ routes }) => routes.possible));
  const known = new Set([...GENERAL_OUTCOMES, ...all].flatMap(prefixes));
  /** Outcomes that a misspelt key was meant for: they are not also reported as unrouted. */
  const meant = new Set<string>();
  for (const [outcome, name] of Object.entries(defaults)) {
    const pointer = childPointer('/defaults/exits', outcome);
    yield* target(name, pointer);
    if (known.has(outcome)) continue;
    const near = suggest(outcome, known);
    if (near === undefined && GENERAL_OUTCOMES.includes(outcome.split('.')[0]!)) continue;
    const hint = near === undefined ? 'remove it' : `did you mean ${near}?`;
    yield keyIssue('unknown-outcome', pointer, quoting`no step has the outcome ${outcome}`, hint);
    if (near !== undefined) meant.add(near);
  }

  for (const step of steps.values()) {
    const { pointer, argsPointer, source, routes } = step;
    if (typeof source['next'] === 'string') yield* target(source['next'], `${pointer}/next`);
    for (const [outcome, name] of Object.entries(targetsOf(source['exits']))) {
      yield* target(name, childPointer(`${pointer}/exits`, outcome));
    }
    for (const [name, inside] of routes.inArguments) yield* target(name, argsPointer + inside);
    const unnamed = outcomesInTemplate(step);
    if (unnamed === undefined) yield* lintOutcomes(step, meant);
    else yield unnamed;
  }
}

/**
 * Reports a template as the whole argument of a step whose outcomes come from its arguments: they could not be routed.
 */
function outcomesInTemplate({ spec, compiled, argsPointer }: StepDraft): Issue | undefined {
  if (!isWholeTemplate(compiled.args) || spec.success !== undefined) return undefined;
  const named = Object.values(spec.outcomeTable).find(({ each, when }) => each && when === undefined);
  if (named === undefined) return undefined;
  const message = quoting`a template cannot name the outcomes of ${spec.verb}`;
  return valueIssue('template-here', argsPointer, message, `write out ${named.each!.slice(1)}: …`);
}

/**
 * Finds an outcome from a misspelling, its first letters or its last segment: `faild`, `fail` and `busy` for
 * `failed.busy`.
 */
function nearOutcome(key: string, possible: readonly string[]): string | undefined {
  const known = possible.flatMap(prefixes);
  return (
    known.find((outcome) => outcome.endsWith(`.${key}`)) ??
    (key === '404' ? known.find((outcome) => outcome === 'not_found') : undefined) ??
    suggest(key, known) ??
    (key.length < 3 ? undefined : known.findLast((outcome) => outcome.startsWith(key)))
  );
}

function* lintOutcomes({ pointer, source, spec, routes }: StepDraft, elsewhere: ReadonlySet<string>): Generator<Issue> {
  const meant = new Set(elsewhere);
  const exits = targetsOf(source['exits']);
  const { verb, success } = spec;
  for (const key of Object.keys(exits)) {
    if (matchesAnOutcome(key, routes.possible)) continue;
    const near = nearOutcome(key, routes.possible);
    if (near !== undefined) meant.add(near);
    const hint =
      key === 'limit'
        ? 'limit is the outcome of a step with max_visits'
        : near !== undefined
          ? `did you mean ${near}?`
          : verb === 'webhook'
            ? `declare it in outcomes: [… ${key}]`
            : `its outcomes are ${routes.possible.join(', ') || 'none'}`;
    const message = quoting`${verb} has no outcome ${key}`;
    yield keyIssue('unknown-outcome', childPointer(`${pointer}/exits`, key), message, hint);
  }
  if (source['next'] !== undefined) {
    if (success === undefined) {
      const message = spec.terminal
        ? quoting`nothing comes after ${verb}`
        : quoting`${verb} has no single success for ${'next'}`;
      const hint = spec.terminal ? 'remove it' : `route ${routes.required.join(', ')} by exits`;
      yield keyIssue('no-success', `${pointer}/next`, message, hint);
    } else if (prefixes(success).some((prefix) => Object.hasOwn(exits, prefix))) {
      const message = quoting`${success} is routed twice, by ${'next'} and by ${'exits'}`;
      yield keyIssue('routed-twice', `${pointer}/next`, message, 'remove one of them');
    }
  }
  if (source['when'] !== undefined && success === undefined) {
    const message = quoting`${verb} cannot be skipped: it has no single success to go on with`;
    yield keyIssue('no-success', `${pointer}/when`, message, 'put a branch before it');
  }
  const names = routes.unrouted.filter((outcome) => !prefixes(outcome).some((prefix) => meant.has(prefix)));
  if (names.length > 0 && !(source['next'] !== undefined && success === undefined)) {
    const message = `nothing routes the ${names.length === 1 ? 'outcome' : 'outcomes'} ${quoting`${names}`}`;
    const general = [...new Set(names.map((name) => name.split('.')[0]!))];
    const hint = general.every((name) => name === 'error')
      ? 'add exits: { error: … } here, or for all steps under defaults'
      : general.length === 1 && general[0] === success
        ? `add next: … or exits: { ${success}: … }`
        : `add exits: { ${general.map((name) => `${name}: …`).join(', ')} }`;
    yield keyIssue('unrouted-outcome', pointer, message, hint);
  }
}
