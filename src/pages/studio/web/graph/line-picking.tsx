/** Picks a line by letters: to move steps into it, or to paste there. */

import { t } from '../../../shared/web/words/translate.ts';
import type { CanvasState, LinePick } from './canvas-state.ts';
import type { Card, Drawing, Point } from './drawing.ts';
import { exitId } from './drawing.ts';
import type { Port } from './gestures.ts';
import type { KeyTargets } from './key-targets.ts';
import { hintsFor } from './walking.ts';

/** Lines of a drawing, each with the point of its letters. Exits that are not drawn as a line have theirs at the card. */
export function pickableLines({ cards, edges }: Drawing, names: readonly string[]): Map<string, Point> {
  const drawn = new Map(edges.map((edge) => [exitId(edge.from, edge.outcome), middleOf(edge.points)]));
  const found = new Map<string, Point>();
  for (const name of names) {
    const card = cards.get(name);
    for (const { outcome, y, own } of card === undefined || card.members !== undefined ? [] : card.rows) {
      if (!own || outcome.endsWith('*')) continue;
      const id = exitId(name, outcome);
      found.set(id, drawn.get(id) ?? [rightOf(card!) + ASIDE, card!.y + y]);
    }
  }
  return found;
}

/** Distance of letters from a card, in px of the drawing. */
const ASIDE = 34;
const rightOf = ({ x, width }: Card): number => x + width;

/** Middle of the longest part of a line. */
function middleOf(points: readonly Point[]): Point {
  let best: Point = points[0]!;
  let longest = -1;
  for (const [index, [x2, y2]] of points.entries()) {
    const [x1, y1] = points[index - 1] ?? [x2, y2];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length <= longest) continue;
    longest = length;
    best = [(x1 + x2) / 2, (y1 + y2) / 2];
  }
  return best;
}

/** Selected steps, with those of selected blocks. */
export const chosenSteps = ({ several, drawing }: Pick<KeyTargets, 'several' | 'drawing'>): string[] => [
  ...new Set(several?.names.flatMap((name) => drawing.cards.get(name)?.members ?? [name])),
];

/** Begins to pick a line in view. Own lines of the steps that move cannot be picked. */
export function pickLine(
  { state, drawing, inView }: KeyTargets,
  then: LinePick['then'],
  steps: readonly string[],
): void {
  const lines = pickableLines(
    drawing,
    inView().filter((name) => !steps.includes(name)),
  );
  state.linePick.value = { then, steps, letters: hintsFor([...lines.keys()]), typed: '' };
  state.said.value = t('Pick a line: type the letters at it, or press Escape');
}

/** A key while a line is picked. Returns true if it was handled. */
export function pickLineByKey(event: KeyboardEvent, { state, callbacks }: KeyTargets): boolean {
  const picking = state.linePick.value!;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === 'Escape') {
    state.linePick.value = undefined;
    state.said.value = t('Nothing was changed');
    return true;
  }
  if (!/^[a-z]$/i.test(event.key)) return false;
  const typed = picking.typed + event.key.toLowerCase();
  const found = [...picking.letters].find(([, letters]) => letters === typed)?.[0];
  if (found === undefined) {
    const left = [...picking.letters].filter(([, letters]) => letters.startsWith(typed));
    if (left.length > 0) state.linePick.value = { ...picking, typed, letters: new Map(left) };
    return true;
  }
  state.linePick.value = undefined;
  const line = portOf(found);
  if (picking.then === 'move') callbacks.onMove?.(picking.steps, line);
  else {
    state.line.value = line;
    state.said.value = t('{step}: {outcome}. Paste steps into this line', { step: line.step, outcome: line.outcome });
  }
  return true;
}

/** Names of steps have no spaces. */
function portOf(id: string): Port {
  const space = id.indexOf(' ');
  return { step: id.slice(0, space), outcome: id.slice(space + 1) };
}

/** Letters at the lines while one is picked. */
export function LineHints({ drawing, state }: { drawing: Drawing; state: CanvasState }) {
  const picking = state.linePick.value;
  if (picking === undefined) return null;
  const points = pickableLines(drawing, [...drawing.cards.keys()]);
  return (
    <>
      {[...picking.letters].map(([id, letters]) => {
        const point = points.get(id);
        return (
          point !== undefined && (
            <kbd key={id} class="line-hint" style={{ left: `${point[0]}px`, top: `${point[1]}px` }}>
              {letters}
            </kbd>
          )
        );
      })}
    </>
  );
}

/** Says what the letters at the lines are for. */
export function LinePickStrip({ state }: { state: CanvasState }) {
  const picking = state.linePick.value;
  if (picking === undefined) return null;
  const letters = [...picking.letters.values()];
  return (
    <p class="pick-strip">
      {picking.then === 'move' ? t('Move into which line?') : t('Which line?')} <kbd>{letters[0]}</kbd> –{' '}
      <kbd>{letters.at(-1)}</kbd> <kbd>{t('Esc')}</kbd>
    </p>
  );
}
