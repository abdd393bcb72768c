/**
 * What is declared and not used, read and never given, and read before it can be there. One finding for each, where it is
 * declared. Neighbour: `lint-expressions.ts` finds names that are not there at all.
 *
 * Invariant: what a template or an application chooses on the call may be anything, so that nothing is found unused then.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer, type Issue, keyIssue, valueAt, walk } from '../schema/document.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { type AstNode, nodesOf } from './expression-tree.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { targetsOf } from './routes.ts';
import { hasExpression } from './template.ts';

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
  /** All variables are read at once, or by names that are made on the call. */
  all: boolean;
  steps: readonly StepRead[];
}

interface StepRead {
  name: string;
  /** That reads it. */
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
  /** Undefined: the whole scope, or any part of it. */
  scope: string | undefined;
  name: string | undefined;
  position: number;
}

/** Names of the scope that an expression reads, those that it reads from items included: they were meant. */
function* scopeNames(tree: AstNode): Generator<ScopeName> {
  for (const node of nodesOf(tree)) {
    if (node.type === 'wildcard' || node.type === 'descendant' || node.type === 'parent') {
      yield { scope: undefined, name: undefined, position: 0 };
    }
    if (node.type !== 'path') continue;
    const steps = node['steps'] as AstNode[];
    const [first, second] = steps[0]?.type === 'variable' ? steps.slice(1) : steps;
    if (first === undefined && steps[0]?.value === '$') yield { scope: undefined, name: undefined, position: 0 };
    if (first?.type !== 'name') continue;
    const position = Math.max(0, (first.position ?? 0) - String(first.value).length);
    const name = second?.type === 'name' ? String(second.value) : undefined;
    yield { scope: String(first.value), name, position };
  }
  // Not in a path: `$lookup($$, …)`.
  for (const { arguments: given } of nodesOf(tree)) {
    const isWhole = (argument: AstNode) => argument?.type === 'variable' && argument.value === '$';
    if (Array.isArray(given) && given.some(isWhole)) yield { scope: undefined, name: undefined, position: 0 };
  }
}

// --- variables --------------------------------------------------------------------------------------------------------------

const assignmentsOf = ({ source, spec }: StepDraft): JsonObject => {
  const set = spec.verb === 'set' ? source[spec.verb] : source['set'];
  return isObject(set) ? set : {};
};

function* variables({ flow, steps }: FlowDraft, reads: Reads): Generator<Issue> {
  const given = new Set([...steps.values()].flatMap((step) => Object.keys(assignmentsOf(step))));
  // Its answer may give any of them a value.
  const isGivenOutside = [...steps.values()].some(({ spec }) => spec.verb === 'webhook');
  for (const [name, spec] of Object.entries(flow.vars)) {
    const at = childPointer('/vars', name);
    const isRead = reads.all || reads.variables.has(name);
    const isGiven = given.has(name);
    if (!isRead && !isGiven && !isGivenOutside) {
      yield unused('unused-variable', at, quoting`the variable ${name} is not used`);
    } else if (!isRead && isGiven && !spec.sensitive) {
      // A step that gives a sensitive variable its value is masked.
      yield keyIssue('never-read', at, quoting`the variable ${name} is set and never read`, 'read it, or remove it');
    } else if (isRead && !isGiven && !isGivenOutside && !reads.all && spec.default === undefined) {
      const message = quoting`the variable ${name} is read and never set`;
      yield keyIssue('never-set', at, message, quoting`set it, or give it a ${'default'}`);
    }
  }
}

// --- steps ------------------------------------------------------------------------------------------------------------------

function* stepsThatCannotHaveRun({ steps, flow }: FlowDraft, { steps: reads }: Reads): Generator<Issue> {
  if (reads.length === 0 || [...steps.values()].some(({ compiled }) => mayGoto(compiled.args))) return;
  const sources = new Map<string, string[]>();
  for (const [name, { compiled }] of steps) {
    for (const target of Object.values(compiled.exits)) {
      const known = sources.get(target);
      if (known === undefined) sources.set(target, [name]);
      else known.push(name);
    }
  }
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

/** An application that may name any step. */
const mayGoto = (args: Json): boolean => isObject(args) && Array.isArray(args['may']) && args['may'].includes('goto');

/** Steps from which some route leads to this one; `all` where an interrupt leads there, which may come at any step. */
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

// --- declarations -----------------------------------------------------------------------------------------------------------

/** What prompts are asked for: words of the steps and of the table itself, which may join others. */
function promptWords({ root, steps }: FlowDraft): ReadonlySet<string> {
  const written = [...steps.values()].flatMap(promptsOf);
  const words = new Set<string>();
  const defaults = isObject(root['defaults']) ? (root['defaults']['input'] ?? null) : null;
  for (const part of [...written, defaults, root['prompts'] ?? null]) {
    for (const [, value] of walk(part)) {
      if (typeof value !== 'string') continue;
      words.add(value);
      // `${ vars.late ? 'evening' : 'day' }`
      if (hasExpression(value)) for (const [, one, two] of value.matchAll(LITERAL)) words.add((one ?? two)!);
    }
  }
  return words;
}

const LITERAL = /'([^']*)'|"([^"]*)"/g;

/** A place of a prompt that holds one expression may name any. */
const isChosenOnCall = (step: StepDraft): boolean =>
  promptsOf(step).some((written) =>
    [...walk(written)].some(([, value]) => typeof value === 'string' && /^\s*\$\{[^'"]*\}\s*$/.test(value)),
  );

const promptsOf = ({ spec, compiled: { args } }: StepDraft): Json[] => {
  if (spec.prompts === undefined) return [];
  // All of the arguments in one expression, or in the short form.
  return isObject(args) ? spec.prompts.flatMap((pattern) => valueAt(args, pattern) ?? []) : [args];
};

function* prompts(draft: FlowDraft): Generator<Issue> {
  const table = draft.root['prompts'];
  if (!isObject(table) || [...draft.steps.values()].some(isChosenOnCall)) return;
  const words = promptWords(draft);
  for (const name of Object.keys(table)) {
    if (words.has(name)) continue;
    const message = quoting`nothing plays the prompt ${name}`;
    yield unused('unused-prompt', childPointer('/prompts', name), message);
  }
}

function* schedules({ root, flow, steps }: FlowDraft): Generator<Issue> {
  const named = [...steps.values()].filter(({ spec }) => spec.verb === 'schedule').map(({ compiled }) => compiled.args);
  if (named.some((name) => typeof name === 'string' && hasExpression(name))) return;
  if (!isObject(root['schedules'])) return;
  for (const name of Object.keys(flow.schedules)) {
    if (named.includes(name)) continue;
    const message = quoting`no step asks for the schedule ${name}`;
    yield unused('unused-schedule', childPointer('/schedules', name), message);
  }
}

/** A net for the steps to come. */
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
