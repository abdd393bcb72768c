/**
 * Type checks of expressions, and of the values that variables and inputs receive. `types/` infers types;
 * `lint-expressions.ts` checks the names of the scope.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { compileCheck, schemaProblem } from '../../base/schema/compile-check.ts';
import {
  childPointer,
  type Issue,
  isAt,
  pointerKeys,
  type Repair,
  valueAt,
  valueIssue,
} from '../../base/schema/document.ts';
import { branchesAt, branchesOf, type SchemaBranch, typesOf } from '../../base/schema/schema-branches.ts';
import { arrivingOutcomes, isUntested } from './blank-paths.ts';
import { calledInputs } from './called-inputs.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { assignmentsOf, type FlowDraft, type StepDraft } from './flow-draft.ts';
import { keyLengths, lengthsOfDigits } from './key-patterns.ts';
import { type BlankIssue, blanksAt, type SchemaTarget } from './lint-blanks.ts';
import { meantExpression, notEvaluated } from './lint-literals.ts';
import { isFixed } from './template.ts';
import { inferType } from './types/infer.ts';
import { type FlowScope, scopeOf } from './types/scope.ts';
import { lookupType } from './types/tool-arguments.ts';
import {
  ANY,
  canBe,
  inWords,
  KIND,
  kindsOf,
  literalType,
  type Scalar,
  TEXT,
  type Type,
  typeOfSchema,
} from './types/type.ts';

export function* lintTypes(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  const targets = targetsOf(draft);
  for (const site of sites) {
    const target = targets.get(site.pointer);
    let judged = judge(draft, site, target);
    const used = judged.blanks.flatMap(({ blank }) => stepNamed(draft, blank.key));
    // The outcomes that lead to the step decide what the results of others have.
    if (used.length > 0 && site.step) judged = judge(draft, site, target, resultsAt(draft, site.step, used));
    yield* judged.found;
    if (judged.found.length > 0) continue;
    const wrong = [...(target ? neverFits(target, site, judged.type) : neverTaken(site, judged.type))];
    const blank =
      wrong.length > 0 ? undefined : judged.blanks.find((each) => isUntested(draft, each.blank.key ?? '', site));
    yield* blank ? [blank] : wrong;
  }
  for (const target of targets.values()) yield* constant(draft, target);
}

interface Judged {
  type: Type;
  found: readonly Issue[];
  blanks: readonly BlankIssue[];
}

/** Infers the type of an expression. `steps`: results of steps, as known where the expression stands. */
function judge(
  draft: FlowDraft,
  site: ExpressionSite,
  target: SchemaTarget | undefined,
  steps?: ReadonlyMap<string, Type>,
): Judged {
  const scope = scopeOf(draft);
  const { step, hasItem, expression, pointer } = site;
  const own = { result: resultAt(site, scope), item: hasItem ? scope.itemNames(step!) : undefined, steps };
  const found: Issue[] = [];
  const blanks: BlankIssue[] = [];
  const type = inferType(astOf(expression), scope.at(own), ({ position, repair, code, message, hint, blank }) => {
    // A path may also be written with quotes or spaces.
    const isPlain = blank === undefined || expression.source.startsWith(blank.path ?? '', blank.from);
    const issue: Issue = {
      ...{ code, message, hint, pointer, offset: site.offset + position },
      repair:
        repair && isPlain
          ? { text: repair.text, from: site.offset + repair.from, to: site.offset + repair.to }
          : undefined,
    };
    // `x ?? 1` contains x twice.
    const isKnown = found.some((each) => each.offset === issue.offset && each.message === message);
    if (blank !== undefined) blanks.push({ ...issue, blank });
    else if (!isKnown) found.push(issue);
  });
  if (found.length === 0) blanks.push(...blanksAt(site, type, target));
  return { type, found, blanks };
}

function stepNamed({ steps }: FlowDraft, key = ''): StepDraft[] {
  const [scope, name = ''] = key.split('.');
  const step = scope === 'steps' ? steps.get(name) : undefined;
  return step === undefined ? [] : [step];
}

/** Results of these steps, after the outcomes that lead to the reader. */
function resultsAt(draft: FlowDraft, reader: StepDraft, used: readonly StepDraft[]): ReadonlyMap<string, Type> {
  const scope = scopeOf(draft);
  return new Map(
    used.map((step) => {
      const arriving = step === reader ? [] : arrivingOutcomes(draft, step, reader);
      return [step.compiled.name, arriving.length === 0 ? scope.resultOf(step) : scope.resultAfter(step, arriving)];
    }),
  );
}

