/**
 * Reports values that may be missing or null in a place that needs a value: a variable, an argument, an input of
 * another flow, a prompt, a URL. `types/` knows why (`Blank`), `blank-paths.ts` whether the flow tests the value before.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { compileCheck } from '../../base/schema/compile-check.ts';
import { type Issue, isAt, isAtOrBelow, pointerKeys, type Repair } from '../../base/schema/document.ts';
import { branchesAt, isRequiredAt, typesOf } from '../../base/schema/schema-branches.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { URL_KEYS } from './flow-draft.ts';
import { type Blank, canBe, KIND, type Type, typeOfSchema } from './types/type.ts';
import { factsOf, usesSecrets } from './verb-facts.ts';

export type BlankIssue = Issue & { blank: Blank };

/** Value that must fit a JSON Schema: of a variable, or of a called flow's input. */
export interface SchemaTarget {
  name: string;
  pointer: string;
  value: Json;
  schema: JsonObject;
  /** Default of the variable. */
  default?: Json | undefined;
  /** True for an input that may be left out. */
  isOptional?: boolean;
}

const MISSING = { code: 'may-be-missing', word: 'missing' };
const NULL = { code: 'may-be-null', word: 'null' };

export function* blanksAt(site: ExpressionSite, type: Type, target: SchemaTarget | undefined): Generator<BlankIssue> {
  if (target !== undefined) yield* inTarget(site, type, target);
  else if (isText(site)) yield* inText(site, type);
  else yield* inArgument(site, type);
}

function* inTarget(site: ExpressionSite, type: Type, target: SchemaTarget): Generator<BlankIssue> {
  const { name, schema, isOptional } = target;
  if (!site.whole || takesNull(schema)) return;
  const instead = defaultFor(target);
  const problem = quoting`${name} takes no null`;
  if (type.gap?.key && !isOptional) yield issueAt(site, MISSING, type.gap, problem, instead);
  else if (type.nil?.key) yield issueAt(site, NULL, type.nil, problem, instead);
}

function takesNull(schema: JsonObject): boolean {
  const { kinds } = typeOfSchema(schema);
  // A missing list is an empty list.
  return canBe({ kinds } as Type, KIND.null) || kinds === KIND.list;
}

/** True for a text that callers hear or read, and for a URL: the value is left out. */
function isText({ step, argument }: ExpressionSite): boolean {
  if (step === undefined || argument === undefined) return false;
  const { verb, prompts } = step.spec;
  const [key = ''] = pointerKeys(argument);
  return (
    isAtOrBelow(argument, prompts ?? []) ||
    (usesSecrets(verb) && URL_KEYS.includes(key)) ||
    isAt(argument, factsOf(verb).sends)
  );
}

function* inText(site: ExpressionSite, type: Type): Generator<BlankIssue> {
  const blank = [type.gap, type.hole, type.nil].find((each) => each?.key !== undefined);
  if (blank === undefined) return;
  const isUrl =
    !isAtOrBelow(site.argument!, site.step!.spec.prompts ?? []) &&
    !isAt(site.argument!, factsOf(site.step!.spec.verb).sends);
  const problem = isUrl ? 'the URL has a gap in its place' : 'callers hear nothing in its place';
  yield issueAt(site, blank === type.nil ? NULL : MISSING, blank, problem, undefined);
}

function* inArgument(site: ExpressionSite, { gap, nil }: Type): Generator<BlankIssue> {
  const { step, argument, whole } = site;
  if (!whole || step === undefined || argument === undefined || isAt(argument, step.spec.expressions)) return;
  if (step.spec.form === 'assignments') return;
  const branches = branchesAt(step.spec.verb, argument);
  const types = branches.map(typesOf);
  if (types.length === 0 || types.some((each) => each === undefined || each.includes('null'))) return;
  const keys = pointerKeys(argument);
  const name = keys.findLast((key) => !/^\d+$/.test(key)) ?? step.spec.verb;
  if (gap?.key && isRequiredAt(step.spec.verb, argument)) {
    yield issueAt(site, MISSING, gap, quoting`${name} needs a value`, undefined);
  } else if (nil?.key) yield issueAt(site, NULL, nil, quoting`${name} takes no null`, undefined);
}

function issueAt(
  { pointer, offset, expression: { source } }: ExpressionSite,
  { code, word }: { code: string; word: string },
  blank: Blank,
  problem: string,
  instead: string | undefined,
): BlankIssue {
  const { key = '', path = key, from = 0, why } = blank;
  const message = `${quoting`${key}`} may be ${word} (${why}): ${problem}`;
  const written =
    word === 'null'
      ? (other: string) => `${path} = null ? ${other} : ${path}`
      : (other: string) => `${path} ?? ${other}`;
  const isWhole = source.trim() === path;
  const text = instead === undefined || source.slice(from, from + path.length) !== path ? undefined : written(instead);
  const repair: Repair | undefined =
    text === undefined
      ? undefined
      : { from: offset + from, to: offset + from + path.length, text: isWhole ? text : `(${text})` };
  return {
    code,
    message,
    pointer,
    offset: offset + from,
    hint: `write \${ ${written(instead ?? '…')} }`,
    repair,
    blank,
  };
}

/** Literal that a variable or an input takes in place of the value, if there is an obvious one. */
function defaultFor({ schema, default: initial }: SchemaTarget): string | undefined {
  const fits = compileCheck(schema);
  const usual = [initial, '', 0, false].find(
    (value) =>
      value !== undefined && !isObject(value) && !Array.isArray(value) && value !== null && fits(value) === undefined,
  );
  if (usual === undefined) return undefined;
  return typeof usual === 'string' ? `'${usual.replaceAll("'", "\\'")}'` : String(usual);
}
