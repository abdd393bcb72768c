/**
 * Canary of a flow: start, comparison of both versions while it is active, and the reason for its end. `use-canary.ts`
 * holds the state; `canary-form.tsx` and `canary-sides.tsx` are parts of it.
 */
import './canary.css';
import { listText, t, tNodes } from '../../../shared/web/words/translate.ts';
import { Keys } from '../shell/keys.tsx';
import { setQuery } from '../shell/router.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import type { CanaryData } from './canary-api.ts';
import { endTitle, endWords } from './canary-figures.ts';
import { CanaryForm } from './canary-form.tsx';
import { CanaryExits, CanarySides } from './canary-sides.tsx';
import type { CanaryOnScreen } from './use-canary.ts';
import { shortHash, timeOf, type Version } from './version-api.ts';

export const BACK_KEY = 'b';

interface CanaryViewProps {
  state: CanaryOnScreen;
  /** Version selected in the list as the target. */
  chosen: Version | undefined;
  show(step: string | undefined): void;
}

export function CanaryView({ state, chosen, show }: CanaryViewProps) {
  const { canary, flow, isOn, isBusy } = state;
  const version = isOn ? canary!.version : chosen?.in_force ? undefined : chosen?.hash;
  return (
    <div class="canary-view">
      {canary !== undefined && (isOn ? <Now canary={canary} /> : <Ended canary={canary} />)}
      {canary !== undefined && isOn && <Figures canary={canary} show={show} />}
      {flow !== undefined && version !== undefined && (
        <WriteAccessOnly>
          <CanaryForm
            key={`${version} ${isOn ? canary!.since + canary!.percent : ''}`}
            version={version}
            numbers={flow.numbers}
            canary={isOn ? canary : undefined}
            isBusy={isBusy}
            submit={(wanted) => void state.begin(wanted)}
          />
        </WriteAccessOnly>
      )}
      {flow !== undefined && version === undefined && (
        <p class="canary-hint">
          {tNodes(
            'Choose in the list, under “to”, the version that a part of the callers shall get. To make one, keep a text as a candidate in the editor: {keys}.',
            { keys: <Keys of="Ctrl+Shift+S" /> },
          )}
        </p>
      )}
      {canary !== undefined && !isOn && <Figures canary={canary} show={show} />}
    </div>
  );
}

function Now({ canary }: { canary: CanaryData }) {
  const { version, percent, since, numbers } = canary;
  return (
    <header class="canary-now">
      <div>
        <h2>
          {tNodes('{percent} % of callers take {version}', { percent, version: <code>{shortHash(version)}</code> })}
        </h2>
        <p>
          {numbers === undefined
            ? t('since {time}', { time: timeOf(since) })
            : t('since {time}, on {numbers}', { time: timeOf(since), numbers: listText(numbers) })}
        </p>
      </div>
      <WriteAccessOnly>
        <button type="button" class="button primary" onClick={() => setQuery({ view: 'publish', after: version })}>
          {t('Publish…')}
        </button>
      </WriteAccessOnly>
    </header>
  );
}

/** An automatic rollback is highlighted. */
const Ended = ({ canary }: { canary: CanaryData }) => (
  <section
    class={`canary-ended${canary.state === 'returned' ? ' returned' : ''}`}
    aria-label={t('How the last canary ended')}
  >
    <h2>
      {tNodes('Canary {version} {ended}', {
        version: <code>{shortHash(canary.version)}</code>,
        ended: endTitle(canary),
      })}
    </h2>
    <p>{endWords(canary, timeOf)}</p>
  </section>
);

const Figures = ({ canary, show }: { canary: CanaryData; show(step: string | undefined): void }) => (
  <section class="canary-figures" aria-label={t('Both versions side by side')}>
    <CanarySides canary={canary} />
    <h2>
      {t('Where they differ most')}
      <button type="button" class="link" onClick={() => show(undefined)}>
        {t('all counts in the drawing')}
      </button>
    </h2>
    <CanaryExits canary={canary} show={show} />
  </section>
);
