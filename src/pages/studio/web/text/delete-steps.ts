/**
 * Deletes steps. Routes to them are led to one of their targets, so that no route is left without a target. Pure.
 */
import type { JsonObject } from '../../../../base/core/json.ts';
import { type GraphLanguage, graphOf } from '../../../../language/flow/graph.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { END, type LedWay, type Rewired, reachable, refusalOfReaders, rewire, waysOf } from './part-ways.ts';

export interface DeletionTarget {
  /** Name of a step, or `$end`. */
  target: string;
  /** Steps that can no longer be reached if the routes lead to this target. */
  lost: string[];
}

export interface Deletion {
  steps: readonly string[];
  /** Possible targets of the routes to the steps, the proposed one first. */
  targets: DeletionTarget[];
}

/** Possible targets of the routes to the steps. */
export function planDeletion(text: string, steps: readonly string[], language: GraphLanguage): Deletion | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const { value } = source;
  const targets = targetsFor(value, steps, language);
  if (isRefusal(targets)) return targets;
  const before = reachable(graphOf(value, { verbs: language }));
  const tried = targets.map((target) => {
    const made = deleteSteps(text, { steps, to: target, language });
    if (isRefusal(made)) return made;
    const after = reachable(made.graph);
    const lost = made.graph.steps.flatMap(({ name }) => (before.has(name) && !after.has(name) ? name : []));
    return { target, lost };
  });
  const possible = tried.filter((each): each is DeletionTarget => !isRefusal(each));
  return possible.length > 0 ? { steps, targets: possible } : (tried[0] as EditRefusal);
}

export interface DeleteOptions {
  steps: readonly string[];
  /** New target of the routes to the steps; default: the proposed one. */
  to?: string;
  /** Other steps to delete: those that can no longer be reached. */
  along?: readonly string[];
  language: GraphLanguage;
}

export function deleteSteps(text: string, { steps, to, along = [], language }: DeleteOptions): Rewired | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const { value } = source;
  const targets = targetsFor(value, steps, language);
  if (isRefusal(targets)) return targets;
  const gone = [...steps, ...along];
  const refused = refusalOfReaders(value, gone);
  if (refused !== undefined) return refused;
  const target = to ?? targets[0]!;
  const { into } = waysOf(value, gone, language);
  if (target === END && into.some(({ path }) => path[0] === 'start'))
    return { refused: t('A flow begins with a step'), hint: t('add the step that begins it first') };
  const changes = [
    ...into.map(({ path }): Change => ({ do: 'set', path, value: target })),
    ...gone.map((name): Change => ({ do: 'remove', path: ['steps', name] })),
  ];
  const ways = into.flatMap(({ path }): LedWay[] =>
    path[0] === 'steps' ? [{ from: String(path[1]), to: target }] : [],
  );
  return rewire(source, changes, ways, language);
}

/** Possible targets, the target of the success first. Steps that nothing follows are followed by the end. */
function targetsFor(flow: JsonObject, steps: readonly string[], language: GraphLanguage): string[] | EditRefusal {
  const known = keysAt(flow, ['steps']);
  const missing = steps.find((name) => !known.includes(name));
  if (missing !== undefined) return { refused: t('There is no step {missing}', { missing }) };
  if (known.every((name) => steps.includes(name))) return { refused: t('A flow has at least one step') };
  const { into, targets, success } = waysOf(flow, steps, language);
  if (into.length === 0) return [END];
  const found = [...new Set([...(success === undefined ? [] : [success]), ...targets])].filter(
    (target) => target === END || known.includes(target),
  );
  return found.length > 0 ? found : [END];
}
