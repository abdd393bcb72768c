/** Routes into a folded group on its block: a stub for each source, with the number of its routes. */
import type { Signal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import type { CanvasState, MarkedWayIn } from './canvas-state.ts';
import type { Card, Drawing } from './drawing.ts';
import { pathOf } from './edge-path.ts';
import type { KeyTargets } from './key-targets.ts';
import { wayInWords } from './ways-in.ts';

export function WaysIn({ card, marked }: { card: Card; marked: Signal<MarkedWayIn | undefined> }) {
  const { entries, step } = card;
  const now = marked.value?.block === step.name ? marked.value.index : undefined;
  return (
    <div class="ways-in">
      {entries.map((way, index) => (
        <div
          key={`${way.source} ${way.title}`}
          class={`row way-in${now === index ? ' marked' : ''}`}
          title={way.ways.join('\n')}
          onPointerEnter={() => (marked.value = { block: step.name, index, source: way.source })}
          onPointerLeave={() => (marked.value = undefined)}
          {...(way.source !== '' && { 'data-jump': way.source })}
        >
          <i class="stub" />
          <span class="label">{t('from {source}', { source: way.title })}</span>
          <span class="count">{way.ways.length}</span>
        </div>
      ))}
    </div>
  );
}

/** Lines of the marked route into a block. */
export function WayInLines({ drawing, state }: { drawing: Drawing; state: CanvasState }) {
  const marked = state.wayIn.value;
  if (marked === undefined) return null;
  const lines = drawing.edges.filter(({ from, to }) => from === marked.source && to === marked.block);
  return lines.length === 0 ? null : <path class="wire near" d={lines.map(({ points }) => pathOf(points)).join('')} />;
}

/** Marks the next route into a block, and says where it comes from. */
export function markWayIn({ step, entries }: Card, { state }: KeyTargets): void {
  const before = state.wayIn.peek();
  const index = before?.block === step.name ? (before.index + 1) % entries.length : 0;
  const way = entries[index];
  if (way === undefined) {
    state.said.value = t('No route leads into this group');
    return;
  }
  state.wayIn.value = { block: step.name, index, source: way.source };
  state.said.value = t('Route in {at} of {count}, {words}', {
    at: index + 1,
    count: entries.length,
    words: wayInWords(way),
  });
}
