/**
 * Reads JSONata's expression trees for lint: the scopes that an expression reads, and the parts that can become part of
 * its value. Does not depend on flows.
 */

/** Node of an expression's tree; only the fields that lint reads. */
export interface AstNode {
  type: string;
  value?: unknown;
  position?: number;
  lhs?: unknown;
  rhs?: unknown;
  [key: string]: unknown;
}

/** A path from the root of the scope: `vars.tier` is `['vars', 'tier']`. */
export interface ScopePath {
  names: string[];
  /** Offset in the expression, in characters. */
  position: number;
  /** True if the value of the path, or a part of it, can be part of the expression's value. */
  reachesValue: boolean;
  /** True if the expression is only this path, and it does not end in `[]`. */
  whole: boolean;
}

const COMPARISONS = new Set(['=', '!=', '<', '<=', '>', '>=']);
/** Operators with a boolean result, which reveals little of their operands. */
const HIDING_OPERATORS = new Set([...COMPARISONS, 'in', 'and', 'or']);
const HIDING_FUNCTIONS = new Set(['exists', 'count', 'length', 'boolean', 'not', 'contains', 'type']);

const ZONE_ARGUMENTS = new Map([
  ['now', 1],
  ['local', 1],
  ['fromMillis', 2],
]);

interface Context {
  /** True if the input is the whole scope, so that a name is the name of a scope. */
  atRoot: boolean;
  flows: boolean;
}

const listedPaths = new WeakMap<AstNode, readonly ScopePath[]>();

/** Each tree is read once, since several checks read it and it does not change. */
export function scopePaths(root: AstNode): readonly ScopePath[] {
  const known = listedPaths.get(root);
  if (known !== undefined) return known;
  const found = [...visitNode(root, { atRoot: true, flows: true })].map((path) => ({
    ...path,
    whole: path.whole && root.type === 'path',
  }));
  listedPaths.set(root, found);
  return found;
}

const listedNodes = new WeakMap<object, readonly AstNode[]>();

/** All nodes of a tree. Each tree is listed once, since several checks read it and it does not change. */
export function nodesOf(root: AstNode): readonly AstNode[] {
  const nodes = listedNodes.get(root) ?? [...nodesBelow(root)];
  listedNodes.set(root, nodes);
  return nodes;
}

/** The tree also contains lists, pairs and plain values, and no cycles. */
function* nodesBelow(root: unknown): Generator<AstNode> {
  if (typeof root !== 'object' || root === null || root instanceof RegExp) return;
  if (Array.isArray(root)) {
    for (const item of root) yield* nodesBelow(item);
    return;
  }
  if (typeof (root as AstNode).type === 'string') yield root as AstNode;
  for (const value of Object.values(root)) yield* nodesBelow(value);
}

/** Offset of a name, variable, number or path in the expression, in characters. */
export function startOf(node: AstNode | undefined): number | undefined {
  const first = node?.type === 'path' ? (node['steps'] as AstNode[])[0] : node;
  if (first?.position === undefined || !['name', 'number', 'variable'].includes(first.type)) return undefined;
  const length = String(first.value).length + (first.type === 'variable' ? 1 : 0);
  return Math.max(0, first.position - length);
}

/** Role of the word at a position: called as a function, or compared with a value. */
export function roleOf(root: AstNode, position: number): 'called' | 'compared' | undefined {
  const isIt = (node: unknown): boolean => isWord(node) && startOf(node) === position;
  for (const { type, value, lhs, rhs, procedure } of nodesOf(root)) {
    if (type === 'function' && isIt(procedure)) return 'called';
    if (type === 'binary' && EQUALITIES.has(String(value)) && (isIt(lhs) || isIt(rhs))) return 'compared';
  }
  return undefined;
}

const EQUALITIES = new Set(['=', '!=', 'in']);
const isWord = (node: unknown): node is AstNode =>
  (node as AstNode | undefined)?.type === 'path' && ((node as AstNode)['steps'] as AstNode[]).length === 1;

