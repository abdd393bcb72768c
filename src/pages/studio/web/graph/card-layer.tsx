/** The cards of a drawing, at their positions. */
import { useLayoutEffect } from 'preact/hooks';
import { StepCard } from './card.tsx';
import type { CardContext } from './card-context.ts';
import type { Card, Drawing } from './drawing.ts';
import { GHOST } from './ghost.tsx';
import type { Overlays } from './overlays.ts';
import type { Viewport } from './viewport.ts';

interface CardLayerProps {
  drawing: Drawing;
  start: string | undefined;
  overlays: Overlays;
  viewport: Viewport;
  context: CardContext;
  /** Called after each drawing. */
  drawn(): void;
}

/** Draws the whole cards of the visible cells, or all cards with the smaller faces. `ghost.tsx` draws the ghost. */
export function CardLayer({ drawing, start, overlays, viewport, context, drawn }: CardLayerProps) {
  // In a layout effect, before the next key: that key belongs to the card that the last one has asked for.
  useLayoutEffect(drawn);
  const level = viewport.level.value;
  const { left, top, right, bottom } = viewport.cells.value;
  const focused = context.tabStop.value;
  const isHere = (card: Card): boolean =>
    card.step.name !== GHOST &&
    (level !== 'cards' ||
      card.step.name === focused ||
      (card.x < right && card.x + card.width > left && card.y < bottom && card.y + card.height > top));
  return (
    <>
      {[...drawing.cards.values()].filter(isHere).map((card) => {
        const isStart = card.step.name === start;
        return (
          // The position has an element of its own, so that a card that only moves is not rendered again.
          <div key={card.step.name} class="spot" style={{ transform: `translate(${card.x}px,${card.y}px)` }}>
            <StepCard card={card} overlays={overlays} isStart={isStart} level={level} context={context} />
          </div>
        );
      })}
    </>
  );
}
