/** Default exits and events of a flow, below its picture. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { wordsOfEvent } from './card-label.ts';

/** Default exits and events, shown once instead of on every step. */
export function FlowDefaults({ graph, goTo }: { graph: FlowGraph; goTo(step: string): void }) {
  const defaults = Object.entries(graph.defaults);
  const events = Object.entries(graph.events);
  if (defaults.length + events.length === 0) return null;
  const routes = [
    ...defaults.map(([outcome, target]) => ({ words: t('Default: {outcome}', { outcome }), target })),
    ...events.map(([event, target]) => ({ words: wordsOfEvent(event), target })),
  ];
  return (
    <div class="defaults">
      {routes.map(({ words, target }) => (
        <button type="button" key={words} onClick={() => goTo(target)}>
          {words} <b>→ {target === '$end' ? t('end') : target}</b>
        </button>
      ))}
    </div>
  );
}
