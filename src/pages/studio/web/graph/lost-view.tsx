/** Way back to the flow while no card is in view. */

import { t } from '../../../shared/web/words/translate.ts';
import type { Drawing } from './drawing.ts';
import { type Viewport, viewedBox } from './viewport.ts';

export function LostView({ drawing, viewport }: { drawing: Drawing; viewport: Viewport }) {
  // Read, so that it is rendered again when the view has moved.
  const hasMoved = viewport.moves.value > 0;
  if (!hasMoved || drawing.cards.size === 0 || viewport.size.width === 0 || hasCard(drawing, viewport)) return null;
  return (
    <button type="button" class="button primary lost-view" onClick={() => viewport.fit(drawing)}>
      {t('Back to the flow')}
    </button>
  );
}

function hasCard({ cards }: Drawing, viewport: Viewport): boolean {
  const { left, top, right, bottom } = viewedBox(viewport);
  for (const { x, y, width, height } of cards.values()) {
    if (x < right && x + width > left && y < bottom && y + height > top) return true;
  }
  return false;
}
