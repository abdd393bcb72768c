/**
 * Data-flow checks: declarations that are never used, variables that are read but never set, and results that are read
 * before their step can have run. One finding for each, at the declaration. `lint-expressions.ts` reports names that do
 * not exist.
 *
 * Invariant: names that a template or an application chooses during the call may be any; then nothing is reported as
 * unused.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue } from '../../base/schema/document.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { type AstNode, nodesOf, startOf } from './expression-tree.ts';
import { assignmentsOf, type FlowDraft, mayGoto, type StepDraft, sourcesOf } from './flow-draft.ts';
import { placesNaming, valuesAt } from './named-places.ts';
import { hasExpression } from './outcome-conditions.ts';
import { namesIn, promptsIn } from './prompt-words.ts';
import { targetsOf } from './routes.ts';
import { namesOf } from './verb-facts.ts';

export function* lintDataFlow(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  const reads = readsOf(sites);
  yield* variables(draft, reads);
  yield* stepsThatCannotHaveRun(draft, reads);
  yield* prompts(draft);
  yield* schedules(draft);
  yield* defaultExits(draft);
}

const unused = (code: string, pointer: string, message: string): Issue => ({
  ...keyIssue(code, pointer, message, 'remove it'),
  repair: 'remove',
});

interface Reads {
  variables: ReadonlySet<string>;
  /** True if all variables are read at once, or by names computed during the call. */
  all: boolean;
  steps: readonly StepRead[];
}

interface StepRead {
  name: string;
  /** Step that reads the result. */
  by: StepDraft;
  isOwnResult: boolean;
  pointer: string;
  offset: number;
}

function readsOf(sites: readonly ExpressionSite[]): Reads {
  const variables = new Set<string>();
  const steps: StepRead[] = [];
  let all = false;
  for (const { expression, step, hasResult, pointer, offset } of sites) {
    for (const { scope, name, position } of scopeNames(astOf(expression))) {
      if (scope === undefined || (scope === 'vars' && name === undefined)) all = true;
      else if (name === undefined) continue;
      else if (scope === 'vars') variables.add(name);
      else if (scope === 'steps' && step !== undefined) {
        steps.push({ name, by: step, isOwnResult: hasResult, pointer, offset: offset + position });
      }
    }
  }
  return { variables, all, steps };
}

interface ScopeName {
  /** Undefined: the whole scope, or an unknown part of it. */
  scope: string | undefined;
  name: string | undefined;
  position: number;
}

/** Names of the scope that an expression reads, including those read from list items. */
function* scopeNames(tree: AstNode): Generator<ScopeName> {
  for (const node of nodesOf(tree)) {
    const { type, steps, arguments: given } = node;
    if (type === 'wildcard' || type === 'descendant' || type === 'parent') yield ANY_NAME;
    // The scope as an argument of a function: `$lookup($$, …)`.
    if (Array.isArray(given) && given.some(isWhole)) yield ANY_NAME;
    if (type !== 'path') continue;
    const [start, ...rest] = steps as AstNode[];
    const [first, second] = start?.type === 'variable' ? rest : (steps as AstNode[]);
    if (first === undefined && start?.value === '$') yield ANY_NAME;
    if (first?.type !== 'name') continue;
    const name = second?.type === 'name' ? String(second.value) : undefined;
    yield { scope: String(first.value), name, position: startOf(first) ?? 0 };
  }
}

const ANY_NAME: ScopeName = { scope: undefined, name: undefined, position: 0 };
const isWhole = (argument: AstNode | undefined): boolean => argument?.type === 'variable' && argument.value === '$';

// --- variables -------------------------------------------------------------------------------------------------------

function* variables({ flow, steps }: FlowDraft, reads: Reads): Generator<Issue> {
  const given = new Set([...steps.values()].flatMap((step) => Object.keys(assignmentsOf(step).values)));
  // The answer to a webhook may set any variable.
  const isGivenOutside = [...steps.values()].some(({ spec }) => spec.verb === 'webhook');
  for (const [name, spec] of Object.entries(flow.vars)) {
    const at = childPointer('/vars', name);
    const isRead = reads.all || reads.variables.has(name);
    const isGiven = given.has(name);
    if (!isRead && !isGiven && !isGivenOutside) {
      yield unused('unused-variable', at, quoting`the variable ${name} is not used`);
    } else if (!isRead && isGiven && !spec.sensitive) {
      // A sensitive variable may be set only to mask the step that sets it.
      yield keyIssue('never-read', at, quoting`the variable ${name} is set and never read`, 'read it, or remove it');
    } else if (isRead && !isGiven && !isGivenOutside && !reads.all && spec.default === undefined) {
      const message = quoting`the variable ${name} is read and never set`;
      yield keyIssue('never-set', at, message, quoting`set it, or give it a ${'default'}`);
    }
  }
}

