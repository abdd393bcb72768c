/**
 * Routes into a part of a flow and out of it, and sound changes of them: a loop that they close is bounded, and a step
 * whose result others read is not removed. Pure. A part is one or several steps.
 */
import type { JsonObject } from '../../../../base/core/json.ts';
import { type FlowGraph, type GraphLanguage, graphOf } from '../../../../language/flow/graph.ts';
import { findOutcomes } from '../../../../language/flow/possible-outcomes.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { applyEdits, type Edit, type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import {
  keysAt,
  momentsIn,
  type ReferenceTarget,
  renamedExpressions,
  targetsIn,
  targetsOfStep,
} from '../../../../language/flow/text/references.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { type Bound, boundChanges, merged, stepToBound } from './close-loop.ts';
import { targetNow, verbIn } from './edit.ts';

export const END = '$end';

export interface PartWays {
  /** References to steps of the part from outside: `start`, events, defaults, exits of other steps. */
  into: ReferenceTarget[];
  /** Routes from the part to outside. */
  on: ReferenceTarget[];
  /** Steps of the part that routes lead to, in the order of the text. */
  entries: string[];
  /** Targets outside, in the order of the text. */
  targets: string[];
  /** Target of the success of the part, if it has one outside. */
  success: string | undefined;
}

export function waysOf(flow: JsonObject, part: readonly string[], verbs: GraphLanguage): PartWays {
  const steps = keysAt(flow, ['steps']).filter((name) => part.includes(name));
  const isOfPart = ({ path }: ReferenceTarget): boolean => path[0] === 'steps' && part.includes(String(path[1]));
  const into = targetsIn(flow, verbs).filter((way) => part.includes(way.name) && !isOfPart(way));
  const on = steps.flatMap((step) => targetsOfStep(flow, step, verbs)).filter(({ name }) => !part.includes(name));
  const led = steps.flatMap((step) => {
    const { success } = verbIn(flow, step, verbs);
    return (success !== undefined && targetNow(flow, { step, outcome: success }, verbs)) || [];
  });
  return {
    into,
    on,
    entries: steps.filter((step) => into.some(({ name }) => name === step)),
    targets: [...new Set(on.map(({ name }) => name))],
    success:
      led.findLast((target) => !part.includes(target)) ??
      on.find(({ path }) => doesContinue(flow, String(path[1]), String(path.at(-1)), verbs))?.name,
  };
}

/** True for outcomes that are not unsuccessful. */
function doesContinue(flow: JsonObject, step: string, outcome: string, verbs: GraphLanguage): boolean {
  const { name, ...verb } = verbIn(flow, step, verbs);
  if (verb.outcomeTable === undefined) return true;
  const outcomes = findOutcomes({ outcomeTable: verb.outcomeTable }, valueAt(flow, ['steps', step, name]) ?? null);
  const found = outcomes.find((each) => each.name === outcome || each.name.startsWith(`${outcome}.`));
  return found === undefined || found.entry.kind === undefined;
}

/** Steps that can be reached in a flow. */
export function reachable(graph: FlowGraph): Set<string> {
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  const first = graph.start ?? graph.steps[0]?.name;
  const seen = new Set([...(first === undefined ? [] : [first]), ...Object.values(graph.events)]);
  for (const name of seen) for (const { target } of steps.get(name)?.exits ?? []) seen.add(target);
  return seen;
}

/** Refuses to remove steps whose results or moments the rest of the flow names. */
export function refusalOfReaders(flow: JsonObject, part: readonly string[]): EditRefusal | undefined {
  for (const step of part) {
    const reading = renamedExpressions(flow, 'steps', step, `${step}_`).find(
      ({ path }) => path[0] !== 'steps' || !part.includes(String(path[1])),
    );
    const rule = momentsIn(flow).find(({ name }) => name.split('.')[0] === step);
    const reader = reading === undefined ? rule?.path[1] : reading.path[reading.path[0] === 'steps' ? 1 : 0];
    if (reader !== undefined) {
      return {
        refused: t('{reader} reads the result of {step}', { reader, step }),
        hint: t('change {reader} first', { reader }),
      };
    }
  }
  return undefined;
}

/** Route that a change leads to another target. */
export interface LedWay {
  from: string;
  to: string;
}

export interface Rewired {
  edits: Edit[];
  /** Bounds of loops that had none. */
  bounds: Bound[];
  /** The text after the edits. */
  text: string;
  graph: FlowGraph;
}

/** Writes changes, and bounds the loops that the led routes close. */
export function rewire(
  source: FlowSource,
  changes: readonly Change[],
  ways: readonly LedWay[],
  verbs: GraphLanguage,
): Rewired | EditRefusal {
  const made = written(source, changes, verbs);
  if (isRefusal(made)) return made;
  const bounds: Bound[] = [];
  const more: Change[] = [];
  for (const way of ways) {
    const step = stepToBound(made.graph, way);
    if (step === undefined || bounds.some((bound) => bound.step === step)) continue;
    const flow = openText(made.text);
    const found = isRefusal(flow) ? flow : boundChanges(flow.value, made.graph, step, way.to);
    if (isRefusal(found)) return found;
    bounds.push(found.bound);
    more.push(...found.changes);
  }
  if (bounds.length === 0) return { ...made, bounds };
  const isNew = ({ step }: Bound): boolean => !keysAt(source.value, ['steps']).includes(step);
  if (!bounds.some(isNew)) {
    const bounded = written(source, merged([...changes, ...more]), verbs);
    return isRefusal(bounded) ? bounded : { ...bounded, bounds };
  }
  const next = openText(made.text);
  const bounded = isRefusal(next) ? next : written(next, more, verbs);
  return isRefusal(bounded) ? bounded : { ...bounded, edits: [editBetween(source.text, bounded.text)], bounds };
}

/** The edit that replaces what differs. */
function editBetween(before: string, after: string): Edit {
  const length = Math.min(before.length, after.length);
  let from = 0;
  while (from < length && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < length - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

function written(
  source: FlowSource,
  changes: readonly Change[],
  verbs: GraphLanguage,
): Omit<Rewired, 'bounds'> | EditRefusal {
  const edits = rewriteSource(source, changes);
  if (isRefusal(edits)) return edits;
  const text = applyEdits(source.text, edits);
  const next = openText(text);
  return isRefusal(next) ? next : { edits, text, graph: graphOf(next.value, { verbs }) };
}