/** By pointer of the value; a pointer inside a list or a map is not the whole value. */
function targetsOf(draft: FlowDraft): Map<string, SchemaTarget> {
  const { vars } = draft.flow;
  const assigned = [...draft.steps.values()].flatMap((step): SchemaTarget[] => {
    const { values, at } = assignmentsOf(step);
    return Object.entries(values).flatMap(([name, value]) =>
      Object.hasOwn(vars, name) ? [{ ...vars[name]!, name, pointer: childPointer(at, name), value }] : [],
    );
  });
  const given = [...calledInputs(draft)].flatMap(({ name, pointer, value, declared, isNeeded }): SchemaTarget[] =>
    Object.hasOwn(declared, name) ? [{ name, pointer, value, schema: declared[name]!, isOptional: !isNeeded }] : [],
  );
  const targets = [...assigned, ...given].filter(({ schema }) => schemaProblem(schema) === undefined);
  return new Map(targets.map((target) => [target.pointer, target]));
}

/** Type of `result` in an expression. Arguments that a step renders later see its intermediate result. */
export function resultAt({ step, hasResult, argument }: ExpressionSite, scope: FlowScope): Type | undefined {
  if (!hasResult || step === undefined) return undefined;
  if (argument === undefined) return scope.resultOf(step);
  if (step.spec.verb === 'assistant') return lookupType(step, argument);
  if (step.spec.verb !== 'collect') return ANY;
  // A confirmation may be only for one of the two inputs.
  const only = valueAt(step.compiled.args, '/confirm/only');
  return typeof only === 'string' ? scope.resultAfter(step, [only]) : scope.resultOf(step);
}

function* neverFits({ name, pointer, schema }: SchemaTarget, site: ExpressionSite, type: Type): Generator<Issue> {
  const given = site.whole ? type : TEXT;
  const declared = typeOfSchema(schema);
  if (given.kinds === 0) return;
  if (!canBe(given, declared.kinds)) {
    const message = `${quoting`${name}`} is ${inWords(declared)}, and this gives ${inWords(given)}`;
    const hint = conversionTo(declared, given, site);
    yield { ...valueIssue('never-fits', pointer, message, hint), repair: convertedBy(hint, site) };
    return;
  }
  const count = digitsProblem(site, schema);
  if (count !== undefined) {
    yield valueIssue('never-fits', pointer, `${quoting`${name}`} cannot take this: ${count}`, 'change one of the two');
    return;
  }
  const problem = allWrong(given.values?.map(compileCheck(schema)));
  if (problem !== undefined)
    yield valueIssue('never-fits', pointer, `${quoting`${name}`} cannot take this: it ${problem}`);
}

/** Finds templates whose value can never be made to fit their argument (`argument-places.ts`). */
function* neverTaken(site: ExpressionSite, type: Type): Generator<Issue> {
  const { step, argument, pointer, whole } = site;
  if (step === undefined || argument === undefined || isAt(argument, step.spec.expressions)) return;
  const branches = branchesAt(step.spec.verb, argument);
  const declared = { ...ANY, kinds: kindsTaken(branches) };
  const given = whole ? type : TEXT;
  if (given.kinds === 0) return;
  const name = pointerKeys(argument).findLast((key) => !/^\d+$/.test(key)) ?? step.spec.verb;
  if (!canBe(given, declared.kinds)) {
    const message = `${quoting`${name}`} is ${inWords(declared)}, and this gives ${inWords(given)}`;
    const hint = conversionTo(declared, given, site);
    yield { ...valueIssue('never-fits', pointer, message, hint), repair: convertedBy(hint, site) };
    return;
  }
  if (given.kinds === KIND.map && hasNoForm(given, branches)) {
    const message = quoting`${name} cannot take this map: it has none of the keys that ${name} needs`;
    yield valueIssue('never-fits', pointer, message, 'read one of its fields');
    return;
  }
  const texts = branches.filter((branch) => typesOf(branch)?.includes('string'));
  const [text] = texts;
  if (text === undefined || texts.length > 1 || declared.kinds !== SCALAR_TEXT) return;
  const values = given.values ?? (given.kinds === KIND.boolean ? [true, false] : undefined);
  const wrong = values?.every(
    (value) => value !== null && !takesText(text, String(value)) && !isTakenAsIs(branches, value),
  );
  if (!wrong || values?.some((value) => isSeconds(text, value))) return;
  const says = text.schema['says'] ?? `must be one of ${JSON.stringify(text.schema['enum'])}`;
  yield valueIssue('never-fits', pointer, quoting`${name} cannot take this: it ` + String(says));
}

/** True for true, false or a number if another form of the argument takes it: `record` takes true beside `dual`. */
const isTakenAsIs = (branches: readonly SchemaBranch[], value: Scalar): boolean =>
  typeof value !== 'string' &&
  branches.some((branch) => (kindsOf(typesOf(branch) ?? []) & literalType(value).kinds) !== 0);

