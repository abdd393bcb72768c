/** Count of the selected steps, and the rectangle that selects by a drag. */
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import type { CanvasState } from './canvas-state.ts';
import type { Drawing } from './drawing.ts';
import type { DraggedBox } from './gestures.ts';
import { type Several, severalWords } from './several.ts';

export function SeveralCount({ several, state }: { several: Several; state: CanvasState }) {
  const count = several.steps.value.size;
  useEffect(() => {
    if (count > 0) state.said.value = severalWords(count);
  }, [count]);
  if (count < 2 || state.picking.value !== undefined || state.linePick.value !== undefined) return null;
  return (
    <p class="pick-strip several-count">
      {severalWords(count)}
      <button type="button" aria-label={t('Select one step again')} title={t('Esc')} onClick={() => several.clear()}>
        ✕
      </button>
    </p>
  );
}

/** The rectangle of a drag on empty ground. */
export function Marquee({ state }: { state: CanvasState }) {
  const box = state.marquee.value;
  if (box === undefined) return null;
  const { left, top, right, bottom } = box;
  return (
    <i
      class="marquee"
      style={{ left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` }}
    />
  );
}

/** Steps of the cards that a rectangle of the drawing touches. */
export const stepsIn = ({ cards }: Drawing, { left, top, right, bottom }: DraggedBox): string[] =>
  [...cards.values()]
    .filter((card) => card.x < right && card.x + card.width > left && card.y < bottom && card.y + card.height > top)
    .flatMap(({ step, members }) => members ?? [step.name]);
