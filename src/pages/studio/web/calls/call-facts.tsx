/** Variables of each running flow at the current moment, and the line quality. */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { CallPath } from './call-path.ts';
import { LineQuality } from './line-quality.tsx';

export function Facts({ path, record }: { path: CallPath; record: Readonly<Record<string, Json>> | undefined }) {
  const frames = path.frames.value;
  const isAlone = frames.length <= 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys (WCAG 2.1.1)
    <div class="call-facts" role="region" aria-label={t('Variables at this moment, and the line')} tabIndex={0}>
      {frames.map(({ flow, depth, branch, vars, changed }) => (
        <section key={`${branch ?? ''} ${depth}`} aria-label={t('Variables of {flow}', { flow })}>
          <h3>{isAlone ? t('Variables') : t('Variables of {flow}', { flow })}</h3>
          {Object.keys(vars).length === 0 && <p class="none">{t('No variables yet.')}</p>}
          <dl>
            {Object.entries(vars).map(([name, value]) => (
              <div key={name} class={changed.has(name) ? 'changed' : ''}>
                <dt>{name}</dt>
                <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <LineQuality quality={record?.['quality']} />
    </div>
  );
}
