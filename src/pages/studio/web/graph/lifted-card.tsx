/** Steps that are dragged to a line: a small card at the pointer. Dropped elsewhere, it glides back. */

import { t } from '../../../shared/web/words/translate.ts';
import type { CanvasState } from './canvas-state.ts';
import { titleOf } from './card-label.ts';
import type { GestureTarget } from './gestures.ts';
import type { KeyTargets } from './key-targets.ts';
import { chosenSteps } from './line-picking.tsx';
import { lineUnder } from './line-selection.tsx';

/** Distance from a line, in px of the screen, at which dragged steps are dropped on it. */
const REACH = 26;
/** Must match the transition in `several.css`. */
const GLIDE_MS = 180;

/** Drags of cards. */
export function liftsOf(targets: () => KeyTargets): Pick<GestureTarget, 'cardAt' | 'lift' | 'put'> {
  const lineAtPoint = (x: number, y: number, steps: readonly string[]) => {
    const target = document.elementFromPoint(x, y);
    const line = lineUnder({ clientX: x, clientY: y, target }, targets(), REACH);
    return line !== undefined && !steps.includes(line.step) ? line : undefined;
  };
  return {
    cardAt(element) {
      const { several, callbacks, state } = targets();
      if (several === undefined || callbacks.onMove === undefined || state.linePick.value !== undefined)
        return undefined;
      if (element.closest('[data-inner], .port, .plus, .toggle, .chip') !== null) return undefined;
      return element.closest<HTMLElement>('[data-step]')?.dataset['step'];
    },
    lift(step, { clientX, clientY }) {
      const { several, state, viewport, drawing } = targets();
      const card = drawing.cards.get(step);
      if (card === undefined) return;
      const steps = several?.steps.peek().has(step) ? chosenSteps(targets()) : (card.members ?? [step]);
      const at = viewport.pointAt(clientX, clientY);
      state.lifted.value = { step, title: titleOf(card), steps, at, home: [card.x, card.y], isBack: false };
      state.line.value = lineAtPoint(clientX, clientY, steps);
    },
    put(step, event) {
      const { state, callbacks } = targets();
      const lifted = state.lifted.peek();
      const line = event === undefined ? undefined : lineAtPoint(event.clientX, event.clientY, lifted?.steps ?? [step]);
      state.line.value = undefined;
      if (lifted === undefined) return;
      if (line !== undefined) {
        state.lifted.value = undefined;
        callbacks.onMove?.(lifted.steps, line);
        return;
      }
      const back = { ...lifted, isBack: true };
      state.lifted.value = back;
      setTimeout(() => {
        if (state.lifted.peek() === back) state.lifted.value = undefined;
      }, GLIDE_MS);
    },
  };
}

export function LiftedCard({ state }: { state: CanvasState }) {
  const lifted = state.lifted.value;
  if (lifted === undefined) return null;
  const { title, steps, at, home, isBack } = lifted;
  const [x, y] = isBack ? home : at;
  return (
    <div class={`lifted-card${isBack ? ' back' : ''}`} style={{ transform: `translate(${x}px,${y}px)` }}>
      <b>
        {steps.length === 1
          ? title
          : `${title} · ${t('{count, plural, one {# step} other {# steps}}', { count: steps.length })}`}
      </b>
      {state.line.value === undefined && !isBack && <small>{t('Drop on a line to move it there')}</small>}
    </div>
  );
}
