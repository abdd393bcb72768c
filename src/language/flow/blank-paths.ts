/**
 * Paths of a flow on which a value may be missing or null: from the steps that give the value to the step that uses it.
 * `lint-blanks.ts` reports values only if such a path exists.
 *
 * Invariant: a `branch` that may know of the value ends a path, whatever it tests, because false findings are worse
 * than missed ones.
 */
import { isObject } from '../../base/core/json.ts';
import { isAt, pointerKeys, walk } from '../../base/schema/document.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { assignmentsOf, type FlowDraft, type StepDraft } from './flow-draft.ts';
import { outcomesOf } from './types/scope.ts';

/** Outcomes of `source` after which the flow reaches `reader` without a decision in between. */
export function arrivingOutcomes(draft: FlowDraft, source: StepDraft, reader: StepDraft): string[] {
  const stops = (step: StepDraft): boolean => step === source || step.spec.expressions !== undefined;
  const leading = leadingTo(draft, reader.compiled.name, stops);
  return outcomesOf(source).filter((outcome) => leading.has(source.compiled.exits[outcome] ?? ''));
}

/** True if the flow may reach the expression without a test of the value at `key`, such as `steps.find.body.name`. */
export function isUntested(draft: FlowDraft, key: string, site: ExpressionSite): boolean {
  const { steps, flow } = draft;
  const [scope, name = ''] = key.split('.');
  const { step: reader } = site;
  if (reader === undefined || conditionsBefore(site, reader).some((text) => mentions(text, key))) return false;
  const source = scope === 'steps' ? steps.get(name) : undefined;
  const setters = scope === 'vars' ? [...steps.values()].filter((step) => assigns(step, name)) : [];
  const origins = source
    ? outcomesOf(source).flatMap((outcome) => (outcome === 'error' ? [] : (source.compiled.exits[outcome] ?? [])))
    : [
        flow.start,
        ...setters.flatMap(({ compiled, spec }) => compiled.exits[spec.success ?? ''] ?? Object.values(compiled.exits)),
      ];
  if (scope !== 'steps' && scope !== 'vars' && scope !== 'input') return true;
  const known = [key, ...namesFrom(draft, source ? `steps.${name}` : key, source)];
  const stops = (step: StepDraft): boolean => step === source || setters.includes(step) || isTestedIn(step, known);
  const leading = leadingTo(draft, reader.compiled.name, stops);
  return origins.some((name) => leading.has(name));
}

const sources = new WeakMap<FlowDraft, ReadonlyMap<string, readonly StepDraft[]>>();

/** Steps from which a step is entered, by its name. Found once for each draft, since many values are followed back. */
function sourcesIn(draft: FlowDraft): ReadonlyMap<string, readonly StepDraft[]> {
  const known = sources.get(draft);
  if (known !== undefined) return known;
  const found = new Map<string, StepDraft[]>();
  for (const step of draft.steps.values()) {
    for (const target of new Set(Object.values(step.compiled.exits))) {
      const before = found.get(target);
      if (before) before.push(step);
      else found.set(target, [step]);
    }
  }
  sources.set(draft, found);
  return found;
}

/** Names of the steps from which the flow may reach `to` without leaving a step that `stops`; `to` is one of them. */
function leadingTo(draft: FlowDraft, to: string, stops: (step: StepDraft) => boolean): ReadonlySet<string> {
  const sources = sourcesIn(draft);
  const found = new Set([to]);
  for (const name of found) {
    for (const source of sources.get(name) ?? []) {
      if (!found.has(source.compiled.name) && !stops(source)) found.add(source.compiled.name);
    }
  }
  return found;
}

const assigns = (step: StepDraft, name: string): boolean => Object.hasOwn(assignmentsOf(step).values, name);

const NO_CASES: readonly string[] = [];
const cases = new WeakMap<StepDraft, readonly string[]>();

/** Conditions of a branch, read once for each step. */
function casesOf(step: StepDraft): readonly string[] {
  const { spec, compiled } = step;
  if (spec.expressions === undefined) return NO_CASES;
  const found =
    cases.get(step) ?? walk(compiled.args).flatMap(([at, when]) => (isAt(at, spec.expressions) ? [String(when)] : []));
  cases.set(step, found);
  return found;
}

/** True if a case of a branch mentions one of the paths. */
const isTestedIn = (step: StepDraft, keys: readonly string[]): boolean =>
  casesOf(step).some((text) => keys.some((key) => mentions(text, key)));

/** Conditions of the step that are true, or false, when the expression is evaluated. */
function conditionsBefore({ pointer, argument }: ExpressionSite, reader: StepDraft): string[] {
  const { when } = reader.source;
  if (argument === undefined && pointer === `${reader.pointer}/when`) return [];
  const [index] = pointerKeys(argument ?? '');
  const cases = reader.spec.expressions === undefined ? [] : casesOf(reader).slice(0, Number(index));
  return [...(when === undefined ? [] : [String(when)]), ...cases];
}

/** True if an expression reads the path, a part of it, or a value that contains it. */
function mentions(text: string, key: string): boolean {
  const [scope = '', name = ''] = key.split('.');
  const at = text.indexOf(`${scope}.${name}`);
  return at >= 0 && !/[\p{L}\p{M}\p{N}_]/u.test(text[at + scope.length + name.length + 1] ?? '');
}

/** Variables that a step assigns next to its result, or that are computed from the value. */
function namesFrom({ steps }: FlowDraft, key: string, source: StepDraft | undefined): string[] {
  return [...steps.values()].flatMap((step) =>
    Object.entries(assignmentsOf(step).values).flatMap(([name, value]) =>
      step === source || mentions(isObject(value) ? JSON.stringify(value) : String(value), key) ? [`vars.${name}`] : [],
    ),
  );
}
