/**
 * What expressions make of what they are given, and whether variables can take it. Neighbours: `types/` finds types,
 * `lint-expressions.ts` knows the names of the scope.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject, type Json } from '../core/json.ts';
import { schemaProblem } from '../schema/compile-check.ts';
import { childPointer, type Issue, type Repair, valueIssue } from '../schema/document.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { hasExpression } from './template.ts';
import { inferType } from './types/infer.ts';
import { type FlowScope, scopeOf } from './types/scope.ts';
import { ANY, canBe, inWords, KIND, TEXT, type Type, typeOfSchema } from './types/type.ts';

export function* lintTypes(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  const scope = scopeOf(draft);
  for (const site of sites) {
    const found: Issue[] = [];
    const type = inferType(
      astOf(site.expression),
      scope.at(resultAt(site, scope)),
      ({ position, repair, code, message, hint }) =>
        found.push({
          ...{ code, message, hint, pointer: site.pointer, offset: site.offset + position },
          repair: repair && { text: repair.text, from: site.offset + repair.from, to: site.offset + repair.to },
        }),
    );
    yield* found;
    if (found.length === 0) yield* neverFits(draft, site, type);
  }
  for (const step of draft.steps.values()) yield* constants(draft, step);
}

/** The parts of a step that it renders later see what it has found so far. */
function resultAt({ step, hasResult, argument }: ExpressionSite, scope: FlowScope): Type | undefined {
  if (!hasResult || step === undefined) return undefined;
  return argument === undefined || step.spec.verb === 'collect' ? scope.resultOf(step) : ANY;
}

function* neverFits({ flow }: FlowDraft, site: ExpressionSite, type: Type): Generator<Issue> {
  const { assigns, pointer } = site;
  const spec = assigns === undefined ? undefined : flow.vars[assigns];
  // What stands inside a list or a map is not all of the value.
  if (spec === undefined || assigns === undefined || !pointer.endsWith(childPointer('', assigns))) return;
  if (schemaProblem(spec.schema) !== undefined) return;
  const given = site.whole ? type : TEXT;
  const declared = typeOfSchema(spec.schema);
  if (given.kinds === 0) return;
  if (!canBe(given, declared.kinds)) {
    const message = `${quoting`${assigns}`} is ${inWords(declared)}, and this gives ${inWords(given)}`;
    const hint = conversionTo(declared, given, site);
    yield { ...valueIssue('never-fits', pointer, message, hint), repair: convertedBy(hint, site) };
    return;
  }
  const problem = allWrong(given.values?.map((value) => flow.checkVariable(assigns, value)));
  if (problem !== undefined)
    yield valueIssue('never-fits', pointer, `${quoting`${assigns}`} cannot take this: it ${problem}`);
}

/** What is wrong with the first of several values, if all are wrong. */
function allWrong(problems: readonly (string | undefined)[] | undefined): string | undefined {
  return problems?.every((problem) => problem !== undefined) ? problems[0] : undefined;
}

function conversionTo(declared: Type, given: Type, { whole }: ExpressionSite): string | undefined {
  if (!whole) return canBe(declared, KIND.text) ? undefined : 'write nothing around ${ … }, so that it keeps its type';
  if (canBe(declared, KIND.number) && canBe(given, KIND.text)) return 'write $number(…)';
  if (canBe(declared, KIND.text) && canBe(given, KIND.number | KIND.boolean)) return 'write $string(…)';
  return canBe(declared, KIND.list) ? 'write [ … ] around it' : undefined;
}

/** The whole expression as the value of the function that a hint names. */
function convertedBy(hint: string | undefined, { expression: { source }, offset }: ExpressionSite): Repair | undefined {
  const name = /^write (\$\w+)\(…\)$/.exec(hint ?? '')?.[1];
  return name === undefined ? undefined : { from: offset, to: offset + source.length, text: `${name}(${source})` };
}

/** Values without an expression are known before the call. */
function* constants({ flow }: FlowDraft, { source, spec, pointer, argsPointer }: StepDraft): Generator<Issue> {
  const set = spec.verb === 'set' ? source[spec.verb] : source['set'];
  const at = spec.verb === 'set' ? argsPointer : `${pointer}/set`;
  for (const [name, value] of Object.entries(isObject(set) ? set : {})) {
    const spec = Object.hasOwn(flow.vars, name) ? flow.vars[name] : undefined;
    if (spec === undefined || !isConstant(value) || schemaProblem(spec.schema) !== undefined) continue;
    const problem = flow.checkVariable(name, value);
    if (problem === undefined) continue;
    const hint =
      typeof value === 'string' && /^[\w.]+$/.test(value)
        ? `for the value of an expression write \${ ${value} }`
        : undefined;
    yield valueIssue('never-fits', childPointer(at, name), `${quoting`${name}`} cannot take this: it ${problem}`, hint);
  }
}

const isConstant = (value: Json): boolean => !hasExpression(JSON.stringify(value));
