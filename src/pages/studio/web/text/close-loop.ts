/**
 * Routes an exit to another step. If that closes a loop that nothing bounds, the step of the loop that asks the caller
 * gets `max_visits`, and its `limit` leads to where the flow leads failures (`landing.ts`). Pure.
 */
import { isObject, type JsonObject } from '../../../../base/core/json.ts';
import { type FlowGraph, type GraphLanguage, type GraphStep, graphOf } from '../../../../language/flow/graph.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { type Edit, type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { type ExitRef, setOrAdd, wayChanges } from './edit.ts';
import { landingOf } from './landing.ts';

const VISITS = 5;

export interface Rerouted {
  edits: Edit[];
  /** Bound of the loop that the route closes, if it had none. */
  bound?: Bound;
}

export interface Bound {
  step: string;
  visits: number;
  /** Target of the outcome `limit`. */
  limit: string;
}

/** Says how often a loop that was closed runs. */
export const boundWords = ({ step, visits, limit }: Bound): string =>
  t('{step}: at most {visits, plural, one {once} other {# times}}, then → {target}', {
    step,
    visits,
    target: limit === '$end' ? t('end') : limit,
  });

export function reroute(
  text: string,
  { step, outcome, target, language, narrow }: ExitRef & { target: string; language: GraphLanguage; narrow?: boolean },
): Rerouted | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const { value } = source;
  const way = wayChanges(value, { step, outcome, target, narrow }, language);
  if (isRefusal(way)) return way;
  const graph = graphOf(value, { verbs: language });
  const bounded = stepToBound(graph, { from: step, to: target });
  if (bounded === undefined) {
    const edits = rewriteSource(source, way);
    return isRefusal(edits) ? edits : { edits };
  }
  const found = boundChanges(value, graph, bounded, target);
  if (isRefusal(found)) return found;
  const edits = rewriteSource(source, merged([...way, ...found.changes]));
  return isRefusal(edits) ? edits : { edits, bound: found.bound };
}

/** Bounds a step of a loop. `next`: target of the route that closes it. */
export function boundChanges(
  flow: JsonObject,
  graph: FlowGraph,
  step: string,
  next: string,
): { changes: Change[]; bound: Bound } | EditRefusal {
  const limit = landingOf('limit', { graph, after: step, next });
  const path = ['steps', step];
  const exit = setOrAdd(flow, [...path, 'exits', 'limit'], limit);
  if (isRefusal(exit)) return exit;
  const verb = graph.steps.find(({ name }) => name === step)!.verb;
  const visits: Change = { do: 'add', path, key: 'max_visits', value: VISITS, after: verb };
  return { changes: [visits, ...exit], bound: { step, visits: VISITS, limit } };
}

/** Step of the new loop that asks the caller, else its target. Undefined if there is no loop, or it is bounded. */
export function stepToBound(graph: FlowGraph, { from, to }: { from: string; to: string }): string | undefined {
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  // `max_visits` and a limited number of rounds have the same outcome.
  const isBounded = ({ exits }: GraphStep): boolean => exits.some(({ covers }) => covers.includes('limit'));
  const cameFrom = new Map<string, string | undefined>([[to, undefined]]);
  for (const name of cameFrom.keys()) {
    const step = steps.get(name);
    if (step === undefined || isBounded(step)) continue;
    if (name === from) {
      const loop = pathTo(name, cameFrom);
      return loop.find((each) => steps.get(each)?.group === 'ask') ?? to;
    }
    // Routes of the defaults are those of failures.
    for (const { outcome, target, own } of step.exits) {
      if (own && outcome !== 'hangup' && !cameFrom.has(target)) cameFrom.set(target, name);
    }
  }
  return undefined;
}

function pathTo(name: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const path: string[] = [];
  for (let at: string | undefined = name; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
}

/** New maps of one key are written as one. */
export function merged(changes: readonly Change[]): Change[] {
  const made: Change[] = [];
  for (const change of changes) {
    const known = made.findIndex(
      (each) =>
        change.do === 'add' &&
        each.do === 'add' &&
        each.key === change.key &&
        JSON.stringify(each.path) === JSON.stringify(change.path),
    );
    const other = made[known];
    if (change.do === 'add' && other?.do === 'add' && isObject(other.value) && isObject(change.value)) {
      made[known] = { ...other, value: { ...other.value, ...change.value } };
    } else made.push(change);
  }
  return made;
}
