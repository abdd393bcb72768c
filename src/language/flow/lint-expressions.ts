/**
 * Checks that the names in expressions exist and may be read there, and that comparisons can be true. Sensitive values
 * must not leave the flow in a URL, a log, an event or an unprotected variable.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isOffset } from '../../base/core/time-zone.ts';
import { childPointer, type Issue, isAt, isAtOrBelow, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean, suggest } from '../../base/schema/suggest.ts';
import { timeZoneProblem } from '../../base/schema/time-zones.ts';
import { type CalledInput, calledInputs } from './called-inputs.ts';
import type { VariableSpec } from './declared-values.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { roleOf, type ScopePath, scopePaths, timeZonesIn, utcTimesIn } from './expression-tree.ts';
import {
  assignmentsOf,
  type FlowDraft,
  isStep,
  type StepDraft,
  stepNames,
  URL_KEYS,
  visibleSecrets,
} from './flow-draft.ts';
import type { FlowSummary } from './flow-summary.ts';
import { FUNCTIONS } from './types/functions.ts';
import { CALL, QUEUE } from './types/scope.ts';
import { factsOf, usesSecrets } from './verb-facts.ts';
import { callSetting } from './voice-settings.ts';

export const SCOPES = ['input', 'call', 'vars', 'steps', 'result', 'queue', 'env', 'secrets'];

export function* lintExpressions(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  for (const step of draft.steps.values()) yield* assignedVariables(draft, step);
  const inputs = new Map([...calledInputs(draft)].map((input) => [input.pointer, input]));
  for (const site of sites) {
    const tree = astOf(site.expression);
    for (const path of scopePaths(tree)) {
      const bad =
        unknownName(draft, site, path) ??
        forbidden(draft, site, path) ??
        exposed(draft, site, path, inputs) ??
        outsideOfQueue(draft, path) ??
        unknownSecret(draft, path) ??
        collapses(draft, site, path);
      if (bad !== undefined) yield { pointer: site.pointer, offset: site.offset + path.position, ...bad };
    }
    for (const { zone, position } of timeZonesIn(tree)) {
      const problem = isOffset(zone) ? undefined : timeZoneProblem(zone);
      if (problem)
        yield { code: 'unknown-timezone', ...problem, pointer: site.pointer, offset: site.offset + position };
    }
    if (!isAtOrBelow(site.argument ?? '', site.step?.spec.prompts ?? [])) continue;
    for (const at of utcTimesIn(tree)) {
      const hint = 'write $local( … ), which says the time of defaults.timezone';
      const from = site.offset + at;
      const repair = { from, to: from + '$now'.length, text: '$local' };
      yield { ...valueIssue('utc-time', site.pointer, 'callers hear this time in UTC', hint), offset: from, repair };
    }
  }
}

type Finding = Omit<Issue, 'pointer' | 'offset'>;

// --- names -----------------------------------------------------------------------------------------------------------

function* assignedVariables({ flow }: FlowDraft, step: StepDraft): Generator<Issue> {
  const { values, at } = assignmentsOf(step);
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(flow.vars, name) || callSetting(name)) continue;
    const hint = didYouMean(name, Object.keys(flow.vars)) ?? `declare it under vars: ${name}: { type: … }`;
    yield keyIssue('unknown-variable', childPointer(at, name), quoting`no variable ${name} is declared`, hint);
  }
}

function unknownName(draft: FlowDraft, site: ExpressionSite, { names, position }: ScopePath): Finding | undefined {
  const { flow, options } = draft;
  const [scope, name] = names as [string, string | undefined];
  const ofItem = site.step?.spec.items?.names ?? [];
  if (site.hasItem && ofItem.includes(scope)) return undefined;
  if (!SCOPES.includes(scope)) {
    const owner = Object.hasOwn(flow.vars, scope)
      ? 'vars'
      : Object.hasOwn(flow.input, scope)
        ? 'input'
        : isStep(draft, scope)
          ? 'steps'
          : undefined;
    const message = quoting`there is no ${scope}`;
    const lone =
      names.length === 1 && (owner === undefined || owner === 'steps') ? loneWord(site, scope, position) : {};
    const hint = owner === undefined ? didYouMean(scope, SCOPES) : `did you mean ${owner}.${scope}?`;
    const scopes = ofItem.includes(scope)
      ? `${scope} is there in ${site.step!.spec.items!.in.map((at) => at.slice(1)).join(' and ')}`
      : `expressions see ${SCOPES.join(', ')}`;
    return { code: 'unknown-scope', message, hint: hint ?? scopes, ...lone };
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
      return isStep(draft, name) ? undefined : missing('unknown-step', 'step', [...stepNames(draft)]);
    case 'call':
      return missing('unknown-field', 'field of call', [...CALL.keys()]);
    case 'queue':
      return missing('unknown-field', 'field of queue', [...QUEUE.keys()]);
    case 'env':
      return options.env === undefined ? undefined : missing('unknown-env', 'env', options.env);
    default:
      return undefined;
  }
}

/** Reports a word without a scope that was meant as a function or as a text. */
function loneWord(
  { expression, offset }: ExpressionSite,
  word: string,
  position: number,
): Pick<Finding, 'hint' | 'repair'> {
  const role = roleOf(astOf(expression), position);
  if (role === undefined) return {};
  const from = offset + position;
  const repaired = (text: string) => ({ from, to: from + word.length, text });
  if (role === 'compared') return { hint: `texts stand in quotes: '${word}'`, repair: repaired(`'${word}'`) };
  const name = FUNCTIONS.has(word) ? word : suggest(word, FUNCTIONS.keys());
  if (name === undefined) return { hint: 'functions begin with $' };
  return { hint: `functions begin with $: write $${name}(…)`, repair: repaired(`$${name}`) };
}