/** True for a map of known fields that lacks the required keys of each form of the argument. */
function hasNoForm({ fields, others }: Type, branches: readonly SchemaBranch[]): boolean {
  if (fields === undefined || others === 'any' || others === 'open') return false;
  const forms = branches.filter((branch) => typesOf(branch)?.includes('object'));
  const isLacking = (form: Json): boolean => {
    const required = isObject(form) && Array.isArray(form['required']) ? form['required'] : [];
    return required.some((key) => !fields.has(String(key)));
  };
  return (
    forms.length > 0 &&
    forms.every(({ schema }) => {
      const choice = schema['oneOf'] ?? schema['anyOf'];
      return isLacking(schema) || (Array.isArray(choice) && choice.length > 0 && choice.every(isLacking));
    })
  );
}

/** Text, and the kinds that are converted to text. */
const SCALAR_TEXT = KIND.text | KIND.number | KIND.boolean;

/** Kinds that are accepted as they are, converted to text, or wrapped into a list of one item. */
function kindsTaken(branches: readonly SchemaBranch[]): number {
  return branches.reduce(
    (kinds, branch) => {
      const { schema, home } = branch;
      const own = kindsOf(typesOf(branch) ?? []) || ANY.kinds;
      const asText = (own & KIND.text) === 0 ? 0 : SCALAR_TEXT;
      const asItem = (own & KIND.list) === 0 ? 0 : kindsTaken(branchesOf(schema['items'], home));
      return kinds | own | asText | asItem;
    },
    branches.length === 0 ? ANY.kinds : 0,
  );
}

function takesText({ schema: { pattern, enum: listed } }: SchemaBranch, value: string): boolean {
  if (Array.isArray(listed)) return listed.includes(value);
  return typeof pattern !== 'string' || new RegExp(pattern).test(value);
}

const isSeconds = ({ schema }: SchemaBranch, value: Json): boolean =>
  schema['code'] === 'duration' && typeof value === 'number' && value >= 0;

/** Reports a bare `result.digits` whose possible lengths never match the variable's pattern. */
function digitsProblem({ expression, step, whole }: ExpressionSite, { pattern }: JsonObject): string | undefined {
  const args = step?.compiled.args;
  if (!whole || expression.source.trim() !== 'result.digits' || typeof pattern !== 'string') return undefined;
  if (step?.spec.verb !== 'collect' || !isObject(args) || !isObject(args['digits'])) return undefined;
  // The question's own pattern decides which digits are accepted.
  if (args['digits']['pattern'] !== undefined) return undefined;
  const [taken, { bits, words }] = [keyLengths(pattern), lengthsOfDigits(args['digits'])];
  if (taken === undefined || bits === undefined || (taken & bits) !== 0n) return undefined;
  return `the step takes ${words}, which never match ${quoting`${pattern}`}`;
}

/** Returns the first problem if all of the values have one. */
function allWrong(problems: readonly (string | undefined)[] | undefined): string | undefined {
  return problems?.every((problem) => problem !== undefined) ? problems[0] : undefined;
}

function conversionTo(declared: Type, given: Type, { whole }: ExpressionSite): string | undefined {
  if (!whole) return canBe(declared, KIND.text) ? undefined : 'write nothing around ${ … }, so that it keeps its type';
  if (canBe(declared, KIND.number) && canBe(given, KIND.text)) return 'write $number(…)';
  if (canBe(declared, KIND.text) && canBe(given, KIND.number | KIND.boolean)) return 'write $string(…)';
  return canBe(declared, KIND.list) ? 'write [ … ] around it' : undefined;
}

/** Repair that wraps the whole expression in the function named by a hint. */
function convertedBy(hint: string | undefined, { expression: { source }, offset }: ExpressionSite): Repair | undefined {
  const name = /^write (\$\w+)\(…\)$/.exec(hint ?? '')?.[1];
  return name === undefined ? undefined : { from: offset, to: offset + source.length, text: `${name}(${source})` };
}

/** Values without an expression are checked directly. */
function* constant(draft: FlowDraft, { name, pointer, value, schema }: SchemaTarget): Generator<Issue> {
  if (!isFixed(value)) return;
  const problem = compileCheck(schema)(value);
  if (problem === undefined) {
    const meant = typeof value === 'string' ? meantExpression(draft, value) : undefined;
    if (meant !== undefined) yield notEvaluated(pointer, meant);
    return;
  }
  const hint =
    typeof value === 'string' && /^[\w.]+$/.test(value)
      ? `for the value of an expression write \${ ${value} }`
      : undefined;
  yield valueIssue('never-fits', pointer, `${quoting`${name}`} cannot take this: it ${problem}`, hint);
}