// --- steps -----------------------------------------------------------------------------------------------------------

function* stepsThatCannotHaveRun({ steps, flow }: FlowDraft, { steps: reads }: Reads): Generator<Issue> {
  if (reads.length === 0 || [...steps.values()].some(mayGoto)) return;
  const sources = sourcesOf(steps);
  const interrupts = new Set(Object.values(flow.events));
  const reachable = flow.machine.reachable();
  const known = new Map<string, ReadonlySet<string> | 'all'>();
  const before = (name: string): ReadonlySet<string> | 'all' => {
    const found = known.get(name) ?? stepsBefore(name, sources, interrupts);
    known.set(name, found);
    return found;
  };
  for (const { name, by, isOwnResult, pointer, offset } of reads) {
    const reader = by.compiled.name;
    if (!steps.has(name) || !reachable.has(reader) || !reachable.has(name)) continue;
    if (name === reader && isOwnResult) continue;
    const earlier = before(reader);
    if (earlier === 'all' || earlier.has(name)) continue;
    const message = quoting`${name} cannot have run before ${reader}, so that this is nothing`;
    yield { code: 'step-not-run', message, hint: 'read a step that leads here', pointer, offset };
  }
}

/** Steps from which a route leads to this one; `all` if an interrupt leads there, which can occur at any step. */
function stepsBefore(
  name: string,
  sources: ReadonlyMap<string, string[]>,
  interrupts: ReadonlySet<string>,
): ReadonlySet<string> | 'all' {
  if (interrupts.has(name)) return 'all';
  const found = new Set<string>();
  const queue = [name];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const source of sources.get(at) ?? []) {
      if (found.has(source)) continue;
      if (interrupts.has(source)) return 'all';
      found.add(source);
      queue.push(source);
    }
  }
  return found;
}

// --- declarations ----------------------------------------------------------------------------------------------------

function* prompts({ root, steps }: FlowDraft): Generator<Issue> {
  const table = root['prompts'];
  if (!isObject(table)) return;
  const written = [...steps.values()].flatMap(({ spec, compiled }) => promptsIn(spec.prompts, compiled.args));
  const defaults = isObject(root['defaults']) ? (root['defaults']['input'] ?? null) : null;
  // A prompt of the table may include another prompt.
  const mayAsk = namesIn([...written, defaults, table]);
  for (const name of Object.keys(table)) {
    if (mayAsk(name)) continue;
    const message = quoting`nothing plays the prompt ${name}`;
    yield unused('unused-prompt', childPointer('/prompts', name), message);
  }
}

function* schedules({ root, flow, steps }: FlowDraft): Generator<Issue> {
  const named = [...steps.values()].flatMap(({ spec, compiled: { args } }) =>
    placesNaming(namesOf(spec.verb), 'schedule').flatMap((pointer) =>
      [...valuesAt(args, pointer)].map(([, value]) => value),
    ),
  );
  if (named.some((name) => typeof name === 'string' && hasExpression(name))) return;
  if (!isObject(root['schedules'])) return;
  for (const name of Object.keys(flow.schedules)) {
    if (named.includes(name)) continue;
    const message = quoting`no step asks for the schedule ${name}`;
    yield unused('unused-schedule', childPointer('/schedules', name), message);
  }
}

/** Default exits that are never reported as unused, because steps added later may need them. */
const ALWAYS_POSSIBLE = ['error', 'hangup'];

function* defaultExits({ root, steps }: FlowDraft): Generator<Issue> {
  const defaults = isObject(root['defaults']) ? targetsOf(root['defaults']['exits']) : {};
  const used = new Set<string>();
  for (const { routes } of steps.values()) {
    for (const { by, key } of routes.routes.values()) if (by === 'defaults') used.add(key);
  }
  for (const outcome of Object.keys(defaults)) {
    if (used.has(outcome) || ALWAYS_POSSIBLE.includes(outcome)) continue;
    const message = quoting`no step leaves its outcome ${outcome} to the defaults`;
    yield unused('unused-exit', childPointer('/defaults/exits', outcome), message);
  }
}
