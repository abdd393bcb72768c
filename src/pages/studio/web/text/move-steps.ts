/**
 * Moves steps into a route: they are taken out as by a deletion and put in as by an insertion. The text of the steps
 * stays where it is, only routes change. Pure.
 */
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';
import { type ExitRef, targetNow, wayChanges } from './edit.ts';
import { END, type LedWay, type Rewired, rewire, waysOf } from './part-ways.ts';

export interface MoveOptions {
  steps: readonly string[];
  /** Exit in whose route the steps are put. */
  line: ExitRef;
  language: GraphLanguage;
}

export function moveSteps(text: string, { steps, line, language }: MoveOptions): Rewired | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const { value } = source;
  const known = keysAt(value, ['steps']);
  const missing = [...steps, line.step].find((name) => !known.includes(name));
  if (missing !== undefined) return { refused: t('There is no step {missing}', { missing }) };
  const ways = waysOf(value, steps, language);
  const refused = refusalOf(ways, steps);
  if (refused !== undefined) return refused;
  const entry = ways.entries[0] ?? steps[0]!;
  const on = (steps.length === 1 ? (ways.success ?? ways.targets[0]) : ways.targets[0])!;
  const before = targetNow(value, line, language) ?? END;
  if (steps.includes(line.step) || steps.includes(before)) {
    return {
      refused: t('{count, plural, one {{words} is} other {{words} are}} there already', {
        count: steps.length,
        words: inWords(steps),
      }),
      hint: t('choose another line'),
    };
  }
  if (on === END && ways.into.some(({ path }) => path[0] === 'start'))
    return { refused: t('A flow begins with a step') };
  const way = wayChanges(value, { ...line, target: entry }, language);
  if (isRefusal(way)) return way;
  const changes: Change[] = [
    ...ways.into.map(({ path }): Change => ({ do: 'set', path, value: on })),
    ...ways.on.flatMap(({ path, name }): Change[] =>
      name === on && name !== before ? [{ do: 'set', path, value: before }] : [],
    ),
    ...way,
  ];
  const led: LedWay[] = [
    { from: line.step, to: entry },
    ...ways.into.flatMap(({ path }) => (path[0] === 'steps' ? [{ from: String(path[1]), to: on }] : [])),
    ...ways.on.flatMap(({ path, name }) => (name === on ? [{ from: String(path[1]), to: before }] : [])),
  ];
  return rewire(source, changes, led, language);
}

/** Several steps move as a whole only with one step that routes lead to, and one target. */
function refusalOf({ entries, targets }: ReturnType<typeof waysOf>, steps: readonly string[]): EditRefusal | undefined {
  if (targets.length === 0)
    return { refused: t('{words} ends the call', { words: inWords(steps) }), hint: t('lead an outcome to it instead') };
  if (steps.length === 1) return undefined;
  if (entries.length > 1) {
    return {
      refused: t('Routes lead to {entries}', { entries: listText(entries) }),
      hint: t('steps that one route leads into can be moved together'),
    };
  }
  if (targets.length > 1) {
    return {
      refused: t('The steps lead to {targets}', { targets: listText(targets) }),
      hint: t('steps that lead to one target can be moved together'),
    };
  }
  return undefined;
}

const inWords = (steps: readonly string[]): string =>
  steps.length === 1 ? steps[0]! : t('{count, plural, one {# step} other {# steps}}', { count: steps.length });
