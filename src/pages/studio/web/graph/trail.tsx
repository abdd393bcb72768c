/** Groups around the steps that are shown, as links out of them. */

import { t } from '../../../shared/web/words/translate.ts';
import { goOut } from './canvas-keys.ts';
import type { CanvasState } from './canvas-state.ts';
import type { Fold } from './folds.ts';

interface TrailProps {
  flow: string;
  around: readonly Fold[];
  state: CanvasState;
  goTo(step: string): void;
}

export function Trail({ flow, around, state, goTo }: TrailProps) {
  if (around.length === 0) return null;
  const titles = [flow, ...around.map(({ title }) => title)];
  return (
    <nav class="canvas-trail" aria-label={t('Groups around these steps')}>
      {titles.slice(0, -1).map((title, depth) => (
        <span key={depth}>
          <button type="button" onClick={() => goOut(state, around, goTo, depth)}>
            {title}
          </button>{' '}
          ›{' '}
        </span>
      ))}
      <b aria-current="location">{titles.at(-1)}</b> <kbd>{t('Esc')}</kbd>
    </nav>
  );
}
