/**
 * Templates: values with `${ … }` in them. A string that is exactly one `${ … }` keeps the type of its expression; in a
 * longer string each expression is written as text; `$${` stands for a literal `${`.
 *
 * Invariants
 *  T1 Compiling never throws: problems are listed in `templateProblems`, and such a template fails when rendered.
 *  T2 Parts without `${ … }` are shared, not copied, so a rendered value must not be modified.
 *  - The value of an expression is converted to fit its place (`argument-places.ts`).
 *  - `secrets` is visible only to expressions under the allowed pointers.
 *  - Expressions are evaluated sequentially in the order in which they are written.
 *  - Values inside a URL are encoded for their position (`url-values.ts`).
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { hasDotSegments } from '../../base/core/url-segments.ts';
import { childPointer, isAtOrBelow } from '../../base/schema/document.ts';
import { isNothing } from './argument-places.ts';
import type { EvaluationContext, Expression, Scope, Template, TemplatePlace, TemplatePlaces } from './compiled-flow.ts';
import { astOf, compileExpression, ExpressionError, type ExpressionProblem, evaluate } from './expression.ts';
import { hasExpression } from './outcome-conditions.ts';
import { spokenNumber } from './spoken-number.ts';
import { isUrl, type UrlPart, urlPartOf, valueInUrl } from './url-values.ts';

export interface TemplateProblem extends ExpressionProblem {
  /** JSON pointer of the string below the template; `position` counts into that string. */
  pointer: string;
}

/** An expression and its location. */
export interface TemplateExpression {
  expression: Expression;
  pointer: string;
  /** Offset of the expression's first character in its string. */
  offset: number;
  /** True if the string is only this expression. */
  whole: boolean;
}

export interface TemplateOptions {
  /** Pointer patterns of values that are not rendered. */
  skip?: readonly string[];
  /** Pointer patterns whose expressions see `secrets`. */
  secrets?: readonly string[];
  /** Returns the place of each string. */
  places?: TemplatePlaces | undefined;
}

type Plan =
  | { kind: 'constant'; value: Json }
  | { kind: 'whole'; expression: Expression; secrets: boolean; place: TemplatePlace | undefined }
  | { kind: 'text'; parts: TextPart[]; secrets: boolean; place: TemplatePlace | undefined; mayBeUrl: boolean }
  | { kind: 'list'; items: Plan[] }
  | { kind: 'object'; entries: [key: string, plan: Plan][] };

/** `inUrl`: encoding of the value if the text is a URL; `after`: the literal text after it. */
type TextPart = string | { expression: Expression; inUrl: UrlPart; after: string };

interface TemplateFindings {
  readonly problems: TemplateProblem[];
  readonly expressions: TemplateExpression[];
}

interface CompiledTemplate extends Template, TemplateFindings {
  readonly plan: Plan;
}

export const templateProblems = (template: Template): readonly TemplateProblem[] =>
  (template as CompiledTemplate).problems;
export const templateExpressions = (template: Template): readonly TemplateExpression[] =>
  (template as CompiledTemplate).expressions;

/** True if a value is known before the call: it contains no expression. */
export const isFixed = (written: Json): boolean => !hasExpression(JSON.stringify(written));

/** Returns the source of each expression in a text, uncompiled. An expression without `}` extends to the end. */
export function expressionTexts(text: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', at)) {
    const start = at + 2;
    at = endOfExpression(text, start) ?? text.length;
    if (text[start - 3] !== '$') found.push(text.slice(start, at));
  }
  return found;
}

export function compileTemplate(written: Json, options: TemplateOptions = {}): Template {
  const found: TemplateFindings = { problems: [], expressions: [] };
  const plan: Plan = mayHaveExpression(written)
    ? planOf(written, '', options, found)
    : { kind: 'constant', value: written };
  const template: CompiledTemplate = {
    source: written,
    isConstant: plan.kind === 'constant' && found.problems.length === 0,
    ...(plan.kind === 'constant' ? { constant: plan.value } : {}),
    plan,
    ...found,
  };
  return template;
}