/** Applies only where secrets are allowed; elsewhere the secret itself is reported. */
function unknownSecret(
  { options: { configured } }: FlowDraft,
  { names: [scope, name] }: ScopePath,
): Finding | undefined {
  if (scope !== 'secrets' || name === undefined || configured === undefined) return undefined;
  if (configured.secrets.includes(name)) return undefined;
  const hint = didYouMean(name, configured.secrets) ?? `add it under secrets: ${name}: …`;
  return { code: 'unknown-secret', message: quoting`the configuration has no secret ${name}`, hint };
}

const queueless = new WeakMap<FlowDraft, boolean>();

/** Figures of a queue exist only in the flow that it runs while callers wait. */
function outsideOfQueue(draft: FlowDraft, { names: [scope, name] }: ScopePath): Finding | undefined {
  if (scope !== 'queue' || name === undefined) return undefined;
  const isOutside = queueless.get(draft) ?? neverWaits(draft);
  queueless.set(draft, isOutside);
  if (!isOutside) return undefined;
  const message = quoting`no queue runs this flow while callers wait, so that ${`queue.${name}`} is nothing`;
  return { code: 'no-queue', message, hint: 'read it in the flow of waiting' };
}

/** True if the flow puts callers into a queue itself, or other flows call it, and none does so while callers wait. */
function neverWaits({ flow, steps, options: { knownFlows = new Map() } }: FlowDraft): boolean {
  const summaries: FlowSummary[] = [...knownFlows.values()];
  const waiting = new Set(summaries.flatMap((summary) => summary.waiting ?? []));
  for (const name of waiting) for (const called of knownFlows.get(name)?.calls ?? []) waiting.add(called);
  if (waiting.has(flow.name)) return false;
  const isCalled = summaries.some(({ calls }) => calls.includes(flow.name));
  return isCalled || [...steps.values()].some(({ spec }) => factsOf(spec.verb).activity === 'queue');
}

// --- sensitive data --------------------------------------------------------------------------------------------------

function forbidden(draft: FlowDraft, site: ExpressionSite, path: ScopePath): Finding | undefined {
  const { step, argument } = site;
  if (path.names[0] === 'secrets') {
    const allowed =
      step !== undefined &&
      argument !== undefined &&
      isAtOrBelow(argument, visibleSecrets(draft.document, step.spec.verb));
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
  if (usesSecrets(verb) && URL_KEYS.includes(argument.split('/')[1] ?? '')) {
    return { ...leak('a URL, which is written to logs'), hint: 'send it in the body or in a header' };
  }
  if (isAtOrBelow(argument, step.spec.prompts ?? [])) {
    return { ...leak('a prompt, which is said aloud'), severity: 'warning' };
  }
  if (isAt(argument, factsOf(verb).sends)) {
    return { ...leak('a message, which the provider stores'), severity: 'warning' };
  }
  return undefined;
}

/** A sensitive value that another flow would not mask. */
function exposed(
  draft: FlowDraft,
  site: ExpressionSite,
  { names, reachesValue }: ScopePath,
  inputs: ReadonlyMap<string, CalledInput>,
): Finding | undefined {
  if (!reachesValue || inputs.size === 0 || !isSensitive(draft, site, names)) return undefined;
  const input = [...inputs.values()].find(({ pointer }) => isAtOrBelow(site.pointer, [pointer]));
  if (input === undefined || input.isHidden || !Object.hasOwn(input.declared, input.name)) return undefined;
  const message = quoting`${names.join('.')} is sensitive, the input ${input.name} of the flow ${input.flow} is not`;
  return { code: 'sensitive-leak', message, hint: `declare ${input.name} there with sensitive: true` };
}

function isSensitive(draft: FlowDraft, site: ExpressionSite, names: readonly string[]): boolean {
  const [scope, name = ''] = names;
  if (scope === 'steps') return draft.steps.get(name)?.compiled.sensitive === true;
  if (scope === 'result') return site.step?.compiled.sensitive === true;
  return declarationOf(draft, names)?.sensitive === true;
}

/** Declaration of a variable or an input. */
const declarationOf = ({ flow }: FlowDraft, [scope, name]: readonly string[]): VariableSpec | undefined =>
  name !== undefined && (scope === 'vars' || scope === 'input') ? flow[scope][name] : undefined;

// --- the traps of JSONata --------------------------------------------------------------------------------------------

function collapses({ flow }: FlowDraft, site: ExpressionSite, path: ScopePath): Finding | undefined {
  const { assigns } = site;
  if (assigns === undefined || !site.whole || !path.whole) return undefined;
  const type = flow.vars[assigns]?.schema['type'];
  // A bare path such as `vars.x` or `result.body` keeps a list; only a longer path may pass through one.
  if (type !== 'array' || path.names.length < 3 || path.names[0] === 'vars') return undefined;
  const message = quoting`a list of one element becomes that element, and ${assigns} is a list`;
  return { code: 'list-collapses', message, hint: `write ${path.names.join('.')}[]` };
}
