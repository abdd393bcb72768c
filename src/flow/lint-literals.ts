/**
 * Texts that were meant as expressions: nothing is filled in, so that callers hear, and services receive, what is written.
 * Neighbour: `lint-types.ts` looks at what variables are given.
 */
import { quoting } from '../core/diagnostic.ts';
import type { Json } from '../core/json.ts';
import { type Issue, isAt, valueIssue, walk } from '../schema/document.ts';
import type { FlowDraft } from './flow-draft.ts';
import { SCOPES } from './lint-expressions.ts';
import { CALL } from './types/scope.ts';

export function* lintLiterals(draft: FlowDraft): Generator<Issue> {
  yield* found(draft, draft.root['prompts'] ?? null, '/prompts');
  for (const { spec, source, argsPointer } of draft.steps.values()) {
    // Schemas and bare expressions have a language of their own; what variables are given is looked at with their types.
    const skipped = [...(spec.expressions ?? []), ...(spec.verb === 'set' ? ['/*'] : [])];
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
const PATH = `${SCOPE}(?:\\.[A-Za-z_][\\w-]*)+`;
const WHOLE = new RegExp(`^${PATH}$`);
/** As other systems write it: `{{ name }}`, `{vars.name}`, `$(vars.name)`, `#{vars.name}`, `$vars.name`. */
const FOREIGN = new RegExp(`\\{\\{\\s*(.*?)\\s*\\}\\}|[#%$]?[{(]\\s*(${PATH})\\s*[})]|\\$(${PATH})`);
/** What results have most often. */
const RESULT_FIELDS = ['digits', 'choice', 'speech', 'body', 'status', 'recording_id', 'duration'];
const TEMPLATE = /\$\{[^}]*\}/g;

/** The expression that a text was meant to be, or to hold. */
export function meantExpression(draft: FlowDraft, text: string): MeantExpression | undefined {
  if (WHOLE.test(text) && isThere(draft, text)) return { written: text, expression: text };
  const [written, ...inner] = FOREIGN.exec(text.replaceAll(TEMPLATE, '')) ?? [];
  if (written === undefined) return undefined;
  const expression = inner.find((part) => part !== undefined) ?? '';
  return { written, expression: isThere(draft, expression) ? expression : '…' };
}

/** An event may be called `call.summary`: what is meant as a path leads to something. */
function isThere({ flow, steps }: FlowDraft, path: string): boolean {
  const [scope, name = ''] = path.split('.');
  if (scope === 'vars' || scope === 'input') return Object.hasOwn(flow[scope], name);
  if (scope === 'steps') return steps.has(name);
  return scope === 'call' ? CALL.has(name) : scope === 'result' && RESULT_FIELDS.includes(name);
}