/** Literal time zones: `$now(picture, 'Europe/Paris')`. */
export function* timeZonesIn(root: AstNode): Generator<{ zone: string; position: number }> {
  for (const { type, procedure, arguments: given } of nodesOf(root)) {
    const place = type === 'function' ? ZONE_ARGUMENTS.get(String((procedure as AstNode)?.value)) : undefined;
    const zone = place === undefined ? undefined : (given as AstNode[] | undefined)?.[place];
    if (zone?.type !== 'string') continue;
    const written = String(zone.value);
    yield { zone: written, position: Math.max(0, (zone.position ?? 0) - written.length - 1) };
  }
}

/** Positions of `$now` with a picture that has the time of day and without a zone. */
export function* utcTimesIn(root: AstNode): Generator<number> {
  for (const { type, procedure, arguments: given } of nodesOf(root)) {
    const called = procedure as AstNode | undefined;
    const [picture, zone] = (given as AstNode[] | undefined) ?? [];
    if (type !== 'function' || called?.value !== 'now' || zone !== undefined) continue;
    if (picture?.type === 'string' && /\[[HhP]/.test(String(picture.value))) yield startOf(called) ?? 0;
  }
}

function* visitNode(node: unknown, context: Context): Generator<ScopePath> {
  if (typeof node !== 'object' || node === null || node instanceof RegExp) return;
  if (Array.isArray(node)) {
    for (const item of node) yield* visitNode(item, context);
    return;
  }
  const here = node as AstNode;
  if (here.type === 'path') return yield* visitPath(here, context);
  if (here.type === 'condition') {
    yield* visitNode(here['condition'], { ...context, flows: false });
    yield* visitNode(here['then'], context);
    yield* visitNode(here['else'], context);
    return;
  }
  const veiled =
    (here.type === 'binary' && HIDING_OPERATORS.has(String(here.value))) ||
    (here.type === 'function' && HIDING_FUNCTIONS.has(String((here['procedure'] as AstNode | undefined)?.value)));
  const inside = veiled ? { ...context, flows: false } : context;
  for (const value of Object.values(here)) yield* visitNode(value, inside);
}

function* visitPath(path: AstNode, context: Context): Generator<ScopePath> {
  const steps = path['steps'] as AstNode[];
  const names = namesOf(steps, context.atRoot);
  if (names !== undefined && names.names.length > 0) {
    const whole = names.complete && path['keepSingletonArray'] !== true && path['group'] === undefined;
    const position = startOf(steps[names.skipped]) ?? 0;
    yield { names: names.names, position, reachesValue: context.flows, whole };
  }
  for (const [index, step] of steps.entries()) {
    const { type, value: _value, ...inside } = step;
    if (type === 'name' || type === 'variable')
      yield* visitNode(Object.values(inside), { atRoot: false, flows: false });
    else yield* visitNode(step, { ...context, atRoot: context.atRoot && index === 0 });
  }
  yield* visitNode(path['group'], { ...context, atRoot: false });
}

/** Leading names of a path that starts at the root of the scope: `vars.x`, `$$.vars.x`, `$.vars.x`. */
function namesOf(
  steps: AstNode[],
  atRoot: boolean,
): { names: string[]; skipped: number; complete: boolean } | undefined {
  const first = steps[0];
  if (first === undefined) return undefined;
  const fromTop = first.type === 'variable' && (first.value === '$' || (first.value === '' && atRoot));
  if (!fromTop && !(first.type === 'name' && atRoot)) return undefined;
  const skipped = fromTop ? 1 : 0;
  const names: string[] = [];
  for (const step of steps.slice(skipped)) {
    if (step.type !== 'name') break;
    names.push(String(step.value));
  }
  return { names, skipped, complete: names.length === steps.length - skipped };
}
