/**
 * Reports texts that were meant as expressions: nothing is filled in, so callers hear, and services receive, the text
 * as written. `lint-types.ts` checks the values of variables.
 */

import { quoting } from '../../base/core/diagnostic.ts';
import type { Json } from '../../base/core/json.ts';
import { type Issue, isAt, valueIssue, walk } from '../../base/schema/document.ts';
import type { FlowDraft } from './flow-draft.ts';
import { SCOPES } from './lint-expressions.ts';
import { NAME_CHARACTERS } from './name-patterns.ts';
import { CALL } from './types/scope.ts';

export function* lintLiterals(draft: FlowDraft): Generator<Issue> {
  yield* found(draft, draft.root['prompts'] ?? null, '/prompts');
  for (const { spec, source, argsPointer } of draft.steps.values()) {
    // Schemas and bare expressions have their own syntax; values of variables are checked with their types.
    const skipped = [...(spec.expressions ?? []), ...(spec.form === 'assignments' ? ['/*'] : [])];
    const isSkipped = (at: string): boolean => isAt(at, skipped) || at.startsWith('/returns');
    yield* found(draft, source[spec.verb] ?? null, argsPointer, isSkipped);
  }
}

function* found(
  draft: FlowDraft,
  written: Json,
  pointer: string,
  isSkipped: (at: string) => boolean = () => false,
): Generator<Issue> {
  for (const [at, value] of walk(written)) {
    if (typeof value !== 'string' || isSkipped(at)) continue;
    const meant = meantExpression(draft, value);
    if (meant !== undefined) yield notEvaluated(pointer + at, meant);
  }
}

export function notEvaluated(pointer: string, { written, expression }: MeantExpression): Issue {
  const message = quoting`${written} stays as it is written: nothing is filled in`;
  return valueIssue('not-evaluated', pointer, message, `write "\${ ${expression} }", in quotes`);
}

interface MeantExpression {
  written: string;
  expression: string;
}

const SCOPE = `(?:${SCOPES.join('|')})`;
const PATH = `${SCOPE}(?:\\.[\\p{L}_][${NAME_CHARACTERS}-]*)+`;
const WHOLE = new RegExp(`^${PATH}$`, 'u');
/** Template syntax of other systems: `{{ name }}`, `{vars.name}`, `$(vars.name)`, `#{vars.name}`, `$vars.name`. */
const FOREIGN = new RegExp(`\\{\\{\\s*(.*?)\\s*\\}\\}|[#%$]?[{(]\\s*(${PATH})\\s*[})]|\\$(${PATH})`, 'u');
/** Most frequent fields of results. */
const RESULT_FIELDS = ['digits', 'choice', 'speech', 'body', 'status', 'recording_id', 'duration'];
const TEMPLATE = /\$\{[^}]*\}/g;

/** Expression that the whole text, or a part of it, was meant to be. */
export function meantExpression(draft: FlowDraft, text: string): MeantExpression | undefined {
  if (WHOLE.test(text) && isThere(draft, text)) return { written: text, expression: text };
  const [written, ...inner] = FOREIGN.exec(text.replaceAll(TEMPLATE, '')) ?? [];
  if (written === undefined) return undefined;
  const expression = inner.find((part) => part !== undefined) ?? '';
  return { written, expression: isThere(draft, expression) ? expression : '…' };
}

/** True if the path exists in the flow. An event may be called `call.summary`, so only existing paths are reported. */
function isThere({ flow, steps }: FlowDraft, path: string): boolean {
  const [scope, name = ''] = path.split('.');
  if (scope === 'vars' || scope === 'input') return Object.hasOwn(flow[scope], name);
  if (scope === 'steps') return steps.has(name);
  return scope === 'call' ? CALL.has(name) : scope === 'result' && RESULT_FIELDS.includes(name);
}
