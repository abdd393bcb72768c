/**
 * Templates that choose a prompt by name: templates with known values, such as `${ vars.late ? 'evening' : 'day' }` or
 * a variable with `enum`, and templates inside a name, such as `hours_${ vars.city }`. All other results of templates
 * are spoken (`argument-places.ts`).
 *
 * Invariant: the types decide, never the value: the name of a caller called Welcome is spoken and does not play the
 * prompt `welcome`.
 */
import { existsSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';
import type { Json } from '../../base/core/json.ts';
import { valueAt, walk } from '../../base/schema/document.ts';
import { isPromptPlace } from './argument-places.ts';
import type { CompiledFlow, Expression } from './compiled-flow.ts';
import { astOf } from './expression.ts';
import { assignmentsOf, type FlowDraft, type StepDraft } from './flow-draft.ts';
import { hasExpression } from './outcome-conditions.ts';
import { isText, SOUND_FILES } from './prompts.ts';
import { compileTemplate, templateExpressions } from './template.ts';
import { inferType } from './types/infer.ts';
import { type FlowScope, scopeOf } from './types/scope.ts';
import { ANY, type Type } from './types/type.ts';

/** A template in a place for a prompt. */
export interface PromptTemplate {
  /** JSON pointer below the arguments. */
  pointer: string;
  written: string;
  /** The expression that is the whole text, if there is one. */
  expression: Expression | undefined;
  /** Names of prompts that the template may give; undefined if its result is spoken. */
  names: readonly string[] | undefined;
}

export type PromptTemplates = ReadonlyMap<StepDraft, readonly PromptTemplate[]>;

const NAME_FILES = [...SOUND_FILES, '.txt'];

/** Finds the templates of all steps, and registers in each step those that give names. */
export function findPromptNames(draft: FlowDraft): PromptTemplates {
  const found = new Map<StepDraft, readonly PromptTemplate[]>();
  let known: ReadonlySet<string> | undefined;
  for (const step of draft.steps.values()) {
    const written = new Map(templatesIn(step));
    if (written.size === 0) continue;
    known ??= knownNames(draft.flow);
    const names = step.compiled.promptNames as Set<string>;
    const templates = [...written].map(([pointer, text]) => templateAt(step, pointer, text, scopeOf(draft), known!));
    names.clear();
    for (const template of templates) if (template.names) names.add(template.pointer);
    found.set(step, templates);
  }
  return found;
}

function* templatesIn({ spec, compiled }: StepDraft): Generator<[pointer: string, written: string]> {
  for (const place of spec.prompts ?? []) {
    const prompt = valueAt(compiled.args, place);
    if (prompt === undefined) continue;
    for (const [at, value] of walk(prompt, place)) {
      if (typeof value === 'string' && hasExpression(value) && isPromptPlace(spec.verb, at)) yield [at, value];
    }
  }
}

function templateAt(
  step: StepDraft,
  pointer: string,
  written: string,
  scope: FlowScope,
  known: ReadonlySet<string>,
): PromptTemplate {
  const [only] = templateExpressions(compileTemplate(written));
  const expression = only?.whole ? only.expression : undefined;
  const given = expression && valuesOf(inferType(astOf(expression), scopeAt(step, scope), () => undefined));
  const values = given ?? namesAround(written, expression, known);
  const isChoice = values.some((value) => known.has(value));
  return { pointer, written, expression, names: isChoice ? values : undefined };
}

const scopeAt = (step: StepDraft, scope: FlowScope): Type => {
  const result = step.spec.verb === 'collect' ? scope.resultOf(step) : ANY;
  return scope.at({ result, item: step.spec.items && scope.itemNames(step) });
};

/** All possible single words, if they are known; a text with a space is spoken anyway. */
const valuesOf = ({ values }: Type): string[] | undefined =>
  values?.filter((value): value is string => typeof value === 'string' && !isText(value));

/** Known names that match the literal start and end of a template. */
function namesAround(written: string, expression: Expression | undefined, known: ReadonlySet<string>): string[] {
  const source = expression?.source ?? '';
  const [before = '', after = ''] =
    expression === undefined
      ? [written.slice(0, written.indexOf('${')), written.slice(written.lastIndexOf('}') + 1)]
      : [/^\s*(['"])([^'"]*)\1\s*&/.exec(source)?.[2], /&\s*(['"])([^'"]*)\1\s*$/.exec(source)?.[2]];
  if (before + after === '' || isText(before + after)) return [];
  return [...known].filter(
    (name) => name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after),
  );
}

/** Names of the table and of the prompts directory, in any language. */
function knownNames({ prompts }: CompiledFlow): ReadonlySet<string> {
  const names = new Set(Object.keys(prompts.entries));
  for (const path of filesOf(prompts.directory)) {
    const extension = extname(path);
    if (!NAME_FILES.includes(extension)) continue;
    const name = path.slice(0, -extension.length).replaceAll('\\', '/');
    names.add(name).add(name.slice(name.indexOf('/') + 1));
  }
  return names;
}

function filesOf(directory: string | undefined): string[] {
  try {
    // Most flows have no directory, and an error takes longer than a look.
    const isThere = directory !== undefined && existsSync(directory);
    return isThere ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : [];
  } catch {
    // It is not a directory, or cannot be read.
    return [];
  }
}

/** Names of prompts that the flow assigns to a variable which a template speaks as text. */
export function namesSpokenAsText({ flow, steps }: FlowDraft, { expression, names }: PromptTemplate): string[] {
  const [, scope, name = ''] = /^\s*(vars|input)\.(\w+)\s*$/.exec(expression?.source ?? '') ?? [];
  if (names !== undefined || scope === undefined) return [];
  const declared = flow[scope as 'vars' | 'input'];
  if (!Object.hasOwn(declared, name)) return [];
  const given: (Json | undefined)[] = [declared[name]!.default];
  if (scope === 'vars') for (const step of steps.values()) given.push(assignmentsOf(step).values[name]);
  const { entries } = flow.prompts;
  return given.filter((value): value is string => typeof value === 'string' && Object.hasOwn(entries, value));
}
