/**
 * Tabs of the panes of a screen, of which one alone fits on a narrow or low screen. Other screens show all panes, and no
 * tabs. The `show` parameter of the URL keeps the choice.
 */
import './view-tabs.css';
import { t } from '../../../shared/web/words/translate.ts';
import { location, setQuery } from './router.ts';

/** Pane with the `show` that asks for it. The first one is shown without. */
export type ViewTab = readonly [title: string, show: string | undefined];

export const ViewTabs = ({ views }: { views: readonly ViewTab[] }) => (
  <div class="view-tabs" role="tablist" aria-label={t('View')}>
    {views.map(([title, show]) => (
      <button
        key={title}
        type="button"
        role="tab"
        aria-selected={location.value.query['show'] === show}
        onClick={() => setQuery({ show, beside: undefined })}
      >
        {title}
      </button>
    ))}
  </div>
);