/** Rejects with an `ExpressionError`. A missing value is left out of an object, and is null elsewhere. */
export async function renderTemplate(template: Template, scope: Scope, context: EvaluationContext): Promise<Json> {
  const { plan, problems } = template as CompiledTemplate;
  if (problems[0] !== undefined) {
    throw new ExpressionError(problems[0].code, problems[0].message, String(template.source), problems[0].position);
  }
  if (plan.kind === 'constant') return plan.value;
  const { secrets, ...open } = scope;
  return (await render(plan, { open, closed: secrets === undefined ? open : scope }, context)) ?? null;
}

interface Scopes {
  open: Scope;
  closed: Scope;
}

async function render(plan: Plan, scopes: Scopes, context: EvaluationContext): Promise<Json | undefined> {
  switch (plan.kind) {
    case 'constant':
      return plan.value;
    case 'whole':
      return fitted(
        plan,
        await evaluate(plan.expression, plan.secrets ? scopes.closed : scopes.open, context),
        context,
      );
    case 'text':
      return fitted(plan, await renderText(plan, plan.secrets ? scopes.closed : scopes.open, context), context);
    case 'list': {
      const made: Json[] = [];
      for (const item of plan.items) {
        const value = item.kind === 'constant' ? item.value : await render(item, scopes, context);
        if ('place' in item && item.place?.isSpoken && isNothing(value)) continue;
        made.push(value ?? null);
      }
      return made;
    }
    case 'object': {
      const made: JsonObject = {};
      for (const [key, item] of plan.entries) {
        const value = item.kind === 'constant' ? item.value : await render(item, scopes, context);
        if (value !== undefined) made[key] = value;
      }
      return made;
    }
  }
}

type Filled = Extract<Plan, { place: unknown }>;

const fitted = ({ place }: Filled, value: Json | undefined, { locale }: EvaluationContext): Json | undefined =>
  place === undefined ? value : place.fit(value, locale);

async function renderText(
  plan: Extract<Plan, { kind: 'text' }>,
  scope: Scope,
  context: EvaluationContext,
): Promise<string> {
  const { parts, mayBeUrl } = plan;
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = textOf(await evaluate(part.expression, scope, context), plan, context);
    text += mayBeUrl && isUrl(text) ? valueInUrl(value, { before: text, after: part.after, as: part.inUrl }) : value;
  }
  if (mayBeUrl && hasDotSegments(text)) {
    const message = 'a value in the URL would change its path: a segment is `.` or `..`';
    throw new ExpressionError('expression-url', message, text);
  }
  return text;
}

/** Null and missing values become empty text: a caller must not hear the word "null". */
function textOf(value: Json | undefined, { place }: Filled, { locale }: EvaluationContext): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' && place?.isSpoken) return spokenNumber(value, locale);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** True if a text at or below the value may contain an expression. */
function mayHaveExpression(value: Json): boolean {
  if (typeof value === 'string') return value.includes('${');
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(mayHaveExpression);
  for (const key in value) if (mayHaveExpression(value[key]!)) return true;
  return false;
}

function planOf(written: Json, pointer: string, options: TemplateOptions, found: TemplateFindings): Plan {
  if (options.skip !== undefined && isAtOrBelow(pointer, options.skip)) return { kind: 'constant', value: written };
  const secrets = options.secrets !== undefined && isAtOrBelow(pointer, options.secrets);
  if (typeof written === 'string') {
    if (!written.includes('${')) return { kind: 'constant', value: written };
    return planText(written, pointer, { secrets, place: options.places?.(pointer) }, found);
  }
  if (typeof written !== 'object' || written === null) return { kind: 'constant', value: written };
  const plan = (value: Json, key: string | number) => planOf(value, childPointer(pointer, key), options, found);
  if (Array.isArray(written)) {
    const items = written.map((item, index) => plan(item, index));
    return items.every(isUnchanged(written)) ? { kind: 'constant', value: written } : { kind: 'list', items };
  }
  const entries = Object.entries(written).map(([key, value]): [string, Plan] => [key, plan(value, key)]);
  const unchanged = entries.every(([key, item]) => item.kind === 'constant' && item.value === written[key]);
  return unchanged ? { kind: 'constant', value: written } : { kind: 'object', entries };
}

