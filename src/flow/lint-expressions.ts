/**
 * What expressions look at is there, is allowed there, and is compared in a way that can be true. Sensitive values do
 * not leave the flow by a URL, a log, an event or an unprotected variable.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject } from '../core/json.ts';
import { isOffset, isTimeZone } from '../core/time-zone.ts';
import { childPointer, type Issue, isAtOrBelow, keyIssue } from '../schema/document.ts';
import { didYouMean } from '../schema/suggest.ts';
import type { VariableSpec } from './compiled-flow.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { type ScopePath, scopePaths, timeZonesIn } from './expression-tree.ts';
import { type FlowDraft, SECRET_VERBS, type StepDraft, secretPlacesOf, stepNames } from './flow-draft.ts';

const SCOPES = ['input', 'call', 'vars', 'steps', 'result', 'env', 'secrets'];
const CALL_FIELDS = ['id', 'from', 'to', 'direction', 'locale', 'started', 'headers', 'event'];

export function* lintExpressions(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  for (const step of draft.steps.values()) yield* assignedVariables(draft, step);
  for (const site of sites) {
    const tree = astOf(site.expression);
    for (const path of scopePaths(tree)) {
      const bad = unknownName(draft, site, path) ?? forbidden(draft, site, path) ?? collapses(draft, site, path);
      if (bad !== undefined) yield { pointer: site.pointer, offset: site.offset + path.position, ...bad };
    }
    for (const { zone, position } of timeZonesIn(tree)) {
      if (isOffset(zone) || isTimeZone(zone)) continue;
      const message = quoting`there is no time zone ${zone}`;
      yield { code: 'unknown-timezone', message, pointer: site.pointer, offset: site.offset + position };
    }
  }
}

type Finding = Omit<Issue, 'pointer' | 'offset'>;

// --- names ------------------------------------------------------------------------------------------------------------

function* assignedVariables({ flow }: FlowDraft, { pointer, argsPointer, spec, source }: StepDraft): Generator<Issue> {
  const set = spec.verb === 'set' ? source[spec.verb] : source['set'];
  const at = spec.verb === 'set' ? argsPointer : `${pointer}/set`;
  for (const name of Object.keys(isObject(set) ? set : {})) {
    if (Object.hasOwn(flow.vars, name)) continue;
    const hint = didYouMean(name, Object.keys(flow.vars)) ?? `declare it under vars: ${name}: { type: … }`;
    yield keyIssue('unknown-variable', childPointer(at, name), quoting`no variable ${name} is declared`, hint);
  }
}

function unknownName(draft: FlowDraft, site: ExpressionSite, { names }: ScopePath): Finding | undefined {
  const { flow, options } = draft;
  const [scope, name] = names as [string, string | undefined];
  if (!SCOPES.includes(scope)) {
    const owner = Object.hasOwn(flow.vars, scope)
      ? 'vars'
      : Object.hasOwn(flow.input, scope)
        ? 'input'
        : stepNames(draft).has(scope)
          ? 'steps'
          : undefined;
    const hint = owner === undefined ? didYouMean(scope, SCOPES) : `did you mean ${owner}.${scope}?`;
    const scopes = `expressions see ${SCOPES.join(', ')}`;
    return { code: 'unknown-scope', message: quoting`there is no ${scope}`, hint: hint ?? scopes };
  }
  if (scope === 'result' && !site.hasResult) {
    const message = 'result is not there yet: it is what the step finds';
    return { code: 'no-result', message, hint: 'use it in set, or read steps.<name> in a later step' };
  }
  if (name === undefined) return undefined;
  const missing = (code: string, what: string, known: readonly string[]): Finding | undefined =>
    known.includes(name)
      ? undefined
      : { code, message: `there is no ${what} ${quoting`${name}`}`, hint: didYouMean(name, known) };
  switch (scope) {
    case 'vars':
      return missing('unknown-variable', 'variable', Object.keys(flow.vars));
    case 'input':
      return missing('unknown-input', 'input', Object.keys(flow.input));
    case 'steps':
      return missing('unknown-step', 'step', [...stepNames(draft)]);
    case 'call':
      return missing('unknown-field', 'field of call', CALL_FIELDS);
    case 'env':
      return options.env === undefined ? undefined : missing('unknown-env', 'env', options.env);
    default:
      return undefined;
  }
}

// --- what must not get out --------------------------------------------------------------------------------------------

const URL_KEYS = ['get', 'post', 'put', 'patch', 'delete', 'url'];

function forbidden(draft: FlowDraft, site: ExpressionSite, path: ScopePath): Finding | undefined {
  const { step, argument } = site;
  if (path.names[0] === 'secrets') {
    const allowed =
      step !== undefined &&
      SECRET_VERBS.includes(step.spec.verb) &&
      argument !== undefined &&
      isAtOrBelow(argument, secretPlacesOf(draft.document));
    if (allowed) return undefined;
    if (!draft.document.hasLines) {
      const hint = 'call a flow of the flows directory, which may use them';
      return { code: 'secret-place', message: 'a flow that came with a request sees no secrets', hint };
    }
    return { code: 'secret-place', message: 'secrets may be used in headers and auth of HTTP requests only' };
  }
  if (!path.reachesValue || !isSensitive(draft, site, path.names)) return undefined;
  const name = path.names.join('.');
  const { assigns } = site;
  if (assigns !== undefined) {
    const spec = draft.flow.vars[assigns];
    if (spec === undefined || spec.sensitive) return undefined;
    const message = quoting`${name} is sensitive, the variable ${assigns} is not`;
    return { code: 'sensitive-leak', message, hint: `declare ${assigns} with sensitive: true` };
  }
  if (step === undefined || argument === undefined) return undefined;
  const leak = (where: string): Finding => ({
    code: 'sensitive-leak',
    message: `${quoting`${name}`} is sensitive and would stand in ${where}`,
  });
  const { verb } = step.spec;
  if (verb === 'log') return leak('the log');
  if (verb === 'notify') return leak('an event');
  if (SECRET_VERBS.includes(verb) && URL_KEYS.includes(argument.split('/')[1] ?? '')) {
    return { ...leak('a URL, which is written to logs'), hint: 'send it in the body or in a header' };
  }
  if (isAtOrBelow(argument, step.spec.prompts ?? [])) {
    return { ...leak('a prompt, which is said aloud'), severity: 'warning' };
  }
  return undefined;
}

function isSensitive(draft: FlowDraft, site: ExpressionSite, names: readonly string[]): boolean {
  const [scope, name = ''] = names;
  if (scope === 'steps') return draft.steps.get(name)?.compiled.sensitive === true;
  if (scope === 'result') return site.step?.compiled.sensitive === true;
  return declarationOf(draft, names)?.sensitive === true;
}

/** Of a variable or an input. */
const declarationOf = ({ flow }: FlowDraft, [scope, name]: readonly string[]): VariableSpec | undefined =>
  name !== undefined && (scope === 'vars' || scope === 'input') ? flow[scope][name] : undefined;

// --- the traps of JSONata ---------------------------------------------------------------------------------------------

function collapses({ flow }: FlowDraft, site: ExpressionSite, path: ScopePath): Finding | undefined {
  const { assigns } = site;
  if (assigns === undefined || !site.whole || !path.whole) return undefined;
  const type = flow.vars[assigns]?.schema['type'];
  // `vars.x`, `result.body` as it is: only a path into something may go through a list.
  if (type !== 'array' || path.names.length < 3 || path.names[0] === 'vars') return undefined;
  const message = quoting`a list of one element becomes that element, and ${assigns} is a list`;
  return { code: 'list-collapses', message, hint: `write ${path.names.join('.')}[]` };
}
