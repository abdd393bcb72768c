/** Story of a call: one line for each journal entry, filtered by lane, with the current moment. */

import { t } from '../../../shared/web/words/translate.ts';
import { VirtualList } from '../call-rows/virtual-list.tsx';
import { clockOf } from '../journal/moment.ts';
import type { CallPath } from './call-path.ts';
import { LANES, type StoryLine } from './story.ts';

const ROW_HEIGHT = 26;

export function StoryList({ path }: { path: CallPath }) {
  const lines = path.lines.value;
  const hidden = path.hiddenLanes.value;
  const now = path.lineAt.value;
  return (
    <>
      <div class="story-head">
        <h2>
          {t('Journal')} <small>{t('{journal} entries', { journal: path.journal.value.length })}</small>
        </h2>
        <div class="lanes" role="group" aria-label={t('Kinds of entries')}>
          {LANES.map(({ lane, title }) => (
            <button
              type="button"
              key={lane}
              class={`lane lane-${lane}`}
              aria-pressed={!hidden.has(lane)}
              onClick={() => path.toggleLane(lane)}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      <VirtualList
        items={lines}
        keyOf={({ seq }) => seq}
        rowHeight={ROW_HEIGHT}
        label={t('Journal')}
        keepsActiveInView
        active={path.lineAt}
        onActivate={(index) => path.toIndex(lines[index]!.index)}
        classOf={({ lane, isBad }, index) => `story lane-${lane}${isBad ? ' bad' : ''}${index > now ? ' later' : ''}`}
      >
        {(line) => (
          <>
            <time>{clockOf(line.atMs)}</time>
            <i aria-hidden="true" />
            <span title={line.text}>
              <Words line={line} />
            </span>
          </>
        )}
      </VirtualList>
    </>
  );
}

function Words({ line: { text, strong, isStep } }: { line: StoryLine }) {
  if (strong === undefined) return <>{text}</>;
  // The verb may occur in the name of its step.
  const at = isStep ? text.indexOf(strong) : text.lastIndexOf(strong);
  return (
    <>
      {text.slice(0, at)}
      <b>{strong}</b>
      {text.slice(at + strong.length)}
    </>
  );
}