const isUnchanged = (written: Json[]) => (item: Plan, index: number) =>
  item.kind === 'constant' && item.value === written[index];

function planText(
  written: string,
  pointer: string,
  how: Pick<Filled, 'secrets' | 'place'>,
  found: TemplateFindings,
): Plan {
  const parts: TextPart[] = [];
  let literal = '';
  let at = 0;
  while (at < written.length) {
    if (written.startsWith('$${', at)) {
      literal += '${';
      at += 3;
      continue;
    }
    if (!written.startsWith('${', at)) {
      literal += written[at];
      at += 1;
      continue;
    }
    const start = at + 2;
    const end = endOfExpression(written, start);
    if (end === undefined) {
      const hint = 'close it, or write $${ for a literal ${';
      found.problems.push({
        code: 'template-syntax',
        message: 'a ${ is never closed by a }',
        position: at,
        pointer,
        hint,
      });
      return { kind: 'constant', value: written };
    }
    const inside = written.slice(start, end);
    const leading = inside.length - inside.trimStart().length;
    const compiled = compileExpression(inside.trim());
    if ('error' in compiled) {
      found.problems.push({ ...compiled.error, position: start + leading + compiled.error.position, pointer });
      return { kind: 'constant', value: written };
    }
    const whole = at === 0 && end + 1 === written.length;
    found.expressions.push({ expression: compiled, pointer, offset: start + leading, whole });
    if (whole) return { kind: 'whole', expression: compiled, ...how };
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push({ expression: compiled, inUrl: urlPartOf(astOf(compiled)), after: '' });
    at = end + 1;
  }
  if (parts.length === 0) return { kind: 'constant', value: literal };
  if (literal !== '') parts.push(literal);
  return textPlan(parts, how);
}

function textPlan(parts: TextPart[], how: Pick<Filled, 'secrets' | 'place'>): Plan {
  let after = '';
  for (const part of parts.toReversed()) {
    if (typeof part === 'string') after = part + after;
    else part.after = after;
  }
  const [first] = parts;
  // A text with a space is a sentence that contains a link, not a URL.
  const mayBeUrl = !how.place?.isSpoken && !/\s/.test(after) && (typeof first !== 'string' || isUrl(first));
  return { kind: 'text', parts, mayBeUrl, ...how };
}

/** Index of the `}` that closes the expression starting at `start`: braces in strings, names, regexes do not count. */
function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0;
  let before = '(';
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === "'" || char === '"' || char === '`' || (char === '/' && startsRegex(text, at, before))) {
      const close = closingQuote(text, at, char);
      if (close === undefined) return undefined;
      at = close;
    } else if (char === '/' && text[at + 1] === '*') {
      const close = text.indexOf('*/', at + 2);
      if (close === -1) return undefined;
      at = close + 1;
      continue;
    } else if (char === '{') depth += 1;
    else if (char === '}') {
      if (depth === 0) return at;
      depth -= 1;
    }
    if (char.trim() !== '') before = char;
  }
  return undefined;
}

/** A slash divides after a value, and starts a regex after an operator, an opening bracket or a comma. */
const startsRegex = (text: string, at: number, before: string): boolean =>
  text[at + 1] !== '*' && /[([{,;:?=&|<>~!+*%-]/.test(before);

function closingQuote(text: string, open: number, quote: string): number | undefined {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === '\\' && quote !== '`') at += 1;
    else if (text[at] === quote) return at;
  }
  return undefined;
}
